//! The text, links and images of a page, and which of them are its content.

use std::ops::Range;

use super::words::words;

/// What may be the main part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Main,
    Role,
    Article,
}

/// The main part is the only one of its kind, the first of these kinds that has only one.
const PARTS: [Part; 3] = [Part::Main, Part::Role, Part::Article];

/// A place in a page: bytes of text, and links and images, before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    text: usize,
    mention: usize,
}

/// An element that is ignored in the content, or may be the main part.
#[derive(Debug)]
struct Region {
    start: Place,
    /// None for one whose end is missing: whoever leaves a menu open has not hidden the page.
    end: Option<Place>,
    is_chrome: bool,
    part: Option<Part>,
}

/// Where a link or an image stands in `written`. What stands behind `alt` is another text for an image.
#[derive(Debug)]
struct Mention {
    start: usize,
    alt: usize,
    end: usize,
    is_image: bool,
    place: u32,
}

/// Lines that are told apart; what comes behind them belongs to the last one.
const MAX_LINES: usize = 50_000;

/// A line of text begins, in elements that a number stands for.
#[derive(Debug)]
struct Mark {
    text: usize,
    place: u32,
}

/// All text that a reader sees, and the regions of it, in the order in which they begin.
#[derive(Debug, Default)]
pub struct Regions {
    text: String,
    written: String,
    mentions: Vec<Mention>,
    regions: Vec<Region>,
    marks: Vec<Mark>,
}

/// What of a page its content is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Extent {
    /// The main part.
    Main,
    /// The page without what every page repeats, because no part is marked as the main one.
    #[default]
    Body,
    /// The whole page, because nothing is left otherwise.
    Whole,
}

/// The content of a page.
#[derive(Debug, Default)]
pub struct Content<'a> {
    pub extent: Extent,
    pub text: String,
    /// Where the lines of the text are.
    pub lines: Vec<Line>,
    pub mentioned: Vec<Mentioned<'a>>,
}

/// A line of text: what one element that is not inline says before another begins or ends.
#[derive(Debug)]
pub struct Line {
    /// The elements that it stands in, by their names, classes and ids.
    pub place: u32,
    pub text: Range<usize>,
}

/// A link or an image.
#[derive(Debug)]
pub struct Mentioned<'a> {
    pub place: u32,
    pub is_image: bool,
    /// Where the link leads, or the source of the image; empty for an image without one.
    pub target: &'a str,
    /// What stands for an image without it.
    pub alt: &'a str,
}

impl Content<'_> {
    pub fn links(&self) -> impl Iterator<Item = &str> {
        self.mentioned.iter().filter(|each| !each.is_image && !each.target.is_empty()).map(|each| each.target)
    }

    pub fn images(&self) -> impl Iterator<Item = &str> {
        self.mentioned.iter().filter(|each| each.is_image && !each.target.is_empty()).map(|each| each.target)
    }

    pub fn alts(&self) -> impl Iterator<Item = &str> {
        self.mentioned.iter().map(|each| each.alt).filter(|alt| !alt.is_empty())
    }
}

impl Regions {
    pub fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A tag ends a word.
    pub fn separate(&mut self) {
        if self.text.as_bytes().last().is_some_and(|byte| !byte.is_ascii_whitespace()) {
            self.text.push(' ');
        }
    }

    /// A line begins at a place.
    pub fn line(&mut self, place: u32) {
        let (text, lines) = (self.text.len(), self.marks.len());
        match self.marks.last_mut() {
            // There is no text since the last one.
            Some(last) if last.text == text => last.place = place,
            _ if lines < MAX_LINES => self.marks.push(Mark { text, place }),
            _ => {}
        }
    }

    pub fn words(&self) -> usize {
        words(&self.text).count()
    }

    pub fn link(&mut self, target: &str) {
        self.mention(target, "", false);
    }

    pub fn image(&mut self, source: &str, alt: &str) {
        self.mention(source, alt, true);
    }

    fn mention(&mut self, target: &str, alt: &str, is_image: bool) {
        let start = self.written.len();
        self.written.push_str(target);
        let end = self.written.len();
        self.written.push_str(alt);
        let place = self.marks.last().map_or(0, |mark| mark.place);
        self.mentions.push(Mention { start, alt: end, end: self.written.len(), is_image, place });
    }

    /// Begin a region, and return its number.
    pub fn begin(&mut self, is_chrome: bool, part: Option<Part>) -> usize {
        self.regions.push(Region { start: self.here(), end: None, is_chrome, part });
        self.regions.len() - 1
    }

    pub fn end(&mut self, region: usize) {
        self.regions[region].end = Some(self.here());
    }

    /// The page has ended, and the main part with it.
    pub fn finish(&mut self) {
        let here = self.here();
        for region in self.regions.iter_mut().filter(|region| !region.is_chrome) {
            region.end.get_or_insert(here);
        }
    }

    fn here(&self) -> Place {
        Place { text: self.text.len(), mention: self.mentions.len() }
    }

    /// The content: the main part without what every page repeats; the whole page if that is empty.
    ///
    /// What is hidden, or boilerplate, around the main part does not hide it: a script may show it.
    pub fn content(&self) -> Content<'_> {
        let sole = PARTS.iter().find_map(|part| {
            let mut all = (0..self.regions.len()).filter(|at| self.regions[*at].part == Some(*part));
            all.next().filter(|_| all.next().is_none())
        });
        let (within, first) = match sole {
            Some(at) => (self.regions[at].start..self.regions[at].end.unwrap_or_else(|| self.here()), at + 1),
            None => (Place::default()..self.here(), 0),
        };
        let extent = if sole.is_some() { Extent::Main } else { Extent::Body };
        let mut found = Content { extent, ..Content::default() };
        let mut from = within.start;
        for region in &self.regions[first..] {
            let (true, Some(end)) = (region.is_chrome, region.end) else { continue };
            if region.start >= within.end {
                break;
            }
            if region.start > from {
                self.push(from..region.start, &mut found);
            }
            from = from.max(end);
        }
        if from < within.end {
            self.push(from..within.end, &mut found);
        }
        if found.text.trim().is_empty() && found.images().next().is_none() {
            found = Content { extent: Extent::Whole, ..Content::default() };
            self.push(Place::default()..self.here(), &mut found);
        }
        found
    }

    fn push<'a>(&'a self, range: Range<Place>, found: &mut Content<'a>) {
        let text = range.start.text..range.end.text;
        self.push_lines(&text, found);
        found.text.push_str(&self.text[text]);
        for mention in &self.mentions[range.start.mention..range.end.mention] {
            found.mentioned.push(Mentioned {
                place: mention.place,
                is_image: mention.is_image,
                target: &self.written[mention.start..mention.alt],
                alt: &self.written[mention.alt..mention.end],
            });
        }
    }

    /// The lines of a text that is about to be appended.
    fn push_lines(&self, text: &Range<usize>, found: &mut Content<'_>) {
        let behind = found.text.len();
        let mut at = self.marks.partition_point(|mark| mark.text <= text.start);
        let mut place = at.checked_sub(1).map_or(0, |before| self.marks[before].place);
        let mut start = text.start;
        while start < text.end {
            let next = self.marks.get(at);
            let end = next.map_or(text.end, |mark| mark.text.min(text.end));
            found.lines.push(Line { place, text: start - text.start + behind..end - text.start + behind });
            (start, place) = (end, next.map_or(0, |mark| mark.place));
            at += 1;
        }
    }
}
