use super::*;
use crate::read::fault::FaultKind;

fn read(window: &str) -> Result<(Tag, Vec<Attribute>), Stop> {
    let mut tags = Tags::new(&Budget { attributes: 4, ..Budget::DEFAULT });
    tags.scopes.push();
    tags.scopes.declare("p", "urn:p").unwrap();
    tags.scopes.declare("q", "urn:p").unwrap();
    let tag = tags.read(window, 0)?;
    let again = tags.known(window, 0);
    assert_eq!(again.is_some(), tag.kind == TagKind::Open && window.len() > 16 && tag.end == tag.name_end + 1);
    assert!(again.is_none_or(|again| again.end == tag.end && again.element == tag.element), "{window}");
    assert_eq!(tags.scopes.depth() > 1, tag.scoped);
    tags.read(window, 0)?;
    Ok((tag, tags.attributes))
}

fn problem(window: &str) -> FaultKind {
    match read(window) {
        Err(Stop::Problem(problem)) => problem.kind,
        other => panic!("{window}: {other:?}"),
    }
}

#[test]
fn forms_of_tags() {
    for (window, kind, name, count) in [
        ("<url>  padding for sixteen", TagKind::Open, "url", 0),
        ("<url >", TagKind::Open, "url", 0),
        ("</url\n>", TagKind::Close, "url", 0),
        ("<url/>", TagKind::Empty, "url", 0),
        ("<p:a-b.c_1 x='1' p:x = \"2\"/>", TagKind::Empty, "p:a-b.c_1", 2),
        ("<日本 x='>'>", TagKind::Open, "日本", 1),
    ] {
        let (tag, attributes) = read(window).unwrap();
        assert_eq!((tag.kind, tag.name(window), attributes.len()), (kind, name, count), "{window}");
    }
}

#[test]
fn what_is_no_tag() {
    for window in [
        "< url>",
        "<1a>",
        "<-a>",
        "<a:>",
        "<:a>",
        "<a:b:c>",
        "<a x>",
        "<a x=1>",
        "<a x='1'y='2'>",
        "<a x='<'>",
        "<a x='&'>",
        "</a b='c'>",
        "<a / >",
        "<a$>",
        "<a x='\u{1}'>",
    ] {
        assert_eq!(problem(window), FaultKind::Malformed, "{window}");
    }
    assert_eq!(problem("<a b='' c='' d='' e='' f=''>"), FaultKind::Limit);
}

#[test]
fn what_namespaces_forbid_is_noted() {
    for (window, code) in [
        ("<a x='1' x='2'>", "XML001"),
        ("<a p:x='1' q:x='2'>", "XML001"),
        ("<z:a>", "NS005"),
        ("<a z:x='1'>", "NS005"),
        ("<a xmlns:p=''>", "XML001"),
    ] {
        let mut tags = Tags::new(&Budget::DEFAULT);
        tags.scopes.push();
        tags.scopes.declare("p", "urn:p").unwrap();
        tags.scopes.declare("q", "urn:p").unwrap();
        tags.read(window, 0).unwrap();
        let codes: Vec<_> = tags.notes.iter().map(|note| (note.rule.code, note.is_repair)).collect();
        assert_eq!(codes, [(code, true)], "{window}");
    }
}

#[test]
fn every_prefix_of_a_tag_needs_data() {
    let window = "<p:abc x='1' y=\"a&amp;b\" xmlns='urn:d' / >".replace("/ >", "/>");
    for end in 1..window.len() {
        assert_eq!(read(&window[..end]).unwrap_err(), Stop::NeedData, "{}", &window[..end]);
    }
}
