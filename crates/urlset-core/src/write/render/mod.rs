//! Rows rendered for a set: each is resolved, checked and rendered on its own, before its document is known.
//!
//! A row becomes its loc, its lastmod, and the XML of everything else. So its exact size is known before its document is,
//! and two renderings can be compared without being understood.

mod resolve;

use std::borrow::Cow;

use self::resolve::Scope;
use super::element;
use super::entry::{after_lastmod, check_readable};
use super::error::Refusal;
use super::extensions::news_element;
use super::fingerprint::{Fingerprint, hash, mixed};
use super::judged;
use super::layout::{NamespacesUsed, indented};
use super::row::Row;
use super::store::{Extras, Rendered, RenderedRow, RowStore, said};
use super::values::ValuePolicy;
use crate::diagnostic::catalogue;
use crate::read::Kind;
use crate::value::hrefs::Hrefs;

/// Renders rows against the URL that a set is published under.
#[derive(Debug)]
pub struct Renderer {
    scope: Scope,
    /// Sizes are those of entries with one element per line.
    is_pretty: bool,
    values: ValuePolicy,
    fingerprint: Fingerprint,
    normalized: u64,
    /// The folder of the set, if that is not the whole site, and how many locs are not below it.
    folder: Option<String>,
    outside: u64,
    hrefs: Hrefs,
    buffers: Buffers,
}

/// The texts of the row at hand, in memory that every row uses again.
#[derive(Debug, Default)]
struct Buffers {
    loc: String,
    escaped_loc: String,
    lastmod: String,
    after_lastmod: String,
    news: String,
    indented: String,
}

impl Renderer {
    /// `base_url` is an absolute http or https URL that ends with a slash, `scope` what every loc has to begin with if that
    /// is not only its origin. Returns None if one of the URLs is not such a URL.
    pub fn new(base_url: &str, scope: Option<&str>, is_pretty: bool) -> Option<Renderer> {
        Some(Renderer {
            scope: Scope::new(base_url, scope)?,
            is_pretty,
            values: ValuePolicy { takes_printed_times: true, ..ValuePolicy::default() },
            fingerprint: Fingerprint::default(),
            normalized: 0,
            folder: (base_url.matches('/').count() > "https://host/".matches('/').count()).then(|| base_url.to_owned()),
            outside: 0,
            hrefs: Hrefs::default(),
            buffers: Buffers::default(),
        })
    }

    /// Take values in this way, and times as databases print them.
    pub fn with_values(self, values: ValuePolicy) -> Renderer {
        Renderer { values: ValuePolicy { takes_printed_times: true, ..values }, ..self }
    }

    /// Add a row to `store`, and return which of its values were left out or repaired, or refuse it, which changes nothing.
    pub fn push(&mut self, index: u64, row: &Row<'_>, store: &mut RowStore<Rendered>) -> Result<Vec<Refusal>, Refusal> {
        if let Some(fault) = row.fault {
            return Err(fault.clone());
        }
        if row.kind == Some(Kind::Sitemapindex) {
            return Err(Refusal::new(&catalogue::IDX006, "a sitemap entry in a urlset"));
        }
        let is_normalized = self.scope.resolve(row.loc, &mut self.buffers.loc)?;
        let links = self.scope.links(row);
        let row = with_links(row, &links);
        let (repairs, mut corrected) = (self.values.repairs(&row, &self.buffers.loc), Vec::new());
        let row = self.values.corrected(&row, &self.buffers.loc, &repairs, &mut corrected);
        judged::check(&row, &self.buffers.loc, self.values.now, &mut self.hrefs)?;
        self.buffers.render(&row, &self.values, &mut corrected)?;
        let size = self.buffers.size(&row, self.is_pretty)?;
        self.normalized += u64::from(is_normalized);
        self.outside += u64::from(self.folder.as_ref().is_some_and(|folder| !self.buffers.loc.starts_with(folder)));
        self.add(index, &row, size, store);
        Ok(corrected)
    }

    /// Add the row that was rendered to `store` and to the fingerprint.
    fn add(&mut self, index: u64, row: &Row<'_>, size: usize, store: &mut RowStore<Rendered>) {
        let buffers = &self.buffers;
        store.push(&RenderedRow {
            row: index,
            loc: &buffers.loc,
            lastmod: said(&buffers.lastmod),
            after_lastmod: said(&buffers.after_lastmod),
            news: said(&buffers.news),
            namespaces: NamespacesUsed::of(row),
            size: size as u32,
            shard: 0,
            first_seen: 0,
            extras: Extras::Given(&row.extras),
        });
        let mut all = mixed(mixed(hash(&buffers.loc), hash(&buffers.lastmod)), buffers.entry_hash());
        // An absent extra counts as little as a column that is not there.
        for (index, extra) in row.extras.iter().enumerate() {
            if let Some(extra) = extra.filter(|extra| !extra.is_empty()) {
                all = mixed(all, hash(extra).wrapping_add(index as u64));
            }
        }
        self.fingerprint.add(all);
    }

    /// Return how many locs were normalized: they were not given in the form in which they are written.
    pub fn normalized(&self) -> u64 {
        self.normalized
    }

    /// Return how many locs are not below the folder of the set.
    pub fn outside(&self) -> u64 {
        self.outside
    }

    /// Return the fingerprint of all rows that were added.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }
}

/// Return the row with these URLs in its extensions; the row itself if none of them differs.
fn with_links<'r>(row: &'r Row<'r>, links: &'r [Cow<'r, str>]) -> Cow<'r, Row<'r>> {
    if links.iter().all(|link| matches!(link, Cow::Borrowed(_))) {
        return Cow::Borrowed(row);
    }
    let (mut row, mut links) = (row.clone(), links.iter());
    row.replace_links(|link| links.next().map_or(link, AsRef::as_ref));
    Cow::Owned(row)
}

impl Buffers {
    /// Render everything but the loc, which was resolved before.
    fn render(&mut self, row: &Row<'_>, values: &ValuePolicy, corrected: &mut Vec<Refusal>) -> Result<(), Refusal> {
        let Buffers { loc, escaped_loc, lastmod, after_lastmod: after, news, .. } = self;
        for text in [&mut *escaped_loc, &mut *lastmod, &mut *after, &mut *news] {
            text.clear();
        }
        element::text(loc, escaped_loc)?;
        values.lastmod(row.lastmod, lastmod, corrected)?;
        after_lastmod(row, after)?;
        if let Some(row) = &row.news {
            news_element(row, news)?;
        }
        Ok(())
    }

    /// Return the bytes of the entry without its lastmod, which may come from elsewhere.
    fn size(&mut self, row: &Row<'_>, is_pretty: bool) -> Result<usize, Refusal> {
        let Buffers { escaped_loc, lastmod, after_lastmod, news, indented: out, .. } = self;
        let size = "<url><loc></loc></url>\n".len() + escaped_loc.len() + after_lastmod.len() + news.len();
        check_readable(row, size + lastmod.len())?;
        if !is_pretty {
            return Ok(size);
        }
        out.clear();
        indented(&format!("<url><loc>{escaped_loc}</loc>{after_lastmod}{news}</url>\n"), out);
        Ok(out.len())
    }

    /// Return the hash of everything but the loc and the lastmod.
    fn entry_hash(&self) -> u64 {
        if self.news.is_empty() {
            hash(&self.after_lastmod)
        } else {
            hash(&[&*self.after_lastmod, &self.news].concat())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(given: &str) -> Result<String, &'static str> {
        let mut renderer = Renderer::new("https://shop.example/", None, false).unwrap();
        let row = Row { loc: given, ..Row::default() };
        renderer.push(0, &row, &mut RowStore::default()).map_err(|refusal| refusal.rule.code)?;
        Ok(renderer.buffers.loc)
    }

    #[test]
    fn locs_are_spelled_as_the_standard_does() {
        for (given, expected) in [
            ("https://shop.example/a?b=c&d#e", "https://shop.example/a?b=c&d#e"),
            ("/tea", "https://shop.example/tea"),
            ("tea/", "https://shop.example/tea/"),
            ("?page=2", "https://shop.example/?page=2"),
            ("https://shop.example", "https://shop.example/"),
            ("HTTPS://Shop.Example:443/A", "https://shop.example/A"),
            ("/thé vert", "https://shop.example/th%C3%A9%20vert"),
            ("/th%C3%A9%20vert", "https://shop.example/th%C3%A9%20vert"),
            ("/100%", "https://shop.example/100%25"),
            ("/%zz%2", "https://shop.example/%25zz%252"),
            ("/a|b{c}^`\"", "https://shop.example/a%7Cb%7Bc%7D%5E%60%22"),
            ("/a/../b/./c", "https://shop.example/b/c"),
            ("https://shop.example/a/%2e%2E/b", "https://shop.example/b"),
            ("https://shop.example/a?it's", "https://shop.example/a?it's"),
            (" /tea ", "https://shop.example/tea"),
            ("shop.example/tea", "https://shop.example/tea"),
            ("docs\\a b.html?x\\y", "https://shop.example/docs/a%20b.html?x%5Cy"),
            ("\\\\shop.example\\tea", "https://shop.example/tea"),
            ("/日本?q=茶", "https://shop.example/%E6%97%A5%E6%9C%AC?q=%E8%8C%B6"),
        ] {
            assert_eq!(spelled(given), Ok(expected.to_owned()), "{given}");
        }
    }

    #[test]
    fn what_is_not_of_the_set_is_refused() {
        for (given, code) in [
            ("", "LOC001"),
            ("mailto:a@b.c", "LOC003"),
            ("https://", "LOC004"),
            ("/a\nb", "LOC004"),
            ("https://other.example/", "LOC011"),
            ("//other.example/", "LOC011"),
            ("\\\\other.example\\z", "LOC011"),
            ("/\\other.example/", "LOC011"),
            ("www.other.example/", "LOC011"),
            ("http://shop.example/", "LOC012"),
            ("https://shop.example:8443/", "LOC012"),
            ("https://shop.example/\u{1}", "LOC004"),
        ] {
            assert_eq!(spelled(given), Err(code), "{given:?}");
        }
        let long = format!("/{}", "é".repeat(400));
        assert_eq!(spelled(&long), Err("LOC009"));
        let mut narrow = Renderer::new("https://shop.example/", Some("https://shop.example/de/"), false).unwrap();
        let mut store = RowStore::default();
        assert!(narrow.push(0, &Row { loc: "/de/tee", ..Row::default() }, &mut store).is_ok());
        let refused = narrow.push(0, &Row { loc: "/fr/the", ..Row::default() }, &mut store).unwrap_err();
        assert_eq!(refused.rule.code, "LOC013");
    }

    #[test]
    fn rows_in_any_order_have_one_fingerprint() {
        let of = |locs: &[&str]| {
            let mut renderer = Renderer::new("https://shop.example/", None, false).unwrap();
            for (index, loc) in locs.iter().enumerate() {
                let (loc, brand) = loc.split_once(' ').map_or((*loc, None), |(loc, brand)| (loc, Some(brand)));
                let row = Row { loc, extras: vec![brand], ..Row::default() };
                renderer.push(index as u64, &row, &mut RowStore::default()).unwrap();
            }
            renderer.fingerprint()
        };
        assert_eq!(of(&["/a", "/b", "/c"]), of(&["/c", "/a", "/b"]));
        for other in [&["/a", "/b"][..], &["/a", "/b", "/b"], &["/a", "/b", "/d"], &["/a", "/b", "/c x"]] {
            assert_ne!(of(&["/a", "/b", "/c"]), of(other));
        }
    }

    #[test]
    fn hosts_are_spelled_in_ascii() {
        let mut renderer = Renderer::new("https://bücher.example/", None, false).unwrap();
        for given in ["https://BÜCHER.example/ü", "https://xn--bcher-kva.example/%C3%BC", "/ü"] {
            renderer.push(0, &Row { loc: given, ..Row::default() }, &mut RowStore::default()).unwrap();
            assert_eq!(renderer.buffers.loc, "https://xn--bcher-kva.example/%C3%BC");
        }
    }
}
