//! All that reads one document: its bytes go in, and rows come out.

use crate::checks::DocumentChecks;
use crate::decode::{ContentEncoding, Decoder};
use crate::diagnostic::Findings;
use crate::limits::{Budget, Limits};
use crate::read::Reader;
use crate::table::{Children, Table};

/// What reads one document, from its bytes on.
pub struct Parser {
    pub decoder: Decoder,
    pub reader: Reader,
    pub checks: DocumentChecks,
    /// Of an index, if its children are followed.
    pub children: Option<Children>,
}

impl Parser {
    /// What reads the document at `location`, which should keep to the limits if there are any.
    pub fn new(
        budget: Budget,
        limits: Option<Limits>,
        findings: Findings,
        encoding: ContentEncoding,
        location: Option<&str>,
    ) -> Self {
        Parser {
            decoder: Decoder::new(budget, encoding),
            reader: Reader::new(budget, findings).at_location(location),
            checks: DocumentChecks::new(limits),
            children: None,
        }
    }

    /// Reads the next bytes into the table.
    pub fn feed(&mut self, bytes: &[u8], table: &mut Table) {
        let Parser { decoder, reader, checks, children } = self;
        decoder.feed(bytes, reader, &mut ((checks, table), children));
    }

    /// Reads the next bytes into the table as [`Parser::feed`] does, while another thread undoes their compression.
    pub fn feed_overlapped(&mut self, bytes: &[u8], table: &mut Table) {
        let Parser { decoder, reader, checks, children } = self;
        decoder.feed_overlapped(bytes, reader, &mut ((checks, table), children));
    }

    /// Ends the document.
    pub fn finish(&mut self, table: &mut Table) {
        let Parser { decoder, reader, checks, children } = self;
        decoder.finish(reader, &mut ((checks, table), children));
    }

    /// Whether a later part of the document may be read before all that comes before it.
    pub fn can_fork(&self) -> bool {
        self.decoder.can_fork() && self.reader.can_fork()
    }

    /// What reads a later part of the document. None: it has to be read from its beginning on.
    pub fn fork(&self) -> Option<Parser> {
        Some(Parser {
            decoder: self.decoder.fork()?,
            reader: self.reader.fork()?,
            checks: self.checks.fork(),
            children: self.children.is_some().then(|| Children::new(None)),
        })
    }

    /// Goes on where a fork has ended, if that has read what comes next just as this would, and puts its rows into the
    /// table. Returns false if it has not: then nothing has changed.
    pub fn join(&mut self, fork: &Parser, table: &mut Table, rows: Table) -> bool {
        let leads_on = fork.children.as_ref().is_some_and(|children| !children.found.is_empty());
        let can_join = !leads_on
            && self.decoder.can_join(&fork.decoder)
            && self.reader.can_join(&fork.reader)
            && self.checks.can_join(&fork.checks);
        if can_join {
            self.decoder.join(&fork.decoder);
            self.checks.join(&fork.checks);
            let lines_before = self.reader.join(&fork.reader);
            table.join(rows, lines_before);
        }
        can_join
    }
}
