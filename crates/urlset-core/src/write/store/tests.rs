use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, StringArray, TimestampMicrosecondArray, UInt64Array};

use super::compare::{KeptShard, RowChange, compare, fill};
use super::plan::{FilledShard, has_repeated_loc, plan};
use super::previous::{LastmodSource, PreviousLoc, PreviousLocs, PreviousSet};
use super::*;
use crate::tests::Numbers;
use crate::write::layout::{Layout, NamespacesUsed};

/// A row with its own texts, and extras.
#[derive(Debug, Clone, PartialEq)]
struct Given {
    loc: String,
    lastmod: &'static str,
    after: String,
    news: &'static str,
    extras: Vec<Option<&'static str>>,
}

fn given(count: u64, most: u64, seed: u64) -> Vec<Given> {
    let mut numbers = Numbers(seed);
    let rows = (0..count).map(|_| Given {
        loc: format!("https://a.example/{}{}", "shelf/".repeat(numbers.below(4) as usize), numbers.below(most)),
        lastmod: ["", "2026-11-01", "2026-11-02", "2026-11-01"][numbers.below(4) as usize],
        after: "<priority>0.5</priority>".repeat(numbers.below(3) as usize),
        news: ["", "<news:news>\u{e9}</news:news>"][numbers.below(2) as usize],
        extras: (0..numbers.below(4)).map(|_| [None, Some(""), Some("\u{8336}")][numbers.below(3) as usize]).collect(),
    });
    rows.collect()
}

fn rendered(index: usize, row: &Given) -> RenderedRow<'_> {
    RenderedRow {
        row: index as u64,
        loc: &row.loc,
        lastmod: said(row.lastmod),
        after_lastmod: said(&row.after),
        news: said(row.news),
        namespaces: NamespacesUsed(index as u8 & 15),
        size: row.loc.len() as u32 + 100,
        shard: 0,
        first_seen: index as u64,
        extras: Extras::Given(&row.extras),
    }
}

/// The rows in a store. At each place in `spills`, those before it go into a run.
fn stored(rows: &[Given], spills: &[usize]) -> (Facts, Vec<Vec<u8>>) {
    let (mut store, mut runs) = (RowStore::<Rendered>::default(), Vec::new());
    for (index, row) in rows.iter().enumerate() {
        if spills.contains(&index) {
            let mut run = Vec::new();
            store.write_run(&mut run).unwrap();
            runs.push(run);
        }
        store.push(&rendered(index, row));
    }
    let mut run = Vec::new();
    store.write_run(&mut run).unwrap();
    runs.push(run);
    (store.facts().clone(), runs)
}

fn sorted(runs: &[Vec<u8>]) -> SortedRows<&[u8], Rendered> {
    SortedRows::new(runs.iter().map(Vec::as_slice))
}

/// The indexes of the rows as they are read. Each row is the one that was given.
fn read_back(mut rows: SortedRows<&[u8], Rendered>, all: &[Given]) -> Vec<u64> {
    let mut found = Vec::new();
    while let Some(row) = rows.next_row().unwrap() {
        let given = &all[row.row as usize];
        let texts = [row.lastmod, row.after_lastmod, row.news].map(Option::unwrap_or_default);
        assert_eq!((row.loc, texts), (&*given.loc, [given.lastmod, &*given.after, given.news]));
        let mut extras: Vec<_> = row.extras.iter().collect();
        assert_ne!(extras.last(), Some(&None)); // those at the end are left out
        extras.resize(given.extras.len(), None);
        let expected: Vec<_> = given.extras.iter().map(|text| text.filter(|text| !text.is_empty())).collect();
        assert_eq!(extras, expected);
        assert_eq!((row.namespaces.0, row.size as usize), (row.row as u8 & 15, given.loc.len() + 100));
        found.push(row.row);
    }
    found
}

/// A plain stable sort says the same.
fn expected(rows: &[Given]) -> Vec<u64> {
    let mut order: Vec<u64> = (0..rows.len() as u64).collect();
    order.sort_by_key(|index| &rows[*index as usize].loc);
    order
}

#[test]
fn rows_come_back_in_the_order_of_their_locs() {
    for (count, most) in [(0, 1), (1, 1), (15, 3), (17, 3), (500, 40), (3_000, 1_000_000)] {
        for seed in 1..6 {
            let rows = given(count, most, seed);
            let (_, runs) = stored(&rows, &[]);
            assert_eq!(read_back(sorted(&runs), &rows), expected(&rows));
        }
    }
}

#[test]
fn what_was_spilled_does_not_show() {
    for spills in [&[0][..], &[1], &[10, 20, 30, 199], &[50, 51, 52, 53, 54, 55, 56, 57, 58, 150]] {
        let rows = given(200, 60, 7);
        let (facts, runs) = stored(&rows, spills);
        assert_eq!(runs.len(), spills.len() + 1);
        assert_eq!(read_back(sorted(&runs), &rows), expected(&rows));
        assert_eq!((facts.rows, facts.has_extras, facts.namespaces.0), (200, true, 15));
        // Runs that are merged are a run.
        let mut merged = Vec::new();
        merge(sorted(&runs), &mut merged).unwrap();
        assert_eq!(read_back(sorted(&[merged]), &rows), expected(&rows));
    }
}

#[test]
fn a_run_can_be_sorted_later() {
    let rows = given(300, 60, 5);
    let mut store = RowStore::<Rendered>::default();
    for (index, row) in rows.iter().enumerate() {
        store.push(&rendered(index, row));
    }
    let (mut unsorted, mut run) = (Vec::new(), Vec::new());
    write_unsorted_run(&mut store.exchange(HeldRecords::default()), &mut unsorted).unwrap();
    assert_eq!(store.size(), 0);
    assert_eq!(read_back(sorted(std::slice::from_ref(&unsorted)), &rows), (0..300).collect::<Vec<_>>());
    sort_run(unsorted.as_slice(), &mut run).unwrap();
    assert_eq!(read_back(sorted(&[run]), &rows), expected(&rows));
}

#[test]
fn a_run_that_is_cut_or_damaged_is_an_error_or_other_rows() {
    let rows = given(20, 60, 3);
    let (_, runs) = stored(&rows, &[19]);
    let read = |run: Vec<u8>| {
        let runs = [run];
        let mut rows = sorted(&runs);
        loop {
            match rows.next_row() {
                Ok(Some(_)) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    };
    let whole = (0..runs[0].len()).filter(|cut| read(runs[0][..*cut].to_vec())).count();
    assert_eq!(whole, 19); // where a row ends
    let cut = [runs[0][..runs[0].len() - 1].to_vec()];
    let mut rows = sorted(&cut);
    while rows.next_row().is_ok() {}
    assert!(rows.next_row().is_err(), "an error is not followed by the end");
    for place in 0..runs[0].len() {
        let mut damaged = runs[0].clone();
        damaged[place] ^= 0x80;
        read(damaged);
    }
}

#[test]
fn a_set_is_planned_as_its_rows_say() {
    let mut rows = given(900, 1_000_000, 9);
    rows.sort_by(|one, other| one.loc.cmp(&other.loc));
    rows.dedup_by(|one, other| one.loc == other.loc);
    let (facts, runs) = stored(&rows, &[300, 600]);
    let later = crate::value::lastmod::parse("2026-11-01").unwrap();
    let planned = plan(&mut sorted(&runs), &facts, 100, &Layout::default(), later).unwrap().unwrap();
    let size = |row: &Given| row.loc.len() as u64 + 100 + [0, 19 + 10][usize::from(!row.lastmod.is_empty())];
    let shards = rows.chunks(100).zip(0..).map(|(rows, number)| {
        let bytes = rows.iter().map(size).sum();
        FilledShard { number, rows: rows.len() as u64, bytes }
    });
    assert_eq!(planned.shards, shards.collect::<Vec<_>>());
    let mut counts = BTreeMap::new();
    for row in &rows {
        *counts.entry(row.lastmod).or_insert(0_u64) += 1;
    }
    let planned = planned.lastmods;
    assert_eq!(planned.dated, counts["2026-11-01"] + counts["2026-11-02"]);
    assert_eq!(planned.later, counts["2026-11-02"]);
    assert_eq!(planned.example.as_ref(), rows.iter().find(|row| row.lastmod == "2026-11-02").map(|row| &row.loc));
    assert_eq!(planned.latest, crate::value::lastmod::parse("2026-11-02").ok());
    if let Some((commonest, count)) = planned.commonest {
        assert_eq!(counts[&*commonest], count);
    }
}

#[test]
fn the_lastmod_of_more_than_half_is_found() {
    for seed in 1..50 {
        let mut numbers = Numbers(seed);
        let mut store = RowStore::<Rendered>::default();
        let mut most = 0;
        for row in 0..101 {
            let is_most = most < 51 && (numbers.below(2) == 0 || 101 - row <= 51 - most);
            most += u64::from(is_most);
            let (loc, other) = (format!("https://a.example/{row}"), format!("2026-11-{:02}", numbers.below(28) + 1));
            let lastmod = if is_most { "2025" } else { &other };
            store.push(&RenderedRow { lastmod: Some(lastmod), ..RenderedRow::of_loc(&loc) });
        }
        assert_eq!(store.facts().commonest_lastmod(), Some("2025"));
    }
}

#[test]
fn a_repeated_loc_is_seen_across_runs() {
    let mut rows = given(50, 1_000_000, 11);
    let (facts, runs) = stored(&rows, &[25]);
    assert!(!has_repeated_loc(sorted(&runs)).unwrap());
    assert!(plan(&mut sorted(&runs), &facts, 10, &Layout::default(), 0).unwrap().is_some());
    rows[40].loc = rows[3].loc.clone();
    let (facts, runs) = stored(&rows, &[25]);
    assert!(has_repeated_loc(sorted(&runs)).unwrap());
    assert!(plan(&mut sorted(&runs), &facts, 10, &Layout::default(), 0).unwrap().is_none());
}

#[test]
fn rows_come_back_in_the_order_of_their_shards() {
    let rows = given(400, 1_000_000, 13);
    let shard = |index: u64| (index as u32).wrapping_mul(2_654_435_761) % 7;
    for most in [50, 1_000] {
        let (mut store, mut runs) = (RowStore::<Rendered>::default(), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            store.push(&RenderedRow { shard: shard(index as u64), ..rendered(index, row) });
            if (index + 1) % most == 0 || index + 1 == rows.len() {
                let mut run = Vec::new();
                store.write_run(&mut run).unwrap();
                runs.push(run);
            }
        }
        let mut sorted = sorted(&runs);
        let mut found = Vec::new();
        while let Some(row) = sorted.next_row().unwrap() {
            assert_eq!((row.shard, row.first_seen), (shard(row.row), row.row));
            found.push(row.row);
        }
        let mut expected: Vec<u64> = (0..rows.len() as u64).collect();
        expected.sort_by_key(|index| (shard(*index), &rows[*index as usize].loc, *index));
        assert_eq!(found, expected);
    }
}

/// What is known of a loc: its shard, its lastmod and when it was first seen, after `SEEN`.
type Said<'p> = (&'p str, Option<u32>, Option<&'p str>, i64);

/// A moment at which a loc can have been seen first.
const SEEN: i64 = 1_700_000_000_000_000;

/// A manifest of rows without other XML.
fn previous(said: &[Said<'_>]) -> PreviousLocs<impl arrow_array::RecordBatchReader + use<>> {
    let nothing = crate::write::fingerprint::hash("");
    let moments = |all: Vec<Option<i64>>| TimestampMicrosecondArray::from(all).with_timezone("UTC");
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(said.iter().map(|one| one.0))),
        Arc::new(said.iter().map(|_| Some("")).collect::<StringArray>()),
        Arc::new(said.iter().map(|one| one.1.map(|shard| shard.to_string())).collect::<StringArray>()),
        Arc::new(UInt64Array::from_value(nothing, said.len())),
        Arc::new(said.iter().map(|one| one.2).collect::<StringArray>()),
        Arc::new(said.iter().map(|one| one.2.map(|_| "column")).collect::<StringArray>()),
        Arc::new(StringArray::new_null(said.len())),
        Arc::new(moments(said.iter().map(|one| Some(SEEN + one.3)).collect())),
        Arc::new(moments(vec![Some(1); said.len()])),
        Arc::new(moments(said.iter().map(|one| one.1.is_none().then_some(1)).collect())),
    ];
    let batch = RecordBatch::try_new(super::manifest::schema(), columns).unwrap();
    let batches: Vec<_> = (0..batch.num_rows()).map(|at| Ok(batch.slice(at, 1))).collect();
    let shards = (0..10).map(|number: u32| number.to_string()).collect();
    let set = PreviousSet { section: String::new(), shards };
    PreviousLocs::new(RecordBatchIterator::new(batches, batch.schema()), set)
}

/// What becomes of a loc: also its shard, and when it was first seen.
type Changed = (RowChange, String, u32, u64);

/// A set of these locs and lastmods, compared with what is known of them: the shards, and what becomes of each loc.
fn compared(rows: &[(&str, &str)], said: &[Said<'_>]) -> Option<(Vec<KeptShard>, Vec<Changed>)> {
    let mut store = RowStore::<Rendered>::default();
    for (loc, lastmod) in rows {
        store.push(&RenderedRow { lastmod: super::said(lastmod), size: 40, ..RenderedRow::of_loc(loc) });
    }
    let (mut run, mut changes) = (Vec::new(), Vec::new());
    store.write_run(&mut run).unwrap();
    let push = |change, row: &RenderedRow<'_>| {
        changes.push((change, row.loc.to_owned(), row.shard, row.first_seen.saturating_sub(SEEN as u64)));
        Ok(())
    };
    let (mut held, mut previous_run, mut locs) = (RowStore::<Previous>::default(), Vec::new(), previous(said));
    while let Some(loc) = locs.next_loc().unwrap() {
        held.push(&loc);
    }
    held.write_run(&mut previous_run).unwrap();
    let (sorted, previous) = (SortedRows::new([run.as_slice()]), SortedRows::new([previous_run.as_slice()]));
    let found = compare(sorted, store.facts(), previous, 2, &Layout::default(), 0, push).unwrap()?;
    Some((found.shards, changes))
}

#[test]
fn rows_are_compared_with_what_is_known() {
    let rows = [
        ("https://a.example/a", ""),
        ("https://a.example/b", "2026-11-01"),
        ("https://a.example/c", ""),
        ("https://a.example/e", ""),
    ];
    let said = [
        ("https://a.example/d", Some(0), None, 9),
        ("https://a.example/f", None, Some("2026"), 4),
        ("https://a.example/a", Some(1), None, 7),
        ("https://a.example/e", None, None, 3),
        ("https://a.example/b", Some(1), None, 8),
    ];
    let (shards, changes) = compared(&rows, &said).unwrap();
    let expected = [
        (RowChange::Kept, "https://a.example/a", 1, 7),
        (RowChange::Kept, "https://a.example/b", 1, 8),
        (RowChange::New, "https://a.example/c", 0, 0),
        (RowChange::Gone, "https://a.example/d", 0, 0),
        (RowChange::New, "https://a.example/e", 0, 3),
        (RowChange::Gone, "https://a.example/f", 0, 0),
    ];
    assert_eq!(changes, expected.map(|(change, loc, shard, seen)| (change, loc.to_owned(), shard, seen)));
    assert_eq!((shards[0].content.entries, shards[0].lost), (0, 1));
    let kept = shards[1];
    assert_eq!((kept.content.entries, kept.content.bytes, kept.changed, kept.lost), (2, 80 + 29, 1, 0));
}

#[test]
fn what_is_known_is_held_as_it_is() {
    let numbers = [0, 1, u64::from(u32::MAX), u64::MAX >> 1, u64::MAX];
    let sources = [LastmodSource::Nothing, LastmodSource::Column, LastmodSource::Other];
    let (mut store, mut run, mut expected) = (RowStore::<Previous>::default(), Vec::new(), Vec::new());
    for (at, entry_hash) in numbers.into_iter().enumerate() {
        for (shard, first_seen) in [(None, 0), (Some(0), 1), (Some(u32::MAX), u64::MAX)] {
            for (lastmod, lastmod_source) in [None, Some("2026"), Some("")].into_iter().zip(sources) {
                let loc = format!("/{at}/{}/{lastmod_source:?}", first_seen % 7);
                let previous = PreviousLoc { loc: &loc, shard, entry_hash, lastmod, lastmod_source, first_seen };
                store.push(&previous);
                expected.push(format!("{previous:?}"));
            }
        }
    }
    store.write_run(&mut run).unwrap();
    let (mut rows, mut found) = (SortedRows::<_, Previous>::new([run.as_slice()]), Vec::new());
    while let Some(previous) = rows.next_row().unwrap() {
        found.push(format!("{previous:?}"));
    }
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn what_no_publish_writes_ends_a_comparison() {
    let rows = [("https://a.example/a", ""), ("https://a.example/b", "")];
    assert!(compared(&rows, &[("https://a.example/a", Some(1), None, 7)]).is_some());
    assert!(compared(&[("https://a.example/a", ""), ("https://a.example/a", "")], &[]).is_none());
    for said in [
        &[("https://a.example/a", Some(1), None, 7), ("https://a.example/a", None, None, 7)][..],
        &[("https://a.example/c", Some(1), None, 7), ("https://a.example/c", None, None, 7)],
        &[
            ("https://a.example/b", Some(1), None, 7),
            ("https://a.example/a", Some(1), None, 7),
            ("https://a.example/b", Some(1), None, 7),
        ],
        &[("https://a.example/a", Some(2), None, 7)],
        &[("https://a.example/c", Some(2), None, 7)],
        &[("https://a.example/a", Some(1), Some("<x>"), 7)],
        &[("https://a.example/c", None, Some("<x>"), 7)],
        &[("https://a.example/a", Some(1), Some(""), 7)],
    ] {
        assert!(compared(&rows, said).is_none(), "{said:?}");
    }
}

#[test]
fn new_rows_fill_the_shard_that_was_begun() {
    let rows = given(10, 1_000_000, 17);
    let (_, runs) = stored(&rows, &[]);
    let content = crate::write::pack::ShardContent { entries: 2, ..Default::default() };
    for (begun, expected) in
        [(Some((3, content)), vec![(3, 2), (9, 4), (10, 4)]), (None, vec![(9, 4), (10, 4), (11, 2)])]
    {
        let mut shards = Vec::new();
        let push = |row: &RenderedRow<'_>| {
            shards.push(row.shard);
            Ok(())
        };
        let filled = fill(sorted(&runs), begun, 9, 4, &Layout::default(), push).unwrap();
        assert_eq!(filled.iter().map(|shard| (shard.number, shard.rows)).collect::<Vec<_>>(), expected);
        let each = expected.iter().flat_map(|(shard, rows)| std::iter::repeat_n(*shard, *rows as usize));
        assert_eq!(shards, each.collect::<Vec<_>>());
    }
}
