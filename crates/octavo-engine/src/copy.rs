//! Records from a data set into a file, a digest of records, and where to cut them: without an object for any of them.

use std::sync::Arc;

use octavo_format::digest::Digest;
use octavo_format::order::Order;

use crate::error::Error;
use crate::scan::View;
use crate::shards::Dataset;
use crate::walk::{walk, Records};
use crate::write::RecordWriter;

/// Told now and then how many records are done; an error ends the work.
pub type Progress<'a, E> = &'a mut dyn FnMut(u64) -> std::result::Result<(), E>;

/// Reads all records of a view and digests them.
pub fn digest<E: From<Error>>(
    dataset: &Arc<Dataset>,
    view: &View,
    progress: Progress<'_, E>,
) -> std::result::Result<Digest, E> {
    let mut whole = Digest::default();
    let visit = |_, records: Records| Digest::of(records.iter());
    walk(dataset, view, visit, &mut |done, block| {
        whole.join(&block);
        progress(done)
    })?;
    Ok(whole)
}

/// Writes all records of a view, and digests them on their way.
pub fn copy<E: From<Error>>(
    dataset: &Arc<Dataset>,
    view: &View,
    writer: &mut RecordWriter,
    progress: Progress<'_, E>,
) -> std::result::Result<Digest, E> {
    let mut whole = Digest::default();
    let visit = |_, records: Records| (Digest::of(records.iter()), records);
    walk(dataset, view, visit, &mut |done, (block, records)| {
        whole.join(&block);
        writer.write_all(records.iter())?;
        progress(done)
    })?;
    Ok(whole)
}

/// Positions of a view at which runs of at most `most_bytes` begin, and its end. A larger record is a run of its own.
pub fn edges_by_bytes<E: From<Error>>(
    dataset: &Arc<Dataset>,
    view: &View,
    most_bytes: u64,
    progress: Progress<'_, E>,
) -> std::result::Result<Vec<u64>, E> {
    let (mut edges, mut position, mut bytes) = (vec![0], 0_u64, 0_u64);
    let visit = |_, records: Records| records.iter().map(|record| record.len() as u64).collect::<Vec<_>>();
    walk(dataset, view, visit, &mut |done, lens| {
        for len in lens {
            if bytes.saturating_add(len) > most_bytes && edges.last() != Some(&position) {
                edges.push(position);
                bytes = 0;
            }
            bytes = bytes.saturating_add(len);
            position += 1;
        }
        progress(done)
    })?;
    edges.push(position);
    Ok(edges)
}

/// Writes each record of a view into the writer that its position in `order` falls to: of the first positions into the first,
/// and so on, evenly. Within a file records keep their order.
pub fn scatter<E: From<Error>>(
    dataset: &Arc<Dataset>,
    view: &View,
    order: Order,
    writers: &mut [RecordWriter],
    progress: Progress<'_, E>,
) -> std::result::Result<(), E> {
    let (parts, count) = (writers.len() as u128, u128::from(view.count));
    let part_of = move |number: u64| {
        usize::try_from(u128::from(order.position_of(number)) * parts / count).unwrap_or(usize::MAX)
    };
    let visit = move |start, records: Records| {
        let parts: Vec<usize> = (start..start + records.len() as u64).map(&part_of).collect();
        (parts, records)
    };
    walk(dataset, view, visit, &mut |done, (parts, records)| {
        for (part, record) in parts.into_iter().zip(records.iter()) {
            writers[part].write_all([record])?;
        }
        progress(done)
    })
}
