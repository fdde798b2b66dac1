//! Rows of anything, written and read back.

use arbitrary::{Result, Unstructured};
use urlset_core::media::{NEWS, VIDEO_TEXTS, Video, index_of};
use urlset_core::read::Kind;
use urlset_core::value::changefreq::WORDS;
use urlset_core::write::{Alternate, Image, Lastmod, Priority, Row};

use crate::written;

const URLS: [&str; 8] = [
    "https://e.com/",
    "http://é.example/?a=1&b=<>\"'",
    "HTTPS://E.COM:8443/a",
    "https://u:p@e.com/",
    "android-app://com.example/x",
    "http://[::1]/",
    "/relative",
    "",
];
const DATES: [&str; 8] = [
    "2026-01-01",
    "2026",
    "2026-12",
    "2026-01-01T00:00Z",
    "2026-01-01T08:00:00.123456789+01:00",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59-23:59",
    "2026-02-29",
];
const TEXTS: [&str; 16] = [
    "",
    " ",
    "alternate",
    "de",
    "zh_CN",
    "DE AT",
    "web tv",
    "allow",
    "yes",
    "60",
    "4.5",
    "PT1M",
    "\r\n\ta ",
    "]]>",
    "&amp;<b>\"'",
    "\u{85}\u{2028}\u{a0}é日🙂",
];

pub fn run(data: &[u8]) {
    // Input that ends too early makes zeros and empty texts: there are always rows.
    let _ = write(&mut Unstructured::new(data));
}

fn write(input: &mut Unstructured<'_>) -> Result<()> {
    let kind = if input.ratio(1, 6)? { Kind::Sitemapindex } else { Kind::Urlset };
    let host = if input.ratio(1, 8)? { Some("e.com") } else { None };
    let count = input.int_in_range(1..=4)?;
    let texts = (0..count).map(|_| Texts::new(input)).collect::<Result<Vec<_>>>()?;
    let rows = texts.iter().map(|texts| row(input, texts)).collect::<Result<Vec<_>>>()?;
    written::check(kind, host, rows.into_iter());
    Ok(())
}

/// The texts that a row is made of, so that it can borrow them.
struct Texts(Vec<String>);

impl Texts {
    fn new(input: &mut Unstructured<'_>) -> Result<Self> {
        let count = input.int_in_range(1..=6)?;
        (0..count).map(|_| text(input)).collect::<Result<_>>().map(Texts)
    }

    fn one(&self, input: &mut Unstructured<'_>) -> Result<&str> {
        input.choose(&self.0).map(String::as_str)
    }

    fn maybe(&self, input: &mut Unstructured<'_>) -> Result<Option<&str>> {
        if input.ratio(1, 2)? { self.one(input).map(Some) } else { Ok(None) }
    }

    fn all<const N: usize>(&self, input: &mut Unstructured<'_>) -> Result<[Option<&str>; N]> {
        let mut texts = [None; N];
        // Seldom more than a few, or nothing would be left for the rest.
        for _ in 0..input.int_in_range(0..=4)? {
            texts[input.choose_index(N)?] = self.maybe(input)?;
        }
        Ok(texts)
    }

    fn items<const N: usize>(&self, input: &mut Unstructured<'_>) -> Result<Vec<[Option<&str>; N]>> {
        (0..input.int_in_range(0..=2)?).map(|_| self.all(input)).collect()
    }
}

fn text(input: &mut Unstructured<'_>) -> Result<String> {
    Ok(match input.int_in_range(0..=7)? {
        0 => (*input.choose(&DATES)?).to_owned(),
        1 => (*input.choose(&WORDS)?).to_owned(),
        2 => (*input.choose(&TEXTS)?).to_owned(),
        3 => format!("{}{}", input.choose(&URLS)?, "é".repeat(input.int_in_range(2_020..=2_050)?)),
        4 | 5 => format!("{}{}", input.choose(&URLS)?, input.arbitrary::<&str>()?),
        _ => input.arbitrary::<&str>()?.to_owned(),
    })
}

fn row<'t>(input: &mut Unstructured<'_>, texts: &'t Texts) -> Result<Row<'t>> {
    let kind = *input.choose(&[None, None, None, Some(Kind::Urlset), Some(Kind::Sitemapindex)])?;
    let loc = texts.one(input)?;
    let lastmod = match input.int_in_range(0..=4)? {
        0 => Some(Lastmod::Text(texts.one(input)?)),
        1 => Some(Lastmod::Instant(input.arbitrary()?)),
        // From before the year 1 to after 9999, which an arbitrary one hardly ever is.
        2 => Some(Lastmod::Instant(input.int_in_range(-62_135_600_000_000_000..=253_402_400_000_000_000)?)),
        3 => Some(Lastmod::Day(input.int_in_range(-800_000..=3_000_000)?)),
        _ => None,
    };
    let changefreq = texts.maybe(input)?;
    let priority = match input.int_in_range(0..=4)? {
        0 => Some(Priority::Text(texts.one(input)?)),
        1 => Some(Priority::Number(input.arbitrary()?)),
        2 => Some(Priority::Number(f64::from(input.arbitrary::<u16>()?) / 65_000.0)),
        _ => None,
    };
    let mut row = Row { kind, loc, lastmod, changefreq, priority, ..Row::default() };
    for _ in 0..input.int_in_range(0..=2)? {
        let [title, caption, geo_location, license] = texts.all(input)?;
        row.images.push(Image { loc: texts.one(input)?, title, caption, geo_location, license });
    }
    for _ in 0..input.int_in_range(0..=2)? {
        let [hreflang, media, rel] = texts.all(input)?;
        row.alternates.push(Alternate { hreflang, href: texts.one(input)?, media, rel });
    }
    for _ in 0..input.int_in_range(0..=2)? {
        row.videos.push(Video {
            texts: texts.all(input)?,
            segments: texts.items(input)?,
            tags: texts.items(input)?,
            prices: texts.items(input)?,
            show: if input.arbitrary()? { Some(texts.all(input)?) } else { None },
            ids: texts.items(input)?,
        });
    }
    row.news = if input.ratio(1, 4)? { Some(texts.all(input)?) } else { None };
    if input.ratio(2, 3)? {
        make_whole(&mut row);
    }
    Ok(row)
}

/// Gives what an extension must have to what has none of it: hardly any row would be written otherwise.
fn make_whole(row: &mut Row<'_>) {
    const OF_VIDEO: [(&str, &str); 4] = [
        ("thumbnail_loc", "https://e.com/t"),
        ("title", "T"),
        ("description", "D"),
        ("content_loc", "https://e.com/v"),
    ];
    const OF_NEWS: [(&str, &str); 4] =
        [("publication_name", "N"), ("publication_language", "de"), ("publication_date", "2026-01-01"), ("title", "T")];
    fn fill<'t>(texts: &mut [Option<&'t str>], names: &[&str], whole: &[(&str, &'t str)]) {
        for (name, text) in whole {
            texts[index_of(names, name)].get_or_insert(text);
        }
    }
    for video in &mut row.videos {
        fill(&mut video.texts, &VIDEO_TEXTS, &OF_VIDEO);
    }
    if let Some(news) = &mut row.news {
        fill(news, &NEWS, &OF_NEWS);
    }
}
