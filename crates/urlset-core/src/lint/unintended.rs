//! LOC018: a loc that is a URL, and that nobody means: what a template, a script or a wrong base URL has left behind.

use super::Linter;
use crate::diagnostic::{Findings, Note, catalogue};
use crate::read::entry::Entry;
use crate::value::host;
use crate::value::loc::{self, UrlParts};

/// The ends of names of files that no host has: they are no top-level domains.
const FILES: [&str; 9] = ["html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "xml"];
/// Names of hosts in templates and in the examples of plugins, with any end and with or without a hyphen.
const TEMPLATES: [&str; 7] =
    ["yoursite", "yourdomain", "yourdomainname", "yourwebsite", "yourstore", "yourshop", "yourcompany"];
/// What scripts write for a value that is missing.
const MISSING: [&str; 3] = ["undefined", "null", "NaN"];
/// The names of pages that a server sends for an error.
const ERRORS: [&str; 4] = ["404.html", "404.htm", "404.php", "500.html"];
const HOST_HELP: &str = "set the base URL of whatever writes the sitemap";

/// Hosts of examples in a document of which the location is not known: whether they are meant shows a host that is real.
#[derive(Debug, Default)]
pub struct ExampleHosts {
    has_real: bool,
    /// How many locs were on one before that, and the first such host.
    before: u64,
    first: String,
}

impl ExampleHosts {
    /// Notes the host of a loc; returns whether it is one of examples among others.
    fn is_among_others(&mut self, host: &str) -> bool {
        let is_example = is_of_examples(host);
        self.has_real |= !is_example;
        if is_example && !self.has_real {
            if self.before == 0 {
                self.first = host.to_owned();
            }
            self.before += 1;
        }
        is_example && self.has_real
    }

    /// Reports the locs that stand before the first one on a real host.
    pub fn report(&self, findings: &mut Findings) {
        if self.has_real && self.before > 0 {
            let locs = if self.before == 1 {
                "the first loc is".into()
            } else {
                format!("the first {} locs are", self.before)
            };
            let message = format!("{locs} on {}, a host of examples, and others are not", self.first);
            findings.report_on_document(&catalogue::LOC018, message, Some(HOST_HELP));
        }
    }
}

impl Linter {
    /// LOC018. Where the location of the document is known, LOC011 finds hosts that are wrong.
    #[cold]
    pub(super) fn check_unintended(&mut self, entry: &Entry<'_>, loc: &str, notes: &mut Vec<Note>) {
        let Some(parts) = loc::parts(loc) else { return };
        let wrong_host = if self.site.is_none() { self.wrong_host(&parts) } else { None };
        if let Some((message, help)) = wrong_host.or_else(|| wrong_path(&parts)) {
            notes.push(Note::new(&catalogue::LOC018, entry.loc_range(), message).with_help(help));
        }
    }

    fn wrong_host(&mut self, parts: &UrlParts<'_>) -> Option<(String, &'static str)> {
        let host = parts.host;
        let is_among_others = self.example_hosts.is_among_others(host);
        let mut labels = host.rsplit('.');
        if labels.next().is_some_and(|end| is_one_of(end, &FILES)) && labels.next().is_some() {
            return Some((format!("its host {host} is the name of a file"), "write the host of the site before it"));
        }
        let is_template = host.split('.').any(|label| is_one_of(&label.replace('-', ""), &TEMPLATES));
        (is_template || is_among_others)
            .then(|| (format!("its host {host} stands for one that was to be filled in"), HOST_HELP))
    }
}

/// What is wrong with a path or a query, and what to do about it.
fn wrong_path(parts: &UrlParts<'_>) -> Option<(String, &'static str)> {
    let (path, query) = parts.rest.split_at(parts.rest.find(['?', '#']).unwrap_or(parts.rest.len()));
    if let Some(colon) = path.find("://") {
        // An archive has the URLs of other sites in its own.
        let start = path[..colon].rfind('/').map_or(0, |slash| slash + 1);
        let is_own = loc::host_name(&path[start..]).is_some_and(|inner| host::is_same(inner, parts.host));
        return is_own.then(|| ("it has the base URL twice".into(), "write it once"));
    }
    if path.contains("//") {
        return Some(("its path has an empty part, `//`".into(), "join the base URL and the path with one slash"));
    }
    let values = query.split(['?', '&', '#']).filter_map(|pair| pair.split_once('=').map(|(_, value)| value));
    if let Some(part) = path.split('/').chain(values).find(|part| MISSING.contains(part) || is_object(part)) {
        return Some((
            format!("`{part}` is what a script writes for a value that is missing"),
            "leave the page out, or write the value",
        ));
    }
    if let Some(part) = path.split('/').find(|part| is_name_of_parameter(part)) {
        return Some((
            format!("`{part}` is the name of a parameter, and not its value"),
            "list the pages that it stands for",
        ));
    }
    let is_error =
        path == "/404" || path == "/404/" || path.rsplit('/').next().is_some_and(|name| is_one_of(name, &ERRORS));
    is_error.then(|| ("it is the page for an error, by its name".into(), "leave it out"))
}

/// Whether a host is reserved for examples. Sources: RFC 2606, section 3; RFC 6761, section 6.5.
fn is_of_examples(host: &str) -> bool {
    let mut labels = host.trim_end_matches('.').rsplit('.');
    let end = labels.next().unwrap_or_default();
    end.eq_ignore_ascii_case("example")
        || is_one_of(end, &["com", "net", "org"])
            && labels.next().is_some_and(|name| name.eq_ignore_ascii_case("example"))
}

/// Whether a text is a parameter of a route that no value has replaced, as common frameworks write them: `$slug`, `:slug`,
/// `[slug]`, `[...slug]`. Braces are no characters of a URL, and LOC006 finds them.
fn is_name_of_parameter(part: &str) -> bool {
    let text = part.replace("%5B", "[").replace("%5b", "[").replace("%5D", "]").replace("%5d", "]").replace("%24", "$");
    let name = match text.strip_prefix(['$', ':']) {
        Some(name) => name,
        None => {
            let Some(name) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else { return false };
            name.trim_start_matches(['.', '['])
        }
    };
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.trim_end_matches(']').bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Whether a text is what JavaScript makes of an object.
fn is_object(part: &str) -> bool {
    const FORMS: [&str; 3] = ["[object%20Object]", "%5Bobject%20Object%5D", "[object+Object]"];
    is_one_of(part, &FORMS)
}

fn is_one_of(text: &str, known: &[&str]) -> bool {
    known.iter().any(|each| text.eq_ignore_ascii_case(each))
}
