//! What is never closed, or closed wrongly, ends where it must have ended, however the text is cut.

use super::*;

const TWO: &str = "<url><loc>https://e.com/1</loc></url><url><loc>https://e.com/2</loc></url>";

#[test]
fn what_follows_something_unclosed_is_read() {
    let root = format!("<urlset {NAMESPACE}>");
    let broken_root = root.replace("0.9\"", "0.9");
    for (document, entries) in [
        (format!("<?xml version='1.0'>{root}{TWO}</urlset>"), 2),
        (format!("<?xml version='1.0'/>{root}{TWO}</urlset>"), 2),
        (format!("<?xml version='1.0'? >{root}{TWO}</urlset>"), 2),
        (format!("<?xml version='1.0' {root}{TWO}</urlset>"), 2),
        (format!("<?xml version='1.0'?><?xml-stylesheet href='a.xsl'>{root}{TWO}</urlset>"), 2),
        (format!("<!-- x {root}{TWO}</urlset>"), 2),
        (format!("<!-- x ->{root}<!-- y -->{TWO}</urlset>"), 2),
        (format!("{root}<!-- x {TWO}</urlset>"), 2),
        (format!("{root}<!-- x ->{TWO}<!-- y -->{TWO}</urlset>"), 4),
        (format!("{root}<!-- x -- >{TWO}<!-- y --!>{TWO}</urlset>"), 4),
        (format!("{root}<!-- a - b -> {TWO}</urlset>"), 2),
        (format!("{root}<? x {TWO}</urlset>"), 2),
        (format!("{root}<url><loc><![CDATA[https://e.com/0</loc></url>{TWO}</urlset>"), 3),
        (format!("{root}<![CDATA[{TWO}</urlset>"), 2),
        (format!("{root}<![CDATA[ x <b> {TWO}<![CDATA[{TWO}</urlset>"), 4),
        (format!("{root}<other>{TWO}"), 2),
        (format!("{broken_root}{TWO}</urlset>"), 2),
        (format!("{root}<url><loc>https://e.com/0</loc><x:a href='https://e.com/></url>{TWO}</urlset>"), 3),
        ("<rss version='2.0><channel><item><link>https://e.com/1</link></item></channel></rss>".into(), 1),
        (format!("<!DOCTYPE html>\n<?xml version='1.0'?>{root}{TWO}</urlset>"), 2),
        (format!("junk <!-- {root}{TWO}</urlset> -->{root}{TWO}</urlset>"), 2),
        (format!("{root}<url><loc>https://e.com/0< /loc></url>{TWO}</urlset>"), 3),
        (format!("{root}<url><loc>https://e.com/0]]></loc></url>{TWO}</urlset>"), 3),
        (format!("{root}<url><url><loc>https://e.com/0</loc></url>{TWO}</urlset>"), 3),
        (format!("{root}<url><loc>https://e.com/0<loc></url>{TWO}</urlset>"), 3),
        (format!("{root}<url><loc>https://e.com/0<loc></loc></url>{TWO}</urlset>"), 3),
    ] {
        let seen = read(&document);
        assert_eq!(seen.entries.len(), entries, "{document}: {seen:?}");
        assert!(seen.recovered, "{document}: {seen:?}");
        let ends = document.ends_with("</urlset>") || document.ends_with("</rss>");
        assert_eq!(seen.fault.is_none(), ends, "{document}: {seen:?}");
        let is_odd = |entry: &&String| entry.contains("loc None") || entry.contains("]]") || entry.contains('<');
        assert!(!seen.entries.iter().any(|entry| is_odd(&entry)), "{document}: {seen:?}");
    }
}

#[test]
fn what_is_longer_than_a_piece_may_be_is_closed_as_well() {
    let many = TWO.repeat(14);
    let document = format!("<urlset {NAMESPACE}><!-- x {}{many}{}</urlset>", "y ".repeat(100), "\n".repeat(9000));
    let seen = read(&document);
    assert_eq!((seen.entries.len(), seen.recovered), (28, true), "{seen:?}");
}

#[test]
fn what_is_cut_off_inside_something_open_is_truncated() {
    let root = format!("<urlset {NAMESPACE}>{TWO}");
    for end in [
        "<!-- x",
        "<!-- x <b>",
        "<![CDATA[ x",
        "<url><loc>https://e.com/3",
        "<url><loc><![CDATA[https://e.com/3",
        "<? x",
    ] {
        let seen = read(&format!("{root}{end}"));
        assert_eq!(seen.entries.len(), 2, "{end}: {seen:?}");
        assert_eq!(seen.fault.map(|fault| fault.0), Some(FaultKind::Truncated), "{end}");
    }
}

#[test]
fn another_format_with_a_feed_in_it_is_refused() {
    for (document, kind) in [
        ("<config><rss version='2.0'><x/></rss></config>", Some(FaultKind::NotASitemap)),
        ("<config><rss><channel><item><link>https://e.com/1</link></item></channel></rss></config>", None),
        ("<br /><b>Warning</b> x <rss version='2.0'><channel/></rss>", None),
        ("<!DOCTYPE html>", Some(FaultKind::NotASitemap)),
        ("<!DOCTYPE html><!-- <urlset/> --><html>", Some(FaultKind::NotASitemap)),
    ] {
        let seen = read(document);
        assert_eq!(seen.fault.as_ref().map(|fault| fault.0), kind, "{document}: {seen:?}");
    }
}
