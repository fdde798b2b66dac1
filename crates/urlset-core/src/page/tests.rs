use std::io::Read;

use html5gum::IoReader;

use super::collector::Collector;
use super::open::MAX_DEPTH;
use super::{Options, Page, Selector, collected, page, resolved};

const URL: &str = "https://shop.example/tea/";

fn options() -> Options<'static> {
    Options {
        url: URL,
        content_type: None,
        masks: &[],
        boilerplate: Vec::new(),
        most_json: 1 << 20,
        most_items: 1_000,
        with_parts: true,
    }
}

fn read(html: &str) -> Page {
    page(html.as_bytes(), options())
}

/// Read a page without what `boilerplate` selects.
fn without(html: &str, boilerplate: &str) -> u64 {
    let boilerplate = Selector::list(boilerplate).unwrap();
    page(html.as_bytes(), Options { boilerplate, ..options() }).content_hash
}

/// Gives a page away in pieces of these sizes.
struct Pieces<'a> {
    left: &'a [u8],
    sizes: Box<dyn FnMut() -> usize>,
}

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let size = (self.sizes)().clamp(1, out.len()).min(self.left.len());
        let (piece, left) = self.left.split_at(size);
        out[..size].copy_from_slice(piece);
        self.left = left;
        Ok(size)
    }
}

fn in_pieces(html: &str, sizes: impl FnMut() -> usize + 'static) -> Page {
    let reader = IoReader::new(Pieces { left: html.as_bytes(), sizes: Box::new(sizes) });
    let found = resolved(collected(reader, Collector::new(Vec::new(), 1 << 20)), &options());
    Page { fits_charset: true, is_binary: html.contains('\0'), ..found }
}

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

const PIECES: [&str; 40] = [
    "<",
    "a href=",
    "'",
    "\"",
    "<nav>",
    "</nav>",
    "</main>",
    "<main>",
    "<svg/>",
    "<svg>",
    "</svg>",
    "\0",
    "<title>",
    "</title>",
    "é",
    "<script>",
    "</script",
    "<!--",
    "-->",
    "&amp",
    ";",
    ">",
    " ",
    "<p hidden>",
    "<div>",
    "</div>",
    "<b>",
    "</b>",
    "<table><tr><td>",
    "</table>",
    "<li>",
    "<a href=/x>",
    "<img src=i.png alt=x>",
    "<header>",
    "<link rel=canonical href=/c>",
    "<meta http-equiv=refresh content='0;url=/r'>",
    "<i itemprop=dateModified>",
    "2026-01-02",
    "<![CDATA[",
    "tea ",
];

fn drawn(random: &mut Random, pieces: usize) -> String {
    (0..pieces).map(|_| PIECES[random.below(PIECES.len())]).collect()
}

#[test]
fn links_are_resolved_and_counted_once() {
    let found = read(
        "<base href=/b/><a href=x#1>1<a href='x' rel='ugc NoFollow'>2</a><A HREF=\"//c.example/?a&amp;b\">3</a>\
         <a href=mailto:a@b><a href=http://u:p@c.example/><script>'<a href=no>'</script><!-- <a href=no> -->\
         <textarea><a href=no></textarea><area href=map><a name=x>",
    );
    let links: Vec<_> = found.links.iter().map(|(url, is_nofollow)| (url.as_str(), *is_nofollow)).collect();
    let expected =
        [("https://shop.example/b/x", false), ("https://c.example/?a&b", false), ("https://shop.example/b/map", false)];
    assert_eq!(links, expected);
}

#[test]
fn the_head_ends_where_a_browser_ends_it() {
    let found = read("<title>a</title><link rel=canonical href=/1><p>x<link rel=canonical href=/2><title>b</title>");
    assert_eq!(found.canonicals, ["https://shop.example/1"]);
    assert_eq!(found.title.as_deref(), Some("a"));
    assert_eq!(read("x<link rel=canonical href=/2>").canonicals, Vec::<String>::new());
}

#[test]
fn content_is_what_a_reader_sees_of_this_page() {
    let one = read("<title>T</title><nav>a</nav><main>green <b>tea</b></main><footer>x</footer><script>1</script>");
    let two = read("<title>T</title><nav>b</nav><main>green tea</main><footer>y</footer><script nonce=x>2</script>");
    assert_eq!(one.content_hash, two.content_hash);
    assert_eq!(one.words, 4);
    for other in ["<title>U</title><main>green tea</main>", "<title>T</title><main>black tea</main>"] {
        assert_ne!(read(other).content_hash, one.content_hash);
    }
    // A menu without its end does not hide the page.
    assert_ne!(read("<nav>a<p>green").content_hash, read("<nav>a<p>black").content_hash);
}

#[test]
fn a_shell_needs_a_browser_and_a_page_does_not() {
    let shell = "<body><div id=root></div><script src=app.js></script>";
    assert_eq!(read(shell).needs_browser.as_deref(), Some("its content is made by a script, in <div id=\"root\">"));
    assert!(read("<body><noscript>Enable JavaScript</noscript><script src=app.js></script>").needs_browser.is_some());
    let filled = format!("<div id=root>{}</div><script src=app.js></script>", "green tea ".repeat(10));
    assert!(read(&filled).needs_browser.is_none());
    assert!(read("<p>short").needs_browser.is_none());
}

#[test]
fn how_a_page_is_cut_makes_no_difference() {
    let mut random = Random(1);
    for seed in 0..1_000 {
        let html = drawn(&mut random, 60);
        let whole = read(&html);
        assert_eq!(in_pieces(&html, || 1), whole, "{html}");
        let mut sizes = Random(seed);
        assert_eq!(in_pieces(&html, move || 1 + sizes.below(9)), whole, "{html}");
    }
}

#[test]
fn any_bytes_are_a_page() {
    let mut random = Random(2);
    for _ in 0..1_000 {
        let mut html = drawn(&mut random, 30).into_bytes();
        for _ in 0..3 {
            let at = random.below(html.len());
            html[at] = random.below(256) as u8;
        }
        let found = page(&html, options());
        assert_eq!(found, page(&html, options()));
    }
}

/// A cost that grew faster than the page would show in the steps, and would keep this test from ending.
#[test]
fn hostile_pages_cost_as_much_as_their_size() {
    for (start, piece, end) in [
        ("", "<div>", ""),
        ("", "<nav>", ""),
        ("", "<a href=x>", ""),
        ("", "<b>", ""),
        ("", "<b><p>", ""),
        ("", "<table><tr><td>", ""),
        ("", "<i itemprop=dateModified>", ""),
        ("", "<svg>", ""),
        ("", "</div>", ""),
        ("", "</b>", ""),
        ("<p>", " a=1", ">"),
        ("<p ", "a='", ">"),
        ("<p class='", " x", "'>"),
        ("<a href='", "?csrf&sid=", "'>"),
        ("<img src='", "-0a0a0a0a", ".png'>"),
        ("<script>", "<script>", ""),
        ("<script><!--", "<script>", ""),
        ("<!--", "--", ""),
        ("<![CDATA[", "]]", ""),
        ("<title>", "&amp", ""),
        ("", "updated 1 ", ""),
        ("", "© ", ""),
        ("", "1 day ago ", ""),
        ("<main>", "<main>", ""),
        ("<ul>", "<li><p>", ""),
        ("<div><li><ul>", "</li>", ""),
        (&"<div>".repeat(600), "</p>", ""),
        (&"<span>".repeat(600), "</i>", ""),
    ] {
        let steps = |times: usize| {
            let html = format!("{start}{}{end}", piece.repeat(times));
            let found = collected(html.as_str(), Collector::new(Selector::list("[x],.y").unwrap(), 1 << 20));
            let steps = found.steps();
            let _ = resolved(found, &Options { masks: &["a*b".to_owned()], ..options() });
            steps
        };
        let (some, more) = (steps(5_000), steps(50_000));
        assert!(more <= some * 10 + 10 * MAX_DEPTH * MAX_DEPTH, "{start}{piece}: {some}, then {more} steps");
        assert!(more <= 50_000 * 2 * MAX_DEPTH, "{start}{piece}: {more} steps");
    }
}

/// The text of the main part by the rules of the standard: what ends without an end tag, and what does not end.
#[test]
fn hidden_elements_end_where_browsers_end_them() {
    for (shown, with_hidden) in [
        ("<p>a", "<p hidden>7<p>a"),
        ("<p>a", "<p hidden>7<div>a</div>"),
        ("<ul><li>a</ul>", "<ul><li hidden>7<li>a</ul>"),
        ("<ul><li>a</ul>", "<ul><li hidden><ul><li>7</ul>7<li>a</ul>"),
        ("<dl><dd>a</dl>", "<dl><dt hidden>7<dd>a</dl>"),
        ("<table><tr><td>a</table>", "<table><tr hidden><td>7<tr><td>a</table>"),
        ("<table><tr><td>a</table>", "<table><tr><td hidden>7<table><tr><td>7</table>7<td>a</table>"),
        ("a", "<b aria-hidden=true>7<a href=7>7</a></b>a"),
        ("a", "<b hidden>7</p>7</b>a"),
        ("a", "<select><option hidden>7<option>a</select>"),
        ("a", "<div hidden>7<span>7</div>a"),
        ("a", "<div hidden>7</span>7</div>a"),
        ("a", "<img hidden src=7 alt=7><a hidden href=7></a>a"),
        ("a", "<svg><path/><foreignObject><p>7</p></foreignObject><title>7</title></svg>a"),
        ("<p>a", "<svg><path><p>a"),
    ] {
        let hash = |html: &str| read(&format!("<main>{html}</main>")).content_hash;
        assert_eq!(hash(with_hidden), hash(shown), "{with_hidden}");
    }
}

#[test]
fn links_images_and_their_texts_are_content() {
    for (one, other, is_same) in [
        ("<a href=/x>a</a>", "<a href=/y>a</a>", false),
        ("<img src=x.png>", "<img src=y.png>", false),
        ("<img src=x.png alt=x>", "<img src=x.png alt=y>", false),
        ("<img src=x.3f9c2a1b.png>", "<img src=x.a07be41d.png>", true),
        ("<img src=data:x data-src=x.png>", "<img src=x.png>", true),
        ("<a rel=x href=/x>a</a>", "<a class=y href=' /x '>a</a>", true),
    ] {
        assert_eq!(read(one).content_hash == read(other).content_hash, is_same, "{one} {other}");
    }
}

#[test]
fn boilerplate_is_ignored() {
    let page = |latest: &str| {
        format!("<title>{latest}</title><main>a<ul class='x latest'><li>{latest}<a href=/{latest}></a></ul></main>")
    };
    assert_eq!(without(&page("1"), "title, ul.latest"), without(&page("2"), "title, ul.latest"));
    assert_ne!(without(&page("1"), "title"), without(&page("2"), "title"));
    assert_ne!(without(&page("1"), "ul.latest"), without(&page("2"), "ul.latest"));
    // What selects the whole content selects nothing.
    assert_ne!(without("<main>a</main>", "main"), without("<main>b</main>", "main"));
}

#[test]
fn a_canonical_for_a_version_does_not_count() {
    for (attributes, is_canonical) in
        [("", true), ("hreflang=de", false), ("media=print", false), ("lang=de", false), ("type=text/html", false)]
    {
        let found = read(&format!("<link rel=canonical {attributes} href=/1>"));
        assert_eq!(found.canonicals.len(), usize::from(is_canonical), "{attributes}");
    }
    assert_eq!(read("<link rel=canonical href=/1><link rel='x CANONICAL' href=/2>").canonicals.len(), 2);
}

#[test]
fn the_first_refresh_that_browsers_follow_counts() {
    let refresh = |contents: &[&str]| {
        let metas: String =
            contents.iter().map(|content| format!("<meta http-equiv=Refresh content=\"{content}\">")).collect();
        read(&metas).refresh
    };
    assert_eq!(refresh(&["x", "5; url='/a#b'", "0; url=/c"]).as_deref(), Some("https://shop.example/a"));
    assert_eq!(refresh(&["300", "0; url=/c"]), None);
    assert_eq!(refresh(&["0; url=javascript:x()"]), None);
    assert_eq!(read("<noscript><meta http-equiv=refresh content='0; url=/x'></noscript>").refresh, None);
}

#[test]
fn bounds_are_kept_and_what_is_beyond_is_counted() {
    let html = "<link rel=alternate hreflang=de href=/1><link rel=alternate hreflang=de href=/1>\
        <link rel=alternate hreflang=fr href=/2><img src=1><img src=2><img src=3>\
        <script type='application/ld+json'>{\"dateModified\": 1}</script><script type='application/ld+json'>{\"dateModified\": 2}</script>";
    let found = page(html.as_bytes(), Options { most_json: 20, most_items: 1, ..options() });
    assert_eq!((found.hreflang.len(), found.dropped_hreflang), (1, 1));
    assert_eq!((found.images.len(), found.dropped_images), (1, 2));
    assert_eq!((found.json_ld.len(), found.long_json), (1, 1));
}

#[test]
fn a_date_is_the_text_of_its_element() {
    let found =
        read("<p itemprop='x dateModified'>2026<b>-01</b>-02<p>tea<time itemprop=datePublished datetime=2025>x</time>");
    assert_eq!(
        found.items,
        [("dateModified".to_owned(), "2026-01-02".to_owned()), ("datePublished".to_owned(), "2025".to_owned()),]
    );
}

#[test]
fn the_first_description_and_the_first_link_to_markdown_count() {
    let found = read(
        "<title>Tea</title><META NAME=' Description ' content=' Green &amp; black '><meta name=description content=b>\
         <link rel='alternate nofollow' type='Text/Markdown; charset=utf-8' href=index.md#top>\
         <link rel=alternate type=text/markdown href=/other.md>",
    );
    assert_eq!(found.description.as_deref(), Some("Green & black"));
    assert_eq!(found.markdown.as_deref(), Some("https://shop.example/tea/index.md"));
    let found = read(
        "<title>Tea</title><meta property=description content=a><meta name=description content=' '>\
         <link rel=stylesheet type=text/markdown href=a.md><link rel=alternate type=text/x-markdown href=b.md>\
         <link rel=alternate type=text/markdown href='mailto:c'><p><link rel=alternate type=text/markdown href=d.md>",
    );
    assert_eq!((found.description, found.markdown), (None, None));
}
