//! Documents of markup put together in any order: each byte is a piece of markup, and the text is known, so that every
//! position can be checked.
//!
//! The first byte chooses the root, the second how the text is cut. A byte of 0xf0 and more repeats what came before.

use crate::outcome::{ROOMY, TIGHT, read_text};
use crate::positions;

const ROOTS: [&str; 8] = [
    "<?xml version='1.0'?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
     xmlns:i='http://www.google.com/schemas/sitemap-image/1.1' xmlns:x='http://www.w3.org/1999/xhtml' \
     xmlns:v='http://www.google.com/schemas/sitemap-video/1.1' xmlns:n='http://www.google.com/schemas/sitemap-news/0.9'>",
    "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">",
    "<urlset>",
    "<rss version='2.0'><channel>",
    "<feed xmlns='http://www.w3.org/2005/Atom'>",
    "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>",
    "",
    "<!DOCTYPE urlset [<!ENTITY a 'b'>",
];

const PIECES: [&str; 152] = [
    "<url>",
    "</url>",
    "<loc>",
    "</loc>",
    "https://e.com/a",
    "<lastmod>",
    "</lastmod>",
    "2026-01-01",
    "<changefreq>",
    "</changefreq>",
    "daily",
    "<priority>",
    "</priority>",
    "0.5",
    "<url><loc>https://e.com/b</loc></url>",
    "<url><loc>https://e.com/c</loc><lastmod>2026-01-01T00:00:00Z</lastmod></url>\n",
    "<sitemap>",
    "</sitemap>",
    "<sitemap><loc>https://e.com/s.xml</loc></sitemap>",
    "</urlset>",
    "</sitemapindex>",
    "<urlset>",
    "<sitemapindex>",
    "<i:image>",
    "</i:image>",
    "<i:loc>",
    "</i:loc>",
    "<i:title>",
    "</i:title>",
    "<i:caption/>",
    "<x:link rel='alternate' hreflang='de' href='https://e.com/de'/>",
    "<x:link ",
    "rel=\"alternate\" ",
    "href='https://e.com/?a=1&amp;b=2' ",
    "hreflang=de ",
    "<v:video>",
    "</v:video>",
    "<v:title>",
    "</v:title>",
    "<v:player_loc allow_embed='yes' autoplay=\"a\">",
    "</v:player_loc>",
    "<v:tag>t</v:tag>",
    "<v:price currency='EUR'>1</v:price>",
    "<v:tvshow>",
    "</v:tvshow>",
    "<v:show_title>",
    "</v:show_title>",
    "<v:id type='x'/>",
    "<n:news>",
    "</n:news>",
    "<n:publication>",
    "</n:publication>",
    "<n:name>",
    "</n:name>",
    "<n:title>t</n:title>",
    "<item>",
    "</item>",
    "<entry>",
    "</entry>",
    "<link>",
    "</link>",
    "<link href='https://e.com/l'/>",
    "<guid>",
    "<guid isPermaLink='false'>",
    "</guid>",
    "<pubDate>",
    "</pubDate>",
    "Sat, 07 Sep 2002 00:00:01 GMT",
    "<updated>2026-01-01T00:00:00Z</updated>",
    "<id>https://e.com/i</id>",
    "<dc:date>",
    "</channel>",
    "</rss>",
    "</feed>",
    "<channel>",
    "</rdf:RDF>",
    "<other xmlns:other='urn:x'>",
    "</other>",
    "<unbound:a>",
    "</unbound:a>",
    "<a b=\"1\"/>",
    "<a b='1' b='2'>",
    "<a b>",
    "<a b=c>",
    "</a>",
    "<URL>",
    "</URL>",
    "<Loc>",
    "</Loc>",
    "<image:image>",
    "<image:loc>https://e.com/i</image:loc>",
    "</image:image>",
    "<!--",
    "-->",
    "--",
    "<![CDATA[",
    "]]>",
    "]]",
    "<?",
    "?>",
    "<?xml version='1.0' encoding='UTF-8'?>",
    "<?xml-stylesheet href='a'?>",
    "<!DOCTYPE urlset>",
    "<!DOCTYPE",
    "<!ENTITY a 'b'>",
    "<!",
    "[",
    "]",
    "<",
    ">",
    "/>",
    "/",
    "</",
    "=",
    "'",
    "\"",
    "&",
    "&amp;",
    "&lt;",
    "&#38;",
    "&#x26;",
    "&#0;",
    "&#xd800;",
    "&#1114112;",
    "&#99999999999999999999;",
    "&#;",
    "&eacute;",
    "&a;",
    "&nosuch;",
    "&amp",
    ";",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\0",
    "\u{1}",
    "\u{85}",
    "\u{a0}",
    "é",
    "日本",
    "🙂",
    "\u{feff}",
    "\u{fffe}",
    "\u{fffd}",
    "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' ",
    "xmlns:i='http://www.google.com/schemas/sitemap-image/1.1' ",
    "xmlns:a='' ",
    "xml:lang='de' ",
    "x:y:z ",
    "a text of more than sixty-four bytes, so that it spans a whole word of the index of a window ",
];

/// A document has no more bytes, however much is repeated: enough to pass the bound on noise before it, 64 KiB.
const MAX_BYTES: usize = 100_000;

pub fn run(data: &[u8]) {
    let [root, size, pieces @ ..] = data else { return };
    let text = document(*root, pieces);
    let budget = if root & 0x80 == 0 { ROOMY } else { TIGHT };
    let whole = read_text([text.as_str()], budget);
    positions::check(&text, &whole);
    // Single characters cost most and find most: not for long ones.
    let size = if text.len() > 20_000 { 64 + usize::from(*size) * 64 } else { 1 + usize::from(size % 80) };
    assert_eq!(whole, read_text(cut(&text, size), budget), "in pieces of {size} bytes: {text}");
}

fn document(root: u8, pieces: &[u8]) -> String {
    let mut text = ROOTS[usize::from(root & 7)].to_owned();
    let mut last = 0;
    for byte in pieces {
        if *byte >= 0xf0 {
            let (repeated, times) = (text[last..].to_owned(), 4 << (byte & 7));
            if text.len() + repeated.len() * times <= MAX_BYTES {
                text.push_str(&repeated.repeat(times));
            }
            continue;
        }
        let piece = PIECES[usize::from(*byte) % PIECES.len()];
        // A run of pieces is repeated as a whole: it begins where the last line feed stood.
        if piece == "\n" || text.len() - last > 400 {
            last = text.len();
        }
        if text.len() + piece.len() > MAX_BYTES {
            break;
        }
        text.push_str(piece);
    }
    text
}

fn cut(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let at = (size.min(rest.len())..=rest.len()).find(|at| rest.is_char_boundary(*at))?;
        let (piece, after) = rest.split_at(at);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The pieces that a document is made of, as far as they are known.
pub fn seeds(document: &[u8]) -> Vec<Vec<u8>> {
    let mut seed = vec![6, document.len() as u8];
    let mut rest = document;
    while !rest.is_empty() {
        let known = (0..PIECES.len()).filter(|at| rest.starts_with(PIECES[*at].as_bytes()));
        let Some(at) = known.max_by_key(|at| PIECES[*at].len()) else {
            rest = &rest[1..];
            continue;
        };
        seed.push(at as u8);
        rest = &rest[PIECES[at].len()..];
    }
    let rooted: Vec<u8> = [&[0, 0][..], &seed[2..]].concat();
    vec![seed, rooted]
}
