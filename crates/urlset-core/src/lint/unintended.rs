//! LOC018: a loc that is a URL by mistake: what a template, a script or a wrong base URL has left behind.

use super::Linter;
use super::example_hosts::{HOST_HELP, is_one_of};
use crate::diagnostic::{Note, catalogue};
use crate::read::entry::Entry;
use crate::value::host;
use crate::value::loc::{self, UrlParts};

/// Suffixes of file names that are not top-level domains, so that no host ends with one.
const FILES: [&str; 9] = ["html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "xml"];
/// Names of hosts in templates and in the examples of plugins, with any end and with or without a hyphen.
const TEMPLATES: [&str; 7] =
    ["yoursite", "yourdomain", "yourdomainname", "yourwebsite", "yourstore", "yourshop", "yourcompany"];
/// What scripts write for a value that is missing.
const MISSING: [&str; 3] = ["undefined", "null", "NaN"];
/// The names of pages that a server sends for an error.
const ERRORS: [&str; 4] = ["404.html", "404.htm", "404.php", "500.html"];

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

/// Whether a text is a parameter of a route that no value has replaced, as common frameworks write them: `$slug`, `:slug`,
/// `[slug]`, `[...slug]`. A URL cannot contain braces; LOC006 finds them.
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
