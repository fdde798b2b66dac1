//! A layer of compression on a thread of its own, while this thread reads what has come of it so far.
//!
//! Nothing depends on which thread is faster: what is read, and each error, is what one thread would come to. The other
//! thread only undoes the compression. What comes of it is read here, in order, and an error there is met here once all
//! that came before it was read. What this thread cannot read ends the layer, however far the other one has come.

use std::mem;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::compression::{Buffer, Halt, Layer};
use super::error::DecodeError;
use super::output::Output;
use super::piece::PIECE;
use super::stage::Stage;
use crate::read::sink::Sink;

/// Buffers of [`PIECE`] bytes that go from one thread to the other, beside the one that the layer has.
const BUFFERS: usize = 3;

/// What one thread tells the other, in order.
enum Message {
    /// The next piece of so many compressed bytes begins.
    Begin(usize),
    Content(Buffer),
}

/// Undoes the compression of the bytes on another thread, and feeds what comes of them to the next stage. Returns how many
/// bytes were taken: none where no thread can be started, and not all after an error, or a fault of the reader.
pub fn feed<S: Sink>(
    layer: &mut Layer,
    next: &mut Stage,
    bytes: &[u8],
    out: &mut Output<'_, S>,
) -> (usize, Result<(), DecodeError>) {
    let (mut taken, mut result) = (0, Ok(()));
    let (sender, messages) = channel();
    let (give_back, free) = channel();
    // Made on this thread, they are in memory that it has used before. Both ends are held here, so this cannot fail.
    (0..BUFFERS).for_each(|_| drop(give_back.send(Buffer::default())));
    let lent = &mut *layer;
    let undone = thread::scope(|scope| {
        let helper = thread::Builder::new().name("urlset-unpack".into());
        let Ok(helper) = helper.spawn_scoped(scope, move || undo(lent, bytes, &sender, &free)) else {
            return Ok(());
        };
        for message in &messages {
            match message {
                Message::Begin(_) if out.reader.fault().is_some() => break,
                Message::Begin(length) => taken += length,
                Message::Content(content) => {
                    result = next.feed(content.content(), out);
                    if result.is_err() {
                        break;
                    }
                    // Nobody waits for it after the last piece.
                    let _ = give_back.send(content);
                }
            }
        }
        // Whoever waits for a buffer gets none any more.
        drop((messages, give_back));
        helper.join().unwrap_or_else(|panic| resume_unwind(panic))
    });
    if result.is_err() {
        layer.give_up();
    } else if out.reader.fault().is_none() {
        result = undone.map_err(Halt::of_certain);
    }
    (taken, result)
}

/// Undoes the compression of the bytes piece by piece, until nobody reads what comes of them.
fn undo(layer: &mut Layer, bytes: &[u8], sender: &Sender<Message>, free: &Receiver<Buffer>) -> Result<(), Halt> {
    for mut piece in bytes.chunks(PIECE) {
        if sender.send(Message::Begin(piece.len())).is_err() {
            return Ok(());
        }
        layer.feed(&mut piece, &mut |buffer| {
            // Whoever does not listen any more does not hear of this error either.
            let unheard = || DecodeError::malformed(String::new());
            let content = mem::replace(buffer, free.recv().map_err(|_| unheard())?);
            sender.send(Message::Content(content)).map_err(|_| unheard())
        })?;
    }
    Ok(())
}
