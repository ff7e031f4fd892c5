//! Every way in which the engine reads a file in memory. They must agree.

use octavo_engine::batch::{self, Plan};
use octavo_engine::chunks::ChunkPlan;
use octavo_engine::fetch::Failures;
use octavo_engine::info::Description;
use octavo_engine::io::{Residence, Scratch, Source, SpanRead};
use octavo_engine::open::OpenOptions;
use octavo_engine::runs::BlockPlan;
use octavo_engine::scan::View;
use octavo_engine::shards::Place;
use octavo_engine::{verify, Dataset, Error, Result};
use octavo_format::Span;

use crate::draft;

/// A file may claim any number of records: of more than this many, only those at both ends are read.
const MOST_RECORDS: u64 = 64;
/// Of the records that were read one by one, this many are read cold as well: more inputs find more than more of the same.
const MOST_COLD: usize = 12;

/// What the records of a file are.
#[derive(Debug)]
pub struct Reading {
    /// How many there are.
    pub count: u64,
    /// Which of them were read: the first and the last ones where there are many.
    pub numbers: Vec<u64>,
    /// Each of those that can be read.
    pub records: Vec<Option<Vec<u8>>>,
    /// Bytes of an interrupted append.
    pub torn_bytes: u64,
    /// Whether anything at all is wrong.
    pub damaged: bool,
}

/// The records of a file, read one by one, in blocks, warm and cold; `None` if it does not open.
pub fn agree(bytes: &[u8], options: &OpenOptions) -> Option<Reading> {
    let open = |mapped| {
        let source = Box::new(Bytes::new(bytes, mapped));
        Dataset::open(vec![Place::Source(source).into()], *options)
    };
    let (warm, cold) = match (open(true), open(false)) {
        (Ok(warm), Ok(cold)) => (warm, cold),
        (Err(_), Err(_)) => return None,
        _ => panic!("where the bytes are decides whether they are a file"),
    };
    let count = warm.record_count();
    let numbers: Vec<u64> = match count {
        0..=MOST_RECORDS => (0..count).collect(),
        _ => (0..MOST_RECORDS / 2).chain(count - MOST_RECORDS / 2..count).collect(),
    };
    let records: Vec<Option<Vec<u8>>> = numbers.iter().map(|&number| read(&warm, number, true)).collect();
    let step = numbers.len().div_ceil(MOST_COLD).max(1);
    for (number, record) in numbers.iter().zip(&records).rev().step_by(step) {
        assert_eq!(&read(&cold, *number, false), record, "warm and cold reads differ");
    }
    // Blocks of one chunk or of many: drawn by the bytes, so that the same file is always read in the same way.
    let is_odd = bytes.iter().fold(0, |all, byte| all ^ byte) & 1 == 1;
    by_blocks(&warm, &records, if is_odd { 1 } else { 1 << 12 });
    let description = Description::of(&warm).expect("bytes in memory can always be read");
    let mut damage = verify::verify(&warm, &mut |_| Ok::<(), Error>(())).expect("verifying goes on past damage");
    damage.retain(|one| one.record_count > 0);
    for (number, record) in numbers.iter().zip(&records) {
        let told = damage.iter().any(|one| (one.record..one.record + one.record_count).contains(number));
        assert!(told || record.is_some(), "record {number} cannot be read, and verify does not say so");
    }
    let torn_bytes = description.map_or(0, |description| description.torn_bytes);
    Some(Reading { count, numbers, records, torn_bytes, damaged: !damage.is_empty() })
}

/// A file that was just written, with these records.
pub fn is_whole(bytes: &[u8], options: &OpenOptions, expected: &[Vec<u8>]) {
    let found = agree(bytes, options).expect("a whole file opens");
    assert_eq!((found.count, found.torn_bytes, found.damaged), (expected.len() as u64, 0, false));
    for (number, record) in found.numbers.iter().zip(found.records) {
        assert_eq!(record.as_ref(), expected.get(*number as usize), "record {number}");
    }
}

fn read(dataset: &Dataset, number: u64, warm: bool) -> Option<Vec<u8>> {
    if dataset.is_chunked() {
        let plan = ChunkPlan::new(dataset, 0..1, |_| number).ok()?;
        return plan.decode(dataset, warm).ok().map(|decoded| decoded.record(0).to_vec());
    }
    let plan = Plan::new(dataset, 0..1, |_| number).ok()?;
    let len = plan.records[0].placement.record_len;
    if len > draft::MOST_CLAIMED {
        return None;
    }
    let scratch = Scratch::new("fuzzing", len).ok()?;
    let target = scratch.part(0, usize::try_from(len).ok()?);
    let residence = if warm { Residence::Resident } else { Residence::Cold };
    let failures = Failures::collect_all();
    batch::fill(dataset, &plan.records, &[target], residence, &failures).ok()?;
    // SAFETY: what was not reported as failed was filled.
    failures.into_list().is_empty().then(|| unsafe { target.filled() }.to_vec())
}

/// Chunks in a row, as scans read them: up to the first that fails, everything must be there.
fn by_blocks(dataset: &Dataset, records: &[Option<Vec<u8>>], most_bytes: u64) {
    let count = dataset.record_count();
    if !dataset.is_chunked() || count != records.len() as u64 {
        return;
    }
    let view = View { start: 0, step: 1, count };
    let plans = |at| BlockPlan::new(dataset, &view, at..count, most_bytes).map(Block::Plan);
    block_by_block(dataset, records, plans);
    let plans = |at| ChunkPlan::block(dataset, at..count, |record| record, most_bytes).map(Block::Chunks);
    block_by_block(dataset, records, plans);
}

/// A block, planned in one of two ways.
enum Block {
    Plan(BlockPlan),
    Chunks(ChunkPlan),
}

fn block_by_block(dataset: &Dataset, records: &[Option<Vec<u8>>], plan: impl Fn(u64) -> Result<Block>) {
    let mut at = 0;
    while at < records.len() as u64 {
        let Ok(plan) = plan(at) else { return };
        let len = match &plan {
            Block::Plan(plan) => plan.len(),
            Block::Chunks(plan) => plan.len(),
        };
        assert!(len > 0, "a scan must go on");
        let expected = &records[at as usize..at as usize + len];
        let decoded = match plan {
            Block::Plan(plan) => plan.decode(dataset),
            Block::Chunks(plan) => plan.decode(dataset, false),
        };
        match decoded {
            Ok(decoded) => {
                let found = (0..decoded.len()).map(|at| Some(decoded.record(at)));
                assert!(found.eq(expected.iter().map(Option::as_deref)), "a scan differs");
            }
            Err((first, _)) => assert_eq!(expected.iter().position(Option::is_none), Some(first)),
        }
        at += len as u64;
    }
}

/// Bytes in memory, with or without a quick way to them. Whoever asks for what is not there is wrong.
pub struct Bytes {
    bytes: Vec<u8>,
    mapped: bool,
}

impl Bytes {
    /// A source of these bytes.
    pub fn new(bytes: &[u8], mapped: bool) -> Self {
        Self { bytes: bytes.to_vec(), mapped }
    }
}

impl Source for Bytes {
    fn name(&self) -> &str {
        "generated"
    }

    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_spans(&self, reads: &[SpanRead]) -> Result<()> {
        for read in reads {
            let Span { offset, len } = read.span();
            let end = offset.checked_add(len).filter(|end| *end <= self.len());
            assert!(end.is_some(), "{len} bytes at {offset} are not there");
            // SAFETY: the span was just found to lie inside, and the target is memory of its own.
            unsafe { read.target.copy_from(self.bytes.as_ptr().add(offset as usize)) };
        }
        Ok(())
    }

    fn copy_mapped(&self, read: SpanRead) -> Result<bool> {
        if self.mapped {
            self.read_spans(&[read])?;
        }
        Ok(self.mapped)
    }

    fn residence(&self, _span: Span) -> Residence {
        if self.mapped {
            Residence::Resident
        } else {
            Residence::Cold
        }
    }
}
