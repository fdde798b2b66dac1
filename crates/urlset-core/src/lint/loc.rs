//! Defects of a loc that can be fetched anyway. Source of the grammar: RFC 3986, and for how each is read
//! in the end the WHATWG URL standard, which is what browsers and crawlers do.

use std::borrow::Cow;

use super::Linter;
use super::spelling::{escaped_again, escaped_once};
use crate::checks::values;
use crate::diagnostic::wording::{self, loc_error};
use crate::diagnostic::{Note, Safety, catalogue};
use crate::judge::instead::{self, encoded, is_template};
use crate::read::Kind;
use crate::read::entry::Entry;
use crate::value::loc::{self, LocError, traits};
use crate::value::{host, identity};

impl Linter {
    /// Checks a loc; returns it if it is valid, and whether it is in its normal form.
    #[inline(always)]
    pub(super) fn check_loc<'e>(&mut self, entry: &Entry<'e>, notes: &mut Vec<Note>) -> Option<(Cow<'e, str>, bool)> {
        if let Some(loc) = entry.text(*entry.slots.loc())
            && loc.len() <= self.fast_path.max_loc_bytes
            && let Some(path) = self.path(entry, loc, notes)
            && let Some(glance) = loc::glance_from(loc.as_bytes(), path)
            // What is not ASCII may be a blank of another script.
            && glance.bits & traits::NON_ASCII == 0
        {
            let is_normalized = identity::is_normalized(&loc.as_bytes()[glance.path..], glance.bits);
            if glance.bits != 0 {
                self.check_characters(entry, loc, glance.bits, notes);
            }
            return self.checked(
                entry,
                Cow::Borrowed(loc),
                (is_normalized, self.fast_path.origins.latest.is_covered),
                notes,
            );
        }
        self.check_any_loc(entry, notes)
    }

    /// Checks a loc whose origin is not that of the loc before.
    #[cold]
    fn check_origin(&mut self, entry: &Entry<'_>, loc: &str, notes: &mut Vec<Note>) {
        if entry.document == Kind::Robots {
            return;
        }
        let Some(parts) = loc::parts(loc) else { return };
        if self.site.is_none() && self.asks(&catalogue::LOC016) {
            self.origins.compare(entry, &parts, notes);
        }
        let own = self.site.as_ref().and_then(|site| site.parts());
        if self.asks(&catalogue::LOC017) && own.is_none_or(|own| !host::is_same(own.host, parts.host)) {
            self.origins.check_private(entry, &parts, notes);
        }
    }

    /// Where the path of a loc begins, if its origin is a plain one: nearly always one that is known.
    #[inline(always)]
    fn path(&mut self, entry: &Entry<'_>, loc: &str, notes: &mut Vec<Note>) -> Option<usize> {
        if let Some(path) = self.fast_path.origins.path_of(loc.as_bytes()) {
            return Some(path);
        }
        let path = loc::plain_origin(loc)?;
        let origin = &loc[..=path];
        self.check_origin(entry, loc, notes);
        let is_covered = self.site.as_ref().is_none_or(|site| self.covers_all_of(site, origin));
        self.fast_path.origins.enter(origin, is_covered, self.origins.has_room());
        Some(path)
    }

    #[inline(never)]
    fn check_any_loc<'e>(&mut self, entry: &Entry<'e>, notes: &mut Vec<Note>) -> Option<(Cow<'e, str>, bool)> {
        let base = self.site.as_ref().map(|site| &site.base);
        let usual = values::usual_loc(entry).map(Cow::Borrowed);
        let loc = usual.or_else(|| values::loc(entry, base, notes))?;
        if let Err(error) = loc::check(&loc) {
            // A relative loc was reported by the checks.
            if error != LocError::Relative {
                self.bad_loc(entry, &loc, error, notes);
            }
            return None;
        }
        if entry.document != Kind::Robots {
            self.check_origin(entry, &loc, notes);
            self.check_characters(entry, &loc, traits::of(loc.as_bytes()), notes);
            self.check_length(entry, &loc, notes);
        }
        self.checked(entry, loc, (false, false), notes)
    }

    /// Checks a loc that is one. `is_covered` means that it may be in this document, like all of its origin.
    #[inline]
    fn checked<'e>(
        &mut self,
        entry: &Entry<'e>,
        loc: Cow<'e, str>,
        (is_normalized, is_covered): (bool, bool),
        notes: &mut Vec<Note>,
    ) -> Option<(Cow<'e, str>, bool)> {
        // What a robots.txt names may be anywhere.
        if entry.document == Kind::Robots {
            return None;
        }
        if self.asks(&catalogue::LOC015) {
            self.check_stability(entry, &loc, notes);
        }
        if self.asks(&catalogue::LOC018) {
            self.check_unintended(entry, &loc, notes);
        }
        if !is_covered {
            self.check_site(entry, &loc, notes);
        }
        Some((loc, is_normalized))
    }

    fn check_length(&self, entry: &Entry<'_>, loc: &str, notes: &mut Vec<Note>) {
        let (chars, most) = (loc.chars().count(), self.settings.loc_chars);
        let message = match self.settings.loc_bytes {
            _ if chars > most => format!("the loc has {chars} characters; at most {most} are accepted"),
            Some(most) if loc.len() > most => format!("the loc has {} bytes; at most {most} are accepted", loc.len()),
            _ => return,
        };
        notes.push(Note::new(&catalogue::LOC009, entry.loc_range(), message));
    }

    #[cold]
    fn check_characters(&self, entry: &Entry<'_>, loc: &str, bits: u8, notes: &mut Vec<Note>) {
        let written = || entry.loc_range();
        if bits & traits::AMPERSAND != 0
            && let Some(name) = escaped_again(loc)
        {
            let message = match entry.document {
                Kind::Text | Kind::Robots => format!("it contains `{name}`, but nothing is escaped in such a file"),
                _ => format!("`{name}` remains after its references are resolved: it was escaped twice"),
            };
            let note = Note::new(&catalogue::XML006, written(), message);
            notes.push(with_loc(note, entry, Safety::Unsafe, &escaped_once(loc)));
            // The result is checked again once this is fixed.
            return;
        }
        if bits & traits::PERCENT != 0
            && let Some(at) = loc::bad_escape(loc, 0)
        {
            let note = Note::new(&catalogue::LOC005, written(), wording::bad_escape(loc, at));
            notes.push(self.with_longer_loc(note, entry, loc, Safety::Unsafe, &escapes_escaped(loc)));
        }
        if bits & traits::ILLEGAL != 0
            && let Some(character) = loc.chars().find(|character| is_illegal(*character))
        {
            let message = format!("`{character}` must be percent-encoded in a URL");
            let note = Note::new(&catalogue::LOC006, written(), message);
            notes.push(if loc.contains('\\') {
                // Some read a backslash as a slash: it is not certain which is meant.
                note.with_help("write `/` if a slash is meant, else %5C")
            } else {
                let note =
                    if is_template(loc) { note.with_help("fill in the template that this comes from") } else { note };
                let safety = if is_template(loc) { Safety::Unsafe } else { Safety::Safe };
                self.with_longer_loc(note, entry, loc, safety, &encoded(loc, is_illegal))
            });
        }
        if bits & traits::NON_ASCII != 0 && self.asks(&catalogue::LOC007) {
            let message = "it contains characters that are not ASCII: percent-encode them";
            let note = Note::new(&catalogue::LOC007, written(), message);
            let is_plain_host = loc::parts(loc).is_some_and(|parts| parts.host.is_ascii());
            notes.push(match is_plain_host {
                true => {
                    let ascii = encoded(loc, |character| !character.is_ascii());
                    self.with_longer_loc(note, entry, loc, Safety::Safe, &ascii)
                }
                false => note.with_help("write the host in its ASCII form, which begins with xn--"),
            });
        }
        if bits & (traits::FRAGMENT | traits::AT) != 0 {
            self.check_fragment(entry, loc, notes);
        }
    }

    /// LOC010. A fragment is never sent to a server, and a page has one entry however many it has.
    fn check_fragment(&self, entry: &Entry<'_>, loc: &str, notes: &mut Vec<Note>) {
        let written = entry.loc_range();
        if loc::parts(loc).is_some_and(|parts| parts.user.is_some()) {
            let message = "it contains a user name or a password, which should not be published";
            notes.push(Note::new(&catalogue::LOC010, written, message));
        } else if let Some((page, _)) = loc.split_once('#') {
            let message = "it has a fragment, which is never sent to a server";
            notes.push(with_loc(Note::new(&catalogue::LOC010, written, message), entry, Safety::Unsafe, page));
        }
    }

    /// LOC015. Source: sitemaps.org FAQ: session ids are to be left out; Google Search Central, URL structure.
    fn check_stability(&self, entry: &Entry<'_>, loc: &str, notes: &mut Vec<Note>) {
        let Some(parts) = loc::parts(loc) else { return };
        let end = parts.rest.find(['?', '#']).unwrap_or(parts.rest.len());
        let (path, query) = parts.rest.split_at(end);
        let own = loc::UrlParts { port: "", ..parts };
        let message = if let Some(name) = unstable_parameter(path, query) {
            format!("`{name}` changes from one visit to the next")
        } else if path.split('/').any(|part| matches!(part, "." | "..")) {
            "its path has `.` or `..` in it".into()
        } else if parts.scheme.bytes().any(|byte| byte.is_ascii_uppercase()) {
            "its scheme has capital letters".into()
        } else if parts.host.bytes().any(|byte| byte.is_ascii_uppercase()) {
            "its host has capital letters".into()
        } else if parts.port == own.effective_port() {
            format!("it names the port {}, which is the default of its scheme", parts.port)
        } else if path.is_empty() {
            "a `/` is missing after its host".into()
        } else {
            return;
        };
        notes.push(Note::new(&catalogue::LOC015, entry.loc_range(), message));
    }
}

impl Linter {
    #[cold]
    fn bad_loc(&self, entry: &Entry<'_>, loc: &str, error: LocError, notes: &mut Vec<Note>) {
        let (rule, message, help) = loc_error(error);
        let note = Note { help, ..Note::new(rule, entry.loc_range(), message) };
        notes.push(match instead::loc(loc, error) {
            Some((safety, encoded)) => {
                // In a line of text, what follows the blank may be a remark, unless a URL could end like it.
                let last = loc.rsplit(' ').next().unwrap_or_default();
                let is_remark = entry.document == Kind::Text && !last.contains(['.', '/', '?', '%']);
                let safety = if is_remark { Safety::Unsafe } else { safety };
                self.with_longer_loc(note, entry, loc, safety, &encoded)
            }
            None => note,
        });
    }

    /// The note with a fix that encodes something in the loc, unless that makes it too long.
    fn with_longer_loc(&self, note: Note, entry: &Entry<'_>, loc: &str, safety: Safety, encoded: &str) -> Note {
        match self.fits(encoded) || !self.fits(loc) {
            true => with_loc(note, entry, safety, encoded),
            false => note.with_help("it is too long once that is encoded: give the page a shorter URL"),
        }
    }

    fn fits(&self, loc: &str) -> bool {
        loc.chars().count() <= self.settings.loc_chars && self.settings.loc_bytes.is_none_or(|most| loc.len() <= most)
    }
}

/// The note with a fix that replaces the loc, if it is written where locs are.
fn with_loc(note: Note, entry: &Entry<'_>, safety: Safety, loc: &str) -> Note {
    let slot = *entry.slots.loc();
    if slot.is_present() { note.with_fix(entry.fixed_value(slot.written(), safety, loc)) } else { note }
}

fn escapes_escaped(loc: &str) -> String {
    let (mut out, mut done) = (String::new(), 0);
    while let Some(at) = loc::bad_escape(loc, done) {
        out.push_str(&loc[done..at]);
        out.push_str("%25");
        done = at + 1;
    }
    out + &loc[done..]
}

fn is_illegal(character: char) -> bool {
    matches!(character, '"' | '<' | '>' | '{' | '}' | '|' | '\\' | '^' | '`')
}

/// The parameter that makes a URL one of a visit or a campaign.
fn unstable_parameter<'l>(path: &'l str, query: &'l str) -> Option<&'l str> {
    const SESSIONS: [&str; 8] =
        ["phpsessid", "jsessionid", "aspsessionid", "sessionid", "session_id", "sid", "cfid", "cftoken"];
    const CAMPAIGNS: [&str; 7] = ["gclid", "fbclid", "msclkid", "yclid", "dclid", "mc_cid", "mc_eid"];
    let query = query.split('#').next().unwrap_or_default();
    let in_query = query.get(1..).unwrap_or_default().split(['&', ';']);
    let in_path = path.split(';').skip(1);
    in_query.chain(in_path).filter_map(|pair| pair.split('=').next()).find(|name| {
        let name = name.to_ascii_lowercase();
        SESSIONS.contains(&name.as_str()) || CAMPAIGNS.contains(&name.as_str()) || name.starts_with("utm_")
    })
}
