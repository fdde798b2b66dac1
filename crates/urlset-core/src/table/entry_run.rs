//! Columns that take many entries at once, one column after the other.

use std::ops::Range;

use urlset_texts::TextBuilder;

use super::columns::{ColumnBuilders, fill_texts};
use super::numbers::{RunNumbers, add_numbers};
use crate::checks::values::is_usual_loc;
use crate::read::element::Field;
use crate::read::entry_run::{EntryRun, MAX_RUN};
use crate::read::numbers::some_of;
use crate::value::{changefreq, priority, w3c_date};

/// Bytes that are copied at once: nearly all locs, and all common forms of dates, have no more.
const LOC_BLOCK: usize = 96;
const DATE_BLOCK: usize = 32;

impl ColumnBuilders {
    /// The entries with a value about which there may be something to note, a bit for each. What the others mean is kept in
    /// `values`.
    #[inline(always)]
    pub fn slow_mask(&self, run: &EntryRun<'_>, values: &mut RunNumbers) -> u64 {
        let mut slow = 0;
        if self.loc.is_some() {
            for (number, entry) in run.entries.iter().enumerate() {
                let is_usual = run.bytes(entry, Field::Loc).is_some_and(is_usual_loc);
                slow |= u64::from(!is_usual) << number;
            }
        }
        let RunNumbers { lastmods, changefreqs, priorities } = values;
        if self.lastmod.is_some() {
            slow |= lastmods.keep(run, Field::Lastmod, |text| w3c_date::instant(text));
        }
        if self.changefreq.is_some() {
            slow |= changefreqs.keep(run, Field::Changefreq, |text| Some(changefreq::parse(text)? as i8));
        }
        if self.priority.is_some() {
            slow |= priorities.keep(run, Field::Priority, |text| priority::usual(text));
        }
        slow
    }

    /// Adds the values of entries that are not in the slow mask, and returns how many bytes of text the longest column holds now.
    #[inline(always)]
    pub fn push_run(&mut self, row: usize, run: &EntryRun<'_>, values: &RunNumbers, entries: Range<usize>) -> usize {
        let mut bytes = 0;
        if let Some(builder) = &mut self.loc {
            // Every entry of an entry run has one.
            let locs = run.entries[entries.clone()].iter().map(|entry| run.part(entry, Field::Loc));
            builder.extend::<LOC_BLOCK>(locs);
            bytes = builder.bytes();
        }
        if let Some(builder) = &mut self.lastmod {
            add_numbers(builder, row, &values.lastmods, entries.clone());
        }
        if let Some(builder) = &mut self.lastmod_raw {
            add_texts(builder, row, run, entries.clone());
            bytes = bytes.max(builder.bytes());
        }
        if let Some(builder) = &mut self.changefreq {
            add_numbers(builder, row, &values.changefreqs, entries.clone());
        }
        if let Some(builder) = &mut self.priority {
            add_numbers(builder, row, &values.priorities, entries.clone());
        }
        if let Some(builder) = &mut self.line {
            let mut lines = [0; MAX_RUN];
            let entries = &run.entries[entries];
            for (line, entry) in lines.iter_mut().zip(entries) {
                *line = run.line_of(entry);
            }
            builder.append_slice(&lines[..entries.len()]);
        }
        bytes
    }
}

/// Adds the lastmods of some entries as they are written, the first of which is this row.
#[inline(always)]
fn add_texts(builder: &mut TextBuilder, row: usize, run: &EntryRun<'_>, entries: Range<usize>) {
    let present = some_of(run.present(Field::Lastmod), &entries);
    if present == 0 {
        return;
    }
    let entries = &run.entries[entries];
    if present.count_ones() as usize == entries.len() {
        fill_texts(builder, row);
        builder.extend::<DATE_BLOCK>(entries.iter().map(|entry| run.part(entry, Field::Lastmod)));
        return;
    }
    for (number, entry) in entries.iter().enumerate().filter(|(number, _)| present >> number & 1 == 1) {
        let (whole, range) = run.part(entry, Field::Lastmod);
        fill_texts(builder, row + number);
        builder.push_part(whole, range);
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::RecordBatch;

    use crate::checks::DocumentChecks;
    use crate::diagnostic::{Finding, Findings};
    use crate::limits::{Budget, Limits};
    use crate::read::Reader;
    use crate::read::namespace::CORE;
    use crate::table::{Table, projection};

    const COLUMNS: [&str; 7] = ["loc", "lastmod", "lastmod_raw", "changefreq", "priority", "kind", "line"];
    /// Of each field: how its values begin, and which values need a closer look.
    const FIELDS: [(&str, &str, [&str; 5]); 4] = [
        ("loc", "https://e.com/", ["/relative", "https://e.com/\u{a0}", "HTTPS://e.com/?a&amp;b", "ftp://e.com/", "é"]),
        ("lastmod", "2026-01-1", ["2026-1-3", "yesterday", "2026", "2026-01-31T10:00:00+14:00", "&#50;026-01-01"]),
        ("changefreq", "daily", ["Daily", "often", "never", "", " weekly "]),
        ("priority", "0.", ["1", "1.5", "high", "", "0.50"]),
    ];

    /// Numbers that look random, and are the same in each run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, most: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % most
        }

        /// A document in which one value in so many is odd, and one field in so many is missing.
        fn document(&mut self, odd: usize, missing: usize) -> String {
            let mut text = format!("<urlset xmlns=\"{CORE}\">");
            for number in 0..self.below(300) {
                text += "\n<url>";
                for (name, usual, others) in FIELDS {
                    if self.below(missing) == 0 {
                        continue;
                    }
                    // A date, and a number behind a point, end with one digit.
                    let end = if name == "loc" { number } else { number % 10 };
                    let value = match self.below(odd) {
                        0 => others[self.below(others.len())].to_owned(),
                        _ if name == "changefreq" => usual.to_owned(),
                        _ => format!("{usual}{end}"),
                    };
                    text += &format!("<{name}>{value}</{name}>");
                }
                text += "</url>";
            }
            text + "</urlset>"
        }
    }

    type Seen = (Vec<RecordBatch>, Vec<Finding>, u64);

    fn read(text: &str, columns: &[String], rows: usize, most: u64, has_shapes: bool) -> Seen {
        let mut table = Table::new(projection(columns).unwrap(), true).in_batches_of(rows);
        table.begin_document(Some("https://e.com/sitemap.xml"));
        let mut checks = DocumentChecks::new(Some(Limits { entries: most, ..Limits::PROTOCOL }));
        let mut reader = Reader::new(Budget::DEFAULT, Findings::default());
        if !has_shapes {
            reader = reader.without_shapes();
        }
        reader.feed(text, &mut (&mut checks, &mut table));
        reader.finish(&mut (&mut checks, &mut table));
        assert_eq!(reader.fault(), None);
        let mut batches: Vec<RecordBatch> =
            std::iter::from_fn(|| table.take_full()).map(|batch| batch.record).collect();
        batches.extend(table.take_rest().map(|batch| batch.record));
        (batches, reader.findings(), checks.entries())
    }

    #[test]
    fn a_run_makes_the_rows_of_its_entries() {
        let mut random = Random(1);
        for round in 0..600 {
            let missing = [2, 20, 1_000][random.below(3)];
            let text = random.document([3, 40, 1_000][round % 3], missing);
            let left_out = random.below(128);
            let columns = COLUMNS.iter().enumerate().filter(|(number, _)| left_out >> number & 1 == 0);
            let columns: Vec<String> = columns.map(|(_, name)| (*name).to_owned()).collect();
            let (rows, most) = ([7, 64, 200, 1_000][random.below(4)], [0, 100, 1_000][random.below(3)]);
            let (taken, single) = (read(&text, &columns, rows, most, true), read(&text, &columns, rows, most, false));
            assert_eq!((&taken.1, taken.2), (&single.1, single.2), "{columns:?} {rows} {most} {text}");
            let lengths = |seen: &Seen| seen.0.iter().map(RecordBatch::num_rows).collect::<Vec<_>>();
            assert_eq!(lengths(&taken), lengths(&single), "{columns:?} {rows} {most} {text}");
            for (batch, other) in taken.0.iter().zip(&single.0) {
                for (name, (column, expected)) in columns.iter().zip(batch.columns().iter().zip(other.columns())) {
                    assert_eq!(column, expected, "{name} {columns:?} {rows} {most} {text}");
                }
            }
        }
    }
}
