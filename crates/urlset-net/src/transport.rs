//! The transport itself: a thread with a runtime of its own, and what other threads ask of it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use std::{io, thread};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, LocalSet, spawn_local};
use tokio::time::{MissedTickBehavior, interval};
use urlset_engine::pipe::Pipe;

use crate::connections::Connections;
use crate::event::{Event, EventKind};
use crate::exchange::{Net, run};
use crate::fault::Fault;
use crate::inbox::Inbox;
use crate::order::Order;
use crate::settings::Settings;
use crate::tls::Tls;

/// Threads that ask the system for addresses: a resolver that is slow holds up one of them, and no transfer.
const RESOLVERS: usize = 16;
/// How long such a thread waits for the next host.
const RESOLVER_IDLE: Duration = Duration::from_secs(2);
/// How often connections are looked through.
const SWEEP: Duration = Duration::from_secs(5);

enum Command {
    Start(Box<Order>),
    Pour(u64, Arc<Pipe>),
    Cancel(u64),
}

/// HTTP for one thread that takes events, and any number that ask for exchanges.
pub struct Transport {
    settings: Arc<Settings>,
    tls: Arc<Tls>,
    running: Mutex<Running>,
}

/// The thread, and the process that it belongs to.
struct Running {
    process: u32,
    engine: Option<Arc<Engine>>,
    is_closed: bool,
}

impl Transport {
    /// Reads the files that the settings name. The error says which of them cannot be used.
    pub fn new(settings: Settings) -> Result<Self, String> {
        let settings = Arc::new(settings);
        let tls = Arc::new(Tls::new(settings.clone())?);
        let running = Mutex::new(Running { process: std::process::id(), engine: None, is_closed: false });
        Ok(Transport { settings, tls, running })
    }

    /// Start an exchange, or report why it cannot be sent.
    pub fn start(&self, number: u64, order: Result<Order, Fault>) -> io::Result<()> {
        let engine = self.engine()?.ok_or_else(|| io::Error::other("the transport is closed"))?;
        match order {
            Ok(order) => engine.tell(Command::Start(Box::new(order))),
            Err(fault) => {
                let failed = Event { kind: EventKind::Failed, fault: Some(fault), ..Event::new(number) };
                engine.inbox.add(failed);
            }
        }
        Ok(())
    }

    /// Where the events are taken; none once the transport is closed.
    pub fn inbox(&self) -> io::Result<Option<Arc<Inbox>>> {
        Ok(self.engine()?.map(|engine| engine.inbox.clone()))
    }

    /// End the wait of the taker: the one that is going on, or else the next.
    pub fn wake(&self) -> io::Result<()> {
        if let Some(engine) = self.engine()? {
            engine.inbox.wake();
        }
        Ok(())
    }

    /// Pass the body of an exchange on to a pipe, whose reader sets the pace.
    pub fn pour(&self, number: u64, pipe: Arc<Pipe>) -> io::Result<()> {
        self.tell(Command::Pour(number, pipe))
    }

    /// Drop an exchange and its connection. It has no more events than those that wait already.
    pub fn cancel(&self, number: u64) -> io::Result<()> {
        self.tell(Command::Cancel(number))
    }

    /// End everything. What is returned waits for the thread, which a caller may want to do without its own locks.
    pub fn close(&self) -> impl FnOnce() + use<> {
        let mut running = self.running();
        running.is_closed = true;
        let mut engine = running.engine.take();
        if running.process != std::process::id() {
            std::mem::forget(engine.take());
        }
        drop(running);
        move || engine.iter().for_each(|engine| engine.close())
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, command: Command) -> io::Result<()> {
        if let Some(engine) = self.engine()? {
            engine.tell(command);
        }
        Ok(())
    }

    /// The thread of this process; none once the transport is closed. A child has none after a fork: what it got from its parent, the sockets among it, is
    /// the parent's, so it is left alone, and the child starts its own.
    fn engine(&self) -> io::Result<Option<Arc<Engine>>> {
        let mut running = self.running();
        if running.process != std::process::id() {
            running.process = std::process::id();
            std::mem::forget(running.engine.take());
        }
        if running.engine.is_none() && !running.is_closed {
            running.engine = Some(Arc::new(Engine::start(self.settings.clone(), self.tls.clone())?));
        }
        Ok(running.engine.clone())
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        self.close()();
    }
}

/// The thread that transfers.
struct Engine {
    inbox: Arc<Inbox>,
    /// None once it is closed: the thread ends when nobody can tell it anything.
    commands: Mutex<Option<UnboundedSender<Command>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Engine {
    fn start(settings: Arc<Settings>, tls: Arc<Tls>) -> io::Result<Self> {
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(RESOLVERS)
            .thread_keep_alive(RESOLVER_IDLE)
            .build()?;
        let (sender, receiver) = unbounded_channel();
        let inbox = Arc::new(Inbox::default());
        let theirs = inbox.clone();
        let thread = thread::Builder::new().name("urlset-net".into()).spawn(move || {
            serve(runtime, settings, tls, theirs, receiver);
        })?;
        Ok(Engine { inbox, commands: Mutex::new(Some(sender)), thread: Mutex::new(Some(thread)) })
    }

    fn tell(&self, command: Command) {
        let commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(commands) = &*commands {
            drop(commands.send(command)); // nobody listens only if the thread has ended
        }
    }

    fn close(&self) {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.inbox.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            drop(thread.join());
        }
    }
}

/// An exchange that has not ended.
struct Ongoing {
    task: AbortHandle,
    pour: Option<oneshot::Sender<Arc<Pipe>>>,
}

type Exchanges = Rc<RefCell<HashMap<u64, Ongoing>>>;

/// The thread's own work, until nobody can tell it anything any more.
fn serve(
    runtime: Runtime,
    settings: Arc<Settings>,
    tls: Arc<Tls>,
    inbox: Arc<Inbox>,
    mut commands: UnboundedReceiver<Command>,
) {
    let local = LocalSet::new();
    local.block_on(&runtime, async move {
        let connections = Rc::new(Connections::new(settings.clone(), tls));
        let net = Rc::new(Net { settings, connections, inbox });
        let exchanges = Exchanges::default();
        let mut sweep = interval(SWEEP);
        sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                command = commands.recv() => match command {
                    Some(command) => obey(command, &net, &exchanges),
                    None => break,
                },
                _ = sweep.tick() => net.connections.sweep(),
            }
        }
    });
    drop(local); // and with it every exchange and every connection
    runtime.shutdown_background(); // a resolver may still be waiting for an answer, which nobody needs
}

fn obey(command: Command, net: &Rc<Net>, exchanges: &Exchanges) {
    match command {
        Command::Start(order) => begin(*order, net, exchanges),
        Command::Pour(number, pipe) => {
            let pour = exchanges.borrow_mut().get_mut(&number).and_then(|ongoing| ongoing.pour.take());
            // It has ended in the meantime, and has said so, if there is nobody to pour it.
            if let Some(pour) = pour {
                drop(pour.send(pipe));
            }
        }
        Command::Cancel(number) => {
            let ongoing = exchanges.borrow_mut().remove(&number);
            if let Some(ongoing) = ongoing {
                ongoing.task.abort();
            }
        }
    }
}

fn begin(order: Order, net: &Rc<Net>, exchanges: &Exchanges) {
    let (pour, poured) = oneshot::channel();
    let (number, ended) =
        (order.number, Ended { number: order.number, net: net.clone(), exchanges: exchanges.clone() });
    let exchange = run(order, net.clone(), poured);
    let task = spawn_local(async move {
        let _ended = ended;
        exchange.await;
    });
    exchanges.borrow_mut().insert(number, Ongoing { task: task.abort_handle(), pour: Some(pour) });
}

/// Forgets an exchange when it ends, however that is.
struct Ended {
    number: u64,
    net: Rc<Net>,
    exchanges: Exchanges,
}

impl Drop for Ended {
    fn drop(&mut self) {
        let number = self.number;
        self.exchanges.borrow_mut().remove(&number);
        if thread::panicking() {
            // A bug in this crate. Whoever waits for the exchange must still learn that it has ended.
            let fault = Some(Fault::protocol("it cannot be understood"));
            self.net.inbox.add(Event { kind: EventKind::Failed, fault, ..Event::new(number) });
        }
    }
}
