use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray, UInt64Array};

use super::*;

/// Numbers that look random, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// A row: its loc, and a value of each kind.
type Row = (String, Option<i64>, Option<&'static str>, Option<u64>, Option<u64>);

fn rows(count: usize, most: u64, numbers: &mut Numbers) -> Vec<Row> {
    let row = |_| {
        let loc =
            format!("https://a.example/{}{}", "shelf\u{e9}/".repeat(numbers.below(4) as usize), numbers.below(most));
        let text = [None, Some(""), Some("yesterday"), Some("\u{8336}")][numbers.below(4) as usize];
        let lastmod = [None, Some(-1), Some(i64::MAX)][numbers.below(3) as usize];
        // Of a float, the bits: nothing else compares those that are NaN.
        (
            loc,
            lastmod,
            text,
            [None, Some(7)][numbers.below(2) as usize],
            [None, Some(0.5_f64.to_bits())][numbers.below(2) as usize],
        )
    };
    (0..count).map(row).collect()
}

fn table(rows: &[Row]) -> RecordBatch {
    let columns: [(&str, ArrayRef); 5] = [
        ("loc", Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.0)))),
        ("lastmod", Arc::new(Int64Array::from_iter(rows.iter().map(|row| row.1)))),
        ("raw", Arc::new(StringArray::from_iter(rows.iter().map(|row| row.2)))),
        ("content", Arc::new(UInt64Array::from_iter(rows.iter().map(|row| row.3)))),
        ("priority", Arc::new(Float64Array::from_iter(rows.iter().map(|row| row.4.map(f64::from_bits))))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).expect("a table")
}

fn all_rows(table: &RecordBatch) -> Vec<String> {
    let (locs, raws) = (table.column(0).as_string::<i32>(), table.column(2).as_string::<i32>());
    let lastmods = table.column(1).as_primitive::<Int64Type>();
    let (contents, priorities) =
        (table.column(3).as_primitive::<UInt64Type>(), table.column(4).as_primitive::<Float64Type>());
    let row = |at| {
        let numbers = (lastmods.iter().nth(at), contents.iter().nth(at), priorities.iter().nth(at));
        format!("{} {:?} {numbers:?}", locs.value(at), raws.iter().nth(at))
    };
    (0..table.num_rows()).map(row).collect()
}

/// What the core finds: the candidates of each side, first those that are not repeated, and the counts.
fn found(sides: [&[Row]; 2], block: usize) -> ([[Vec<String>; 2]; 2], [Counts; 2]) {
    let (encoder, mut kept) = (Encoder::new(), Sides::new(Cursor::new(Vec::new()), Cursor::new(Vec::new())));
    for (side, rows) in [Side::Old, Side::New].into_iter().zip(sides) {
        for rows in rows.chunks(block) {
            kept.add(side, encoder.encode(&table(rows)).expect("columns of known kinds")).expect("memory");
        }
    }
    for part in 0..PARTS {
        let records = kept.take_part(part).expect("memory");
        kept.keep(pair(records));
    }
    let schema = table(&[]).schema();
    let mut candidates = |side, is_repeated| {
        let (mut rows, mut next) = (Vec::new(), 0);
        while let Some((block, candidates)) = kept.next_block(side, is_repeated, next).expect("memory") {
            rows.extend(all_rows(&candidates.decode(&schema).expect("whole rows")));
            next = block + 1;
        }
        rows
    };
    let found = [Side::Old, Side::New].map(|side| [false, true].map(|is_repeated| candidates(side, is_repeated)));
    (found, [kept.counts(Side::Old), kept.counts(Side::New)])
}

/// The same by maps of texts. Rows stay in their order.
fn expected(sides: [&[Row]; 2]) -> ([[Vec<String>; 2]; 2], [Counts; 2]) {
    let said = sides.map(|rows| {
        let mut said = BTreeMap::<&str, Vec<&Row>>::new();
        rows.iter().for_each(|row| said.entry(&row.0).or_default().push(row));
        said
    });
    let set = |side: usize, loc: &str| -> BTreeSet<Row> {
        said[side].get(loc).into_iter().flatten().map(|row| (*row).clone()).collect()
    };
    let candidates = [0, 1].map(|side| {
        [false, true].map(|is_repeated| {
            let differ = |row: &&Row| set(0, &row.0) != set(1, &row.0);
            let rows = sides[side].iter().filter(differ);
            let rows = rows.filter(|row| (said[side][row.0.as_str()].len() > 1) == is_repeated);
            all_rows(&table(&rows.cloned().collect::<Vec<_>>()))
        })
    });
    let counts = [0, 1].map(|side| Counts { rows: sides[side].len() as u64, locs: said[side].len() as u64 });
    (candidates, counts)
}

#[test]
fn candidates_are_the_rows_of_locs_of_which_the_sides_do_not_say_the_same() {
    let mut numbers = Numbers(7);
    for (count, most) in [(0, 1), (1, 1), (40, 10), (400, 300), (3_000, 100_000)] {
        let old = rows(count, most, &mut numbers);
        let mut new = old.clone();
        new.reverse();
        assert_eq!(found([&old, &new], 30), expected([&old, &new]), "the same rows in another order");
        new.truncate(count - count / 8);
        new.extend(rows(count / 4, most, &mut numbers));
        new.extend_from_slice(&old[..count / 8]);
        for block in [1, 7, 5_000] {
            assert_eq!(found([&old, &new], block), expected([&old, &new]));
            assert_eq!(found([&new, &old], block), expected([&new, &old]));
        }
    }
}

#[test]
fn values_that_only_seem_to_be_the_same_are_not() {
    let row = |text, content| ("a".to_owned(), None, text, content, None);
    for (one, other) in [(row(None, None), row(Some(""), None)), (row(None, Some(0)), row(None, None))] {
        let ([old, new], _) = found([&[one], &[other]], 1);
        assert_eq!((old[0].len(), new[0].len()), (1, 1));
    }
}

#[test]
fn rows_that_were_damaged_are_an_error() {
    let rows = rows(20, 100, &mut Numbers(3));
    let (table, wanted) = (table(&rows), (0..20).collect::<Vec<_>>());
    let bytes = Encoder::new().encode(&table).expect("columns of known kinds").bytes;
    for end in 0..bytes.len() {
        assert!(rows::decode(&bytes[..end], &wanted, &table.schema()).is_err());
    }
    let whole = rows::decode(&bytes, &wanted, &table.schema()).expect("whole rows");
    assert_eq!(all_rows(&whole), all_rows(&table));
}
