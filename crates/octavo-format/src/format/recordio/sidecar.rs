//! A RecordIO file's index in a file of its own (`docs/spec/octx.md`).

use crate::chunk::{of_listing, About, ListingFault};
use crate::codec::Codec;
use crate::format::Listing;
use crate::sidecar::{Described, Listed, Sidecar};

use super::{Dialect, RecordIoIndex};

impl Dialect {
    /// The number that stands for it in an index file; zero is for none.
    const fn code(self) -> u8 {
        match self {
            Self::PaddlePython => 1,
            Self::PaddlePythonIeee => 2,
            Self::Go => 3,
            Self::PaddleCpp => 4,
        }
    }
}

impl RecordIoIndex {
    /// The index that a sidecar holds.
    pub fn of_sidecar(sidecar: &Sidecar<'_>) -> Result<Self, ListingFault> {
        let (table, groups) = of_listing(sidecar, |_| true)?;
        let head = sidecar.head();
        let dialect = Dialect::ALL.into_iter().find(|dialect| dialect.code() == head.dialect);
        // Chunks fill the file, and have a dialect.
        let begin = table.get(0).map_or(0, |(first, _)| first.offset);
        if begin > 0 || head.end != head.file_bytes || (dialect.is_none() && !table.is_empty()) {
            return Err(ListingFault);
        }
        let about = About {
            dialect: dialect.map(|dialect| (dialect.name(), true)),
            codec: head.codec.and_then(Codec::from_code),
            from_sidecar: true,
            ..About::default()
        };
        let (record_count, dialect) = (groups.record_count(), dialect.unwrap_or(Dialect::PaddlePython));
        Ok(Self::new(dialect, table, groups.finish(), record_count, head.end, None, about))
    }

    pub(super) fn list(&self) -> Listing<'_> {
        let entries = (0..self.table.len()).filter_map(|chunk| {
            let (entry, _) = self.table.get(chunk).ok()?;
            let (first, next) = (self.groups.first_record(chunk as u64, self.record_count), chunk as u64 + 1);
            let records = self.groups.first_record(next, self.record_count) - first;
            Some(Listed { offset: entry.offset, decoded: 0, records })
        });
        Listing {
            format: Described::RecordIo,
            dialect: self.about.dialect.map_or(0, |_| self.dialect.code()),
            codec: self.about.codec,
            inflated: false,
            end: self.end,
            entries: Box::new(entries),
            points: Vec::new(),
        }
    }
}
