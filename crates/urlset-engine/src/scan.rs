//! Reading many documents, in their order, into batches; several at once, where there are several.

use std::collections::VecDeque;
use std::io;
use std::mem;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};

use urlset_core::table::{Batch, Joiner};

use crate::interrupt::{Abandoned, CHECK_INTERVAL, Interrupt};
use crate::pool::Pool;
use crate::reading::{Document, Event, Options, Outcome, Reading};
use crate::sampling::Drawing;

/// Small files are read by one thread together: up to so many bytes, and so many files.
const GROUP_BYTES: u64 = 256 * 1024;
const GROUP_DOCUMENTS: usize = 64;

/// Names the documents of a scan, and hears how each went. All of it happens on the thread that takes the batches, and an
/// error ends the scan.
pub trait Documents {
    /// What the caller knows a document by.
    type Name;

    /// Add the next documents to `group` until it is full. Returns false if there is none before another one is finished.
    fn fill(&mut self, group: &mut Waiting<Self::Name>) -> io::Result<bool>;

    /// A document was read. Documents are finished in their order.
    fn finished(&mut self, name: Self::Name, outcome: Outcome) -> io::Result<()>;

    /// A document could not be opened.
    fn not_opened(&mut self, name: Self::Name, error: io::Error) -> io::Result<()>;

    /// A document broke off. It is finished next.
    fn broken(&mut self, name: &Self::Name, error: io::Error) -> io::Result<()>;
}

/// The next documents that one thread is to read.
pub struct Waiting<N> {
    names: VecDeque<N>,
    documents: Vec<Document>,
    bytes: u64,
}

impl<N> Waiting<N> {
    /// Whether it has one large document, or enough small files.
    pub fn is_full(&self) -> bool {
        self.bytes >= GROUP_BYTES || self.documents.len() >= GROUP_DOCUMENTS
    }

    /// Add a document.
    pub fn push(&mut self, name: N, document: Document) {
        self.bytes += document.bytes().unwrap_or(GROUP_BYTES);
        self.documents.push(document);
        self.names.push_back(name);
    }
}

/// One pass over all documents.
pub struct Scan<D: Documents> {
    documents: D,
    options: Arc<Options>,
    interrupt: Arc<dyn Interrupt>,
    threads: usize,
    /// How many groups are on their way at once.
    ahead: usize,
    /// In the order of their rows.
    groups: VecDeque<Group<D::Name>>,
    /// Whether there may be another document.
    asks: bool,
    /// Started once two groups are on their way.
    pool: Option<Pool>,
    joiner: Joiner,
    /// Until the rows that were drawn are taken.
    drawing: Option<Drawing>,
    is_ended: bool,
}

/// Documents that one thread reads one after the other.
struct Group<N> {
    /// Those that are not done yet.
    names: VecDeque<N>,
    state: GroupState,
}

enum GroupState {
    Waiting(Vec<Document>),
    /// On the thread that takes the batches.
    Here(Box<Reading>),
    /// On a thread of the pool: what came of it, and what is to come.
    InPool(VecDeque<Event>, Receiver<Vec<Event>>),
}

impl<D: Documents> Scan<D> {
    /// Reads up to `threads` documents at once, and asks for `ahead`. With a drawing, the rows are those that it draws, once
    /// everything was read.
    pub fn new(
        documents: D,
        options: Options,
        drawing: Option<Drawing>,
        (threads, ahead): (usize, usize),
        interrupt: Arc<dyn Interrupt>,
    ) -> Scan<D> {
        Scan {
            documents,
            options: Arc::new(options),
            interrupt,
            threads,
            ahead: ahead.max(if threads > 1 { threads + 1 } else { 1 }),
            groups: VecDeque::new(),
            asks: true,
            pool: None,
            joiner: Joiner::default(),
            drawing,
            is_ended: false,
        }
    }

    /// End it early: no more rows come.
    pub fn end(&mut self) {
        self.is_ended = true;
        self.drawing = None;
    }

    /// The next rows, or None at the end. The rows that a sample has taken in are not handed out yet.
    pub fn next_batches(&mut self) -> io::Result<Option<Vec<Batch>>> {
        match (self.read()?, &mut self.drawing) {
            (Some(batch), None) => Ok(Some(vec![batch])),
            (Some(batch), Some(drawing)) => {
                drawing.push(&batch);
                Ok(Some(Vec::new()))
            }
            (None, _) => Ok(self.drawing.take().map(Drawing::take)),
        }
    }

    fn read(&mut self) -> io::Result<Option<Batch>> {
        loop {
            if let Some(batch) = self.joiner.take_full() {
                return Ok(Some(batch));
            }
            if self.is_ended {
                return Ok(None);
            }
            self.ask()?;
            self.start()?;
            let Some(group) = self.groups.front_mut() else {
                self.is_ended = true;
                self.pool = None;
                return Ok(self.joiner.take_rest());
            };
            match group.state.next(&*self.interrupt)? {
                Some(event) => self.take(event)?,
                None if group.names.is_empty() => drop(self.groups.pop_front()),
                None => return Err(Abandoned("a thread that reads documents has failed").into()),
            }
        }
    }

    /// Asks for documents, as many as may be on their way.
    fn ask(&mut self) -> io::Result<()> {
        while self.asks && self.groups.len() < self.ahead {
            let mut waiting = Waiting { names: VecDeque::new(), documents: Vec::new(), bytes: 0 };
            self.asks = self.documents.fill(&mut waiting)?;
            let Waiting { names, documents, .. } = waiting;
            if !names.is_empty() {
                self.groups.push_back(Group { names, state: GroupState::Waiting(documents) });
            }
        }
        Ok(())
    }

    /// Has the first groups read, and one that is alone on this thread: starting others would take longer.
    fn start(&mut self) -> io::Result<()> {
        let is_alone = self.groups.len() == 1 && self.pool.is_none();
        let width = if self.threads > 1 { self.threads + 1 } else { 1 };
        for (number, group) in self.groups.iter_mut().take(width).enumerate() {
            let GroupState::Waiting(documents) = &mut group.state else { continue };
            if is_alone || self.threads == 1 || !documents.iter().all(Document::goes_anywhere) {
                if number == 0 {
                    let reading = Reading::new(self.options.clone(), mem::take(documents), self.interrupt.clone());
                    let reading = reading.with_helper(is_alone && self.threads > 1);
                    group.state = GroupState::Here(Box::new(reading));
                }
                continue;
            }
            let pool = match &mut self.pool {
                Some(pool) => pool,
                None => self.pool.insert(Pool::new(self.threads, &self.options)?),
            };
            group.state = GroupState::InPool(VecDeque::new(), pool.read(mem::take(documents)));
        }
        Ok(())
    }

    /// Takes what came of the first group.
    fn take(&mut self, event: Event) -> io::Result<()> {
        let group = self.groups.front_mut().expect("an event is that of a group");
        match event {
            Event::Batch(batch) => self.joiner.add(batch),
            Event::Broken(error) => {
                let name = group.names.front().expect("a group has its documents");
                self.documents.broken(name, error)?;
            }
            Event::NotOpened(error) => {
                let name = group.names.pop_front().expect("a group has its documents");
                self.asks = true;
                self.documents.not_opened(name, error)?;
            }
            Event::Finished(outcome) => {
                let name = group.names.pop_front().expect("a group has its documents");
                self.asks = true;
                self.documents.finished(name, *outcome)?;
            }
        }
        Ok(())
    }
}

impl GroupState {
    /// Waits for what comes next; None at the end.
    fn next(&mut self, interrupt: &dyn Interrupt) -> io::Result<Option<Event>> {
        match self {
            GroupState::Waiting(_) => Ok(None),
            GroupState::Here(reading) => Ok(reading.next()),
            GroupState::InPool(events, found) => loop {
                if let Some(event) = events.pop_front() {
                    return Ok(Some(event));
                }
                match found.recv_timeout(CHECK_INTERVAL) {
                    Ok(more) => events.extend(more),
                    Err(RecvTimeoutError::Timeout) => interrupt.check()?,
                    Err(RecvTimeoutError::Disconnected) => return Ok(None),
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use urlset_core::decode::ContentEncoding;
    use urlset_core::limits::Budget;
    use urlset_core::table::{BATCH_ROWS, schema};

    use super::*;
    use crate::input::Input;
    use crate::interrupt::Never;
    use crate::reading::Origin;

    /// Documents of so many entries each; every fifth one is a file that does not exist.
    struct Drawn {
        sizes: Vec<usize>,
        next: usize,
        done: Vec<(usize, Option<u64>)>,
    }

    fn document(number: usize, size: usize) -> String {
        let entry = |at| format!("<url><loc>https://e.com/{number}/{at}</loc></url>");
        let entries: String = (0..size).map(entry).collect();
        format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</urlset>")
    }

    impl Documents for &mut Drawn {
        type Name = usize;

        fn fill(&mut self, group: &mut Waiting<usize>) -> io::Result<bool> {
            while !group.is_full() {
                let Some(size) = self.sizes.get(self.next) else { return Ok(false) };
                let origin = match self.next % 5 {
                    4 => Origin::Path("/does/not/exist.xml".into()),
                    _ => Origin::Input(Input::memory(document(self.next, *size))),
                };
                let encoding = ContentEncoding::default();
                group.push(self.next, Document { origin, location: None, encoding, skips_rows: false });
                self.next += 1;
            }
            Ok(true)
        }

        fn finished(&mut self, name: usize, outcome: Outcome) -> io::Result<()> {
            self.done.push((name, Some(outcome.entries)));
            Ok(())
        }

        fn not_opened(&mut self, name: usize, error: io::Error) -> io::Result<()> {
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
            self.done.push((name, None));
            Ok(())
        }

        fn broken(&mut self, _name: &usize, error: io::Error) -> io::Result<()> {
            Err(error)
        }
    }

    fn options() -> Options {
        let batch_rows = BATCH_ROWS;
        Options { schema: schema(), batch_rows, follow: false, budget: Budget::DEFAULT, limits: None, filter: None }
    }

    #[test]
    fn threads_read_what_one_reads_in_the_order_of_the_documents() {
        let sizes: Vec<usize> = (0..40).map(|number| number * number * 7 % 3_000).collect();
        let mut expected = None;
        for threads in [1, 2, 4] {
            let mut documents = Drawn { sizes: sizes.clone(), next: 0, done: Vec::new() };
            let mut scan = Scan::new(&mut documents, options(), None, (threads, 0), Arc::new(Never));
            let mut locs = Vec::new();
            while let Some(batches) = scan.next_batches().unwrap() {
                for batch in batches {
                    let column = batch.record.column_by_name("loc").unwrap().as_string::<i32>();
                    locs.extend((0..column.len()).map(|at| column.value(at).to_owned()));
                }
            }
            drop(scan);
            let entries = sizes.iter().enumerate().filter(|(number, _)| number % 5 != 4).map(|(_, size)| size);
            assert_eq!(locs.len(), entries.sum::<usize>());
            assert!(documents.done.iter().map(|(number, _)| *number).eq(0..sizes.len()));
            let found = (locs, documents.done);
            assert!(expected.get_or_insert_with(|| found.clone()) == &found, "{threads} threads");
        }
    }

    #[test]
    fn an_error_of_the_caller_ends_the_scan() {
        struct Refusing;
        impl Documents for Refusing {
            type Name = ();
            fn fill(&mut self, _group: &mut Waiting<()>) -> io::Result<bool> {
                Err(io::ErrorKind::Interrupted.into())
            }
            fn finished(&mut self, _name: (), _outcome: Outcome) -> io::Result<()> {
                Ok(())
            }
            fn not_opened(&mut self, _name: (), error: io::Error) -> io::Result<()> {
                Err(error)
            }
            fn broken(&mut self, _name: &(), error: io::Error) -> io::Result<()> {
                Err(error)
            }
        }
        let mut scan = Scan::new(Refusing, options(), None, (2, 0), Arc::new(Never));
        assert_eq!(scan.next_batches().err().map(|error| error.kind()), Some(io::ErrorKind::Interrupted));
    }
}
