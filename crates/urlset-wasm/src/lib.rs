//! The checker of urlset for a browser: `urlset-core` behind five functions that JavaScript can call.
//!
//! There is no wasm-bindgen: the page writes a question (JSON) and a document (bytes) into buffers of this module, calls
//! [`check`] or [`repair`], and reads the answer (JSON) and the fixed document from two other buffers. The module imports
//! nothing, so it can reach nothing: no clock, no network, no storage.
//!
//! It has no rules of its own. The question carries what `urlset lint` would go by, the answer has what it would report;
//! the tests compare both on every vector and fixture.

mod answer;
mod question;
mod statistics;

use std::cell::RefCell;

use question::Question;
use urlset_core::document::{self, Judgement};
use urlset_core::read::sink::Silent;

/// The level of a fixed document that is gzipped, as on the command line.
const GZIP_LEVEL: u32 = 5;

/// What went in and what came out of the last call.
#[derive(Default)]
struct Buffers {
    question: Vec<u8>,
    document: Vec<u8>,
    answer: Vec<u8>,
    fixed: Vec<u8>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// Makes room for a question of so many bytes, and says where it is to be written.
#[unsafe(no_mangle)]
pub extern "C" fn question(length: usize) -> *mut u8 {
    BUFFERS.with_borrow_mut(|buffers| room(&mut buffers.question, length))
}

/// Makes room for a document of so many bytes, and says where it is to be written.
#[unsafe(no_mangle)]
pub extern "C" fn document(length: usize) -> *mut u8 {
    BUFFERS.with_borrow_mut(|buffers| room(&mut buffers.document, length))
}

fn room(buffer: &mut Vec<u8>, length: usize) -> *mut u8 {
    buffer.clear();
    // A vector that has grown for a large document would keep its memory.
    buffer.shrink_to(length);
    buffer.resize(length, 0);
    buffer.as_mut_ptr()
}

/// Judges the document, and returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn check() -> usize {
    BUFFERS.with_borrow_mut(|buffers| {
        buffers.answer = checked(&buffers.question, &buffers.document);
        buffers.answer.len()
    })
}

/// Makes the fixes of the document, and returns the length of the answer. The length of the fixed document is in it.
#[unsafe(no_mangle)]
pub extern "C" fn repair() -> usize {
    BUFFERS.with_borrow_mut(|buffers| {
        (buffers.answer, buffers.fixed) = repaired(&buffers.question, &buffers.document);
        buffers.answer.len()
    })
}

/// Where the answer of the last call begins.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    BUFFERS.with_borrow(|buffers| buffers.answer.as_ptr())
}

/// Where the fixed document begins.
#[unsafe(no_mangle)]
pub extern "C" fn fixed() -> *const u8 {
    BUFFERS.with_borrow(|buffers| buffers.fixed.as_ptr())
}

/// What `urlset lint` reports of a document, as JSON: an [`answer::Checked`], or `{"error": …}` about the question.
pub fn checked(question: &[u8], data: &[u8]) -> Vec<u8> {
    let question = match Question::parse(question) {
        Ok(question) => question,
        Err(error) => return answer::json(&answer::Failed { error }),
    };
    let terms = question.terms();
    let mut judgement = Judgement::new(&terms, terms.findings(question.fold), Default::default());
    let mut statistics = Silent(statistics::Statistics::new(question.now, terms.location.as_deref()));
    judgement.feed(data, &mut statistics);
    judgement.finish(&mut statistics);
    answer::json(&answer::Checked::of(&mut judgement, &statistics.0))
}

/// What `urlset lint --fix` makes of a document: an [`answer::Repaired`] as JSON, and the document.
pub fn repaired(question: &[u8], data: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let failed = |error| (answer::json(&answer::Failed { error }), Vec::new());
    let question = match Question::parse(question) {
        Ok(question) => question,
        Err(error) => return failed(error),
    };
    match document::fix(data, &question.terms(), question.is_unsafe, GZIP_LEVEL) {
        Ok(made) => {
            let bytes = made.data.as_ref().map(Vec::len);
            let answer = answer::Repaired { bytes, applied: made.applied, reason: made.reason };
            (answer::json(&answer), made.data.unwrap_or_default())
        }
        Err(refusal) => failed(refusal.to_string()),
    }
}
