//! An even sample of rows: those whose locs have the smallest hashes.

use std::mem;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, BooleanArray, DictionaryArray, RecordBatch, StringArray};
use arrow_select::dictionary::garbage_collect_dictionary;
use arrow_select::filter::filter_record_batch;
use twox_hash::XxHash3_64;

use super::batch::Batch;
use super::joiner::Joiner;

const LOC: &str = "loc";
/// Not the hash by which a set may be split: else the split would decide which documents are drawn from.
const SEED: u64 = 0x7572_6c73_6574;

/// Draws rows of all that are pushed, in one pass and with twice as many in memory.
///
/// The hash of a loc depends on nothing else: a set that has changed a little has nearly the same sample, and a smaller
/// sample is a part of a larger one.
pub struct EntrySample {
    size: usize,
    /// The rows that may be drawn, and what each of them is.
    rows: Joiner,
    held: Vec<Row>,
    /// How many rows were pushed.
    seen: u64,
    /// The rank from which on no further row can be drawn.
    bound: Option<u64>,
}

/// Of two rows with the same loc, the earlier one comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    rank: u64,
    place: u64,
}

impl EntrySample {
    /// Draws so many rows, at least one.
    pub fn new(size: usize) -> Self {
        EntrySample { size: size.max(1), rows: Joiner::default(), held: Vec::new(), seen: 0, bound: None }
    }

    /// Takes the next rows, which have locs.
    pub fn push(&mut self, batch: &Batch) {
        let column = batch.record.column_by_name(LOC).and_then(|column| column.as_any().downcast_ref::<StringArray>());
        let locs = column.expect("the rows of a sample have locs");
        let mut wanted = Vec::with_capacity(locs.len());
        for loc in locs {
            let row = Row { rank: rank(loc, self.seen), place: self.seen };
            // Behind all that are held: at the same rank, they come first.
            let is_wanted = self.bound.is_none_or(|bound| row.rank < bound);
            if is_wanted {
                self.held.push(row);
            }
            wanted.push(is_wanted);
            self.seen += 1;
        }
        if let Some(kept) = keep(batch, &wanted) {
            self.rows.add(kept);
        }
        if self.held.len() >= 2 * self.size {
            self.shrink();
        }
    }

    /// Takes the rows that were drawn, in the order in which they were pushed, without the columns behind the first ones.
    pub fn take(&mut self, columns: usize) -> Vec<Batch> {
        self.shrink();
        let mut rows = mem::take(&mut self.rows);
        let columns: Vec<usize> = (0..columns).collect();
        let mut taken = Vec::new();
        while let Some(Batch { record, sitemaps }) = rows.take_rest() {
            let record = record.project(&columns).expect("the table has all columns that were asked for");
            taken.push(Batch { record, sitemaps });
        }
        taken
    }

    /// Of documents with so many rows each, in the order in which they were pushed, how many were drawn.
    pub fn counts(&self, documents: &[u64]) -> Vec<u64> {
        let mut drawn = self.held.iter().peekable();
        let mut end = 0;
        let mut count = |rows: &u64| {
            end += rows;
            let mut number = 0;
            while drawn.next_if(|row| row.place < end).is_some() {
                number += 1;
            }
            number
        };
        documents.iter().map(&mut count).collect()
    }

    /// Drops the rows that are certain not to be drawn.
    fn shrink(&mut self) {
        if self.held.len() <= self.size {
            return;
        }
        let mut ranked = self.held.clone();
        let (_, &mut last, _) = ranked.select_nth_unstable(self.size - 1);
        let wanted: Vec<bool> = self.held.iter().map(|row| *row <= last).collect();
        self.held.retain(|row| *row <= last);
        self.bound = Some(last.rank);
        let mut rows = mem::take(&mut self.rows);
        let mut at = 0;
        while let Some(batch) = rows.take_rest() {
            let end = at + batch.record.num_rows();
            if let Some(kept) = keep(&batch, &wanted[at..end]) {
                self.rows.add(kept);
            }
            at = end;
        }
    }
}

/// Where a row is among all, of which the first ones are drawn. Rows without a loc have nothing in common.
fn rank(loc: Option<&str>, place: u64) -> u64 {
    match loc {
        Some(loc) => XxHash3_64::oneshot_with_seed(SEED, loc.as_bytes()),
        None => XxHash3_64::oneshot_with_seed(SEED, &place.to_le_bytes()),
    }
}

/// The wanted rows, copied into memory of their own, or None if no row is wanted.
fn keep(batch: &Batch, wanted: &[bool]) -> Option<Batch> {
    if wanted.iter().all(|is_wanted| *is_wanted) {
        return Some(batch.clone());
    }
    if !wanted.contains(&true) {
        return None;
    }
    let record = filter_record_batch(&batch.record, &BooleanArray::from(wanted.to_vec()));
    let record = record.expect("there is a flag for each row");
    let columns = record.columns().iter().map(own_documents).collect();
    let record = RecordBatch::try_new(record.schema(), columns).expect("the columns are as before");
    let flagged = batch.sitemaps.iter().zip(wanted).filter(|(_, is_wanted)| **is_wanted);
    Some(Batch { record, sitemaps: flagged.map(|(is_sitemap, _)| *is_sitemap).collect() })
}

/// The column; one of documents without those that have no row. A few rows must not hold the names of thousands.
fn own_documents(column: &ArrayRef) -> ArrayRef {
    let documents = column.as_any().downcast_ref::<DictionaryArray<Int32Type>>();
    documents.map_or_else(
        || column.clone(),
        |documents| Arc::new(garbage_collect_dictionary(documents).expect("fewer names need no larger keys")),
    )
}

#[cfg(test)]
mod tests {
    use arrow_array::builder::StringDictionaryBuilder;
    use arrow_schema::{DataType, Field, Schema};

    use super::*;

    /// Batches of these locs, each with its document, of sizes that have nothing to do with the sample.
    fn batches(locs: &[Option<String>], sizes: &[usize]) -> Vec<Batch> {
        let documents = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let fields = vec![Field::new("document", documents, true), Field::new(LOC, DataType::Utf8, true)];
        let schema = Arc::new(Schema::new(fields));
        let (mut at, mut made) = (0, Vec::new());
        for size in sizes.iter().cycle() {
            if at == locs.len() {
                return made;
            }
            let end = locs.len().min(at + size);
            let mut documents = StringDictionaryBuilder::<Int32Type>::new();
            (at..end).for_each(|row| documents.append_value(document_of(row)));
            let columns: Vec<ArrayRef> =
                vec![Arc::new(documents.finish()), Arc::new(StringArray::from(locs[at..end].to_vec()))];
            let record = RecordBatch::try_new(schema.clone(), columns).expect("columns fit");
            made.push(Batch { record, sitemaps: (at..end).map(|row| row.is_multiple_of(3)).collect() });
            at = end;
        }
        made
    }

    fn document_of(row: usize) -> String {
        format!("{}.xml", row / 10)
    }

    fn locs(rows: usize) -> Vec<Option<String>> {
        // Every seventh has none, and every fifth is there twice.
        let other = |row: usize| row - usize::from(row.is_multiple_of(5));
        let loc = |row: usize| (!row.is_multiple_of(7)).then(|| format!("https://a.example/{}", other(row)));
        (0..rows).map(loc).collect()
    }

    fn drawn(sample: &mut EntrySample) -> Vec<(Option<String>, String, bool)> {
        let mut rows = Vec::new();
        for Batch { record, sitemaps } in sample.take(2) {
            let documents = record.column(0).as_any().downcast_ref::<DictionaryArray<Int32Type>>().expect("a column");
            let documents = documents.downcast_dict::<StringArray>().expect("texts");
            let locs = record.column(1).as_any().downcast_ref::<StringArray>().expect("a column");
            for ((document, loc), flag) in documents.into_iter().zip(locs).zip(sitemaps.iter()) {
                rows.push((loc.map(str::to_owned), document.unwrap_or_default().to_owned(), *flag));
            }
        }
        rows
    }

    #[test]
    fn the_first_by_hash_and_place_are_drawn_in_their_order() {
        let locs = locs(3_000);
        let mut ranked: Vec<(u64, usize)> =
            locs.iter().enumerate().map(|(row, loc)| (rank(loc.as_deref(), row as u64), row)).collect();
        ranked.sort_unstable();
        for size in [1, 2, 100, 1_499, 1_500, 2_999, 3_000, 9_000] {
            let mut expected: Vec<usize> = ranked.iter().take(size).map(|(_, row)| *row).collect();
            expected.sort_unstable();
            for sizes in [&[1][..], &[700], &[3_000], &[1, 250, 13]] {
                let mut sample = EntrySample::new(size);
                for batch in batches(&locs, sizes) {
                    sample.push(&batch);
                    assert!(sample.held.len() < 2 * size, "no more than twice the sample is held");
                }
                let rows = expected.iter().map(|row| (locs[*row].clone(), document_of(*row), row.is_multiple_of(3)));
                assert_eq!(drawn(&mut sample), rows.collect::<Vec<_>>(), "{size} of batches of {sizes:?}");
                let counts = [0, 1_000, 1_999, 0, 1].map(|rows| rows as u64);
                let within = |from, to| expected.iter().filter(|row| (from..to).contains(*row)).count() as u64;
                let by_hand = [0, within(0, 1_000), within(1_000, 2_999), 0, within(2_999, 3_000)];
                assert_eq!(sample.counts(&counts), by_hand);
            }
        }
    }

    #[test]
    fn rows_that_are_kept_hold_no_name_of_another_document() {
        let mut sample = EntrySample::new(5);
        batches(&locs(3_000), &[3_000]).iter().for_each(|batch| sample.push(batch));
        for batch in sample.take(2) {
            let documents = batch.record.column(0).as_any().downcast_ref::<DictionaryArray<Int32Type>>();
            assert!(documents.expect("a column").values().len() <= 5);
        }
    }
}
