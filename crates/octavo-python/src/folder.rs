//! Tables of packed folders as Python's dictionaries, and back.

use std::borrow::Cow;

use octavo_format::folder::{self, FolderFault, Node, TreeBuilder, MAX_DEPTH, ROOT};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyMapping, PyString};

use crate::errors::{kind_of, named};

/// The folder that a table describes: an `OrderedDict` of names, each a file's number or a folder like it.
#[pyfunction]
pub fn parse_folder_table<'py>(py: Python<'py>, table: &[u8], file_count: u64) -> PyResult<Bound<'py, PyAny>> {
    let tree = py.detach(|| folder::parse(table, file_count));
    let tree = tree.map_err(|error| named(py, "DamagedFileError", &error.to_string()))?;
    let class = py.import("collections")?.getattr("OrderedDict")?;
    let folders = (0..tree.folder_count()).map(|_| class.call0()).collect::<PyResult<Vec<_>>>()?;
    let mut names = vec![None; tree.name_count()];
    for (number, folder) in folders.iter().enumerate() {
        for entry in tree.entries(number) {
            let name = match &mut names[entry.name] {
                Some(name) => name,
                unseen => unseen.insert(to_str(py, tree.name(entry.name))?),
            };
            // Not as a dict: that would pass by the order that an OrderedDict keeps.
            match entry.node {
                Node::File(index) => folder.set_item(&*name, index)?,
                Node::Folder(inner) => folder.set_item(&*name, &folders[inner])?,
            }
        }
    }
    Ok(folders[ROOT].clone())
}

/// The record of a folder: the magic and the table that CPython's pickler would make of an `OrderedDict`.
#[pyfunction]
pub fn encode_folder_table<'py>(
    py: Python<'py>,
    structure: &Bound<'py, PyMapping>,
) -> PyResult<Bound<'py, PyBytes>> {
    let refused = |fault: FolderFault| named(py, "OptionError", &fault.to_string());
    let mut tree = TreeBuilder::new();
    let mut waiting = vec![(tree.folder(), 0, structure.clone())];
    while let Some((folder, depth, entries)) = waiting.pop() {
        if depth > MAX_DEPTH {
            return Err(refused(FolderFault::TooDeep)); // now: it might contain itself
        }
        for item in entries.items()? {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let name = tree.name(Cow::Owned(to_bytes(&name)?)).map_err(refused)?;
            let node = if value.is_exact_instance_of::<PyInt>() {
                Node::File(to_index(&value)?)
            } else {
                let number = tree.folder();
                waiting.push((number, depth + 1, to_folder(value)?));
                Node::Folder(number)
            };
            tree.put(folder, name, node).map_err(refused)?;
        }
    }
    let tree = tree.finish().map_err(refused)?;
    Ok(PyBytes::new(py, &py.detach(|| folder::encode(&tree))))
}

fn to_str<'py>(py: Python<'py>, name: &[u8]) -> PyResult<Bound<'py, PyString>> {
    match std::str::from_utf8(name) {
        Ok(name) => Ok(PyString::new(py, name)),
        Err(_) => PyString::from_encoded_object(&PyBytes::new(py, name), Some(c"utf-8"), Some(c"surrogatepass")),
    }
}

fn to_bytes(name: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let Ok(name) = name.cast::<PyString>() else {
        let message = format!("a name in a folder is a str, not {}", kind_of(name));
        return Err(named(name.py(), "RecordTypeError", &message));
    };
    match name.to_cow() {
        Ok(text) => Ok(text.as_bytes().to_vec()),
        Err(_) => name.call_method1("encode", ("utf-8", "surrogatepass"))?.extract(),
    }
}

fn to_index(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    let refused = |_| named(value.py(), "OptionError", &format!("{value} is not the number of a file"));
    value.extract().map_err(refused)
}

fn to_folder(value: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyMapping>> {
    value.cast_into().map_err(|error| {
        let value = error.into_inner();
        let message = format!("an entry of a folder is a file's number or a folder, not {}", kind_of(&value));
        named(value.py(), "RecordTypeError", &message)
    })
}
