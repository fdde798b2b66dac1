//! Threads that read documents for a stream, ahead of whoever takes its rows.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::interrupt::{Abandoned, Interrupt};
use crate::reading::{Document, Event, Options, Reading};

/// What a thread reads next, and where it puts what comes of it.
struct Work {
    documents: Vec<Document>,
    events: SyncSender<Vec<Event>>,
}

/// Threads that read: all that they need is handed to them, and whatever comes of it is handed back.
pub struct Pool {
    works: Sender<Work>,
    is_over: Arc<AtomicBool>,
}

impl Pool {
    /// Starts the threads.
    pub fn new(threads: usize, options: &Arc<Options>) -> io::Result<Self> {
        let (works, waiting) = channel::<Work>();
        let waiting = Arc::new(Mutex::new(waiting));
        let is_over = Arc::new(AtomicBool::new(false));
        for _ in 0..threads {
            let (waiting, options, is_over) = (waiting.clone(), options.clone(), is_over.clone());
            thread::Builder::new().name("urlset-read".into()).spawn(move || work(&waiting, &options, &is_over))?;
        }
        Ok(Pool { works, is_over })
    }

    /// Has documents read, in the order in which they are handed in. What comes of them waits until it is taken: a thread
    /// goes on to the next documents with one batch left at most.
    pub fn read(&self, documents: Vec<Document>) -> Receiver<Vec<Event>> {
        let (events, found) = sync_channel(1);
        // The threads end only with the pool.
        let _ = self.works.send(Work { documents, events });
        found
    }
}

impl Drop for Pool {
    /// Threads end by themselves: those that wait for a server soon, and those that read with the next batch.
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Ends what threads wait for once nobody takes it any more.
struct IsOver(Arc<AtomicBool>);

impl Interrupt for IsOver {
    fn check(&self) -> io::Result<()> {
        if self.0.load(Ordering::Relaxed) { Err(Abandoned("nobody reads any more").into()) } else { Ok(()) }
    }
}

fn work(waiting: &Mutex<Receiver<Work>>, options: &Arc<Options>, is_over: &Arc<AtomicBool>) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Work { documents, events }) = next else { return };
        let interrupt = Arc::new(IsOver(is_over.clone()));
        let reading = Reading::new(options.clone(), documents, interrupt);
        // A report is small, and waits for the next batch: documents without a full one are handed over together.
        let mut held = Vec::new();
        for event in reading {
            let is_batch = matches!(event, Event::Batch(_));
            held.push(event);
            if is_batch && events.send(std::mem::take(&mut held)).is_err() {
                return;
            }
            if is_over.load(Ordering::Relaxed) {
                return;
            }
        }
        let _ = events.send(held);
    }
}
