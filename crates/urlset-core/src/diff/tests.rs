use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow_schema::{ArrowError, SchemaRef};

use super::record::Said;
use super::*;
use crate::tests::Numbers;
use crate::value::identity;

/// A row: its loc, and a value of each kind.
type Row = (String, Option<i64>, Option<&'static str>, Option<u64>, Option<u64>);

fn rows(count: usize, most: u64, numbers: &mut Numbers) -> Vec<Row> {
    let row = |_| {
        let loc =
            format!("https://a.example/{}{}", "shelf\u{e9}/".repeat(numbers.below(4) as usize), numbers.below(most));
        let text = [None, Some(""), Some("yesterday"), Some("\u{8336}")][numbers.below(4) as usize];
        let lastmod = [None, Some(-1), Some(i64::MAX)][numbers.below(3) as usize];
        if numbers.below(3) > 0 {
            return (loc, lastmod, None, None, None);
        }
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

/// What the core finds, or is to find.
#[derive(Debug, PartialEq)]
struct Found {
    /// The candidates of each side: first those that are not repeated.
    candidates: [[Vec<String>; 2]; 2],
    /// Locs of which the lastmod alone has moved, with the lastmods of both sides.
    moved: Vec<(String, Option<i64>, Option<i64>)>,
    counts: [Counts; 2],
}

/// The rows as they were added, once it is seen that each has the normal form of its loc.
fn without_keys(candidates: &Candidates, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let keyed = candidates.decode(schema)?;
    assert_eq!(keyed.schema(), keyed_schema(schema));
    let (locs, keys) = (keyed.column(0).as_string::<i32>(), keyed.column(keyed.num_columns() - 1).as_string::<i32>());
    for (loc, key) in locs.iter().zip(keys) {
        assert_eq!(loc.map(|loc| identity::normalized(loc).map_or(loc.to_owned(), Cow::into_owned)).as_deref(), key);
    }
    keyed.project(&(0..schema.fields().len()).collect::<Vec<_>>())
}

fn found(sides: [&[Row]; 2], block: usize) -> Found {
    let (encoder, mut encoded) = (RowEncoder::new(), Encoded::default());
    let mut kept = Sides::new(std::array::from_fn(|_| Cursor::new(Vec::new())));
    for (side, rows) in [Side::Old, Side::New].into_iter().zip(sides) {
        for rows in rows.chunks(block) {
            let (table, mut at) = (table(rows), 0);
            while at < rows.len() {
                at = encoder.encode(&table, at, &mut encoded).expect("columns of known kinds");
                kept.add(side, &mut encoded).expect("memory");
            }
        }
    }
    for part in 0..PARTS {
        let records = kept.part(part).expect("memory");
        kept.keep(pair(Record::read_all(&records))).expect("memory");
    }
    let schema = table(&[]).schema();
    let mut tables = |side, kind, decode: fn(&Candidates, &SchemaRef) -> Result<RecordBatch, ArrowError>| {
        let (mut tables, mut next) = (Vec::new(), 0);
        while let Some((block, candidates)) = kept.next_block(side, kind, next).expect("memory") {
            tables.push(decode(&candidates, &schema).expect("whole rows"));
            next = block + 1;
        }
        tables
    };
    let candidates = [Side::Old, Side::New].map(|side| {
        [CandidateKind::Single, CandidateKind::Repeated]
            .map(|kind| tables(side, kind, without_keys).iter().flat_map(all_rows).collect::<Vec<_>>())
    });
    let moved: Vec<_> =
        tables(Side::Old, CandidateKind::Moved, Candidates::decode_moved).iter().flat_map(all_moved).collect();
    Found { candidates, moved, counts: [kept.counts(Side::Old), kept.counts(Side::New)] }
}

fn all_moved(table: &RecordBatch) -> Vec<(String, Option<i64>, Option<i64>)> {
    let [old, new] = [1, 2].map(|at| table.column(at).as_primitive::<Int64Type>());
    let locs = table.column(0).as_string::<i32>().iter().flatten();
    locs.zip(old.iter().zip(new)).map(|(loc, (old, new))| (loc.to_owned(), old, new)).collect()
}

/// The same by maps of texts. Rows stay in their order.
fn expected(sides: [&[Row]; 2]) -> Found {
    let said = sides.map(|rows| {
        let mut said = BTreeMap::<&str, Vec<&Row>>::new();
        rows.iter().for_each(|row| said.entry(&row.0).or_default().push(row));
        said
    });
    let set = |side: usize, loc: &str| -> BTreeSet<Row> {
        said[side].get(loc).into_iter().flatten().map(|row| (*row).clone()).collect()
    };
    // The lastmods of a loc that each side has once, and of which they say nothing else.
    let lastmods = |loc: &str| {
        let [Some([old]), Some([new])] = [0, 1].map(|side| said[side].get(loc).map(Vec::as_slice)) else { return None };
        let is_plain = |row: &Row| (row.2, row.3, row.4) == (None, None, None);
        (is_plain(old) && is_plain(new)).then_some((old.1, new.1))
    };
    let differ = |row: &&Row| set(0, &row.0) != set(1, &row.0);
    let candidates = [0, 1].map(|side| {
        [false, true].map(|is_repeated| {
            let rows = sides[side].iter().filter(differ).filter(|row| lastmods(&row.0).is_none());
            let rows = rows.filter(|row| (said[side][row.0.as_str()].len() > 1) == is_repeated);
            all_rows(&table(&rows.cloned().collect::<Vec<_>>()))
        })
    });
    let moved = sides[0].iter().filter(differ).filter_map(|row| {
        let (old, new) = lastmods(&row.0)?;
        Some((row.0.clone(), old, new))
    });
    let counts = [0, 1].map(|side| Counts { rows: sides[side].len() as u64, locs: said[side].len() as u64 });
    Found { candidates, moved: moved.collect(), counts }
}

#[test]
fn candidates_are_the_rows_of_locs_of_which_the_sides_do_not_say_the_same() {
    let mut numbers = Numbers(7);
    for (count, most) in [(0, 1), (1, 1), (40, 10), (400, 300), (3_000, 100_000)] {
        let old = rows(count, most, &mut numbers);
        let mut new = old.clone();
        new.reverse();
        assert_eq!(found([&old, &new], 30), expected([&old, &new]), "the same rows in another order");
        new.iter_mut().step_by(170).for_each(|row| row.1 = Some(5));
        assert_eq!(found([&old, &new], 5_000), expected([&old, &new]), "few that differ");
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
        let [old, new] = found([&[one], &[other]], 1).candidates;
        assert_eq!((old[0].len(), new[0].len()), (1, 1));
    }
}

#[test]
fn lastmods_of_entries_and_of_manifests_are_those_that_are_compared() {
    let cases = [
        (Some("2026-01-01T00:00:00.5Z"), Some((1_767_225_600_500_000, 3))),
        (Some("2026"), Some((1_767_225_600_000_000, 0))),
        (Some("2026-01"), Some((1_767_225_600_000_000, 1))),
        (Some("2026-01-01"), Some((1_767_225_600_000_000, 2))),
        (Some("1969-12-31T23:59:59Z"), Some((-1_000_000, 3))),
        (Some("2026-01-01T10:00:00+0200"), Some((1_767_254_400_000_000, 3))),
        (Some("2026-02-30"), None),
        (Some(""), None),
        (None, None),
    ];
    let locs = || -> ArrayRef {
        Arc::new(StringArray::from_iter((0..=cases.len()).map(|at| (at < cases.len()).then(|| format!("/{at}")))))
    };
    // The row without a loc is left out, whatever it says.
    let texts = || -> ArrayRef { Arc::new(StringArray::from_iter(cases.iter().map(|case| case.0).chain([None]))) };
    let moments = cases.iter().map(|case| case.1.map(|moment| moment.0)).chain([None]);
    let numbers = cases.iter().map(|case| case.1.map(|(moment, precision)| moment * 4 + precision)).chain([None]);
    let raw = cases.iter().map(|case| case.0.filter(|_| case.1.is_none())).chain([None]);
    let encoder = RowEncoder::new();
    let encode = |columns: Vec<(&str, ArrayRef)>| -> (Vec<u8>, Vec<Said>) {
        let (mut encoded, columns) = (Encoded::default(), columns.into_iter().map(|(name, array)| (name, array, true)));
        let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("a table");
        encoder.encode(&batch, 0, &mut encoded).expect("columns of known kinds");
        (encoded.bytes, encoded.said)
    };
    let known: [ArrayRef; 2] = [Arc::new(Int64Array::from_iter(numbers)), Arc::new(StringArray::from_iter(raw))];
    let [lastmod, raw] = known;
    let expected = encode(vec![("loc", locs()), ("lastmod", lastmod), ("raw", raw)]);
    assert_eq!(expected.1.len(), cases.len());
    let moments: ArrayRef = Arc::new(TimestampMicrosecondArray::from_iter(moments).with_timezone("UTC"));
    assert_eq!(encode(vec![("loc", locs()), ("lastmod", moments), ("lastmod_raw", texts())]), expected);
    assert_eq!(encode(vec![("loc", locs()), ("lastmod", texts())]), expected);
}

#[test]
fn columns_that_are_not_known_are_an_error() {
    let text: ArrayRef = Arc::new(StringArray::from_iter_values(["a"]));
    let other: ArrayRef = Arc::new(arrow_array::Int8Array::from_iter_values([1]));
    for columns in [vec![&text], vec![&other, &text], vec![&text, &other], vec![&text, &text, &other]] {
        let columns = columns.into_iter().enumerate().map(|(at, array)| (at.to_string(), array.clone()));
        let batch = RecordBatch::try_from_iter(columns).expect("a table");
        assert!(RowEncoder::new().encode(&batch, 0, &mut Encoded::default()).is_err());
    }
}

#[test]
fn rows_that_were_damaged_are_an_error() {
    let rows = rows(20, 100, &mut Numbers(3));
    let (table, wanted) = (table(&rows), (0..20).map(|row| (row, 0)).collect::<Vec<_>>());
    let mut encoded = Encoded::default();
    RowEncoder::new().encode(&table, 0, &mut encoded).expect("columns of known kinds");
    let decode = |bytes: &[u8]| {
        let candidates = Candidates { bytes: bytes.to_vec(), groups: vec![(0, 0)], wanted: wanted.clone() };
        without_keys(&candidates, &table.schema())
    };
    for end in 0..encoded.bytes.len() {
        assert!(decode(&encoded.bytes[..end]).is_err());
    }
    assert_eq!(all_rows(&decode(&encoded.bytes).expect("whole rows")), all_rows(&table));
}
