//! Many files as one numbering of records.

use std::sync::atomic::{AtomicBool, Ordering};

use octavo_format::{Chunks, Format, FormatError, Index, Placement, Span, Storing};

use crate::batch::Planned;
use crate::chunks::ChunkCache;
use crate::error::{Error, Result};
use crate::fetch::Failures;
pub use crate::input::{Input, Known, Place, Remote};
use crate::interrupt;
use crate::io::file::{Identity, LocalFile};
use crate::io::prefetch::prefetch_line;
use crate::io::{read_vec, Source};
use crate::lazy::Lazy;
use crate::open::{self, OpenOptions};
use crate::pool::{self, Pool};
use crate::residency::Residency;

/// One open file: its bytes and its index.
pub struct Shard {
    source: Box<dyn Source>,
    index: Box<dyn Index>,
    storing: Storing,
    base: u64,
}

impl Shard {
    pub(crate) fn new(source: Box<dyn Source>, index: Box<dyn Index>, base: u64) -> Self {
        let storing = index.storing();
        Self { source, index, storing, base }
    }

    /// How its records are stored.
    #[inline]
    pub const fn storing(&self) -> Storing {
        self.storing
    }

    /// Its bytes.
    #[inline]
    pub fn source(&self) -> &dyn Source {
        self.source.as_ref()
    }

    /// Its index.
    #[inline]
    pub fn index(&self) -> &dyn Index {
        self.index.as_ref()
    }

    /// Its chunks, where it has some.
    #[inline]
    pub fn chunks(&self) -> Option<&dyn Chunks> {
        self.index.chunks()
    }

    /// An error if the file was written to since it was opened. Files that can be appended to may have grown.
    pub fn check_unchanged(&self) -> Result<()> {
        self.source.check_unchanged(self.index.format() != Format::FfRecord)
    }

    /// Damage in this file, with the record's number in the whole data set. What looks like damage may be a file
    /// that was rewritten under us: then that is the error.
    #[cold]
    pub fn blame(&self, damage: FormatError) -> Error {
        if let Err(changed @ Error::Changed { .. }) = self.check_unchanged() {
            return changed;
        }
        Error::format(self.source.name(), damage.renumbered(self.base))
    }
}

/// A file that is opened when a record of it is first asked for.
struct ShardSlot {
    place: Place,
    format: Format,
    storing: Storing,
    record_count: u64,
    file_bytes: u64,
    /// Which file it was when it was looked at, if it is opened late.
    identity: Option<Identity>,
    /// Whether all this is what a list of files says.
    is_listed: bool,
    base: u64,
    shard: Lazy<Shard>,
}

/// Parts of files that hold a run of records.
#[derive(Debug)]
pub struct Parts {
    /// Records that stand before the first one in the first part.
    pub skip: u64,
    /// The number of each file, and the bytes of it.
    pub spans: Vec<(usize, Span)>,
}

/// Files opened together, numbered one after the other.
pub struct Dataset {
    slots: Vec<ShardSlot>,
    /// Number of the first record of each file, and the total at the end.
    starts: Vec<u64>,
    options: OpenOptions,
    closed: AtomicBool,
    is_chunked: bool,
    is_remote: bool,
    /// Whether there are remote files that are opened when a record of them is first asked for.
    opens_late: bool,
    uses_cache: bool,
    quick_bytes: u64,
    cache: ChunkCache,
    /// How warm the data set has been lately.
    pub residency: Residency,
}

impl Dataset {
    /// Opens `inputs`. The index of a single file is read and verified at once; of several files only the fixed
    /// headers are, and each index when a record behind it is first asked for.
    pub fn open(inputs: Vec<Input>, options: OpenOptions) -> Result<Self> {
        let lazily = inputs.len() > 1;
        let slots: Vec<Lazy<ShardSlot>> = inputs.iter().map(|_| Lazy::new()).collect();
        let inputs: Vec<std::sync::Mutex<Option<Input>>> =
            inputs.into_iter().map(|input| std::sync::Mutex::new(Some(input))).collect();
        let is_remote = |input: &std::sync::Mutex<Option<Input>>| {
            matches!(&*pool::locked(input), Some(Input { place: Place::Remote(_), .. }))
        };
        let pool = if inputs.iter().any(is_remote) { pool::net() } else { pool::io() };
        let failures = Failures::stop_at_first();
        pool.for_each(inputs.len(), &|number| {
            let Some(input) = pool::locked(&inputs[number]).take().filter(|_| !failures.should_skip(number))
            else {
                return;
            };
            if let Err(error) = slots[number].get_or_try(|| ShardSlot::new(input, &options, lazily)) {
                failures.push(number, error);
            }
        })?;
        failures.into_result()?;
        let mut slots: Vec<ShardSlot> = slots.into_iter().filter_map(Lazy::into_inner).collect();
        let mut starts = Vec::with_capacity(slots.len() + 1);
        let mut total = 0u64;
        for slot in &mut slots {
            starts.push(total);
            slot.base = total;
            if let Some(shard) = slot.shard.get_mut() {
                shard.base = total;
            }
            total = total.saturating_add(slot.record_count);
        }
        starts.push(total);
        check_formats(&slots)?;
        Ok(Self {
            is_chunked: slots.iter().any(|slot| slot.storing == Storing::Chunked),
            is_remote: slots.iter().any(ShardSlot::is_remote),
            opens_late: slots.iter().any(|slot| slot.is_remote() && slot.shard.get().is_none()),
            uses_cache: uses_cache(&slots, options.cache_bytes),
            quick_bytes: quick_bytes(&slots),
            cache: ChunkCache::new(options.cache_bytes),
            slots,
            starts,
            options,
            closed: AtomicBool::new(false),
            residency: Residency::default(),
        })
    }

    /// Records in all files.
    #[inline]
    pub fn record_count(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Number of the first record of each file, and the total at the end.
    pub fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// Whether checksums are verified.
    #[inline]
    pub const fn checks_data(&self) -> bool {
        self.options.check_data
    }

    /// How it was opened.
    pub const fn options(&self) -> &OpenOptions {
        &self.options
    }

    /// The format of the files; all of one data set have the same.
    pub fn format(&self) -> Format {
        self.slots.first().map_or(Format::FfRecord, |slot| slot.format)
    }

    /// Whether records share chunks, in any of the files.
    #[inline]
    pub const fn is_chunked(&self) -> bool {
        self.is_chunked
    }

    /// Whether reading is waiting on a network.
    #[inline]
    pub const fn is_remote(&self) -> bool {
        self.is_remote
    }

    /// Where blocks are decoded while others are handed out: what waits on a network must not keep a CPU's thread from decoding.
    pub fn block_pool(&self) -> &'static Pool {
        if self.is_remote {
            pool::net()
        } else {
            pool::cpu()
        }
    }

    /// Whether records that are asked for by number go through the cache of decoded chunks: where they share chunks, and
    /// where decompressing them takes much longer than copying and all of them fit into the cache.
    #[inline]
    pub const fn uses_cache(&self) -> bool {
        self.uses_cache
    }

    /// Work on fewer bytes than this keeps the caller's locks, such as an interpreter's: giving them away costs more than it
    /// gains. Measured with sixteen threads on two CPUs.
    #[inline]
    pub const fn quick_bytes(&self) -> u64 {
        self.quick_bytes
    }

    /// The cache of decoded chunks.
    pub(crate) const fn cache(&self) -> &ChunkCache {
        &self.cache
    }

    /// Every interrupted append among the files that are open: the file's name, where it begins, and its size.
    pub fn torn(&self) -> Vec<(String, u64, u64)> {
        let shards = self.slots.iter().filter_map(|slot| slot.shard.get());
        let torn = shards.filter_map(|shard| Some((shard, shard.index().about()?.torn_bytes)));
        torn.filter(|(_, bytes)| *bytes > 0)
            .map(|(shard, bytes)| (shard.source().name().to_owned(), shard.source().len() - bytes, bytes))
            .collect()
    }

    /// The parts of files that records `start` to `stop` are in. Nothing where a part of a file cannot be opened by itself.
    pub fn spans_of(&self, start: u64, stop: u64) -> Result<Option<Parts>> {
        let (mut skip, mut spans) = (0, Vec::new());
        let mut record = start;
        while record < stop {
            let number = self.shard_of(record)?;
            let shard = self.open_shard(number)?;
            let (begin, end) = (self.starts[number], self.starts[number + 1].min(stop));
            let Some(chunks) = shard.chunks().filter(|_| shard.index().has_parts()) else {
                return Ok(None);
            };
            let ((first, at), (last, _)) = (chunks.chunk_of(record - begin), chunks.chunk_of(end - 1 - begin));
            if record == start {
                skip = at;
            }
            let (mut from, mut to) = (Placement::default(), Placement::default());
            chunks.place_chunk(first, &mut from).map_err(|damage| shard.blame(damage))?;
            chunks.place_chunk(last, &mut to).map_err(|damage| shard.blame(damage))?;
            spans.push((number, Span::new(from.span.offset, to.span.end() - from.span.offset)));
            record = end;
        }
        Ok(Some(Parts { skip, spans }))
    }

    /// What a list of files would say about each of them.
    pub fn files(&self) -> impl Iterator<Item = Known> + '_ {
        self.slots.iter().map(|slot| Known {
            format: slot.format,
            storing: slot.storing,
            record_count: slot.record_count,
            file_bytes: slot.file_bytes,
        })
    }

    /// The bytes that have to be fetched for a record, and what they decode to: those of its chunk, where it is in one.
    pub fn placement_of(&self, record: u64) -> Result<Placement> {
        let number = self.shard_of(record)?;
        let shard = self.open_shard(number)?;
        let (local, mut placement) = (record - self.starts[number], Placement::default());
        let placed = match shard.chunks() {
            Some(chunks) => chunks.place_chunk(chunks.chunk_of(local).0, &mut placement),
            None => shard.index().locate(local, &mut placement),
        };
        placed.map_err(|damage| shard.blame(damage))?;
        Ok(placement)
    }

    /// The size of a record, where that is known without reading it, and the memory that reading it takes: that of its chunk, where
    /// it is in one.
    pub fn load_of(&self, record: u64) -> Result<(Option<u64>, u64)> {
        let load = self.placement_of(record)?.record_len;
        let is_alone = self.shard(self.shard_of(record)?).storing() != Storing::Chunked;
        Ok((is_alone.then_some(load), load))
    }

    /// How many records from this one on share its fate: those up to the end of its chunk, or itself.
    pub fn unit_at(&self, record: u64) -> Result<u64> {
        let number = self.shard_of(record)?;
        let local = record - self.starts[number];
        let chunks = self.open_shard(number)?.chunks();
        Ok(chunks.map_or(1, |chunks| chunks.first_record(chunks.chunk_of(local).0 + 1) - local))
    }

    /// A part of a record, as it stands in its file and unverified; nothing where records are not stored as they are.
    pub fn part_of(&self, record: u64, offset: u64, len: u64) -> Result<Option<Vec<u8>>> {
        let mut planned = Planned::default();
        let shard = self.open_shard(self.shard_of(record)?)?;
        if shard.index().storing() != Storing::Verbatim {
            return Ok(None);
        }
        self.locate(record, &mut planned)?;
        let span = planned.span();
        let start = offset.min(span.len);
        read_vec(shard.source(), span.offset + start, len.min(span.len - start)).map(Some)
    }

    /// Size of all files together, when they were opened.
    pub fn total_bytes(&self) -> u64 {
        self.slots.iter().map(|slot| slot.file_bytes).sum()
    }

    /// Marks the data set as closed, for every reader that shares it, and gives back its descriptors. Mapped memory
    /// goes with the last reader: another thread may be copying from it.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.slots.iter().filter_map(|slot| slot.shard.get()).for_each(|shard| shard.source().close());
    }

    /// Whether it was closed.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Where a record is, written to `planned`. Opens the file it is in if need be.
    #[inline]
    pub fn locate(&self, record: u64, planned: &mut Planned) -> Result<()> {
        let number = self.shard_of(record)?;
        let shard = self.open_shard(number)?;
        let local = record - self.starts[number];
        planned.shard = number;
        planned.record = local;
        shard.index().locate(local, &mut planned.placement).map_err(|damage| shard.blame(damage))
    }

    /// Which file a record is in.
    #[inline]
    pub fn shard_of(&self, record: u64) -> Result<usize> {
        if record >= self.record_count() {
            return Err(Error::OutOfRange { record: record.into(), count: self.record_count() });
        }
        if self.slots.len() == 1 {
            return Ok(0);
        }
        // The last file that starts at or before the record; empty files start where their successors do.
        Ok(self.starts.partition_point(|&start| start <= record) - 1)
    }

    /// Brings the index entry of a record near, if that is one step away.
    #[inline]
    pub fn prefetch_entry(&self, record: u64) {
        if let [slot] = self.slots.as_slice() {
            if let Some(shard) = slot.shard.get() {
                prefetch_line(shard.index().entry_address(record));
            }
        }
    }

    /// Brings a located record's first bytes near, and the entry that verifies it.
    #[inline]
    pub fn prefetch(&self, planned: &Planned) {
        let shard = self.shard(planned.shard);
        prefetch_line(shard.index().entry_address(planned.record));
        shard.source().prefetch(planned.placement.span);
    }

    /// The file that a planned record is in.
    #[inline]
    pub fn source_of(&self, planned: &Planned) -> &dyn Source {
        self.shard(planned.shard).source()
    }

    /// A file that `locate` has opened.
    #[inline]
    pub fn shard(&self, number: usize) -> &Shard {
        match self.slots[number].shard.get() {
            Some(shard) => shard,
            None => unreachable!("a planned record's file is open"),
        }
    }

    /// A file, opened if it is not yet.
    #[inline]
    pub fn open_shard(&self, number: usize) -> Result<&Shard> {
        let slot = &self.slots[number];
        if let Some(shard) = slot.shard.get() {
            return Ok(shard);
        }
        if slot.is_remote() {
            return interrupt::unlocked(|| slot.shard.get_or_try(|| slot.open(&self.options)));
        }
        slot.shard.get_or_try(|| slot.open(&self.options))
    }

    /// Opens every file that is not open yet.
    pub fn open_all(&self) -> Result<()> {
        let numbers: Vec<usize> = (0..self.slots.len()).collect();
        self.open_shards(&numbers)
    }

    /// Opens the files of these records that are not open yet, side by side: each may take several round trips.
    pub fn open_for(&self, records: impl Iterator<Item = u64>) -> Result<()> {
        if !self.opens_late {
            return Ok(());
        }
        let mut numbers: Vec<usize> = records.filter_map(|record| self.shard_of(record).ok()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|&number| self.slots[number].shard.get().is_none());
        if numbers.len() < 2 {
            return Ok(()); // whoever locates the record opens it
        }
        interrupt::unlocked(|| self.open_shards(&numbers))
    }

    fn open_shards(&self, numbers: &[usize]) -> Result<()> {
        let pool = if self.is_remote { pool::net() } else { pool::io() };
        let failures = Failures::stop_at_first();
        pool.for_each(numbers.len(), &|at| {
            if failures.should_skip(at) {
                return;
            }
            if let Err(error) = self.open_shard(numbers[at]).map(|_| ()) {
                failures.push(at, error);
            }
        })?;
        failures.into_result()
    }

    /// Whether all of it is in local files.
    pub fn is_local(&self) -> bool {
        self.slots.iter().all(|slot| matches!(slot.place, Place::Path(_)))
    }

    /// An error if one of the files that hold `planned` was written to since it was opened.
    pub fn check_unchanged(&self, planned: &[Planned]) -> Result<()> {
        if let [only] = planned {
            return self.shard(only.shard).check_unchanged();
        }
        let mut last = usize::MAX;
        let mut seen = std::collections::HashSet::new();
        for record in planned {
            // Runs of one file are the rule; the set is for batches that hop between many.
            if record.shard != last && seen.insert(record.shard) {
                self.shard(record.shard).check_unchanged()?;
            }
            last = record.shard;
        }
        Ok(())
    }
}

/// Copying runs at ten bytes a nanosecond, decompressing at one. With zstd, sixteen threads on two CPUs were level with the lock
/// kept or released at 12 kB a record, and 1.8 times as quick with it released at 16 kB.
fn quick_bytes(slots: &[ShardSlot]) -> u64 {
    const COPIED: u64 = 128 << 10;
    const DECOMPRESSED: u64 = 14 << 10;
    let compressed = slots.iter().filter_map(|slot| slot.shard.get()).any(|shard| shard.index().is_compressed());
    if compressed {
        DECOMPRESSED
    } else {
        COPIED
    }
}

/// See [`Dataset::uses_cache`].
fn uses_cache(slots: &[ShardSlot], cache_bytes: u64) -> bool {
    /// Below this, finding a record in the cache takes about as long as decompressing it.
    const WORTH_KEEPING: u64 = 512;
    if slots.iter().any(|slot| slot.storing == Storing::Chunked) {
        return true;
    }
    let (mut records, mut bytes) = (0u64, 0u64);
    for slot in slots {
        match slot.shard.get() {
            Some(shard) if shard.index().is_compressed() => {
                records = records.saturating_add(slot.record_count);
                bytes = bytes.saturating_add(
                    shard.index().about().and_then(|about| about.decoded_bytes).unwrap_or(u64::MAX),
                );
            }
            _ => return false,
        }
    }
    let kept = records.saturating_mul(ChunkCache::ENTRY_BYTES).saturating_add(bytes);
    kept <= cache_bytes && bytes / WORTH_KEEPING >= records
}

fn check_formats(slots: &[ShardSlot]) -> Result<()> {
    let Some(first) = slots.first() else { return Ok(()) };
    let Some(other) = slots.iter().find(|slot| slot.format != first.format) else { return Ok(()) };
    let path = match &other.place {
        Place::Path(path) => crate::error::shown(path),
        Place::Remote(remote) => remote.name().to_owned(),
        Place::Source(_) | Place::Opened => "a file".to_owned(),
    };
    Err(Error::MixedFormats { path: path.into(), found: other.format.name(), expected: first.format.name() })
}

impl ShardSlot {
    fn new(input: Input, options: &OpenOptions, lazily: bool) -> Result<Self> {
        let Input { place, part, known } = input;
        if let (None, Some(known), Place::Path(_) | Place::Remote(_)) = (part, known, &place) {
            let slot = Self { is_listed: true, ..Self::known(place, known, None) };
            if known.record_count == 0 {
                slot.open(options)?; // nobody would ever ask for a record of it, and find that it has some
            }
            return Ok(slot);
        }
        let open = |source: Box<dyn Source>| match part {
            Some(span) => open::open_part(source, span, options),
            None => open::open_source(source, options),
        };
        match place {
            Place::Path(path) => match if lazily && part.is_none() { open::peek(&path, options)? } else { None } {
                Some(open::Peek { record_count, file_bytes, identity }) => {
                    let (format, storing) = open::PEEKED;
                    let known = Known { format, storing, record_count, file_bytes };
                    Ok(Self::known(Place::Path(path), known, identity))
                }
                None => {
                    let shard = open(Box::new(LocalFile::open(&path, options.io)?))?;
                    Ok(Self::opened(Place::Path(path), shard))
                }
            },
            Place::Remote(remote) => {
                let shard = open(remote.open()?)?;
                Ok(Self::opened(Place::Remote(remote), shard))
            }
            Place::Source(source) => Ok(Self::opened(Place::Opened, open(source)?)),
            Place::Opened => unreachable!("nobody asks for what is open already"),
        }
    }

    const fn known(place: Place, known: Known, identity: Option<Identity>) -> Self {
        let Known { format, storing, record_count, file_bytes } = known;
        let shard = Lazy::new();
        Self { place, format, storing, record_count, file_bytes, identity, is_listed: false, base: 0, shard }
    }

    fn opened(place: Place, shard: Shard) -> Self {
        let known = Known::of(&shard);
        Self { shard: Lazy::filled(shard), ..Self::known(place, known, None) }
    }

    const fn is_remote(&self) -> bool {
        matches!(self.place, Place::Remote(_))
    }

    fn open(&self, options: &OpenOptions) -> Result<Shard> {
        let mut shard = match &self.place {
            Place::Path(path) => open::open_path(path, options)?,
            Place::Remote(remote) => open::open_source(remote.open()?, options)?,
            Place::Source(_) | Place::Opened => unreachable!("only what can be opened again is opened late"),
        };
        let opened = shard.source().as_file().map(LocalFile::identity);
        if !self.identity.zip(opened).is_none_or(|(peeked, opened)| peeked.is_untouched(&opened)) {
            return Err(Error::changed(shard.source().name(), "the file was replaced"));
        }
        let found = Known::of(&shard);
        let differs = match self {
            _ if found.file_bytes != self.file_bytes => Some("another size"),
            _ if found.format != self.format => Some("another format"),
            _ if found.record_count != self.record_count => Some("another number of records"),
            _ if found.storing != self.storing => Some("another way of storing"),
            _ => None,
        };
        match differs {
            Some(how) if self.is_listed => {
                return Err(Error::NotAsListed { path: shard.source().name().into(), how });
            }
            // The first look believed what the index, read in full, does not confirm.
            Some(_) => {
                return Err(Error::changed(shard.source().name(), "the index contradicts itself or changed"))
            }
            None => {}
        }
        shard.base = self.base;
        Ok(shard)
    }
}
