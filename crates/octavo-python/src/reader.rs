//! `octavo.Reader`, the part that is hot.

use std::ops::Range;
use std::sync::Arc;

use octavo_engine::batch::Plan;
use octavo_engine::chunk_map::ChunkPlace;
use octavo_engine::chunks::ChunkPlan;
use octavo_engine::info::Description;
use octavo_engine::io::{IoMode, Residence};
use octavo_engine::open::OpenOptions;
use octavo_engine::scan::{plan_block, BlockLimits, View};
use octavo_engine::shards::{Input, Known, Place};
use octavo_engine::{Dataset, Error};
use octavo_format::codec::Codec;
use octavo_format::{Format, Span};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::batch::Batch;
use crate::buffer::RawBuffer;
use crate::chunked::Records;
use crate::errors::{self, IntoPy};
use crate::numpy::NumPy;
use crate::objects::{Bytes, Objects};
use crate::records;
use crate::rows::Rows;
use crate::scan::Scan;
use crate::{chunked, indices, single, source};

/// A part of a file: its number, the first byte, the byte after the last.
type Part = (usize, u64, u64);

/// A chunk of a file: its number, its first byte, its size, its first record, how many it has, what they decode to.
type Chunk = (u64, u64, u64, u64, u64, Option<u64>);

/// The size of a record, where it is known, and the memory that reading it takes.
type Load = (Option<u64>, u64);

/// Records by number; the base of `octavo.Reader`.
#[pyclass(subclass, frozen, module = "octavo._core")]
pub struct Reader {
    dataset: Arc<Dataset>,
    view: View,
}

#[pymethods]
impl Reader {
    #[new]
    #[pyo3(signature = (
        inputs, *, format=None, check_data=true, io="auto", cache_bytes=OpenOptions::CACHE_BYTES, offload_index=false,
        sidecar=true, most_decoded=u64::MAX, spans=None, start=0, step=1, count=None,
    ))]
    #[allow(clippy::too_many_arguments, reason = "one keyword each on the Python side")]
    fn new(
        py: Python<'_>,
        inputs: &Bound<'_, PyAny>,
        format: Option<&str>,
        check_data: bool,
        io: &str,
        cache_bytes: u64,
        offload_index: bool,
        sidecar: bool,
        most_decoded: u64,
        spans: Option<Vec<(u64, u64)>>,
        start: u64,
        step: i64,
        count: Option<u64>,
    ) -> PyResult<Self> {
        if let Ok(whole) = inputs.cast::<Self>() {
            let whole = whole.get();
            let view = whole.view.slice(start, step, count.unwrap_or(whole.view.count));
            return Ok(Self { dataset: Arc::clone(&whole.dataset), view });
        }
        let (format, io) = (format_named(py, format)?, mode_named(py, io)?);
        let options = OpenOptions { format, check_data, io, cache_bytes, offload_index, sidecar, most_decoded };
        let inputs = match spans {
            None => inputs.try_iter()?.map(|input| as_input(&input?)).collect::<PyResult<Vec<Input>>>()?,
            Some(spans) => parts(inputs, &spans)?,
        };
        let dataset = py.detach(|| Dataset::open(inputs, options)).into_py(py)?;
        let view = View::all(dataset.record_count());
        Ok(Self { dataset: Arc::new(dataset), view })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.check_open(py)?;
        usize::try_from(self.view.count)
            .map_err(|_| pyo3::exceptions::PyOverflowError::new_err("too many records"))
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if !indices::is_number(key) {
            return slf.call_method1("_select", (key,));
        }
        let this = slf.get();
        this.check_open(py)?;
        let index = match indices::integer(key, this.view.count) {
            Ok(index) => index,
            // A tensor has `__index__` and is a collection all the same.
            Err(_) if key.hasattr("__len__")? => {
                return slf.call_method1("_select", (key,));
            }
            Err(error) => return Err(error),
        };
        single::read(py, &this.dataset, Bytes, this.view.record(indices::position(py, index, this.view.count)?))
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Scan> {
        self.check_open(py)?;
        Ok(Scan::new(Arc::clone(&self.dataset), self.view))
    }

    /// Records with these numbers, in this order, as a list of bytes.
    fn read<'py>(&self, py: Python<'py>, indices: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        self.read_list(py, Bytes, indices)
    }

    /// Records with these numbers, in this order, as writable NumPy arrays of bytes that own their memory.
    fn read_arrays<'py>(&self, py: Python<'py>, indices: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        self.read_list(py, NumPy::get(py)?, indices)
    }

    /// One record as a writable NumPy array of bytes that owns its memory.
    fn read_array<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.check_open(py)?;
        let index = indices::integer(index, self.view.count)?;
        single::read(
            py,
            &self.dataset,
            NumPy::get(py)?,
            self.view.record(indices::position(py, index, self.view.count)?),
        )
    }

    /// Records `start` to `stop`, as a list of bytes.
    fn read_range<'py>(
        &self,
        py: Python<'py>,
        start: &Bound<'py, PyAny>,
        stop: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.check_open(py)?;
        // One more than the last position is a valid end.
        let ends = self.view.count.saturating_add(1);
        let from_end = |value: i64| {
            if value < 0 {
                value.saturating_add(self.view.count.cast_signed())
            } else {
                value
            }
        };
        let bound = |object| -> PyResult<u64> {
            let value = indices::integer(object, self.view.count)?;
            let placed = from_end(value);
            if placed < 0 || placed.cast_unsigned() >= ends {
                let error = Error::OutOfRange { record: value.into(), count: self.view.count };
                return Err(errors::to_py(py, &error));
            }
            Ok(placed.cast_unsigned())
        };
        let (start, stop) = (bound(start)?, bound(stop)?);
        let count = usize::try_from(stop.saturating_sub(start)).unwrap_or(usize::MAX);
        self.read_run(py, start, count)
    }

    /// All records, as a list of bytes.
    fn read_all<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let count = self.__len__(py)?;
        // A manifest may say anything of files that nobody has opened: they are, before there are places for so many records.
        if self.view.count == self.dataset.record_count() {
            self._open_all(py)?;
        }
        self.read_run(py, 0, count)
    }

    /// Records with these numbers, in one buffer with offsets.
    fn read_batch(&self, py: Python<'_>, indices: &Bound<'_, PyAny>) -> PyResult<Batch> {
        if self.dataset.uses_cache() {
            return Batch::from_records(py, &self.decode(py, indices)?.0);
        }
        let plan = self.plan(py, indices)?;
        Batch::read(py, &self.dataset, &plan)
    }

    /// Records from position `start` on, in one buffer: at least one, and then as many as there may be and as fit into so many
    /// bytes. Of records that share chunks, the last chunk may go beyond that.
    fn _read_block(&self, py: Python<'_>, start: u64, most_records: u64, most_bytes: u64) -> PyResult<Batch> {
        self.check_open(py)?;
        let end = start.saturating_add(most_records).min(self.view.count);
        let positions = start.min(end)..end;
        let limits = BlockLimits { records: most_records, bytes: most_bytes };
        self.read_some(py, positions, |at| self.view.record(at), limits, self.view.step == 1)
    }

    /// Records with the first of these numbers, in one buffer: at least one, and as many as fit into so many bytes.
    fn _read_first(&self, py: Python<'_>, indices: &Bound<'_, PyAny>, most_bytes: u64) -> PyResult<Batch> {
        self.check_open(py)?;
        let wanted = indices::positions(indices, self.view.count)?;
        let record_at = |at: u64| self.view.record(wanted[usize::try_from(at).unwrap_or(usize::MAX)]);
        let limits = BlockLimits { records: u64::MAX, bytes: most_bytes };
        self.read_some(py, 0..wanted.len() as u64, record_at, limits, false)
    }

    /// Records with the first of these numbers: at least one, and as many as fit into so many bytes, or whose chunks do. Each is
    /// its bytes, or the error that keeps it from being read.
    fn _read_each<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        most_bytes: u64,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.check_open(py)?;
        let wanted = indices::positions(indices, self.view.count)?;
        let records: Vec<u64> = wanted.into_iter().map(|position| self.view.record(position)).collect();
        let each = py.detach(|| self.dataset.read_each(&records, most_bytes)).into_py(py)?;
        let object = |one| match one {
            Ok(record) => PyBytes::new(py, &record as &Vec<u8>).into_any(),
            Err(error) => errors::to_py(py, &error).into_value(py).into_bound(py).into_any(),
        };
        Ok(each.into_iter().map(object).collect())
    }

    /// Records of one size straight into `out`, a writable buffer that they fill exactly.
    fn _read_into(&self, py: Python<'_>, indices: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.dataset.uses_cache() {
            return self.copy_into(py, indices, out);
        }
        self.check_open(py)?;
        let positions = indices::positions(indices, self.view.count)?;
        let buffer = writable(py, out)?;
        let rows = Rows::new(py, positions.len(), &buffer)?;
        let plan = || rows.plan(&self.dataset, |at| self.view.record(positions[at]));
        if (buffer.len() as u64) >= self.dataset.quick_bytes() {
            // Released once for all of it: whoever else wants the lock may keep it for milliseconds.
            return py
                .detach(|| plan().and_then(|(plan, residence)| rows.fill(&self.dataset, &plan, residence)))
                .into_py(py);
        }
        let (plan, residence) = plan().into_py(py)?;
        if residence == Residence::Resident {
            return rows.fill(&self.dataset, &plan, residence).into_py(py);
        }
        py.detach(|| rows.fill(&self.dataset, &plan, residence)).into_py(py)
    }

    fn close(&self) {
        self.dataset.close();
    }

    #[getter]
    fn closed(&self) -> bool {
        self.dataset.is_closed()
    }

    /// Where the view starts, its step, its length: what a pickle needs.
    #[getter]
    fn _view(&self) -> (u64, i64, u64) {
        (self.view.start, self.view.step, self.view.count)
    }

    /// Number of the first record of each file, and the total at the end.
    #[getter]
    fn _file_starts(&self) -> Vec<u64> {
        self.dataset.starts().to_vec()
    }

    #[getter]
    fn _format(&self) -> &'static str {
        self.dataset.format().name()
    }

    /// What the files are: a dict, or nothing where there is nothing to say.
    #[getter]
    fn _about<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(about) = Description::of(&self.dataset).into_py(py)? else { return Ok(None) };
        let dict = PyDict::new(py);
        dict.set_item("dialect", about.dialect.map(|(name, _)| name))?;
        dict.set_item("dialect_confirmed", about.dialect.is_some_and(|(_, confirmed)| confirmed))?;
        dict.set_item("codec", about.codec.map(Codec::name))?;
        dict.set_item("group_size", about.group_size)?;
        dict.set_item("transposed", about.transposed)?;
        dict.set_item("chunk_count", about.chunk_count)?;
        dict.set_item("encoded_bytes", about.encoded_bytes)?;
        dict.set_item("decoded_bytes", about.decoded_bytes)?;
        dict.set_item("writer_options", about.writer_options)?;
        dict.set_item("torn_bytes", about.torn_bytes)?;
        dict.set_item("sidecar", about.from_sidecar)?;
        Ok(Some(dict))
    }

    /// The first record of the chunk that a record is in: where a task should begin. Files without chunks have no such places.
    fn _chunk_start(&self, py: Python<'_>, record: u64) -> PyResult<u64> {
        if !self.dataset.is_chunked() || record >= self.dataset.record_count() {
            return Ok(record);
        }
        let (_, at) = self.dataset.chunk_of(record).into_py(py)?;
        Ok(record - at as u64)
    }

    /// The parts of files that records `start` to `stop` are in (number of the file, first byte, byte after the last), and how
    /// many records stand before the first there; nothing where parts cannot be opened by themselves.
    fn _parts_of(&self, py: Python<'_>, start: u64, stop: u64) -> PyResult<Option<(u64, Vec<Part>)>> {
        let found = self.dataset.spans_of(start, stop).into_py(py)?;
        let part = |(file, span): (usize, Span)| (file, span.offset, span.end());
        Ok(found.map(|found| (found.skip, found.spans.into_iter().map(part).collect())))
    }

    /// How many chunks the first file has.
    #[getter]
    fn _chunk_count(&self, py: Python<'_>) -> PyResult<u64> {
        self.dataset.chunk_count(0).into_py(py)
    }

    /// A chunk of the first file: its first byte, its size, its first record and how many it has.
    fn _chunk(&self, py: Python<'_>, chunk: u64) -> PyResult<(u64, u64, u64, u64)> {
        let found = self.dataset.chunk_at(0, chunk).into_py(py)?;
        Ok((found.span.offset, found.span.len, found.first_record, found.record_count))
    }

    /// How many chunks a file has; at most so many of them, evenly spread: number, first byte, size, first record in the file,
    /// how many it has, and what they decode to if the file says.
    fn _chunks_of_file(&self, py: Python<'_>, file: usize, most: u64) -> PyResult<(u64, Vec<Chunk>)> {
        self.check_open(py)?;
        let told = |(number, ChunkPlace { span, first_record, record_count, decoded_bytes })| {
            (number, span.offset, span.len, first_record, record_count, decoded_bytes)
        };
        let some = || Ok((self.dataset.chunk_count(file)?, self.dataset.some_chunks(file, most)?));
        let (count, chunks) = py.detach(some).into_py(py)?;
        Ok((count, chunks.into_iter().map(told).collect()))
    }

    /// The chunk of the first file that a record is in, and its place there.
    fn _chunk_of(&self, py: Python<'_>, record: u64) -> PyResult<(u64, u64)> {
        self.dataset.place_in_chunk(record).into_py(py)
    }

    /// The first byte and the size of what has to be fetched for a record: its chunk, where it is in one.
    fn _place(&self, py: Python<'_>, record: u64) -> PyResult<(u64, u64)> {
        let span = self.dataset.placement_of(record).into_py(py)?.span;
        Ok((span.offset, span.len))
    }

    /// The size of each record, or nothing where only reading it would tell; and the memory that reading it takes: that of its
    /// chunk, where it is in one. Nothing at all for records whose places cannot be told.
    fn _loads(&self, py: Python<'_>, indices: &Bound<'_, PyAny>) -> PyResult<Vec<Option<Load>>> {
        self.check_open(py)?;
        let wanted = indices::positions(indices, self.view.count)?;
        let load = |position: u64| match self.dataset.load_of(self.view.record(position)) {
            Err(Error::Format { .. }) => Ok(None),
            found => found.map(Some),
        };
        py.detach(|| wanted.into_iter().map(load).collect::<Result<_, _>>()).into_py(py)
    }

    /// Part of a record as it stands in its file, not verified; nothing where records do not stand there as they are.
    fn _part<'py>(
        &self,
        py: Python<'py>,
        record: u64,
        offset: u64,
        length: u64,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        self.check_open(py)?;
        let part = py.detach(|| self.dataset.part_of(self.view.record(record), offset, length)).into_py(py)?;
        Ok(part.map(|part| PyBytes::new(py, &part)))
    }

    /// Of each file: its format, how its records are stored, how many there are, and its size.
    #[getter]
    fn _files(&self) -> Vec<(&'static str, &'static str, u64, u64)> {
        let told = |file: Known| (file.format.name(), file.storing.name(), file.record_count, file.file_bytes);
        self.dataset.files().map(told).collect()
    }

    /// Opens every file now.
    fn _open_all(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.dataset.open_all()).into_py(py)
    }

    /// The first bytes of a file, fewer than `count` if it is shorter.
    fn _head<'py>(&self, py: Python<'py>, file: usize, count: u64) -> PyResult<Bound<'py, PyBytes>> {
        self.check_open(py)?;
        if file >= self.dataset.starts().len() - 1 {
            return Err(PyIndexError::new_err("there is no such file"));
        }
        let head = py.detach(|| self.dataset.head(file, count)).into_py(py)?;
        Ok(PyBytes::new(py, &head))
    }

    /// What each file says about its writing, if anything.
    #[getter]
    fn _writer_options(&self, py: Python<'_>) -> PyResult<Vec<Option<String>>> {
        self.dataset.writer_options().into_py(py)
    }

    /// Every interrupted append among the files: the file's name, where it begins, and its size.
    #[getter]
    fn _torn(&self) -> Vec<(String, u64, u64)> {
        self.dataset.torn()
    }

    /// Size of all files, when they were opened.
    #[getter]
    fn _total_bytes(&self) -> u64 {
        self.dataset.total_bytes()
    }
}

impl Reader {
    /// The files behind it, and what is shown of them.
    pub const fn parts(&self) -> (&Arc<Dataset>, View) {
        (&self.dataset, self.view)
    }

    /// The files behind it.
    pub const fn dataset(&self) -> &Arc<Dataset> {
        &self.dataset
    }

    fn check_open(&self, py: Python<'_>) -> PyResult<()> {
        if self.dataset.is_closed() {
            return Err(records::closed(py, "reader"));
        }
        Ok(())
    }

    /// Records at the first of these positions, within limits. What is read in order is not read again.
    fn read_some(
        &self,
        py: Python<'_>,
        positions: Range<u64>,
        record_at: impl Fn(u64) -> u64,
        limits: BlockLimits,
        in_order: bool,
    ) -> PyResult<Batch> {
        if self.dataset.is_chunked() {
            let plan = ChunkPlan::block(&self.dataset, positions, record_at, limits.bytes).into_py(py)?;
            let extent = plan.extent();
            let batch = Batch::from_records(py, &Records::Decoded(chunked::decode(py, &self.dataset, plan)?))?;
            self.leave_behind(extent.filter(|_| in_order));
            return Ok(batch);
        }
        let plan = plan_block(&self.dataset, positions, record_at, limits).into_py(py)?;
        let batch = Batch::read(py, &self.dataset, &plan)?;
        if let (Some(first), Some(last)) = (plan.records.first(), plan.records.last()) {
            let (from, to) = (first.placement.span.offset, last.placement.span.end());
            let is_run = in_order && first.shard == last.shard && from <= to;
            self.leave_behind(is_run.then(|| (first.shard, Span::new(from, to - from))));
        }
        Ok(batch)
    }

    /// A scan is done with this span of a file: large ones are given back, so that the process stays small.
    fn leave_behind(&self, extent: Option<(usize, Span)>) {
        const RELEASE_BYTES: u64 = 1 << 20; // less is not worth the system call
        if let Some((file, span)) = extent.filter(|(_, span)| span.len >= RELEASE_BYTES) {
            self.dataset.shard(file).source().passed(span);
        }
    }

    fn read_list<'py>(
        &self,
        py: Python<'py>,
        objects: impl Objects,
        indices: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.check_open(py)?;
        let positions = indices::positions(indices, self.view.count)?;
        let record_at = |at: usize| self.view.record(positions[at]);
        if positions.len() == 1 {
            return PyList::new(py, [single::read(py, &self.dataset, objects, record_at(0))?]);
        }
        if self.dataset.uses_cache() {
            return chunked::read_list(py, &self.dataset, objects, positions.len(), record_at);
        }
        records::read_list(py, &self.dataset, objects, positions.len(), record_at)
    }

    /// `count` records from position `start` on.
    fn read_run<'py>(&self, py: Python<'py>, start: u64, count: usize) -> PyResult<Bound<'py, PyList>> {
        if self.dataset.is_chunked() {
            return chunked::read_run(py, &self.dataset, &self.view, start, count);
        }
        records::read_list(py, &self.dataset, Bytes, count, |at| self.view.record(start + at as u64))
    }

    /// Records out of chunks, decoded, and their numbers.
    fn decode(&self, py: Python<'_>, indices: &Bound<'_, PyAny>) -> PyResult<(Records, Vec<u64>)> {
        self.check_open(py)?;
        let positions = indices::positions(indices, self.view.count)?;
        let numbers: Vec<u64> = positions.iter().map(|&position| self.view.record(position)).collect();
        let plan = ChunkPlan::new(&self.dataset, 0..numbers.len(), |at| numbers[at]).into_py(py)?;
        Ok((chunked::read_records(py, &self.dataset, plan)?, numbers))
    }

    /// `read_into` for records out of chunks.
    fn copy_into(&self, py: Python<'_>, indices: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let (decoded, numbers) = self.decode(py, indices)?;
        let buffer = writable(py, out)?;
        let rows = Rows::new(py, decoded.len(), &buffer)?;
        for (at, number) in numbers.iter().enumerate() {
            rows.check(*number, decoded.record(at).len() as u64).into_py(py)?;
        }
        for (at, target) in rows.targets().iter().enumerate() {
            // SAFETY: the record has the target's length, and the target is a part of the buffer of its own.
            unsafe { target.copy_from(decoded.record(at).as_ptr()) };
        }
        Ok(())
    }

    fn plan(&self, py: Python<'_>, indices: &Bound<'_, PyAny>) -> PyResult<Plan> {
        self.check_open(py)?;
        let positions = indices::positions(indices, self.view.count)?;
        Plan::new(&self.dataset, 0..positions.len(), |at| self.view.record(positions[at])).into_py(py)
    }
}

fn writable(py: Python<'_>, out: &Bound<'_, PyAny>) -> PyResult<RawBuffer> {
    RawBuffer::writable(out)
        .map_err(|error| errors::named(py, "RecordTypeError", &format!("out is not a writable buffer: {error}")))
}

pub fn format_named(py: Python<'_>, name: Option<&str>) -> PyResult<Option<Format>> {
    let Some(name) = name else { return Ok(None) };
    let known = || Format::ALL.map(Format::name).join(", ");
    let unknown = || errors::named(py, "OptionError", &format!("format {name:?} is none of: {}", known()));
    Format::from_name(name).map(Some).ok_or_else(unknown)
}

fn mode_named(py: Python<'_>, name: &str) -> PyResult<IoMode> {
    let known = || IoMode::ALL.map(|(name, _)| name).join(", ");
    let unknown = || errors::named(py, "OptionError", &format!("io {name:?} is none of: {}", known()));
    IoMode::from_name(name).ok_or_else(unknown)
}

/// A part of each file, from one byte to another.
fn parts(inputs: &Bound<'_, PyAny>, spans: &[(u64, u64)]) -> PyResult<Vec<Input>> {
    let part = |(object, (begin, end)): (PyResult<Bound<'_, PyAny>>, &(u64, u64))| {
        let span = Span::new(*begin, end.saturating_sub(*begin));
        Ok(Input { part: Some(span), ..as_input(&object?)? })
    };
    inputs.try_iter()?.zip(spans).map(part).collect()
}

/// A path, bytes, or an object with `read_spans`.
fn as_input(object: &Bound<'_, PyAny>) -> PyResult<Input> {
    let place = if object.is_instance_of::<PyString>() {
        Place::Path(object.extract()?)
    } else {
        match source::RemoteObject::new(object)? {
            Some(remote) => Place::Remote(Box::new(remote)),
            None => Place::Source(source::of(object)?),
        }
    };
    Ok(Input { known: source::known(object)?, ..place.into() })
}
