//! Locs and links resolved against the set's URL, and written as the URL Standard does.

use std::borrow::Cow;

use url::Url;

use crate::diagnostic::{catalogue, wording};
use crate::judge::instead::without_blanks;
use crate::limits::LOC_CHARS;
use crate::value::loc::{self, KnownOrigin, LocError, UrlParts};
use crate::value::relative::Base;
use crate::value::standard_url::{encoded, is_standard, is_standard_behind};
use crate::write::error::Refusal;
use crate::write::row::Row;

/// The URL that a set is published under, and the part of the site that the set is about.
#[derive(Debug)]
pub struct Scope {
    base: Base,
    /// What every loc has to begin with: the origin, unless something narrower is asked for.
    prefix: String,
    /// The offset of the path in the prefix.
    path: usize,
    /// The origin of the locs so far.
    origin: KnownOrigin,
}

impl Scope {
    /// `base_url` is an absolute http or https URL that ends with a slash. `prefix` is what every loc has to begin with, if
    /// that is not only the origin. Returns None if one of them is not such a URL.
    pub fn new(base_url: &str, prefix: Option<&str>) -> Option<Scope> {
        let base = Base::new(Url::parse(base_url).ok()?.as_str())?;
        let whole = Url::parse(prefix.unwrap_or(base_url)).ok()?;
        let origin = whole.origin().ascii_serialization() + "/";
        let path = origin.len() - 1;
        Some(Scope {
            base,
            prefix: if prefix.is_some() { whole.as_str().to_owned() } else { origin },
            path,
            origin: KnownOrigin::default(),
        })
    }

    /// Write the absolute URL of a loc to `out`, and return whether it differs from the given text.
    pub fn resolve(&mut self, given: &str, out: &mut String) -> Result<bool, Refusal> {
        out.clear();
        if self.is_written_so(given) {
            out.push_str(given);
            return Ok(false);
        }
        self.spell(given, out)?;
        loc::check(out).map_err(refused)?;
        if !out.starts_with(&self.prefix) {
            return Err(self.elsewhere(out));
        }
        Ok(out != given)
    }

    /// Whether a loc is one of the scope, and written as the standard does, as nearly all are.
    #[inline(always)]
    fn is_written_so(&mut self, given: &str) -> bool {
        let Some(path) = self.origin.path_of(given) else { return false };
        let seen = loc::glance_from(given.as_bytes(), path);
        seen.is_some_and(|seen| is_standard_behind(&given[path..], seen.bits))
            && given.len() < LOC_CHARS
            && given.starts_with(&self.prefix)
    }

    /// Return the absolute URL that a link leads to. A link that cannot be resolved stays as it is, to be judged as a link.
    pub fn link<'t>(&self, given: &'t str) -> Cow<'t, str> {
        let mut out = String::new();
        if is_standard(given) || self.spell(given, &mut out).is_err() { Cow::Borrowed(given) } else { Cow::Owned(out) }
    }

    /// Return what the URLs in the extensions of a row lead to, in the order of [`Row::links`]. A link to a page has to be
    /// what the loc of that page is.
    pub fn links<'t>(&self, row: &Row<'t>) -> Vec<Cow<'t, str>> {
        if row.has_extensions() { row.links().map(|link| self.link(link)).collect() } else { Vec::new() }
    }

    /// Write the absolute URL that a loc leads to, as the URL Standard writes it.
    fn spell(&self, given: &str, out: &mut String) -> Result<(), Refusal> {
        let trimmed = without_blanks(given);
        // The standard drops some of them silently, which would turn a text that was cut in two into another URL.
        if trimmed.bytes().any(|byte| byte.is_ascii_control()) {
            return Err(refused(LocError::invalid(given)));
        }
        let whole = match loc::check(trimmed) {
            Err(LocError::Relative) => self.base.resolve(&with_slashes(trimmed)),
            Err(error @ (LocError::Empty | LocError::Scheme)) => return Err(refused(error)),
            _ => trimmed.to_owned(),
        };
        let url = Url::parse(&whole).map_err(|_| refused(LocError::invalid(given)))?;
        out.push_str(&encoded(url.as_str()));
        Ok(())
    }

    /// Why a loc does not belong to the scope.
    fn elsewhere(&self, given: &str) -> Refusal {
        let (Some(here), Some(there)) = (loc::parts(&self.prefix), loc::parts(given)) else {
            return Refusal::new(&catalogue::LOC004, "the loc is not a URL");
        };
        let of = |parts: UrlParts<'_>| format!("{}://{}", parts.scheme, parts.host);
        if !here.host.eq_ignore_ascii_case(there.host) {
            return Refusal::new(&catalogue::LOC011, wording::foreign_host(there.host, here.host));
        }
        if here.scheme != there.scheme || here.effective_port() != there.effective_port() {
            let (here_is, there_is) = (format!("{}:{}", of(here), here.effective_port()), there.effective_port());
            let message = format!("the set is at {here_is}, and the loc at {}:{there_is}", of(there));
            return Refusal::new(&catalogue::LOC012, message);
        }
        let path = &self.prefix[self.path..];
        Refusal::new(&catalogue::LOC013, format!("the loc is not below {path}, which is the scope of this set"))
    }
}

/// Return a relative loc with its backslashes as slashes, up to its query: the standard takes them for the same. So
/// `\\host\path` leads to another host, too.
fn with_slashes(loc: &str) -> Cow<'_, str> {
    let end = loc.find(['?', '#']).unwrap_or(loc.len());
    let (path, rest) = loc.split_at(end);
    if path.contains('\\') { Cow::Owned(path.replace('\\', "/") + rest) } else { Cow::Borrowed(loc) }
}

fn refused(error: LocError) -> Refusal {
    let (rule, message, help) = wording::loc_error(error);
    Refusal::with_help(rule, message, help)
}
