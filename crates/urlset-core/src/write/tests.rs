//! The encoder as a whole.

use super::*;
use crate::checks::DocumentChecks;
use crate::diagnostic::Findings;
use crate::limits::{BYTES_PER_DOCUMENT, ENTRIES_PER_DOCUMENT, NEWS_PER_DOCUMENT};
use crate::media::{VIDEO_TEXTS, Video, index_of};
use crate::read::Kind;
use crate::read::namespace::{CORE, IMAGE, NEWS, VIDEO};
use crate::value::hrefs::Hrefs;

fn row(loc: &str) -> Row<'_> {
    Row { loc, ..Row::default() }
}

/// The entries of a document that reads back as it was written.
fn verified(stored: &[u8], xml: &[u8]) -> Result<u64, Difference> {
    verify(stored, xml, &mut DocumentChecks::new(None), Findings::default()).map(|verified| verified.entries)
}

#[test]
fn one_entry_a_line_and_only_what_is_used_declared() {
    let mut encoder = Encoder::new(Kind::Urlset, None);
    assert_eq!(encoder.finish(), None);
    encoder.push(&row("/relative")).unwrap_err();
    encoder.push(&row("https://e.com/?a=1&b='")).unwrap();
    let image = Image { loc: "https://e.com/i", title: Some("a\rb"), ..Image::default() };
    let full = Row {
        lastmod: Some(Lastmod::Instant(1)),
        changefreq: Some("daily"),
        priority: Some(Priority::Number(1.0)),
        images: vec![image],
        ..row("https://e.com/")
    };
    let bytes = encoder.bytes();
    encoder.push(&full).unwrap();
    assert!(encoder.bytes() > bytes);
    let expected_bytes = encoder.bytes();
    let finished = encoder.finish().unwrap();
    let text = String::from_utf8(finished.xml).unwrap();
    assert_eq!(
        text,
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"{CORE}\" xmlns:image=\"{IMAGE}\">\n\
             <url><loc>https://e.com/?a=1&amp;b=&apos;</loc></url>\n\
             <url><loc>https://e.com/</loc><lastmod>1970-01-01T00:00:00.000001Z</lastmod><changefreq>daily</changefreq>\
             <priority>1.0</priority><image:image><image:loc>https://e.com/i</image:loc><image:title>a&#13;b</image:title>\
             </image:image></url>\n</urlset>\n"
        )
    );
    assert_eq!((text.len() as u64, finished.entries), (expected_bytes, 2));
    verified(text.as_bytes(), text.as_bytes()).unwrap();
    verified(&gzip(text.as_bytes(), 6), text.as_bytes()).unwrap();
    verified(text.replace("daily", "never").as_bytes(), text.as_bytes()).unwrap_err();
    verified(text.replace("<url><loc>https://e.com/?", "\n<url><loc>https://e.com/?").as_bytes(), text.as_bytes())
        .unwrap_err();
}

/// A video that is whole, with these further texts.
fn video<'t>(texts: &[(&str, &'t str)]) -> Video<Option<&'t str>> {
    let mut video = Video::default();
    let whole = [
        ("thumbnail_loc", "https://e.com/t"),
        ("title", "T & U"),
        ("description", "D"),
        ("content_loc", "https://e.com/v"),
    ];
    for (name, text) in whole.iter().chain(texts) {
        video.texts[index_of(&VIDEO_TEXTS, name)] = Some(*text);
    }
    video
}

fn news<'t>(texts: &[(&str, &'t str)]) -> [Option<&'t str>; 8] {
    let mut news = [None; 8];
    let whole = [
        ("publication_name", "P"),
        ("publication_language", "de"),
        ("publication_date", "2026-01-01"),
        ("title", "<N>"),
    ];
    for (name, text) in whole.iter().chain(texts) {
        news[index_of(&crate::media::NEWS, name)] = Some(*text);
    }
    news
}

#[test]
fn videos_and_news_are_written_by_their_schemas_and_proved() {
    let mut video = video(&[("player_loc_autoplay", "a\n\"b")]);
    (video.tags, video.show) = (vec![[Some(" a ")], [None]], Some([None; 6]));
    video.prices = vec![[Some("1"), Some("EUR"), None, None], [None; 4]];
    let mut encoder = Encoder::new(Kind::Urlset, None);
    encoder.push(&Row { videos: vec![video], news: Some(news(&[])), ..row("https://e.com/") }).unwrap();
    let bytes = encoder.bytes();
    let text = String::from_utf8(encoder.finish().unwrap().xml).unwrap();
    assert_eq!(text.len() as u64, bytes);
    assert_eq!(
        text.lines().skip(1).collect::<String>(),
        format!(
            "<urlset xmlns=\"{CORE}\" xmlns:video=\"{VIDEO}\" xmlns:news=\"{NEWS}\"><url><loc>https://e.com/</loc>\
             <video:video><video:thumbnail_loc>https://e.com/t</video:thumbnail_loc><video:title>T &amp; U</video:title>\
             <video:description>D</video:description><video:content_loc>https://e.com/v</video:content_loc>\
             <video:player_loc autoplay=\"a&#10;&quot;b\"></video:player_loc><video:tag>a</video:tag>\
             <video:price currency=\"EUR\">1</video:price><video:price></video:price><video:tvshow></video:tvshow>\
             </video:video><news:news><news:publication><news:name>P</news:name><news:language>de</news:language>\
             </news:publication><news:publication_date>2026-01-01</news:publication_date>\
             <news:title>&lt;N&gt;</news:title></news:news></url></urlset>"
        )
    );
    assert_eq!(verified(text.as_bytes(), text.as_bytes()), Ok(1));
    // A document that the reader does not read as it was written does not prove itself.
    for (from, to) in
        [("video:title", "video:titel"), ("<news:language>", "<news:language >"), ("<video:tag>a", "<video:tag> a")]
    {
        let other = text.replace(from, to);
        verified(other.as_bytes(), other.as_bytes()).unwrap_err();
    }
}

#[test]
fn a_document_has_as_many_articles_as_google_takes() {
    let article = Row { news: Some(news(&[])), ..row("https://e.com/") };
    let mut encoder = Encoder::new(Kind::Urlset, None);
    for _ in 0..2 {
        for _ in 0..NEWS_PER_DOCUMENT {
            assert_eq!(encoder.push(&article), Ok(Pushed::Added(Vec::new())));
        }
        assert_eq!(encoder.push(&article), Ok(Pushed::Full));
        assert_eq!(encoder.push(&row("https://e.com/")), Ok(Pushed::Added(Vec::new())));
        assert!(encoder.finish().is_some());
    }
}

#[test]
fn an_article_of_the_future_is_refused() {
    let article = Row { news: Some(news(&[("publication_date", "1970-01-03")])), ..row("https://e.com/") };
    let day = 24 * 60 * 60 * 1_000_000;
    let at = |now| Encoder::new(Kind::Urlset, None).with_values(ValuePolicy { now, ..ValuePolicy::default() });
    let refused = at(day).push(&article).unwrap_err();
    assert_eq!(refused.to_string(), "NWS005: news.publication_date: 1970-01-03 is in the future");
    assert_eq!(at(2 * day).push(&article), Ok(Pushed::Added(Vec::new())));
}

#[test]
fn what_is_wrong_is_left_out_with_what_needs_it() {
    let wrong = Row {
        images: vec![Image { loc: "/i", ..Image::default() }, Image { loc: "https://e.com/i", ..Image::default() }],
        videos: vec![
            video(&[("duration", "PT1M"), ("restriction", "UK"), ("restriction_relationship", "allow")]),
            // Without the only URL of its media, it is of no use.
            video(&[("content_loc", "https://e.com/")]),
            video(&[("thumbnail_loc", "t.jpg"), ("live", "often")]),
            video(&[("player_loc", "p"), ("player_loc_allow_embed", "perhaps"), ("live", "yes")]),
        ],
        alternates: ["de", "zh_CN", "de"]
            .iter()
            .zip(["https://e.com/1", "https://e.com/2", "https://e.com/3"])
            .map(|(hreflang, href)| Alternate { hreflang: Some(hreflang), href, ..Alternate::default() })
            .collect(),
        news: Some(news(&[("publication_language", "de-DE")])),
        ..row("https://e.com/")
    };
    let mut dropped = Vec::new();
    let right = judged::without_errors(&wrong, wrong.loc, i64::MAX, &mut dropped);
    assert!(judged::check(&right, right.loc, i64::MAX, &mut Hrefs::default()).is_ok());
    assert_eq!(right.images, wrong.images[1..]);
    assert_eq!(right.videos, [video(&[]), video(&[("live", "yes")])]);
    assert_eq!(right.alternates, wrong.alternates[..1]);
    assert_eq!(right.news, None);
    let said: Vec<_> = dropped.iter().map(|refusal| refusal.message.split(':').next().unwrap_or_default()).collect();
    assert_eq!(
        said,
        [
            "images[0].loc",
            "videos[0].duration",
            "videos[0].restriction",
            "videos[1].content_loc",
            "videos[2].thumbnail_loc",
            "videos[2].live",
            "videos[3].player_loc",
            "videos[3].player_loc_allow_embed",
            "alternates[1].hreflang",
            "alternates[2].hreflang",
            "news.publication_language",
            "videos[1]",
        ]
    );
}

#[test]
fn both_limits_are_exact() {
    let mut encoder = Encoder::new(Kind::Urlset, None);
    for _ in 0..ENTRIES_PER_DOCUMENT {
        assert_eq!(encoder.push(&row("https://e.com/")), Ok(Pushed::Added(Vec::new())));
    }
    assert_eq!(encoder.push(&row("https://e.com/")), Ok(Pushed::Full));
    assert_eq!(encoder.finish().unwrap().entries, ENTRIES_PER_DOCUMENT);

    let caption = "x".repeat(1_000_000);
    let big = |length: usize| Row {
        images: vec![Image { loc: "https://e.com/i", caption: Some(&caption[..length]), ..Image::default() }],
        ..row("https://e.com/")
    };
    while encoder.bytes() + 1_000_500 < BYTES_PER_DOCUMENT {
        encoder.push(&big(1_000_000)).unwrap();
    }
    let before = encoder.bytes();
    encoder.push(&big(1)).unwrap();
    let entry = encoder.bytes() - before;
    let room = (BYTES_PER_DOCUMENT - encoder.bytes() - entry + 1) as usize;
    assert_eq!(encoder.push(&big(room + 1)), Ok(Pushed::Full));
    assert_eq!(encoder.push(&big(room)), Ok(Pushed::Added(Vec::new())));
    assert_eq!(encoder.finish().unwrap().xml.len() as u64, BYTES_PER_DOCUMENT);
}

#[test]
fn a_fork_is_joined_only_if_all_of_it_fits() {
    let image = Image { loc: "https://e.com/i", ..Image::default() };
    let (plain, with_image) = (row("https://e.com/"), Row { images: vec![image], ..row("https://e.com/1") });
    let article = Row { news: Some(news(&[])), ..row("https://e.com/2") };
    let filled = |rows: &[(&Row<'_>, u64)]| {
        let mut encoder = Encoder::new(Kind::Urlset, None);
        for (row, times) in rows {
            (0..*times).for_each(|_| assert_eq!(encoder.push(row), Ok(Pushed::Added(Vec::new()))));
        }
        encoder
    };
    let caption = "x".repeat(1_000_000);
    let big = Row { images: vec![Image { caption: Some(&caption), ..image }], ..row("https://e.com/") };
    for (first, second, fits) in [
        (vec![(&plain, 2)], vec![(&with_image, 1), (&article, 1)], true),
        (vec![(&with_image, 1)], vec![], true),
        (vec![], vec![(&article, 3)], true),
        (vec![(&plain, ENTRIES_PER_DOCUMENT - 2)], vec![(&plain, 2)], true),
        (vec![(&plain, ENTRIES_PER_DOCUMENT - 2)], vec![(&plain, 3)], false),
        (vec![(&article, 400)], vec![(&plain, 1), (&article, NEWS_PER_DOCUMENT - 400)], true),
        (vec![(&article, 401)], vec![(&plain, 1), (&article, NEWS_PER_DOCUMENT - 400)], false),
        (vec![(&big, 26)], vec![(&big, 26)], true),
        (vec![(&big, 26)], vec![(&big, 27)], false),
    ] {
        let mut encoder = filled(&first);
        let mut fork = encoder.fork();
        for (row, times) in &second {
            (0..*times).for_each(|_| assert_eq!(fork.push(row), Ok(Pushed::Added(Vec::new()))));
        }
        assert_eq!(encoder.join(fork), fits);
        let expected = if fits { [first, second].concat() } else { first };
        let mut expected = filled(&expected);
        assert_eq!((encoder.entries(), encoder.bytes()), (expected.entries(), expected.bytes()));
        assert!(encoder.finish() == expected.finish());
    }
}

#[test]
fn gzip_says_neither_name_nor_time() {
    let stored = gzip(b"text", 6);
    // RFC 1952: magic, deflate, no flags (so no name), four bytes of time, all zero.
    assert_eq!(&stored[..8], &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
}
