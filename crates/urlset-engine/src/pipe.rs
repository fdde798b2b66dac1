//! A document on its way: one thread receives it, and another one reads it.

use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use urlset_core::decode::ContentEncoding;

use crate::interrupt::{Abandoned, CHECK_INTERVAL, Interrupt, Never};

/// Bytes that are received before somebody reads them.
const MAX_AHEAD: usize = 4 << 20;
const CLOSED: Abandoned = Abandoned("nobody receives this document any more");

/// Where a document is in the end, and how it is compressed.
#[derive(Debug, Clone)]
pub struct Head {
    pub location: String,
    /// The Content-Encoding as it came, and what it means.
    pub header: Option<String>,
    pub encoding: ContentEncoding,
}

#[derive(Debug, Default)]
struct PipeState {
    head: Option<Head>,
    /// What nobody has read yet.
    held: Vec<u8>,
    /// All of it, as long as that is not more than may be kept.
    kept: Option<Vec<u8>>,
    is_complete: bool,
    error: Option<io::Error>,
    is_closed: bool,
    /// A receiver that waits for room, and must not block its thread.
    receiver: Option<Waker>,
}

/// A document that a thread receives while another one reads it. At most 4 MiB wait in between.
#[derive(Debug, Default)]
pub struct Pipe {
    state: Mutex<PipeState>,
    changed: Condvar,
    max_kept: usize,
}

impl Pipe {
    /// A pipe that keeps a document of at most so many bytes, besides passing it on.
    pub fn keeping(max_kept: usize) -> Self {
        let kept = (max_kept > 0).then(Vec::new);
        Pipe { state: Mutex::new(PipeState { kept, ..PipeState::default() }), max_kept, ..Pipe::default() }
    }

    /// The whole document, if it was kept. It is there once.
    pub fn take_kept(&self) -> Option<Vec<u8>> {
        self.state().kept.take()
    }

    fn state(&self) -> MutexGuard<'_, PipeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut PipeState)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    /// Waits until the state is as it should be, or the wait is interrupted.
    fn wait(
        &self,
        is_ready: impl Fn(&PipeState) -> bool,
        interrupt: &dyn Interrupt,
    ) -> io::Result<MutexGuard<'_, PipeState>> {
        let mut state = self.state();
        while !is_ready(&state) {
            let (waited, timeout) =
                self.changed.wait_timeout(state, CHECK_INTERVAL).unwrap_or_else(PoisonError::into_inner);
            state = waited;
            if timeout.timed_out() {
                drop(state);
                interrupt.check()?;
                state = self.state();
            }
        }
        Ok(state)
    }

    /// The headers are there.
    pub fn begin(&self, head: Head) {
        self.change(|state| state.head = Some(head));
    }

    /// Add bytes once there is room. Returns false if nobody wants them any more.
    pub fn write(&self, data: &[u8]) -> bool {
        let is_ready = |state: &PipeState| state.held.len() < MAX_AHEAD || state.is_closed;
        let Ok(state) = self.wait(is_ready, &Never) else { return false };
        self.add(state, data)
    }

    /// Add bytes if there is room, or wake the receiver once there is. Ready with false if nobody wants them any more.
    pub fn poll_write(&self, data: &[u8], context: &mut Context<'_>) -> Poll<bool> {
        let mut state = self.state();
        if state.held.len() >= MAX_AHEAD && !state.is_closed {
            state.receiver = Some(context.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(self.add(state, data))
    }

    /// Add bytes, unless nobody wants them any more. Returns whether somebody does.
    fn add(&self, mut state: MutexGuard<'_, PipeState>, data: &[u8]) -> bool {
        let is_wanted = !state.is_closed;
        if is_wanted {
            state.held.extend_from_slice(data);
            match &mut state.kept {
                Some(kept) if kept.len() + data.len() <= self.max_kept => kept.extend_from_slice(data),
                kept => *kept = None,
            }
        }
        drop(state);
        self.changed.notify_all();
        is_wanted
    }

    /// Tell everybody who waits, in whatever way.
    fn notify(&self, mut state: MutexGuard<'_, PipeState>) {
        let receiver = state.receiver.take();
        drop(state);
        self.changed.notify_all();
        receiver.into_iter().for_each(Waker::wake);
    }

    /// End the document; `error` is what ended the document early, or kept it from being opened.
    pub fn end(&self, error: Option<io::Error>) {
        self.change(|state| {
            state.is_complete = true;
            state.error = error;
        });
    }

    /// Receive no more.
    pub fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        self.notify(state);
    }

    /// What is known of the headers so far.
    pub fn known_head(&self) -> Option<Head> {
        self.state().head.clone()
    }

    /// Wait for the headers. The error is what kept the document from being opened.
    pub fn head(&self, interrupt: &dyn Interrupt) -> io::Result<Head> {
        let mut state = self.wait(|state| state.head.is_some() || state.is_complete || state.is_closed, interrupt)?;
        match &state.head {
            Some(head) => Ok(head.clone()),
            None => Err(state.error.take().unwrap_or_else(|| CLOSED.into())),
        }
    }

    /// Wait for the next bytes; none at the end. The error is what ended the document early.
    pub fn next(&self, interrupt: &dyn Interrupt) -> io::Result<Vec<u8>> {
        let is_ready = |state: &PipeState| !state.held.is_empty() || state.is_complete || state.is_closed;
        let mut state = self.wait(is_ready, interrupt)?;
        let bytes = std::mem::take(&mut state.held);
        let is_cut = state.is_closed && !state.is_complete;
        let error = if bytes.is_empty() { state.error.take().or_else(|| is_cut.then(|| CLOSED.into())) } else { None };
        self.notify(state);
        error.map_or(Ok(bytes), Err)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;
    use std::thread;

    use super::*;

    /// Interrupts the first wait.
    struct Pressed;

    impl Interrupt for Pressed {
        fn check(&self) -> io::Result<()> {
            Err(io::ErrorKind::Interrupted.into())
        }
    }

    fn head() -> Head {
        Head { location: "https://e.com/".into(), header: None, encoding: ContentEncoding::default() }
    }

    #[test]
    fn all_bytes_arrive_although_few_wait() {
        let (pipe, piece) = (Pipe::default(), vec![b'x'; MAX_AHEAD / 2 + 1]);
        let read = thread::scope(|scope| {
            scope.spawn(|| {
                pipe.begin(head());
                assert!((0..9).all(|_| pipe.write(&piece)));
                pipe.end(None);
            });
            assert_eq!(pipe.head(&Never).unwrap().location, "https://e.com/");
            let mut read = 0;
            loop {
                let bytes = pipe.next(&Never).unwrap();
                assert!(bytes.len() < MAX_AHEAD + piece.len());
                match bytes.len() {
                    0 => break read,
                    length => read += length,
                }
            }
        });
        assert_eq!(read, 9 * piece.len());
    }

    /// Counts how often it was woken.
    #[derive(Default)]
    struct Bell(AtomicUsize);

    impl Wake for Bell {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_receiver_that_does_not_block_is_woken_when_there_is_room_or_nobody_reads() {
        let (pipe, bell) = (Pipe::default(), Arc::new(Bell::default()));
        let waker = Waker::from(bell.clone());
        let mut context = Context::from_waker(&waker);
        assert_eq!(pipe.poll_write(&vec![b'x'; MAX_AHEAD], &mut context), Poll::Ready(true));
        assert_eq!(pipe.poll_write(b"y", &mut context), Poll::Pending);
        assert_eq!(bell.0.load(Ordering::Relaxed), 0);
        assert_eq!(pipe.next(&Never).unwrap().len(), MAX_AHEAD);
        assert_eq!(bell.0.load(Ordering::Relaxed), 1);
        assert_eq!(pipe.poll_write(&vec![b'y'; MAX_AHEAD], &mut context), Poll::Ready(true));
        assert_eq!(pipe.poll_write(b"z", &mut context), Poll::Pending);
        pipe.close();
        assert_eq!(bell.0.load(Ordering::Relaxed), 2);
        assert_eq!(pipe.poll_write(b"z", &mut context), Poll::Ready(false));
    }

    #[test]
    fn a_document_is_kept_if_it_is_not_too_large() {
        for (max_kept, kept) in [(0, None), (7, None), (8, Some(b"some tea".to_vec()))] {
            let pipe = Pipe::keeping(max_kept);
            assert!(pipe.write(b"some") && pipe.write(b" tea"));
            pipe.end(None);
            assert_eq!(pipe.next(&Never).unwrap(), b"some tea");
            assert_eq!((pipe.take_kept(), pipe.take_kept()), (kept, None));
        }
    }

    #[test]
    fn what_ended_the_document_comes_after_its_bytes() {
        let pipe = Pipe::default();
        pipe.begin(head());
        assert!(pipe.write(b"some"));
        pipe.end(Some(io::ErrorKind::ConnectionReset.into()));
        assert_eq!(pipe.next(&Never).unwrap(), b"some");
        assert_eq!(pipe.next(&Never).unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    }

    #[test]
    fn a_wait_ends_when_it_is_interrupted_or_the_pipe_is_closed() {
        let pipe = Pipe::default();
        assert_eq!(pipe.head(&Pressed).unwrap_err().kind(), io::ErrorKind::Interrupted);
        assert_eq!(pipe.next(&Pressed).unwrap_err().kind(), io::ErrorKind::Interrupted);
        pipe.close();
        assert!(!pipe.write(b"late"));
        let error = pipe.head(&Never).unwrap_err();
        assert_eq!(error.get_ref().and_then(|error| error.downcast_ref()), Some(&CLOSED));
    }
}
