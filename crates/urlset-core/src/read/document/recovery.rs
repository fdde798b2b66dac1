//! Children of the root that are not as the strict parser wants them: they are recovered, and read once more.

use super::{Document, DocumentState};
use crate::diagnostic::{Note, Notebook, grammar};
use crate::read::entries::sink::Sink;
use crate::read::fault::Problem;
use crate::read::kind::Kind;
use crate::read::recover::{Around, Outer, Recovered, Recoverer};
use crate::read::stop::Stop;
use crate::xml::is_xml_blank;

impl Document {
    /// Recovers the child of the root that begins at `at`, which stopped with a problem or is not built as it should be,
    /// and reads what came of it.
    pub(super) fn recover(
        &mut self,
        window: &str,
        at: usize,
        problem: Option<Box<Problem>>,
        sink: &mut impl Sink,
        notebook: &mut Notebook,
    ) -> Result<usize, Stop> {
        let is_feed = self.kind.is_some_and(Kind::is_feed);
        let around = Around { root: &self.root, in_channel: self.channel.is_some(), is_feed };
        let scopes = &mut self.content.tags.scopes;
        let memory = std::mem::take(&mut self.recovered_memory);
        let recoverer = Recoverer::new(window, scopes, around, self.content.budget).in_memory_of(memory);
        let unclosed = self.closes_open.then_some(&mut self.unclosed);
        let mut recovered = recoverer.child(at, unclosed)?;
        self.closes_open &= self.has_ended;
        let end = recovered.end;
        match recovered.outer {
            Some(Outer::Channel) => self.channel = None,
            Some(Outer::Nested) => self.nested_roots += 1,
            Some(Outer::Root) if self.nested_roots > 0 => self.nested_roots -= 1,
            Some(Outer::Root) => {
                self.channel = None;
                self.state = DocumentState::Epilog;
            }
            None => {}
        }
        if let Some(Problem { at, rule, message, .. }) = problem.map(|problem| *problem)
            && !recovered.notes.iter().any(|note| note.is_repair)
        {
            // It may lie behind what is recovered now, and is then found again.
            recovered.notes.push(Note::repair(rule, at.min(end), message));
        }
        self.recovered_line = self.entry_line.of(&self.content.index, at);
        self.content.begin_recovered(&recovered.out.text);
        let result = self.read_recovered(window, at, &mut recovered, sink);
        self.content.end_recovered();
        let notes = &mut self.content.tags.notes;
        for note in notes.iter_mut() {
            note.bring_back(&recovered.out.text, window, |at| recovered.out.origin(at));
        }
        notes.append(&mut recovered.notes);
        self.recovered_memory = recovered.out;
        result?;
        notebook.record(&mut self.content.tags.notes, window, at, end);
        Ok(end)
    }

    /// Reads the entries of a recovered piece, which begins at `at` of the window. Its notes are in offsets of that.
    fn read_recovered(
        &mut self,
        window: &str,
        at: usize,
        recovered: &mut Recovered,
        sink: &mut impl Sink,
    ) -> Result<(), Stop> {
        let Recovered { out, notes, .. } = recovered;
        let (mut next, mut counted) = (0, at);
        while out.text[next..].bytes().any(|byte| !is_xml_blank(byte)) {
            let less = next + out.text[next..].find('<').unwrap_or(0);
            let origin = out.origin(less);
            let passed = &window.as_bytes()[counted..origin.max(counted)];
            self.recovered_line += memchr::memchr_iter(b'\n', passed).count() as u32;
            counted += passed.len();
            let child = self.child(&out.text, next, sink);
            self.hand_unread(&out.text, sink);
            match child {
                Ok(end) => next = end,
                Err(Stop::Problem(problem)) if problem.is_fatal() => {
                    return Err(Stop::problem(problem.kind, out.origin(problem.at), problem.rule, problem.message));
                }
                // Recovery makes well-formed pieces. Should it fail to, the piece is lost, and is reported as lost.
                Err(_) => {
                    self.content.passed_over.clear();
                    notes.push(Note::repair(&grammar::XML001, at, "a piece that could not be recovered: it is lost"));
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
