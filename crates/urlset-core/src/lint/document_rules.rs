//! The rules that need all entries of a document. What is remembered of them is bounded.

use super::loc_index::{LocIndex, MAX_LOCS};
use super::settings::Settings;
use crate::checks::SPLIT;
use crate::diagnostic::{Findings, Fix, Note, Rule, Safety, Selection, catalogue};
use crate::limits::{Limits, NEWS_PER_DOCUMENT};
use crate::read::Kind;
use crate::read::entry::{self, EntryKind};
use crate::read::sink::Summary;
use crate::value::{identity, loc};

/// With fewer entries than this, equal values prove nothing. Source: squirrelscan's rule of the same kind, which Bing's advice stands behind.
const HABIT: u64 = 20;

#[derive(Debug)]
pub struct DocumentRules {
    pub entries: u64,
    pub with_alternates: u64,
    news: u64,
    pub locs: LocIndex,
    /// Of the hashes of its locs.
    pub seed: u64,
    pub lastmods: Vec<i64>,
    pub with_lastmod: u64,
    pub with_time: u64,
    pub with_changefreq: u64,
    pub with_priority: u64,
    pub priority: Option<f64>,
    pub is_flat: bool,
    name: String,
    /// It is known by its path: a server may send what is stored under a URL in another form.
    is_file: bool,
}

impl DocumentRules {
    pub fn new(location: Option<&str>) -> Self {
        let path = location.unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
        DocumentRules {
            entries: 0,
            with_alternates: 0,
            news: 0,
            locs: LocIndex::default(),
            seed: loc::seed(),
            lastmods: Vec::new(),
            with_lastmod: 0,
            with_time: 0,
            with_changefreq: 0,
            with_priority: 0,
            priority: None,
            is_flat: true,
            name: path.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase(),
            is_file: location.is_some_and(|location| !location.contains("://")),
        }
    }

    /// Takes an entry, with what its values mean, if anything.
    #[inline]
    pub fn entry(&mut self, entry: &entry::Entry<'_>, lastmod: Option<i64>, priority: Option<f64>) {
        self.entries += 1;
        let slots = entry.slots;
        if let Some(micros) = lastmod {
            self.with_lastmod += 1;
            self.with_time += u64::from(slots.lastmod().length() > 10);
            // Documents may well have changed all at once; pages hardly ever do.
            if entry.kind == EntryKind::Url && self.lastmods.len() < MAX_LOCS {
                self.lastmods.push(micros);
            }
        }
        self.with_changefreq += u64::from(slots.changefreq().is_present());
        if let Some(priority) = priority {
            self.with_priority += 1;
            self.is_flat &= *self.priority.get_or_insert(priority) == priority;
        }
        if entry.kind == EntryKind::Url && !slots.alternates.is_empty() {
            self.with_alternates += 1;
        }
    }

    /// NWS003. Source: Google Search Central, news sitemaps: up to 1,000 `news:news` in one sitemap.
    pub fn article(&mut self, at: usize, notes: &mut Vec<Note>) {
        self.news += 1;
        if self.news == NEWS_PER_DOCUMENT + 1 {
            let message = format!("more than the {NEWS_PER_DOCUMENT} articles that one document may have");
            notes.push(Note::new(&catalogue::NWS003, at..at + 1, message).with_help("split it by publication date"));
        }
    }

    /// The line of the same loc before, perhaps spelled differently.
    pub fn line_before(&mut self, loc: &str, line: u32) -> Option<u32> {
        self.locs.line_before(self.hash_of_normal(loc), line)
    }

    /// LOC014 and IDX005: a loc that is in the document already, perhaps spelled differently. The first million are
    /// remembered. `is_normalized` means that the loc is in its normal form.
    #[inline]
    pub fn repeated(&mut self, entry: &entry::Entry<'_>, loc: &str, is_normalized: bool, notes: &mut Vec<Note>) {
        let hash = if is_normalized { loc::hash(self.seed, loc) } else { self.hash_of_normal(loc) };
        if let Some(line) = self.locs.line_before(hash, entry.line) {
            repeated(entry, line, notes);
        }
    }

    /// The hash of the normal form of a loc.
    #[cold]
    fn hash_of_normal(&self, loc: &str) -> u64 {
        match identity::normalized(loc) {
            Some(normal) => loc::hash(self.seed, &normal),
            None => loc::hash_as_written(self.seed, loc),
        }
    }

    /// Reports what only the whole document shows.
    pub fn report(&self, selection: &Selection, settings: &Settings, summary: &Summary, findings: &mut Findings) {
        let Summary { kind, bytes, .. } = *summary;
        let mut report = |rule: &'static Rule, message: String, help: Option<&str>| {
            if selection.takes(rule) {
                findings.report_on_document(rule, message, help);
            }
        };
        if self.with_changefreq > 0 {
            let count = counted(self.with_changefreq, "changefreq");
            report(&catalogue::FRQ002, format!("{count}, which this search engine ignores"), Some("leave it out"));
        }
        if self.with_priority > 0 {
            let count = counted(self.with_priority, "priority");
            report(&catalogue::PRI004, format!("{count}, which this search engine ignores"), Some("leave it out"));
        }
        if self.with_priority >= HABIT && self.with_priority == self.entries && self.is_flat {
            let message = format!("all {} priorities are the same, so they carry no information", self.with_priority);
            report(&catalogue::PRI003, message, Some("leave them out, or give pages different priorities"));
        }
        let lacking = self.entries - self.with_time;
        if lacking > 0 && !matches!(kind, Some(Kind::Text | Kind::Robots)) {
            let without = self.entries - self.with_lastmod;
            let message = format!(
                "of {} entries {without} have no lastmod and {} no time in it",
                self.entries,
                lacking - without
            );
            report(&catalogue::MOD011, message, None);
        }
        if self.news == 0 {
            self.report_lastmods(&mut report);
        }
        self.report_kind(settings, kind, &mut report);
        self.report_encoding(summary, &mut report);
        self.report_size(bytes, kind, settings.limits, &mut report);
    }

    /// MOD009. Source: Bing Webmaster Blog, February 2023: lastmods that are all alike are those of the build, and are
    /// not trusted.
    fn report_lastmods(&self, report: &mut impl FnMut(&'static Rule, String, Option<&str>)) {
        if self.entries < HABIT {
            return;
        }
        // The one value that can be most of them: any other is outvoted.
        let (mut candidate, mut votes) = (0, 0_u64);
        for micros in &self.lastmods {
            match (votes, *micros == candidate) {
                (0, _) => (candidate, votes) = (*micros, 1),
                (_, true) => votes += 1,
                (_, false) => votes -= 1,
            }
        }
        let same = self.lastmods.iter().filter(|micros| **micros == candidate).count() as u64;
        // A document beyond what is remembered is judged by its first million.
        if same * 10 >= self.entries.min(MAX_LOCS as u64) * 9 {
            let message = format!("{same} of {} entries have the same lastmod", self.entries);
            let help = "give each page the time of its own last change, or leave lastmod out";
            report(&catalogue::MOD009, message, Some(help));
        }
    }

    fn report_kind(
        &self,
        settings: &Settings,
        kind: Option<Kind>,
        report: &mut impl FnMut(&'static Rule, String, Option<&str>),
    ) {
        let is_txt = self.name.ends_with(".txt") || self.name.ends_with(".txt.gz");
        match kind {
            Some(Kind::Sitemapindex) if !settings.indexes => {
                report(
                    &catalogue::IDX009,
                    "this search engine does not accept sitemap indexes".into(),
                    Some("submit each sitemap by itself"),
                );
            }
            Some(Kind::Text) if !self.name.is_empty() && !is_txt => {
                report(&catalogue::TXT004, format!("a text list called {}", self.name), Some("call it .txt"));
            }
            Some(Kind::Urlset | Kind::Sitemapindex) if is_txt => {
                report(&catalogue::TXT004, format!("XML called {}", self.name), Some("call it .xml"));
            }
            _ => {}
        }
    }

    /// XML013 and XML014.
    fn report_encoding(&self, summary: &Summary, report: &mut impl FnMut(&'static Rule, String, Option<&str>)) {
        if summary.layers > 1 {
            let message = format!("{} layers of compression", summary.layers);
            report(&catalogue::XML013, message, Some("compress it once"));
        } else if summary.layers == 0 && self.is_file && self.name.ends_with(".gz") {
            let message = format!("{} is not compressed", self.name);
            report(&catalogue::XML013, message, Some("compress it, or take .gz out of its name"));
        }
        if summary.has_mark {
            let message = "it begins with a byte order mark, which UTF-8 does not need".to_owned();
            report(&catalogue::XML014, message, Some("save it as UTF-8 without a mark"));
        }
    }

    fn report_size(
        &self,
        bytes: u64,
        kind: Option<Kind>,
        limits: Limits,
        report: &mut impl FnMut(&'static Rule, String, Option<&str>),
    ) {
        if self.entries == 0 && kind.is_some_and(|kind| kind != Kind::Robots) {
            report(&catalogue::LIM005, "it has no entries".into(), None);
        }
        let near = |number: u64, most: u64| number * 10 >= most * 9 && number <= most;
        let message = if near(self.entries, limits.entries) {
            format!("{} of the {} entries that one document may have", self.entries, limits.entries)
        } else if near(bytes, limits.bytes) {
            format!("{bytes} of the {} bytes that one document may have", limits.bytes)
        } else {
            return;
        };
        report(&catalogue::LIM004, message, Some(SPLIT));
    }
}

fn counted(entries: u64, what: &str) -> String {
    if entries == 1 { format!("1 entry has a {what}") } else { format!("{entries} entries have a {what}") }
}

#[cold]
fn repeated(entry: &entry::Entry<'_>, line: u32, notes: &mut Vec<Note>) {
    let rule = match entry.kind {
        EntryKind::Sitemap => &catalogue::IDX005,
        EntryKind::Url => &catalogue::LOC014,
    };
    let message = match line == entry.line {
        // Some documents are all in one line.
        true => "listed twice: also before it on this line".into(),
        false => format!("listed twice: also on line {line}"),
    };
    let note = Note::new(rule, entry.loc_range(), message);
    // The other values of the entry are removed with it.
    let fix = Fix::replace(Safety::Unsafe, entry.whole(), "");
    notes.push(if entry.document.is_feed() { note } else { note.with_fix(fix) });
}
