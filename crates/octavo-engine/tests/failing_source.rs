//! A source that fails: everything that is not reported as failed is right, whatever the order of the requests.

#![allow(clippy::unwrap_used, reason = "clippy's exception for tests does not reach helpers of integration tests")]

use std::sync::atomic::{AtomicUsize, Ordering};

use octavo_engine::batch::{fill, Plan};
use octavo_engine::fetch::Failures;
use octavo_engine::io::memory::MemorySource;
use octavo_engine::io::{Residence, Scratch, Source, SpanRead};
use octavo_engine::open::OpenOptions;
use octavo_engine::shards::Place;
use octavo_engine::{Dataset, Error, Result};
use octavo_format::checksum::crc32::crc32;
use octavo_format::format::ffrecord::write::encode_header;

const RECORDS: usize = 50;

fn record(number: usize) -> Vec<u8> {
    // Too long to be merged into one read with their neighbours, which is what makes several reads.
    vec![u8::try_from(number).unwrap(); 400_000 + number]
}

fn file() -> Vec<u8> {
    let records: Vec<Vec<u8>> = (0..RECORDS).map(record).collect();
    let checksums: Vec<u32> = records.iter().map(|record| crc32(record)).collect();
    let lens: Vec<u64> = records.iter().map(|record| record.len() as u64).collect();
    let mut file = Vec::new();
    encode_header(&checksums, &lens, &mut |piece| {
        file.extend_from_slice(piece);
        Ok::<(), ()>(())
    })
    .unwrap();
    file.extend(records.concat());
    file
}

/// Fails at its nth span, counted after the file was opened.
struct Failing {
    inner: MemorySource<Vec<u8>>,
    spans_left: AtomicUsize,
}

impl Source for Failing {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_spans(&self, reads: &[SpanRead]) -> Result<()> {
        for read in reads {
            if self.spans_left.fetch_sub(1, Ordering::Relaxed) == 0 {
                return Err(Error::io("failing", "read", std::io::ErrorKind::Other.into()));
            }
            self.inner.read_spans(&[*read])?;
        }
        Ok(())
    }
}

#[test]
fn records_before_the_first_failure_are_whole_at_every_failing_read() {
    let file = file();
    // Opening reads the first bytes, the head, the fixed header and the two tables.
    const SPANS_TO_OPEN: usize = 5;
    for backwards in [false, true] {
        for fails_at in 0..30 {
            let source = Failing {
                inner: MemorySource::new("failing", file.clone()),
                spans_left: AtomicUsize::new(SPANS_TO_OPEN + fails_at),
            };
            let dataset =
                Dataset::open(vec![Place::Source(Box::new(source)).into()], OpenOptions::default()).unwrap();
            let number = |at: usize| if backwards { RECORDS - 1 - at } else { at };
            let plan = Plan::new(&dataset, 0..RECORDS, |at| number(at) as u64).unwrap();
            let scratches: Vec<Scratch> = (0..RECORDS)
                .map(|at| Scratch::new("a test", plan.records[at].placement.record_len).unwrap())
                .collect();
            let targets: Vec<_> = (0..RECORDS).map(|at| scratches[at].part(0, record(number(at)).len())).collect();
            let failures = Failures::stop_at_first();
            fill(&dataset, &plan.records, &targets, Residence::Cold, &failures).unwrap();
            let first = failures.into_list().first().map_or(RECORDS, |(at, _)| *at);
            for (at, target) in targets.iter().enumerate().take(first) {
                // SAFETY: the promise under test is that records before the first failure were filled.
                assert_eq!(unsafe { target.filled() }, record(number(at)), "{fails_at}: record {at}");
            }
        }
    }
}
