//! The elements that are open at a place of a page. It is what remains of a tree when nothing is built.

use std::ops::Range;

use twox_hash::XxHash3_64;

use super::element::{
    ANCHOR, BUTTON, CELL, DEFINITION, ENDS_P, FORM, FORMATTING, HEADING, IMPLIED_END, LI, LIST, LOOSE, OPTION,
    OPTIONAL_END, OUTLIVED, P, ROW, ROWS, SCOPE, SPECIAL, TABLE, Traits, VOID,
};

/// Elements that stand in each other; what is deeper is taken as if it stood next to each other. Browsers do so, too.
pub const MAX_DEPTH: usize = 512;

/// The traits of elements that a start tag ends. An element has one of them at most.
const COUNTED: Traits = P | LI | DEFINITION | CELL | ROW | ROWS | ANCHOR | BUTTON;

/// An open element, with what its owner has to know when it ends.
#[derive(Debug, Clone, Copy)]
pub struct Element<T> {
    name: u64,
    pub traits: Traits,
    pub of: T,
}

/// The open elements, outermost first. Elements that have ended are kept until the owner asks for them.
#[derive(Debug)]
pub struct Open<T> {
    elements: Vec<Element<T>>,
    ended: Vec<Element<T>>,
    /// How many elements are open with each trait by which a start tag ends others: it looks for one only if there is one.
    counts: [usize; Traits::BITS as usize],
    /// A form has begun, and no end tag of one has come since. Source: HTML Standard, the form element pointer.
    has_form: bool,
    /// Elements beyond the depth.
    beyond: usize,
    /// Elements that were compared with a tag: the work that a page can cost.
    pub steps: usize,
}

impl<T> Default for Open<T> {
    fn default() -> Open<T> {
        Open {
            elements: Vec::new(),
            ended: Vec::new(),
            counts: [0; Traits::BITS as usize],
            has_form: false,
            beyond: 0,
            steps: 0,
        }
    }
}

impl<T: Copy> Open<T> {
    pub fn depth(&self) -> usize {
        self.elements.len()
    }

    /// What the owner knows of the innermost open element.
    pub fn innermost(&self) -> Option<T> {
        self.elements.last().map(|element| element.of)
    }

    /// The elements that have ended since this was called last, innermost first.
    pub fn ended(&mut self) -> impl Iterator<Item = Element<T>> + '_ {
        self.ended.drain(..)
    }

    /// Whether a start tag begins no element: a form inside of a form.
    pub fn ignores(&mut self, traits: Traits) -> bool {
        traits & FORM != 0 && std::mem::replace(&mut self.has_form, true)
    }

    /// The elements that the page ends although their end tags are missing.
    pub fn open_at_the_end(&self) -> impl Iterator<Item = &Element<T>> {
        self.elements.iter().filter(|each| each.traits & OPTIONAL_END != 0)
    }

    /// End what a start tag ends. Source: HTML Standard, the "in body" insertion mode and those of tables.
    pub fn before(&mut self, traits: Traits) {
        match traits {
            _ if traits & LI != 0 => self.close(LI, |other| other & SPECIAL != 0 && other & LOOSE == 0),
            _ if traits & DEFINITION != 0 => self.close(DEFINITION, |other| other & SPECIAL != 0 && other & LOOSE == 0),
            _ if traits & CELL != 0 => self.close(CELL, |other| other & (ROW | TABLE) != 0),
            _ if traits & ROW != 0 => self.close(ROW, |other| other & TABLE != 0),
            _ if traits & ROWS != 0 => self.close(ROWS, |other| other & TABLE != 0),
            _ if traits & ANCHOR != 0 => self.close(ANCHOR, |other| other & SCOPE != 0),
            _ if traits & BUTTON != 0 => self.close(BUTTON, |other| other & SCOPE != 0),
            _ if traits & OPTION != 0 => self.close_top(OPTION),
            _ => {}
        }
        if traits & ENDS_P != 0 {
            self.close(P, |other| other & (SCOPE | BUTTON) != 0);
        }
        if traits & HEADING != 0 {
            self.close_top(HEADING);
        }
    }

    /// Begin an element. What is void has ended at once, and is never open.
    pub fn begin(&mut self, name: &[u8], traits: Traits, of: T) {
        let element = Element { name: hash(name), traits, of };
        if traits & VOID != 0 {
            self.ended.push(element);
        } else if self.elements.len() < MAX_DEPTH {
            if traits & COUNTED != 0 {
                self.counts[(traits & COUNTED).trailing_zeros() as usize] += 1;
            }
            self.elements.push(element);
        } else {
            self.beyond += 1;
            self.ended.push(element);
        }
    }

    /// End what an end tag ends.
    pub fn end(&mut self, name: &[u8], traits: Traits) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        if traits & FORM != 0 {
            return self.end_form();
        }
        let name = hash(name);
        let of_table = CELL | ROW | ROWS | TABLE;
        let found = if traits & HEADING != 0 {
            self.find(|each| each.traits & HEADING != 0, |other| other & SCOPE != 0)
        } else if traits & of_table != 0 {
            self.find(|each| each.name == name, |other| other & TABLE != 0)
        } else if traits & LI != 0 {
            self.find(|each| each.name == name, |other| other & (SCOPE | LIST) != 0)
        } else if traits & P != 0 {
            self.find(|each| each.name == name, |other| other & (SCOPE | BUTTON) != 0)
        } else if traits & (SPECIAL | FORMATTING) != 0 {
            self.find(|each| each.name == name, |other| other & SCOPE != 0)
        } else {
            self.find(|each| each.name == name, |other| other & SPECIAL != 0)
        };
        if let Some(at) = found {
            self.remove(at);
        }
    }

    /// End a form, and nothing else that is open in it but what needs no end tag. Source: HTML Standard, the "in body" insertion mode, the end tag of a form.
    fn end_form(&mut self) {
        if !std::mem::take(&mut self.has_form) {
            return;
        }
        let Some(at) = self.find(|each| each.traits & FORM != 0, |other| other & SCOPE != 0) else { return };
        while self.elements.last().is_some_and(|top| top.traits & IMPLIED_END != 0) {
            self.drain(self.elements.len() - 1..self.elements.len());
        }
        self.elements[at].traits = OUTLIVED;
        self.end_outlived();
    }

    fn end_outlived(&mut self) {
        while let Some(top) = self.elements.pop_if(|top| top.traits == OUTLIVED) {
            self.ended.push(top);
        }
    }

    /// End the nearest element with a trait, unless something stands between that it cannot be ended across.
    fn close(&mut self, wanted: Traits, is_boundary: impl Fn(Traits) -> bool) {
        if self.counts[wanted.trailing_zeros() as usize] == 0 {
            return;
        }
        if let Some(at) = self.find(|each| each.traits & wanted != 0, is_boundary) {
            self.remove(at);
        }
    }

    fn close_top(&mut self, wanted: Traits) {
        if self.elements.last().is_some_and(|top| top.traits & wanted != 0) {
            self.remove(self.elements.len() - 1);
        }
    }

    fn find(&mut self, is_wanted: impl Fn(&Element<T>) -> bool, is_boundary: impl Fn(Traits) -> bool) -> Option<usize> {
        for (at, each) in self.elements.iter().enumerate().rev() {
            self.steps += 1;
            if is_wanted(each) {
                return Some(at);
            }
            if is_boundary(each.traits) {
                return None;
            }
        }
        None
    }

    /// End an element and all in it. A formatting element that others are open in ends alone. Source: HTML Standard, the
    /// adoption agency algorithm.
    fn remove(&mut self, at: usize) {
        let is_alone = self.elements[at].traits & FORMATTING != 0
            && self.elements[at + 1..].iter().any(|each| each.traits & SPECIAL != 0);
        let end = if is_alone { at + 1 } else { self.elements.len() };
        self.steps += self.elements.len() - at;
        self.drain(at..end);
    }

    fn drain(&mut self, range: Range<usize>) {
        for each in self.elements[range.clone()].iter().filter(|each| each.traits & COUNTED != 0) {
            self.counts[(each.traits & COUNTED).trailing_zeros() as usize] -= 1;
        }
        self.ended.extend(self.elements.drain(range).rev());
        self.end_outlived();
    }
}

fn hash(name: &[u8]) -> u64 {
    XxHash3_64::oneshot(name)
}
