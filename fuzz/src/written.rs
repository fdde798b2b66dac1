//! Rows written and read back: the reported values are the same, and nothing is wrong with the document.

use urlset_core::checks::DocumentChecks;
use urlset_core::diagnostic::{Findings, Severity};
use urlset_core::media::Video;
use urlset_core::read::Kind;
use urlset_core::value::calendar::DAY_MICROS;
use urlset_core::value::{lastmod, priority, w3c_date};
use urlset_core::write::arrow::BatchRows;
use urlset_core::write::names::ColumnNames;
use urlset_core::write::{Difference, Encoder, Lastmod, Priority, Pushed, Row, gzip, verify};
use urlset_core::xml::strip_range;

use crate::outcome::{ROOMY, read_bytes};

/// Errors that depend on where the document will be published, which these rows are not given.
const OF_LOCATIONS: [&str; 3] = ["IDX003", "LOC011", "LOC012"];

/// The entries of a document that reads back as it was written.
fn verified(stored: &[u8], xml: &[u8]) -> Result<u64, Difference> {
    verify(stored, xml, &mut DocumentChecks::new(None), Findings::default()).map(|verified| verified.entries)
}

/// Writes those rows that are not refused, and checks what was written.
pub fn check<'r>(kind: Kind, host: Option<&str>, rows: impl Iterator<Item = Row<'r>>) {
    let mut encoder = Encoder::new(kind, host.map(str::to_owned));
    let mut expected = Vec::new();
    for row in rows {
        let (bytes, entries) = (encoder.bytes(), encoder.entries());
        match encoder.push(&row) {
            Ok(Pushed::Added(_)) => expected.push(meant(&row)),
            Ok(Pushed::Full) => panic!("so few rows fill no document"),
            Err(refusal) => {
                assert_eq!((encoder.bytes(), encoder.entries()), (bytes, entries), "{refusal:?} left something");
                assert_eq!(refusal.rule.severity, Severity::Error, "{refusal:?} is not an error");
            }
        }
    }
    let bytes = encoder.bytes();
    let Some(finished) = encoder.finish() else {
        return assert!(expected.is_empty(), "what was added is gone");
    };
    let xml = finished.xml;
    let shown = String::from_utf8_lossy(&xml);
    assert_eq!((xml.len() as u64, finished.entries), (bytes, expected.len() as u64), "{shown}");
    assert_eq!(verified(&xml, &xml), Ok(finished.entries), "{shown}");
    assert_eq!(verified(&gzip(&xml, 1), &xml), Ok(finished.entries), "{shown}");

    let outcome = read_bytes([&xml[..]], "", ROOMY);
    assert_eq!((outcome.kind, &outcome.fault, outcome.is_recovered), (Some(kind), &None, false), "{shown}");
    let errors = outcome
        .findings
        .iter()
        .filter(|finding| finding.rule.severity == Severity::Error && !OF_LOCATIONS.contains(&finding.rule.code));
    assert_eq!(errors.collect::<Vec<_>>(), Vec::<&_>::new(), "the written document has no errors: {shown}");
    let [record] = &outcome.rows[..] else { panic!("so few rows are one batch") };
    let read = BatchRows::new(record, &ColumnNames::default(), &[]).expect("our own table can be read");
    assert_eq!(read.len(), expected.len(), "{shown}");
    for (at, expected) in expected.iter().enumerate() {
        assert_eq!(meant(&read.row(at)), *expected, "row {at} of {shown}");
    }
}

/// The content of a row in a form that can be compared: empty texts are absent, and blanks around extensions are dropped.
fn meant(row: &Row<'_>) -> String {
    let bare = |text: &str| Some(text[strip_range(text)].to_owned()).filter(|text| !text.is_empty());
    let given = |text: Option<&str>| text.and_then(bare);
    let lastmod = match row.lastmod {
        None | Some(Lastmod::Text("")) => None,
        // As somebody wrote it, to the letter.
        Some(Lastmod::Text(text)) => Some(text.to_owned()),
        Some(Lastmod::Instant(micros)) => {
            let mut text = String::new();
            w3c_date::format(micros, &mut text);
            assert_eq!(lastmod::parse(&text), Ok(micros), "{text}");
            Some(text)
        }
        Some(Lastmod::Local(micros)) => unreachable!("a time without a zone was written: {micros}"),
        Some(Lastmod::Day(days)) => {
            let mut text = String::new();
            w3c_date::format_date(days.into(), &mut text);
            assert_eq!(lastmod::parse(&text), Ok(i64::from(days) * DAY_MICROS), "{text}");
            Some(text)
        }
    };
    let priority = match row.priority {
        None | Some(Priority::Text("")) => None,
        Some(Priority::Text(text)) => Some(priority::parse(text).expect("what was written is a priority")),
        Some(Priority::Number(number)) => Some(number + 0.0),
    };
    // LOC008: blanks that XML does not know are written around a loc, and left out by whoever reads it.
    let is_odd_blank = |character: char| {
        character.is_whitespace() || matches!(character, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
    };
    let loc = row.loc.trim_matches(is_odd_blank);
    let changefreq = row.changefreq.filter(|word| !word.is_empty());
    let images = row.images.iter().map(|image| {
        let texts = [image.title, image.caption, image.geo_location, image.license].map(given);
        (bare(image.loc), texts)
    });
    let alternates = row.alternates.iter().map(|link| {
        let rel = given(link.rel).unwrap_or_else(|| "alternate".to_owned());
        (bare(link.href), rel, given(link.hreflang), given(link.media))
    });
    let videos = row.videos.iter().map(|video| {
        let mut video: Video<_> = video.map(|text| given(*text));
        video.tags.retain(|[tag]| tag.is_some());
        video
    });
    let news = row.news.map(|texts| texts.map(given));
    format!(
        "{loc:?} {lastmod:?} {changefreq:?} {priority:?} {:?} {:?} {:?} {news:?}",
        images.collect::<Vec<_>>(),
        alternates.collect::<Vec<_>>(),
        videos.collect::<Vec<_>>(),
    )
}
