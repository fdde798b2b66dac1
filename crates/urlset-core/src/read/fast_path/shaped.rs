//! Entries that are written as earlier ones were: only their values are read, and the text between them is compared.

use std::ops::Range;

use fearless_simd::{Simd, dispatch};

use super::odd_value::{odd_attribute, odd_text};
use super::plain::StopReason;
use crate::diagnostic::Notebook;
use crate::read::document::Document;
use crate::read::entries::entry::EntryKind;
use crate::read::entries::entry_run::{ENTRY_BYTES, EntryRun};
use crate::read::entries::meaning::{Begins, Meaning, Target};
use crate::read::entries::shapes::Shapes;
use crate::read::entries::sink::Sink;
use crate::read::entries::slots::{AlternateSlots, EntrySlots, ImageSlots};
use crate::read::grammar::content::{Content, is_padded, stripped};
use crate::read::index::structural_index::StructuralIndex;
use crate::read::index::window::is_blank;
use crate::read::kind::Kind;
use crate::read::lexer::attribute_cache::value_end;
use crate::read::stop::Stop;

impl Document {
    /// Takes the children of the root for as long as they are entries of a sitemap that are written as earlier ones.
    #[inline(always)]
    pub fn shaped_children<K: Sink>(
        &mut self,
        window: &str,
        at: &mut usize,
        sink: &mut K,
        notebook: &mut Notebook,
    ) -> Result<(), Stop> {
        if !self.content.has_shapes() {
            return Ok(());
        }
        if self.kind.is_some_and(Kind::is_feed) {
            return self.shaped_items(window, at, sink, notebook);
        }
        // A text that stands in a segment's place could hold it.
        if self.content.index.has_section_end() {
            return Ok(());
        }
        let level = self.content.level;
        loop {
            let mut reason = StopReason::Other;
            if K::TAKES_RUNS {
                let number;
                // Each is compiled by itself for the level: together they are too much for the registers of the processor.
                (number, reason) = dispatch!(level, simd => self.content.plain_entries(simd, window, *at));
                if number > 0 {
                    dispatch!(level, _simd => self.hand_out_run(number, window, at, sink, notebook))?;
                }
            }
            if reason == StopReason::Other {
                let is_over = dispatch!(level, simd => self.shaped_singles(simd, window, at, sink, notebook))?;
                reason = if is_over { StopReason::Parser } else { StopReason::Other };
            }
            if reason == StopReason::Parser {
                return Ok(());
            }
        }
    }

    /// Takes entries one by one, until there is one that is plain, which the next ones may be too. Returns false for that.
    #[inline(always)]
    fn shaped_singles<S: Simd, K: Sink>(
        &mut self,
        simd: S,
        window: &str,
        at: &mut usize,
        sink: &mut K,
        notebook: &mut Notebook,
    ) -> Result<bool, Stop> {
        loop {
            let Some(range) = self.content.shaped_child(simd, window, *at) else { return Ok(true) };
            let is_plain = K::TAKES_RUNS && !self.content.slots.has_items();
            self.hand_out_shaped(range, window, at, sink, notebook)?;
            if is_plain {
                return Ok(false);
            }
        }
    }

    /// Hands the first plain entries of the run to the sink: those in its slow mask one by one. They are lines of a text list or
    /// children of the root.
    #[inline(always)]
    pub fn hand_out_run<K: Sink>(
        &mut self,
        number: usize,
        window: &str,
        at: &mut usize,
        sink: &mut K,
        notebook: &mut Notebook,
    ) -> Result<(), Stop> {
        let budget = &self.content.budget;
        // Its bounds are checked once for all.
        let is_within = budget.entries >= self.entries + number as u64 && budget.text_bytes >= ENTRY_BYTES;
        let is_free = is_within && notebook.is_idle(&self.content.tags.notes);
        let slow = if is_free { sink.slow_mask(&self.run(window, number)) } else { !0 };
        let is_line = self.kind == Some(Kind::Text);
        let mut done = 0;
        while done < number {
            let fast = ((slow >> done).trailing_zeros() as usize).min(number - done);
            if fast > 0 {
                let run = self.run(window, number);
                sink.push_run(&run, done..done + fast);
                done += fast;
                *at = run.entries[done - 1].end as usize + usize::from(is_line);
                self.entries += fast as u64;
            }
            let Content { slots, run, .. } = &mut self.content;
            let Some(entry) = run[..number].get(done) else { continue };
            if is_line {
                *at = self.line(window, *at, sink, notebook)?;
            } else {
                slots.fields = entry.fields;
                let range = entry.range();
                self.hand_out_shaped(range, window, at, sink, notebook)?;
            }
            done += 1;
        }
        Ok(())
    }

    /// So many plain entries.
    #[inline(always)]
    fn run<'a>(&'a self, window: &'a str, number: usize) -> EntryRun<'a> {
        let Content { slots, run, index, .. } = &self.content;
        let document = self.kind.unwrap_or(Kind::Urlset);
        let entries = &run[..number];
        EntryRun { document, texts: ["", window, &slots.scratch], entries, index, line: &self.entry_line }
    }

    /// Hands over the entry in the slots by itself.
    #[inline(always)]
    pub fn hand_out_shaped<K: Sink>(
        &mut self,
        range: Range<usize>,
        window: &str,
        at: &mut usize,
        sink: &mut K,
        notebook: &mut Notebook,
    ) -> Result<(), Stop> {
        self.content.piece_start = *at;
        let next = self.finish_entry(window, range, EntryKind::Url, sink)?;
        self.hand_unread(window, sink);
        self.record(window, *at, next, notebook);
        *at = next;
        Ok(())
    }
}

impl Content {
    /// Whether an entry may be recognised.
    #[inline(always)]
    pub fn has_shapes(&self) -> bool {
        self.plain && !self.is_recovered && self.shapes.has(self.tags.scopes.generation())
    }

    /// Fills the slots from the child of the root at or after `at` and returns its range, if it is an entry, all of it is
    /// there, and it is written as earlier ones.
    #[inline(always)]
    fn shaped_child<S: Simd>(&mut self, simd: S, window: &str, at: usize) -> Option<Range<usize>> {
        let start = self.index.markup(window.as_bytes(), at)?;
        if self.tags.keeps_unread && !is_blank(window.as_bytes(), at..start) {
            return None;
        }
        let Content { shapes, slots, index, .. } = self;
        slots.clear();
        let end = shaped_values(simd, shapes, slots, index, window, start)?;
        let most = self.budget.items_per_entry;
        if !slots.loc().is_present() || slots.images.len() > most || slots.alternates.len() > most {
            return None;
        }
        shapes.succeed(1);
        Some(start..end)
    }
}

/// Fills the slots from an entry and returns where it ends, if that can be told from its shape. Else it may leave slots
/// reason.
#[inline(always)]
fn shaped_values<S: Simd>(
    simd: S,
    shapes: &Shapes,
    slots: &mut EntrySlots,
    index: &StructuralIndex,
    window: &str,
    start: usize,
) -> Option<usize> {
    let bytes = window.as_bytes();
    let (mut segment, mut at) = (shapes.first()?, start);
    loop {
        segment = shapes.next::<S, false>(simd, segment, bytes, at)?;
        let value = at + segment.length;
        let slot = match segment.field(&mut slots.fields) {
            Some(slot) => slot,
            None => {
                slots.begin(&segment.meaning, window, at)?;
                match segment.meaning.target {
                    Target::Field(field) => &mut slots.fields[field as usize],
                    Target::ImageField(element) => slots.images.last_mut()?.field(element),
                    target @ (Target::Hreflang | Target::Href) => {
                        at = slots.keep_attribute(simd, window, target, value)?;
                        continue;
                    }
                    Target::End => return Some(value),
                    // Of an item of a feed.
                    _ => return None,
                }
            }
        };
        let end = index.stop(value)?;
        // Texts that are empty or padded, or hold a reference, need a closer look.
        at = if bytes[end] == b'<' && value < end && bytes[value] > b' ' && bytes[end - 1] > b' ' {
            // Where a second one is, the parser says so.
            slot.fill(value, end)?;
            end
        } else {
            let (text, end) = odd_text(index, window, value..end, &mut slots.scratch)?;
            slot.keep(text)?;
            end
        };
    }
}

impl EntrySlots {
    /// Begins the image or link that begins inside a segment at `at`, with the values that the segment holds.
    #[inline(always)]
    fn begin(&mut self, meaning: &Meaning, window: &str, at: usize) -> Option<()> {
        match meaning.begins {
            Begins::Nothing => {}
            Begins::Image(offset) => self.images.push(ImageSlots { at: at + offset, ..ImageSlots::default() }),
            Begins::Link(offset) => {
                self.alternates.push(AlternateSlots { at: at + offset, ..AlternateSlots::default() });
            }
        }
        if meaning.rel.or(meaning.media).is_some() {
            let link = self.alternates.last_mut()?;
            for (constant, slot) in [(meaning.rel, &mut link.rel), (meaning.media, &mut link.media)] {
                if let Some((start, end)) = constant {
                    *slot = stripped(window, at + start..at + end);
                }
            }
        }
        Some(())
    }

    /// Keeps the value of an attribute of the last link, and returns where it ends.
    #[inline(always)]
    fn keep_attribute<S: Simd>(&mut self, simd: S, window: &str, target: Target, at: usize) -> Option<usize> {
        let bytes = window.as_bytes();
        let end = value_end(simd, bytes, at)?;
        let link = self.alternates.last_mut()?;
        let slot = if target == Target::Href { &mut link.href } else { &mut link.hreflang };
        if bytes[end] == b'"' && !is_padded(bytes, at..end) {
            slot.fill(at, end)?;
            return Some(end);
        }
        let (value, end) = odd_attribute(window, at, &mut self.scratch)?;
        slot.keep(value)?;
        Some(end)
    }
}
