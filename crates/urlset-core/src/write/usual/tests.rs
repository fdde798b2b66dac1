//! What is written of usual rows, compared with what the grammar writes of them.

use super::*;
use crate::value::changefreq::WORDS;
use crate::value::hrefs::Hrefs;
use crate::write::entry::url;
use crate::write::judged;

/// Whether a row is a usual one. What is written of it must be what is written of any.
fn is_usual(entries: &mut UsualEntries, row: &Row<'_>) -> bool {
    let mut body = Body::default();
    let pushed = entries.push(row, &mut body).is_some();
    let mut expected = String::new();
    let written = url(row, &mut expected);
    if pushed {
        assert_eq!(written, Ok(()), "{row:?}");
        assert_eq!(body.piece(), expected.as_bytes(), "{row:?}");
    } else {
        assert_eq!(body.len(), 0);
    }
    pushed
}

#[test]
fn any_of_the_usual_values_is_written_as_by_the_grammar() {
    let long = format!("https://e.com/{}", "a".repeat(2_033));
    let escaped = format!("https://e.com/?{}", "&".repeat(300));
    let locs = [
        ("https://e.com/", true),
        ("https://e.com/a-path/that/is/longer/than/a/block?of=bytes&and&has='entities'\"<>", true),
        ("http://www.example.org/tea%20pot#\u{e9}\u{65e5}", true),
        ("https://e.com/%zz", false),
        ("https://e.com/\u{ffff}", false),
        ("https://e.com/a b", false),
        ("https://E.com/", false),
        ("https://e.com:8080/", false),
        ("/relative", false),
        ("", false),
        (&long[..900], true),
        (&long, false),
        (&escaped, false),
    ];
    let lastmods = [
        (None, true),
        (Some(Lastmod::Text("2026-01-31")), true),
        (Some(Lastmod::Text("2026-01-31T10:20:30+05:30")), true),
        (Some(Lastmod::Text("2026-01-31T10:20:30+15:00")), false),
        (Some(Lastmod::Text("2026-02-30")), false),
        (Some(Lastmod::Text("2026")), false),
        (Some(Lastmod::Text("")), false),
        (Some(Lastmod::Instant(1_000_000_000_000_000)), true),
        (Some(Lastmod::Instant(1)), false),
        (Some(Lastmod::Instant(-1_000_000)), false),
        (Some(Lastmod::Instant(i64::MAX)), false),
        (Some(Lastmod::Day(20_000)), true),
        (Some(Lastmod::Day(-1)), false),
        (Some(Lastmod::Day(i32::MAX)), false),
        (Some(Lastmod::Local(0)), false),
    ];
    let priorities = [
        (None, true),
        (Some(Priority::Number(0.0)), true),
        (Some(Priority::Number(0.3)), true),
        (Some(Priority::Number(1.0)), true),
        (Some(Priority::Number(-0.0)), false),
        (Some(Priority::Number(0.25)), false),
        (Some(Priority::Number(1.1)), false),
        (Some(Priority::Number(f64::NAN)), false),
        (Some(Priority::Number(f64::INFINITY)), false),
        (Some(Priority::Text("0.7")), true),
        (Some(Priority::Text("1.1")), false),
        (Some(Priority::Text("")), false),
    ];
    let words = WORDS.iter().map(|word| (Some(*word), true));
    let words: Vec<_> = words.chain([(None, true), (Some("Daily"), false), (Some(""), false)]).collect();
    let mut entries = UsualEntries::default();
    for (loc, is_loc) in locs {
        for (lastmod, is_lastmod) in lastmods {
            for (priority, is_priority) in priorities {
                for (changefreq, is_word) in &words {
                    let row = Row { loc, lastmod, changefreq: *changefreq, priority, ..Row::default() };
                    let expected = is_loc && is_lastmod && is_priority && *is_word;
                    assert_eq!(is_usual(&mut entries, &row), expected, "{row:?}");
                }
            }
        }
    }
}

#[test]
fn images_are_written_as_by_the_grammar() {
    let long = format!("https://e.com/{}", "c".repeat(1_100));
    // Whether each can be written so as a text, and as the URL of an image.
    let texts = [
        (None, true, false),
        (Some("  "), true, false),
        (Some("https://e.com/i.png"), true, true),
        (Some("http://cdn.e.com/i?a&b%zz#\u{65e5}"), true, true),
        (Some(" https://e.com/i.png"), true, false),
        (Some("https://e.com/i.png\n"), true, false),
        (Some("https://E.com:80/i"), true, false),
        (Some("\t a & \"b\" <c>\n'd' \u{65e5}\r\n"), true, false),
        (Some("https://e.com/\u{ffff}"), false, false),
        (Some(long.as_str()), false, false),
    ];
    let mut entries = UsualEntries::default();
    for (one, _, is_url) in texts {
        for (two, is_text, _) in texts {
            let loc = one.unwrap_or_default();
            let image = Image { loc, title: two, ..Image::default() };
            compare_lists(&mut entries, vec![image], Vec::new(), is_url && is_text);
            let image = Image { caption: two, title: Some("t"), ..image };
            let other = Image { loc: "http://e.com/", ..Image::default() };
            compare_lists(&mut entries, vec![other, image], Vec::new(), is_url && is_text);
            let is_free = two.is_none_or(|two| two.trim().is_empty());
            for image in [Image { license: two, ..other }, Image { geo_location: two, ..other }] {
                compare_lists(&mut entries, vec![Image { loc, ..image }], Vec::new(), is_url && is_free);
            }
            let link = Alternate { hreflang: Some("de"), href: loc, ..Alternate::default() };
            compare_lists(&mut entries, Vec::new(), vec![Alternate { media: two, ..link }], is_url && is_free);
            compare_lists(&mut entries, vec![other], vec![Alternate { rel: two, ..link }], is_url && two.is_none());
        }
    }
}

#[test]
fn links_with_any_languages_are_written_as_by_the_grammar() {
    let codes = [
        (None, false),
        (Some(""), false),
        (Some(" de"), false),
        (Some("german"), false),
        (Some("de"), true),
        (Some("DE"), true),
        (Some("zh-Hant-TW"), true),
        (Some("x-default"), true),
        (Some("es-419"), true),
        (Some("de-1996"), false),
    ];
    let mut entries = UsualEntries::default();
    for (one, is_one) in codes {
        for (two, is_two) in codes {
            let links = [(one, "https://e.de/1"), (two, "https://e.at/?a&b"), (Some("fr"), "https://e.fr/")];
            let link = |(hreflang, href)| Alternate { hreflang, href, rel: Some("alternate"), media: None };
            let links = links.map(link);
            let is_same = one.unwrap_or_default().eq_ignore_ascii_case(two.unwrap_or_default());
            compare_lists(&mut entries, Vec::new(), links[..1].to_vec(), is_one);
            compare_lists(&mut entries, Vec::new(), links.to_vec(), is_one && is_two && !is_same);
        }
    }
}

/// Write a row with these images and links both ways, if it is a usual one.
fn compare_lists(entries: &mut UsualEntries, images: Vec<Image<'_>>, alternates: Vec<Alternate<'_>>, is_usual: bool) {
    let row = Row { loc: "https://e.com/", images, alternates, ..Row::default() };
    let (mut body, mut by_grammar) = (Body::default(), String::new());
    entries.push(&row, &mut body).unwrap();
    assert_eq!(entries.push_extensions(&row, &mut body).is_some(), is_usual, "{row:?}");
    let written = url(&row, &mut by_grammar);
    if is_usual {
        assert_eq!((written, body.piece()), (Ok(()), by_grammar.as_bytes()), "{row:?}");
        assert_eq!(judged::check(&row, row.loc, i64::MAX, &mut Hrefs::default()), Ok(()), "{row:?}");
    }
}

#[test]
fn texts_of_any_length_fit_or_are_left_out() {
    let mut entries = UsualEntries::default();
    for length in 0..1_100 {
        let loc = format!("https://e.com/{}", "b".repeat(length));
        let row = Row { loc: &loc, changefreq: Some("weekly"), ..Row::default() };
        is_usual(&mut entries, &row);
    }
}
