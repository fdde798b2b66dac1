//! What the page is told, as JSON. Findings have the fields of `urlset lint --format json`.

use std::collections::BTreeMap;

use serde::Serialize;
use urlset_core::diagnostic::{self, Finding};
use urlset_core::document::Judgement;
use urlset_core::table::Child;

use crate::statistics::Statistics;

/// The question was not understood, or cannot be answered.
#[derive(Serialize)]
pub struct Failed {
    pub error: String,
}

#[derive(Serialize)]
pub struct Checked<'a> {
    /// `urlset`, `sitemapindex`, `rss`, `atom`, `text` or `robots`; null if it was not recognized.
    kind: Option<&'static str>,
    entries: u64,
    /// Bytes of the text.
    bytes: u64,
    is_recovered: bool,
    /// The code of what ended the reading early. It is among the findings, whatever rules are enabled.
    fault: Option<&'static str>,
    /// Ordered by position.
    findings: Vec<Reported>,
    /// How often each code was found.
    counts: BTreeMap<&'static str, u64>,
    children: Vec<Named>,
    statistics: &'a Statistics,
}

#[derive(Serialize)]
pub struct Repaired {
    /// The length of the fixed document; null if it stays as it is.
    pub bytes: Option<usize>,
    pub applied: BTreeMap<&'static str, u64>,
    pub reason: Option<String>,
}

#[derive(Serialize)]
struct Reported {
    code: &'static str,
    severity: &'static str,
    message: String,
    line: u32,
    column: u32,
    end_column: u32,
    source: String,
    source_column: u32,
    help: Option<String>,
    fix: Option<Fix>,
    more: u64,
}

#[derive(Serialize)]
struct Fix {
    safety: &'static str,
    edits: Vec<Edit>,
}

/// Offsets are of bytes of the text, decoded to UTF-8.
#[derive(Serialize)]
struct Edit {
    start: u64,
    end: u64,
    text: String,
}

/// A sitemap that the document names.
#[derive(Serialize)]
struct Named {
    loc: String,
    line: u32,
}

impl<'a> Checked<'a> {
    pub fn of(judgement: &mut Judgement, statistics: &'a Statistics) -> Checked<'a> {
        let children = judgement.take_children().into_iter().map(|Child { loc, line, .. }| Named { loc, line });
        let (reader, linter) = (&judgement.reader, &judgement.linter);
        let (mut findings, mut counts) = (reader.findings(), reader.counts().clone());
        let fault = reader.fault().map(|fault| fault.finding.clone());
        let code = fault.as_ref().map(|fault| fault.rule.code);
        if let Some(fault) = fault {
            *counts.entry(fault.rule.code).or_default() += 1;
            findings.push(fault);
            findings.sort_by_key(|finding| (finding.position.line, finding.position.column));
        }
        Checked {
            kind: reader.kind().map(|kind| kind.name()),
            entries: linter.entries(),
            bytes: reader.bytes(),
            is_recovered: reader.is_recovered(),
            fault: code,
            findings: findings.iter().map(Reported::of).collect(),
            counts,
            children: children.collect(),
            statistics,
        }
    }
}

impl Reported {
    fn of(finding: &Finding) -> Reported {
        Reported {
            code: finding.rule.code,
            severity: finding.severity.name(),
            message: finding.message.clone(),
            line: finding.position.line,
            column: finding.position.column,
            end_column: finding.position.column + finding.width,
            source: finding.snippet.text.clone(),
            source_column: finding.snippet.column,
            help: finding.help.clone(),
            fix: finding.fix.as_deref().map(Fix::of),
            more: finding.more,
        }
    }
}

impl Fix {
    fn of(fix: &diagnostic::Fix) -> Fix {
        let edit =
            |edit: &diagnostic::Edit| Edit { start: edit.range.start, end: edit.range.end, text: edit.text.clone() };
        Fix { safety: fix.safety.name(), edits: fix.edits.iter().map(edit).collect() }
    }
}

/// The answer as JSON. None of them can fail to be written.
pub fn json(answer: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(answer).unwrap_or_default()
}
