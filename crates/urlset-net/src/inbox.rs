//! Where events wait for the thread that takes them.

use std::collections::VecDeque;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use urlset_engine::interrupt::{CHECK_INTERVAL, Interrupt};

use crate::event::Event;

#[derive(Debug, Default)]
struct InboxState {
    events: VecDeque<Event>,
    /// Somebody wants the taker back. It stays until a taker has seen it, so that it cannot be lost.
    is_woken: bool,
    is_closed: bool,
}

impl InboxState {
    fn has_news(&self) -> bool {
        !self.events.is_empty() || self.is_woken || self.is_closed
    }
}

/// Events that one thread adds and another one takes.
#[derive(Debug, Default)]
pub struct Inbox {
    state: Mutex<InboxState>,
    changed: Condvar,
}

impl Inbox {
    fn state(&self) -> MutexGuard<'_, InboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn add(&self, event: Event) {
        self.state().events.push_back(event);
        self.changed.notify_one();
    }

    /// End the wait of the taker: the one that is going on, or else the next.
    pub fn wake(&self) {
        self.state().is_woken = true;
        self.changed.notify_all();
    }

    /// Nothing comes any more, and nobody waits any longer.
    pub fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    /// Wait until there are events, somebody wakes the taker, or the time is over.
    pub fn take(&self, wait: Duration, interrupt: &dyn Interrupt) -> io::Result<Vec<Event>> {
        let end = Instant::now().checked_add(wait);
        let mut state = self.state();
        while !state.has_news() {
            let left = end.map_or(CHECK_INTERVAL, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(state, left.min(CHECK_INTERVAL));
            let (held, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state = held;
            if timeout.timed_out() && !state.has_news() {
                drop(state);
                interrupt.check()?;
                state = self.state();
            }
        }
        // Both at once, under the lock: whoever wakes later is seen by the next call.
        state.is_woken = false;
        Ok(std::mem::take(&mut state.events).into())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use urlset_engine::interrupt::Never;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn events_come_once_and_in_order() {
        let inbox = Inbox::default();
        inbox.add(Event::new(1));
        inbox.add(Event::new(2));
        let numbers: Vec<_> = inbox.take(LONG, &Never).unwrap().iter().map(|event| event.number).collect();
        assert_eq!(numbers, [1, 2]);
        assert!(inbox.take(Duration::ZERO, &Never).unwrap().is_empty());
    }

    #[test]
    fn no_wake_up_is_lost() {
        // Each side waits for the other: one wake-up that is lost, and the test takes minutes.
        let (inbox, asked) = (Inbox::default(), AtomicUsize::new(0));
        let begin = Instant::now();
        thread::scope(|scope| {
            scope.spawn(|| {
                for round in 1..=20_000 {
                    asked.store(round, Ordering::Release);
                    inbox.wake();
                    while asked.load(Ordering::Acquire) != 0 {
                        std::hint::spin_loop();
                        thread::yield_now();
                    }
                }
            });
            let mut seen = 0;
            while seen < 20_000 {
                inbox.take(LONG, &Never).unwrap();
                if asked.swap(0, Ordering::AcqRel) != 0 {
                    seen += 1;
                }
            }
        });
        assert!(begin.elapsed() < LONG);
    }

    #[test]
    fn a_closed_inbox_and_an_interrupt_end_the_wait() {
        struct Pressed;
        impl Interrupt for Pressed {
            fn check(&self) -> io::Result<()> {
                Err(io::ErrorKind::Interrupted.into())
            }
        }
        let inbox = Inbox::default();
        assert_eq!(inbox.take(LONG, &Pressed).unwrap_err().kind(), io::ErrorKind::Interrupted);
        inbox.close();
        assert!(inbox.take(LONG, &Pressed).unwrap().is_empty());
    }
}
