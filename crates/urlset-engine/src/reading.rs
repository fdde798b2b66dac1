//! Reading a few documents one after the other, on whichever thread, into batches.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::vec;

use arrow_schema::SchemaRef;
use urlset_core::decode::{ContentEncoding, Decoder};
use urlset_core::diagnostic::{Finding, Findings, Selection};
use urlset_core::limits;
use urlset_core::parse::{ParallelSplit, Parser};
use urlset_core::read::{Fault, Reader};
use urlset_core::table::{Batch, Child, Children, Filter, Reason, Table};

use crate::input::Input;
use crate::interrupt::Interrupt;
use crate::memory::keep_freed_memory;

/// Compressed bytes that two threads are given at once, at least and at most: a thread takes as long to start as few of
/// them to be read, and rows should flow meanwhile.
const MIN_OVERLAPPED: usize = 16 * 1024;
const MAX_OVERLAPPED: usize = 2 << 20;

/// How all documents of a stream are read.
pub struct Options {
    pub schema: SchemaRef,
    /// Rows of a full batch.
    pub batch_rows: usize,
    /// Children of indexes are followed instead of being rows.
    pub follow: bool,
    pub budget: limits::Budget,
    pub limits: Option<limits::Limits>,
    /// Which entries are rows; without a filter, all of them.
    pub filter: Option<Arc<Filter>>,
}

/// Where the bytes of a document come from.
pub enum Origin {
    Path(PathBuf),
    /// What is open already.
    Input(Input),
}

/// A document that is still to be opened.
pub struct Document {
    pub origin: Origin,
    pub location: Option<String>,
    pub encoding: ContentEncoding,
    /// Only the sitemaps that it names count.
    pub skips_rows: bool,
}

impl Document {
    /// How many bytes it has, if that is known before it is read.
    pub fn bytes(&self) -> Option<u64> {
        match &self.origin {
            Origin::Path(path) => Some(std::fs::metadata(path).map_or(0, |data| data.len())),
            Origin::Input(Input::Memory { bytes, .. }) => Some((**bytes).as_ref().len() as u64),
            Origin::Input(_) => None,
        }
    }

    /// Whether any thread may read it.
    pub fn goes_anywhere(&self) -> bool {
        match &self.origin {
            Origin::Path(_) => true,
            Origin::Input(input) => input.goes_anywhere(),
        }
    }
}

/// How reading one document went.
pub struct Outcome {
    pub kind: Option<&'static str>,
    pub entries: u64,
    /// Bytes of the text, and of the document as it was stored.
    pub bytes: u64,
    pub wire_bytes: u64,
    pub fault: Option<Fault>,
    pub is_recovered: bool,
    pub findings: Vec<Finding>,
    /// How often each code was found.
    pub counts: BTreeMap<&'static str, u64>,
    /// Elements inside entries that were skipped, by namespace.
    pub extensions: Vec<(String, u64)>,
    pub children: Vec<Child>,
    /// Entries that a filter left out, by reason.
    pub skipped: Vec<(Reason, u64)>,
}

impl Outcome {
    /// Of a document that is done.
    pub fn of(reader: &Reader, decoder: &Decoder, entries: u64, children: Vec<Child>) -> Outcome {
        Outcome {
            kind: reader.kind().map(|kind| kind.name()),
            entries,
            bytes: reader.bytes(),
            wire_bytes: decoder.wire_bytes(),
            fault: reader.fault().cloned(),
            is_recovered: reader.is_recovered(),
            findings: reader.findings(),
            counts: reader.counts().clone(),
            extensions: reader.extensions().map(|(uri, count)| (uri.to_owned(), count)).collect(),
            children,
            skipped: Vec::new(),
        }
    }
}

/// What comes of reading.
pub enum Event {
    Batch(Batch),
    /// The document could not be opened: the next one follows.
    NotOpened(io::Error),
    /// The document broke off. It is finished next.
    Broken(io::Error),
    Finished(Box<Outcome>),
}

/// Documents that are read one after the other into one table.
pub struct Reading {
    options: Arc<Options>,
    waiting: vec::IntoIter<Document>,
    table: Table,
    current: Option<Current>,
    /// Another thread may read half of a large document.
    has_helper: bool,
    interrupt: Arc<dyn Interrupt>,
}

struct Current {
    input: Input,
    parser: Parser,
    /// If two threads may read it.
    split: Option<ParallelSplit>,
    is_broken: bool,
}

impl Reading {
    /// `interrupt` is asked now and then while a document is waited for.
    pub fn new(options: Arc<Options>, documents: Vec<Document>, interrupt: Arc<dyn Interrupt>) -> Self {
        keep_freed_memory();
        let mut table = Table::new(options.schema.clone(), !options.follow).in_batches_of(options.batch_rows);
        if let Some(filter) = &options.filter {
            table = table.filtered(filter.clone());
        }
        Reading { options, waiting: documents.into_iter(), table, current: None, has_helper: false, interrupt }
    }

    /// The same with another thread that reads half of a large document.
    pub fn with_helper(self, has_helper: bool) -> Self {
        Reading { has_helper, ..self }
    }

    fn open(&mut self, document: Document) -> io::Result<Current> {
        let Document { origin, mut location, mut encoding, skips_rows } = document;
        let input = match origin {
            Origin::Path(path) => Input::file(File::open(path)?),
            Origin::Input(input) => input,
        };
        if let Input::Pipe(pipe) = &input {
            let head = pipe.head(&*self.interrupt)?;
            (location, encoding) = (Some(head.location), head.encoding);
        }
        self.table.begin_document(location.as_deref());
        if skips_rows {
            self.table.skip_document();
        }
        let budget = self.options.budget;
        let findings = Findings::new(Selection::default(), budget.findings);
        let parser = Parser::new(budget, self.options.limits, findings, encoding, location.as_deref());
        let children = self.options.follow.then(|| Children::new(location.as_deref()));
        Ok(Current {
            input,
            parser: Parser { children, ..parser },
            split: self.has_helper.then(ParallelSplit::default),
            is_broken: false,
        })
    }
}

impl Iterator for Reading {
    type Item = Event;

    /// Reads on until something comes of it; None at the end.
    fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(batch) = self.table.take_full() {
                return Some(Event::Batch(batch));
            }
            match self.current.take() {
                Some(mut current) => match current.step(&mut self.table, &*self.interrupt) {
                    Ok(true) => self.current = Some(current),
                    Ok(false) => return Some(Event::Finished(Box::new(current.finish(&mut self.table)))),
                    Err(error) => {
                        current.is_broken = true;
                        self.current = Some(current);
                        return Some(Event::Broken(error));
                    }
                },
                None => match self.waiting.next() {
                    Some(document) => match self.open(document) {
                        Ok(current) => self.current = Some(current),
                        Err(error) => return Some(Event::NotOpened(error)),
                    },
                    None => return self.table.take_rest().map(Event::Batch),
                },
            }
        }
    }
}

impl Current {
    /// Reads the next piece. Returns false when the document is done.
    fn step(&mut self, table: &mut Table, interrupt: &dyn Interrupt) -> io::Result<bool> {
        if self.is_broken || self.parser.reader.fault().is_some() {
            return Ok(false);
        }
        if self.split.is_some() && self.read_split(table)? {
            return Ok(self.parser.reader.fault().is_none());
        }
        let parser = &mut self.parser;
        let more = self.input.next(interrupt, |piece| parser.feed(piece, table))?;
        Ok(more && parser.reader.fault().is_none())
    }

    /// Reads what is next on two threads, if it can be. Returns false where it has read nothing.
    fn read_split(&mut self, table: &mut Table) -> io::Result<bool> {
        let Current { input, parser, split: Some(split), .. } = self else { return Ok(false) };
        if parser.decoder.wire_bytes() == 0 {
            // Only a little, so that the rest is there to be cut.
            let Some(head) = input.peek(ParallelSplit::HEAD)? else { return Ok(false) };
            parser.feed(head, table);
            let length = head.len();
            input.pass(length);
            return Ok(length > 0);
        }
        if parser.decoder.can_overlap() {
            return overlap(input, parser, table);
        }
        if !split.is_worth_it(parser) {
            return Ok(false);
        }
        let Some(bytes) = input.peek(ParallelSplit::MAX_BYTES)? else { return Ok(false) };
        let length = split.read(bytes, parser, table);
        input.pass(length);
        Ok(length > 0)
    }

    fn finish(mut self, table: &mut Table) -> Outcome {
        self.parser.finish(table);
        let Parser { decoder, reader, checks, children } = self.parser;
        let children = children.map(|children| children.found).unwrap_or_default();
        let skipped = table.take_skipped();
        Outcome { skipped, ..Outcome::of(&reader, &decoder, checks.entries(), children) }
    }
}

/// Reads what is next of a compressed document while another thread undoes its compression, if there is enough of it.
/// Returns false where it has read nothing.
fn overlap(input: &mut Input, parser: &mut Parser, table: &mut Table) -> io::Result<bool> {
    let Some(bytes) = input.peek(MAX_OVERLAPPED)? else { return Ok(false) };
    let length = bytes.len();
    if length < MIN_OVERLAPPED {
        return Ok(false);
    }
    parser.feed_overlapped(bytes, table);
    input.pass(length);
    Ok(true)
}
