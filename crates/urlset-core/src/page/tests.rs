use super::{Page, page};

const URL: &str = "https://shop.example/tea/";

fn read(html: &str) -> Page {
    page(html.as_bytes(), URL, None, &[])
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
fn any_bytes_are_a_page() {
    let pieces = [
        "<", "a href=", "'", "<nav>", "</main>", "<main>", "<svg/>", "</svg>", "\0", "<title", "é", "</script", "<!--",
        "&amp", ">",
    ];
    let mut state = 1_u64;
    for _ in 0..2_000 {
        let mut html = Vec::new();
        for _ in 0..30 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            html.extend_from_slice(pieces[(state >> 33) as usize % pieces.len()].as_bytes());
            if state >> 60 == 0 {
                html.push((state >> 40) as u8);
            }
        }
        let found = page(&html, URL, None, &["a*b".to_owned()]);
        assert_eq!(found, page(&html, URL, None, &["a*b".to_owned()]));
    }
}

/// A cost that grew with the square of the size would keep this test from ending.
#[test]
fn hostile_pages_are_read_to_their_end() {
    for html in [
        "<div>".repeat(200_000),
        "<a href=x>".repeat(200_000),
        format!("<p {}>", "a=1 ".repeat(200_000)),
        "<nav>".repeat(200_000),
    ] {
        // The link at the end; of 200,000 equal ones before it one, which uses up what is kept.
        assert_eq!(read(&(html + "<a href=/end>the end</a>")).links.len(), 1);
    }
}
