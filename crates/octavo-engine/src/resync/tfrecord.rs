//! TFRecord: the next length whose checksum holds, before a record whose checksum holds.

use octavo_format::bytes::to_usize;
use octavo_format::format::tfrecord::layout::{frame_end, open_frame, parse_header, HEADER_BYTES};

use super::{Patience, WINDOW_BYTES};
use crate::error::Error;
use crate::io::{read_vec, Source};

/// Where the first whole record at or after `from` begins.
///
/// `progress` is called with every megabyte; an error from it ends the search.
pub(crate) fn next_record<E: From<Error>>(
    source: &dyn Source,
    from: u64,
    patience: &mut Patience,
    progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
) -> std::result::Result<Option<u64>, E> {
    let file_bytes = source.len();
    let mut begin = from;
    while begin + (HEADER_BYTES as u64) < file_bytes {
        let len = (WINDOW_BYTES + HEADER_BYTES as u64).min(file_bytes - begin);
        let window = read_vec(source, begin, len)?;
        let positions = WINDOW_BYTES.min(file_bytes - begin);
        for (at, header) in window.windows(HEADER_BYTES).take(to_usize(positions)).enumerate() {
            let position = begin + at as u64;
            // Most bytes are not even near to a length that the file could hold.
            if header[7] != 0 {
                continue;
            }
            let end = parse_header(header).ok().and_then(|len| frame_end(position, len));
            let Some(end) = end.filter(|end| *end <= file_bytes && end - position <= patience.left()) else {
                continue;
            };
            match read_vec(source, position, end - position) {
                Ok(frame) if open_frame(&frame, true).is_ok() => return Ok(Some(position)),
                Err(error) if !error.is_no_memory() => return Err(error.into()),
                _ => {}
            }
            patience.spend(end - position);
        }
        begin += positions;
        patience.passed(positions);
        progress(begin, file_bytes)?;
    }
    Ok(None)
}
