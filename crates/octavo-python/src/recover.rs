//! Saving what is intact of a damaged file.

use std::path::PathBuf;

use octavo_engine::io::file::LocalFile;
use octavo_engine::io::{IoMode, Source};
use octavo_engine::recover::Survey;
use octavo_format::codec::Codec;
use octavo_format::format::recordio::Dialect;
use octavo_format::Format;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::errors;
use crate::lock::SharedMutex;
use crate::progress::{self, Failure};
use crate::source;
use crate::writer::Writer;

/// What is left of a file, and the way to write it into another.
#[pyclass(frozen, module = "octavo._core")]
pub struct Salvage {
    survey: SharedMutex<Option<Survey>>,
}

type Lost = (u64, u64, Option<u64>, String, Option<u64>);

#[pymethods]
impl Salvage {
    /// Looks through a file; `progress` gets the bytes done and the bytes in all.
    #[new]
    #[pyo3(signature = (file, *, format=None, progress=None))]
    fn new(
        py: Python<'_>,
        file: &Bound<'_, PyAny>,
        format: Option<&str>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let unknown =
            |name: &str| errors::named(py, "OptionError", &format!("format {name:?} cannot be recovered"));
        let format = format.map(|name| Format::from_name(name).ok_or_else(|| unknown(name))).transpose()?;
        let path: Option<PathBuf> = if file.is_instance_of::<PyString>() { Some(file.extract()?) } else { None };
        let source = if path.is_none() { Some(source::of(file)?) } else { None };
        let survey = py.detach(|| {
            let source: Box<dyn Source> = match (path, source) {
                (Some(path), _) => Box::new(LocalFile::open(&path, IoMode::Pread)?),
                (None, Some(source)) => source,
                (None, None) => unreachable!("it is one of the two"),
            };
            let survey = Survey::of(source, format, &mut report(progress.as_ref()))?;
            survey.check()?;
            Ok::<_, Failure>(survey)
        });
        let survey = survey.map_err(|failure| failure.into_py(py))?;
        Ok(Self { survey: SharedMutex::new(Some(survey)) })
    }

    /// What the file was: a dict.
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        if let Some(survey) = &*self.survey.lock(py)? {
            dict.set_item("format", survey.format.name())?;
            dict.set_item("codec", survey.codec.map(Codec::name))?;
            dict.set_item("group_size", survey.group_size)?;
            dict.set_item("most_group_size", survey.most_group_size())?;
            dict.set_item("transposed", survey.transposed)?;
            dict.set_item("dialect", survey.dialect.map(Dialect::name))?;
            dict.set_item("writer_options", &survey.writer_options)?;
        }
        Ok(dict)
    }

    /// Writes what is intact and finishes the file; returns how many records, and what is lost. Once.
    #[pyo3(signature = (writer, progress=None))]
    fn write(
        &self,
        py: Python<'_>,
        writer: &Bound<'_, Writer>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(u64, Vec<Lost>)> {
        let survey = self.survey.lock(py)?.take();
        let (Some(survey), Some(writer)) = (survey, writer.get().take_engine(py)?) else {
            return Err(errors::named(py, "ClosedError", "the salvage was written already"));
        };
        let report = py.detach(|| survey.write(writer, &mut report(progress.as_ref())));
        let report = report.map_err(|failure| failure.into_py(py))?;
        let lost = report
            .lost
            .into_iter()
            .map(|one| (one.offset, one.end, one.record_count, one.reason, one.record))
            .collect();
        Ok((report.record_count, lost))
    }
}

/// How many bytes pass between two looks for Ctrl-C.
const LOOK_BYTES: u64 = 16 << 20;

fn report(progress: Option<&Py<PyAny>>) -> impl FnMut(u64, u64) -> Result<(), Failure> + '_ {
    let mut next = 0;
    move |done, total| {
        if done < next && done < total {
            return Ok(());
        }
        next = done + LOOK_BYTES;
        progress::report(progress, (done, total))
    }
}
