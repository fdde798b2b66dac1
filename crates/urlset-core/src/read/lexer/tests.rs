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

#[test]
fn a_tag_that_is_recognised_by_its_form_is_read_as_by_the_grammar() {
    let forms = [
        "<title type=\"V\">",
        "<link href=\"V\" rel=\"V\" type=\"text/html\" title=\"V\" />",
        "<category term=\"V\" />",
        "<summary type='V'>",
        "<content type=\"V\" xml:base=\"V\">",
        "<a-name-of-more-than-sixteen-bytes b=\"V\">",
        "<link rel=\"V\" href=\"V\"/>",
        "<link rel=\"V\"  href=\"V\"/>",
        "<title  type=\"V\">",
        "<title type=\"V\"/>",
        "<c d=\"V\"\n e=\"V\"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n f=\"V\"/>",
    ];
    let values = ["", "a", "https://www.example.com/a-rather-long-address", "type=", "'>'", "&amp;", "é", "a\nb"];
    let told = |tag: &Tag, attributes: &[Attribute]| format!("{tag:?} {attributes:?}");
    let (mut alike, mut all) = (0, 0);
    for seed in 1..500 {
        let mut numbers = crate::tests::Numbers(seed);
        let (of, most) = (1 + numbers.below(11), 1 + numbers.below(8));
        let (mut window, mut starts) = (String::new(), Vec::new());
        for number in 0..60 {
            starts.push(window.len());
            // Some repeat in one order, as generators write them, and others come in any.
            let form = forms[if seed % 2 == 0 { number % of } else { numbers.below(of) } as usize];
            for (place, part) in form.split('V').enumerate() {
                let value = values[numbers.below(most) as usize];
                let quotes = part.starts_with('\'') && value.contains('\'');
                window.push_str(if place == 0 || quotes { "" } else { value });
                window.push_str(part);
            }
        }
        window.push_str("a text behind them, of more than 32 bytes");
        let (mut tags, mut index) = (Tags::new(&Budget::DEFAULT), StructuralIndex::default());
        index.build(&window);
        for at in starts {
            all += 1;
            let Some(tag) = tags.alike(&window, at, &index) else {
                tags.read(&window, at).unwrap();
                continue;
            };
            alike += 1;
            let mut slow = Tags::new(&Budget::DEFAULT);
            let expected = slow.read(&window, at).unwrap();
            assert_eq!(told(&tag, &tags.attributes), told(&expected, &slow.attributes), "{}", &window[at..]);
        }
    }
    assert!(alike * 2 > all, "{alike} of {all}");
}
