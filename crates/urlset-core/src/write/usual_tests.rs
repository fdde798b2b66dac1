//! Rows of a table that are added together, compared with the same rows added one by one.

use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, Float64Array, Int64Array, ListArray, RecordBatch, StringArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, TimeUnit};

use super::arrow::BatchRows;
use super::names::ColumnNames;
use super::parallel_split::ParallelSplit;
use super::*;
use crate::limits::{BYTES_PER_DOCUMENT, ENTRIES_PER_DOCUMENT, IMAGES_PER_ENTRY};
use crate::read::Kind;
use crate::tests::Numbers;

const LOCS: [Option<&str>; 10] = [
    Some("https://e.com/tea"),
    Some("https://e.com/a-path/that/is/longer/than/a/block?of=bytes&and&has='entities'\"<>"),
    Some("http://www.example.org/tea%20pot#\u{e9}\u{65e5}"),
    Some("https://e.com/%zz"),
    Some("https://e.com/\u{ffff}"),
    Some(" https://e.com/a b"),
    Some("https://E.com:8080/"),
    Some("/relative"),
    Some(""),
    None,
];
const LASTMODS: [Option<&str>; 9] = [
    Some("2026-01-31T10:20:30Z"),
    Some("2026-01-31"),
    Some("2026-01-31T10:20:30+05:30"),
    Some("2026-01-31T10:20:30+15:00"),
    Some("2026-01-31T10:20:30.5Z"),
    Some("2026-02-30"),
    Some("2026"),
    Some(""),
    None,
];
/// 2026-01-31 and 2026-01-31T10:20:30Z, that with a fraction, the same east of Greenwich, and moments of no usual year.
const MICROS: [Option<i64>; 8] = [
    Some(1_769_817_600_000_000),
    Some(1_769_854_830_000_000),
    Some(1_769_854_830_500_000),
    Some(1_769_835_030_000_000),
    Some(-1_000_000),
    Some(i64::MAX),
    Some(0),
    None,
];
const DAYS: [Option<i32>; 5] = [Some(20_484), Some(0), Some(-1), Some(i32::MAX), None];
const WORDS: [Option<&str>; 5] = [Some("daily"), Some("never"), Some("Daily"), Some(""), None];
const TENTHS: [Option<&str>; 5] = [Some("0.7"), Some("1.1"), Some("0.25"), Some(""), None];
const NUMBERS: [Option<f64>; 6] = [Some(0.3), Some(-0.0), Some(0.25), Some(1.1), Some(f64::NAN), None];

/// URLs of images and links.
const URLS: [Option<&str>; 14] = [
    Some("https://cdn.e.com/a-name/that/is/longer/than-a-block.png"),
    Some("https://e.com/i"),
    Some("https://cdn.e.com/a?b&c='d'"),
    Some("https://cdn.e.com/\u{e9}\u{65e5}%zz"),
    Some("https://cdn.e.com/\u{ffff}"),
    Some("https://cdn.e.com/a b"),
    Some(" https://cdn.e.com/a\n"),
    Some("https://cdn.e.com/\u{7f}"),
    Some("https://CDN.e.com:8080/"),
    Some("android-app://a/b"),
    Some("i"),
    Some(" \t"),
    Some(""),
    None,
];
const TITLES: [Option<&str>; 7] = [
    Some("A title"),
    None,
    Some("\t a & \"b\" <c>\n'd' \u{65e5}\r\n"),
    Some("  "),
    Some(""),
    Some("\u{ffff}"),
    Some("\u{1}"),
];
/// What few images have.
const RARE: [Option<&str>; 4] = [None, None, Some(" "), Some("Kyoto")];
const IMAGE: [(&str, &[Option<&str>]); 5] =
    [("loc", &URLS), ("title", &TITLES), ("caption", &TITLES), ("geo_location", &RARE), ("license", &RARE)];

const CODES: [Option<&str>; 9] = [
    Some("de"),
    Some("en-GB"),
    Some("x-default"),
    Some("fr"),
    Some("zh-hant"),
    Some("es-419"),
    Some("german"),
    Some(" de"),
    None,
];
const RELS: [Option<&str>; 4] = [Some("alternate"), None, Some(" alternate"), Some("amphtml")];
const LINK: [(&str, &[Option<&str>]); 4] = [("href", &URLS), ("hreflang", &CODES), ("media", &RARE), ("rel", &RELS)];

/// Draw values of which most are one of the first.
fn drawn<T: Copy>(numbers: &mut Numbers, length: usize, values: &[T]) -> Vec<T> {
    let mut of = |most: usize| numbers.below(most as u64) as usize;
    (0..length).map(|_| if of(4) > 0 { values[of(2)] } else { values[of(values.len())] }).collect()
}

/// A column of texts of any kind.
fn texts(numbers: &mut Numbers, length: usize, values: &[Option<&str>]) -> ArrayRef {
    let column: ArrayRef = Arc::new(StringArray::from(drawn(numbers, length, values)));
    let dictionary = |of| DataType::Dictionary(DataType::Int32.into(), Box::new(of));
    let kind = match numbers.below(5) {
        0 => DataType::LargeUtf8,
        1 => DataType::Utf8View,
        2 => dictionary(DataType::Utf8),
        3 => dictionary(DataType::LargeUtf8),
        _ => DataType::Utf8,
    };
    cast(&column, &kind).unwrap()
}

fn lastmods(numbers: &mut Numbers, length: usize) -> ArrayRef {
    let (unit, per_micro) = match numbers.below(5) {
        0 => (TimeUnit::Nanosecond, 1_000),
        1 => (TimeUnit::Microsecond, 1),
        2 => return Arc::new(Date32Array::from(drawn(numbers, length, &DAYS))),
        3 => return texts(numbers, length, &LASTMODS),
        _ => (TimeUnit::Microsecond, 1),
    };
    let counts = drawn(numbers, length, &MICROS).into_iter().map(|micros| Some(micros?.saturating_mul(per_micro)));
    let zone = (numbers.below(8) > 0).then(|| "UTC".into());
    cast(&counts.collect::<Int64Array>(), &DataType::Timestamp(unit, zone)).unwrap()
}

/// Draw which of some rows are null: few of them, or none.
fn nulls(numbers: &mut Numbers, length: usize) -> Option<NullBuffer> {
    let is_valid: Vec<bool> = (0..length).map(|_| numbers.below(6) > 0).collect();
    (numbers.below(3) == 0).then(|| is_valid.into())
}

/// A column of lists of any kind. Their items are structs with some of these fields, or texts for the first field.
fn lists(numbers: &mut Numbers, length: usize, fields: &[(&str, &[Option<&str>])]) -> ArrayRef {
    let before = numbers.below(3) as usize;
    let lengths: Vec<usize> = (0..length).map(|_| numbers.below(4) as usize).collect();
    let count = before + lengths.iter().sum::<usize>() + numbers.below(3) as usize;
    let items: ArrayRef = if numbers.below(4) == 0 {
        texts(numbers, count, fields[0].1)
    } else {
        let fields =
            fields.iter().enumerate().filter(|(at, _)| *at == 0 || numbers.below(3) > 0).map(|(_, each)| *each);
        let columns: Vec<_> =
            fields.collect::<Vec<_>>().into_iter().map(|(n, of)| (n, texts(numbers, count, of))).collect();
        let fields = columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true));
        let (fields, columns) = (fields.collect::<Vec<_>>().into(), columns.iter().map(|(_, column)| column.clone()));
        Arc::new(StructArray::new(fields, columns.collect(), nulls(numbers, count)))
    };
    let offsets = OffsetBuffer::from_lengths([before].into_iter().chain(lengths)).slice(1, length);
    let item = Arc::new(Field::new("item", items.data_type().clone(), true));
    let lists = ListArray::new(item.clone(), offsets, items, nulls(numbers, length));
    let kind = match numbers.below(3) {
        0 => DataType::LargeList(item),
        1 => DataType::ListView(item),
        _ => return Arc::new(lists),
    };
    cast(&lists, &kind).unwrap()
}

/// A slice of a table with any of the columns.
fn table(numbers: &mut Numbers) -> RecordBatch {
    let length = numbers.below(12) as usize + 1;
    let mut columns = vec![("loc", texts(numbers, length, &LOCS))];
    if numbers.below(4) > 0 {
        columns.push(("lastmod", lastmods(numbers, length)));
    }
    if numbers.below(2) > 0 {
        columns.push(("lastmod_raw", texts(numbers, length, &LASTMODS)));
    }
    if numbers.below(2) > 0 {
        columns.push(("changefreq", texts(numbers, length, &WORDS)));
    }
    match numbers.below(3) {
        0 => columns.push(("priority", texts(numbers, length, &TENTHS))),
        1 => columns.push(("priority", Arc::new(Float64Array::from(drawn(numbers, length, &NUMBERS))))),
        _ => {}
    }
    match numbers.below(8) {
        0 => columns.push(("images", texts(numbers, length, &URLS))),
        1..4 => columns.push(("images", lists(numbers, length, &IMAGE))),
        _ => {}
    }
    if numbers.below(3) == 0 {
        columns.push(("alternates", lists(numbers, length, &LINK)));
    }
    let begin = numbers.below(length as u64) as usize;
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true)))
        .unwrap()
        .slice(begin, length - begin)
}

/// What came of each row that is reported about, and the documents.
type Written = (Vec<(usize, Result<Pushed, Refusal>)>, Vec<Finished>);

/// Write rows, of which `take` adds some, and says how many.
fn written(
    rows: &BatchRows,
    encoder: &mut Encoder,
    mut take: impl FnMut(&mut Encoder, &BatchRows, usize) -> u64,
) -> Written {
    let (mut reports, mut documents, mut at) = (Vec::new(), Vec::new(), 0);
    while at < rows.len() {
        at += take(encoder, rows, at) as usize;
        if at == rows.len() {
            break;
        }
        let pushed = encoder.push(&rows.row(at));
        if pushed == Ok(Pushed::Full) {
            documents.extend(encoder.finish());
            continue;
        }
        if pushed != Ok(Pushed::Added(Vec::new())) {
            reports.push((at, pushed));
        }
        at += 1;
    }
    documents.extend(encoder.finish());
    (reports, documents)
}

/// Compare all ways, and return the documents.
fn all_ways(batch: &RecordBatch, encoder: impl Fn() -> Encoder, most: u64) -> Vec<Finished> {
    let rows = BatchRows::new(batch, &ColumnNames::default(), &[]).unwrap();
    let one_by_one = written(&rows, &mut encoder(), |_, _, _| 0);
    let usual = written(&rows, &mut encoder(), |encoder, rows, at| encoder.push_usual(rows, at, most));
    assert_eq!(usual, one_by_one, "{batch:?}");
    let until_refused = written(&rows, &mut encoder(), |encoder, rows, at| encoder.push_rows(rows, at, most));
    assert_eq!(until_refused, one_by_one, "{batch:?}");
    let mut split = ParallelSplit::of(2);
    let by_two = written(&rows, &mut encoder(), |encoder, rows, at| split.push(encoder, rows, at, most));
    assert_eq!(by_two, one_by_one, "{batch:?}");
    one_by_one.1
}

fn compare_drawn_tables(tables: u64) {
    for seed in 1..tables {
        let mut numbers = Numbers(seed);
        let batch = table(&mut numbers);
        let most = [1, 3, u64::MAX][numbers.below(3) as usize];
        let kind = if numbers.below(16) == 0 { Kind::Sitemapindex } else { Kind::Urlset };
        let host = (numbers.below(8) == 0).then(|| "e.com".to_owned());
        for on_bad_value in [OnBadValue::Refuse, OnBadValue::Drop, OnBadValue::Fix] {
            let values = ValuePolicy { on_bad_value, ..ValuePolicy::default() };
            all_ways(&batch, || Encoder::new(kind, host.clone()).with_values(values.clone()), most);
        }
    }
}

#[test]
fn rows_are_added_together_as_one_by_one() {
    compare_drawn_tables(400);
}

#[test]
#[ignore = "takes long: `make test-long` runs it"]
fn many_rows_are_added_together_as_one_by_one() {
    compare_drawn_tables(3_000);
}

#[test]
fn all_rows_of_a_usual_table_are_added_together() {
    let batch = RecordBatch::try_from_iter([
        ("loc", Arc::new(StringArray::from(vec!["https://e.com/a", "https://e.com/?a&b"])) as ArrayRef),
        ("lastmod_raw", Arc::new(StringArray::from(vec!["2026-01-31", "2026-01-31T10:20:30+01:00"]))),
    ]);
    let batch = batch.unwrap();
    let rows = BatchRows::new(&batch, &ColumnNames::default(), &[]).unwrap();
    let mut encoder = Encoder::new(Kind::Urlset, None);
    assert_eq!(encoder.push_usual(&rows, 0, u64::MAX), 2);
    assert_eq!(encoder.push_usual(&rows, 2, u64::MAX), 0);

    let images: ArrayRef = Arc::new(StringArray::from(vec![None, Some("https://cdn.e.com/1.png")]));
    let columns = [("loc", batch.column(0).clone()), ("images", images)];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, of)| (name, of, true))).unwrap();
    let rows = BatchRows::new(&batch, &ColumnNames::default(), &[]).unwrap();
    // What needs a declaration is not usual, until it is there.
    assert_eq!(encoder.push_usual(&rows, 0, u64::MAX), 1);
    encoder.push(&rows.row(1)).unwrap();
    assert_eq!(encoder.push_usual(&rows, 0, u64::MAX), 2);
}

#[test]
fn the_limits_are_exact_for_rows_that_are_added_together() {
    let most = ENTRIES_PER_DOCUMENT as usize;
    let locs: ArrayRef = Arc::new(StringArray::from(vec!["https://e.com/"; most + 1]));
    let batch = RecordBatch::try_from_iter([("loc", locs)]).unwrap();
    let documents = all_ways(&batch, || Encoder::new(Kind::Urlset, None), u64::MAX);
    assert_eq!(documents.iter().map(|each| each.entries).collect::<Vec<_>>(), [ENTRIES_PER_DOCUMENT, 1]);

    let caption = "x".repeat(1_000_000);
    let filled = || {
        let mut encoder = Encoder::new(Kind::Urlset, None);
        while encoder.bytes() + 3_000 < BYTES_PER_DOCUMENT {
            let length = (BYTES_PER_DOCUMENT - encoder.bytes() - 2_500).min(1_000_000) as usize;
            let image = Image { loc: "https://e.com/i", caption: Some(&caption[..length]), ..Image::default() };
            encoder.push(&Row { loc: "https://e.com/", images: vec![image], ..Row::default() }).unwrap();
        }
        encoder
    };
    let images: ArrayRef = Arc::new(StringArray::from(vec!["https://e.com/i"; 200]));
    let locs = batch.column(0).slice(0, 200);
    let with_images = RecordBatch::try_from_iter([("loc", locs), ("images", images)]).unwrap();
    for (batch, size) in [(batch.slice(0, 200), 50), (with_images, 120)] {
        let documents = all_ways(&batch, filled, u64::MAX);
        assert_eq!(documents.len(), 2);
        assert!(documents[0].xml.len() as u64 > BYTES_PER_DOCUMENT - size);
    }
}

#[test]
fn no_more_images_are_written_than_an_entry_may_have() {
    for (images, rows) in [(IMAGES_PER_ENTRY, 2), (IMAGES_PER_ENTRY + 1, 0)] {
        let urls: ArrayRef = Arc::new(StringArray::from(vec!["https://e.com/i"; 2 * images]));
        let item = Arc::new(Field::new("item", DataType::Utf8, true));
        let lists = ListArray::new(item, OffsetBuffer::from_lengths([images, images]), urls, None);
        let locs: ArrayRef = Arc::new(StringArray::from(vec!["https://e.com/"; 2]));
        let batch = RecordBatch::try_from_iter([("loc", locs), ("images", Arc::new(lists) as ArrayRef)]).unwrap();
        let documents = all_ways(&batch, || Encoder::new(Kind::Urlset, None), u64::MAX);
        assert_eq!(documents.iter().map(|each| each.entries).sum::<u64>(), rows);
    }
}
