//! The index of a TFRecord file that is compressed as a whole: records between two places at which decompression can begin make a
//! chunk.

use crate::bytes;
use crate::chunk::table::{ChunkTable, Entry};
use crate::chunk::{
    damage, reserve_in, About, Broken, Check, ChunkFault, DecodedChunk, Groups, GroupsBuilder, Workspace,
};
use crate::codec::deflate::{decode_range, AccessPoint, Wrapping};
use crate::codec::Decoder;
use crate::error::FormatError;
use crate::format::{Chunks, Format, Index, Listing, Placement, Storing};
use crate::span::Span;

use super::layout::{frame_end, open_frame, parse_header, FOOTER_BYTES, FRAME_BYTES};
use super::scan::{Frames, Start};

/// Record number -> chunk -> placement.
#[derive(Debug)]
pub struct DeflatedIndex {
    wrapping: Wrapping,
    /// Where decompression can begin, in order. The first is the beginning.
    points: Vec<AccessPoint>,
    /// Where chunks begin in the decompressed stream, and how many bytes they have there.
    table: ChunkTable,
    groups: Groups,
    record_count: u64,
    file_bytes: u64,
    broken: Option<Broken>,
    about: About,
}

impl DeflatedIndex {
    /// An index over the records of a decompressed stream. A chunk begins at the first of their starts behind each point.
    pub fn new(
        wrapping: Wrapping,
        points: Vec<AccessPoint>,
        frames: &Frames,
        file_bytes: u64,
        broken: Option<Broken>,
        about: About,
    ) -> Result<Self, FormatError> {
        let (mut table, mut groups) = (ChunkTable::empty(), GroupsBuilder::default());
        let first_behind =
            |point: &AccessPoint| frames.starts.partition_point(|start| start.offset < point.decoded);
        let mut chunks: Vec<usize> = points.iter().map(first_behind).collect();
        chunks.dedup();
        let starts: Vec<Start> = chunks.iter().filter_map(|at| frames.starts.get(*at)).copied().collect();
        let last = Start { offset: frames.end, record: frames.count };
        for (start, next) in starts.iter().zip(starts.iter().skip(1).chain([&last])) {
            table.push(Entry { offset: start.offset, decoded: next.offset - start.offset })?;
            groups.push(next.record - start.record);
        }
        Ok(Self::of_chunks(wrapping, points, table, groups, file_bytes, broken, about))
    }

    /// An index over chunks. What is `broken` comes behind them and stands for one more, of one record.
    pub fn of_chunks(
        wrapping: Wrapping,
        points: Vec<AccessPoint>,
        table: ChunkTable,
        mut groups: GroupsBuilder,
        file_bytes: u64,
        broken: Option<Broken>,
        about: About,
    ) -> Self {
        if broken.is_some() {
            groups.push(1);
        }
        let record_count = groups.record_count();
        let groups = groups.finish();
        Self { wrapping, points, table, groups, record_count, file_bytes, broken, about }
    }

    /// What wraps the stream.
    pub const fn wrapping(&self) -> Wrapping {
        self.wrapping
    }

    /// Where decompression can begin.
    pub fn points(&self) -> &[AccessPoint] {
        &self.points
    }

    /// The chunks, by their places in the decompressed stream.
    pub const fn table(&self) -> &ChunkTable {
        &self.table
    }

    /// The last place at which decompression can begin for a chunk.
    fn point_for(&self, entry: &Entry) -> Result<&AccessPoint, FormatError> {
        let after = self.points.partition_point(|point| point.decoded <= entry.offset);
        self.points.get(after.wrapping_sub(1)).ok_or(FormatError::NoSuchChunk { chunk: 0 })
    }

    fn decode(
        &self,
        entry: &Entry,
        records: u64,
        encoded: &[u8],
        used: Vec<u8>,
        check: Check,
    ) -> Result<DecodedChunk, ChunkFault> {
        let point = self.point_for(entry).map_err(|_| "nothing says where it begins")?;
        // What stands between two records is a checksum, a length and a checksum; the first has only the latter two before it.
        let mut stream = reserve_in(used, entry.decoded + FOOTER_BYTES as u64)?;
        let skip = entry.offset - point.decoded;
        decode_range(self.wrapping, point, encoded, skip, &mut stream[FOOTER_BYTES..]).map_err(damage)?;
        let (ends, faults) = ends_of(&stream, records, check)?;
        Ok(DecodedChunk::with_prefix(stream, 0, bytes::to_usize(FRAME_BYTES), ends).with_faults(faults))
    }
}

/// Records that are damaged, by their places in a chunk.
type Faults = Vec<(usize, ChunkFault)>;

/// Where the bytes of each record end in a stream with a checksum's room in front of it, and which of them are damaged.
fn ends_of(stream: &[u8], records: u64, check: Check) -> Result<(Vec<u64>, Faults), ChunkFault> {
    let (mut ends, mut faults) = (Vec::new(), Vec::new());
    ends.try_reserve_exact(bytes::to_usize(records)).map_err(|_| "a chunk does not fit into memory")?;
    let mut begin = FOOTER_BYTES as u64;
    for _ in 0..records {
        let at = bytes::to_usize(begin);
        let len = parse_header(stream.get(at..).unwrap_or(&[]))?;
        let end = frame_end(begin, len).filter(|end| *end <= stream.len() as u64);
        let end = end.ok_or("a record reaches beyond its end")?;
        if check != Check::Nothing {
            // Every record has a checksum of its own: one that is damaged costs no other.
            if let Err(fault) = open_frame(&stream[at..bytes::to_usize(end)], true) {
                faults.push((ends.len(), fault));
            }
        }
        ends.push(end - FOOTER_BYTES as u64);
        begin = end;
    }
    if begin != stream.len() as u64 {
        return Err("it has more in it than the index says".into());
    }
    Ok((ends, faults))
}

impl Index for DeflatedIndex {
    fn format(&self) -> Format {
        Format::TfRecord
    }

    fn record_count(&self) -> u64 {
        self.record_count
    }

    fn storing(&self) -> Storing {
        Storing::Chunked
    }

    fn locate(&self, record: u64, placement: &mut Placement) -> Result<(), FormatError> {
        self.place_chunk(self.chunk_of(record).0, placement)
    }

    fn chunks(&self) -> Option<&dyn Chunks> {
        Some(self)
    }

    fn has_chunks(&self) -> bool {
        false
    }

    fn is_compressed(&self) -> bool {
        true
    }

    fn about(&self) -> Option<&About> {
        Some(&self.about)
    }

    fn broken(&self) -> Option<FormatError> {
        let Broken { offset, fault } = self.broken?;
        Some(FormatError::Record { offset, record: self.record_count - 1, record_count: 0, fault })
    }

    fn listing(&self) -> Option<Listing<'_>> {
        self.list()
    }

    fn memory(&self) -> (*const u8, usize) {
        self.table.memory()
    }
}

impl Chunks for DeflatedIndex {
    fn chunk_count(&self) -> u64 {
        (self.table.len() + usize::from(self.broken.is_some())) as u64
    }

    fn chunk_of(&self, record: u64) -> (u64, u64) {
        self.groups.chunk_of(record)
    }

    fn first_record(&self, chunk: u64) -> u64 {
        self.groups.first_record(chunk, self.record_count)
    }

    fn place_chunk(&self, chunk: u64, placement: &mut Placement) -> Result<(), FormatError> {
        let (entry, _) = match self.table.get(bytes::to_usize(chunk)) {
            Ok(found) => found,
            Err(error) => return Err(self.broken().unwrap_or(error)),
        };
        let begin = self.point_for(&entry)?.input;
        let behind = self.points.partition_point(|point| point.decoded < entry.offset + entry.decoded);
        // A place may be inside a byte, and that byte belongs to both sides.
        let end = self.points.get(behind).map_or(self.file_bytes, |point| (point.input + 1).min(self.file_bytes));
        placement.span = Span::new(begin, end - begin);
        placement.record_len = entry.decoded;
        Ok(())
    }

    fn decode_chunk(
        &self,
        chunk: u64,
        placement: &Placement,
        encoded: &[u8],
        _decoder: &mut Decoder,
        work: &mut Workspace,
        check: Check,
    ) -> Result<DecodedChunk, FormatError> {
        let (entry, _) = self.table.get(bytes::to_usize(chunk))?;
        let (record, record_count) = (self.first_record(chunk), self.records_in(chunk));
        let used = std::mem::take(&mut work.used);
        self.decode(&entry, record_count, encoded, used, check).map_err(|fault| FormatError::Chunk {
            offset: placement.span.offset,
            record,
            record_count,
            fault,
        })
    }
}
