//! Prepared rows put together to documents, and where one document ends and the next begins.

use super::Finished;
use super::escape;
use super::layout::{Uses, footer, header, indented};
use crate::limits::BYTES_PER_DOCUMENT;
use crate::read::Kind;

/// How the documents of a set look.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    /// One element a line, instead of one entry.
    pub is_pretty: bool,
    /// The href of a stylesheet.
    pub stylesheet: Option<String>,
}

/// A prepared row that knows where it stands. `links` are the alternates that its group gives it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Placed<'a> {
    pub loc: &'a str,
    pub lastmod: Option<&'a str>,
    pub tail: Option<&'a str>,
    pub links: Option<&'a str>,
    pub news: Option<&'a str>,
    pub uses: Uses,
}

/// Puts documents together. Whoever places the rows has kept to the limits: see [`Cutter`].
#[derive(Debug)]
pub struct Assembler {
    layout: Layout,
    body: String,
    line: String,
    entries: u64,
    uses: Uses,
}

impl Assembler {
    pub fn new(layout: Layout) -> Assembler {
        Assembler { layout, body: String::new(), line: String::new(), entries: 0, uses: Uses::default() }
    }

    /// Adds an entry. A text that no XML can hold was refused when the row was prepared.
    pub fn push(&mut self, row: Placed<'_>) {
        let out = if self.layout.is_pretty { &mut self.line } else { &mut self.body };
        let start = out.len();
        out.push_str("<url><loc>");
        if escape::text(row.loc, out).is_err() {
            out.truncate(start);
            return;
        }
        out.push_str("</loc>");
        if let Some(lastmod) = row.lastmod {
            out.push_str("<lastmod>");
            out.push_str(lastmod);
            out.push_str("</lastmod>");
        }
        for part in [row.tail, row.links, row.news].into_iter().flatten() {
            out.push_str(part);
        }
        out.push_str("</url>\n");
        if self.layout.is_pretty {
            indented(&self.line, &mut self.body);
            self.line.clear();
        }
        self.entries += 1;
        self.uses = self.uses.and(row.uses);
    }

    /// Ends the document, if it has entries, and begins the next one.
    pub fn finish(&mut self) -> Option<Finished> {
        if self.entries == 0 {
            return None;
        }
        let header = header(Kind::Urlset, self.uses, self.layout.stylesheet.as_deref());
        let mut xml = Vec::with_capacity(header.len() + self.body.len() + footer(Kind::Urlset).len());
        for part in [&header, self.body.as_str(), footer(Kind::Urlset)] {
            xml.extend_from_slice(part.as_bytes());
        }
        let entries = std::mem::take(&mut self.entries);
        self.body.clear();
        self.uses = Uses::default();
        Some(Finished { xml, entries })
    }
}

/// Tells where the next document begins: one after the other is filled within both limits, exactly.
#[derive(Debug, Clone)]
pub struct Cutter {
    most_entries: u64,
    /// Bytes around the entries, by what these use.
    around: [u64; 16],
    entries: u64,
    bytes: u64,
    uses: Uses,
}

impl Cutter {
    pub fn new(most_entries: u64, layout: &Layout) -> Cutter {
        let around = std::array::from_fn(|uses| {
            let header = header(Kind::Urlset, Uses(uses as u8), layout.stylesheet.as_deref());
            (header.len() + footer(Kind::Urlset).len()) as u64
        });
        Cutter { most_entries, around, entries: 0, bytes: 0, uses: Uses::default() }
    }

    /// Begins a document that has so many entries already, of so many bytes in all.
    pub fn begin(&mut self, entries: u64, bytes: u64, uses: Uses) {
        (self.entries, self.bytes, self.uses) = (entries, bytes, uses);
    }

    /// Puts an entry into the document; where it does not fit, it begins the next one, and that is true.
    pub fn push(&mut self, size: u64, uses: Uses) -> bool {
        let bytes = self.bytes + size + self.around[usize::from(self.uses.and(uses).0 & 15)];
        let is_next = self.entries > 0 && (self.entries >= self.most_entries || bytes > BYTES_PER_DOCUMENT);
        if is_next {
            self.begin(0, 0, Uses::default());
        }
        self.entries += 1;
        self.bytes += size;
        self.uses = self.uses.and(uses);
        is_next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::prepare::Preparer;
    use crate::write::{Alternate, Encoder, Image, Lastmod, Pushed, Row};
    use arrow_array::cast::AsArray;
    use arrow_array::types::{UInt8Type, UInt32Type};
    use arrow_array::{Array, StringArray};

    /// What is put together from prepared rows is what is written from the rows themselves, cut at the same places.
    #[test]
    fn documents_are_those_of_the_encoder() {
        let caption = "c".repeat(3_000);
        let rows: Vec<_> = (0..30_000).map(|number| format!("https://a.example/{number}?a=1&b='2'")).collect();
        let images = [Image { loc: "https://a.example/i.png", caption: Some(&caption), ..Image::default() }];
        let links = [Alternate { hreflang: Some("de"), href: "https://a.example/de", ..Alternate::default() }];
        let rows = rows.iter().enumerate().map(|(number, loc)| Row {
            loc,
            lastmod: (number % 2 == 0).then_some(Lastmod::Day(number as i32)),
            images: if number > 9_000 { images.to_vec() } else { Vec::new() },
            alternates: if number % 20_000 == 19_999 { links.to_vec() } else { Vec::new() },
            ..Row::default()
        });
        let layout = Layout::default();
        let mut encoder = Encoder::new(Kind::Urlset, None);
        let mut preparer = Preparer::new("https://a.example/", None, &[], false).unwrap();
        let (mut expected, mut documents) = (Vec::new(), Vec::new());
        for (index, row) in rows.enumerate() {
            if encoder.push(&row).unwrap() == Pushed::Full {
                expected.extend(encoder.finish());
                encoder.push(&row).unwrap();
            }
            preparer.push(index as u64, &row).unwrap();
        }
        expected.extend(encoder.finish());
        let batch = preparer.take().unwrap();
        let texts = |name: &str| batch.column_by_name(name).unwrap().as_string::<i32>().clone();
        let (locs, lastmods, tails) = (texts("loc"), texts("lastmod"), texts("tail"));
        let sizes = batch.column_by_name("size").unwrap().as_primitive::<UInt32Type>();
        let uses = batch.column_by_name("uses").unwrap().as_primitive::<UInt8Type>();
        let (mut assembler, mut cutter) = (Assembler::new(layout.clone()), Cutter::new(50_000, &layout));
        for at in 0..batch.num_rows() {
            let lastmod = text(&lastmods, at);
            let size = u64::from(sizes.value(at)) + lastmod.map_or(0, |text| text.len() as u64 + 19);
            if cutter.push(size, Uses(uses.value(at))) {
                documents.extend(assembler.finish());
            }
            let tail = text(&tails, at);
            let uses = Uses(uses.value(at));
            assembler.push(Placed { loc: locs.value(at), lastmod, tail, uses, ..Placed::default() });
        }
        documents.extend(assembler.finish());
        assert!(documents.len() > 1);
        assert!(documents == expected);
    }

    fn text(texts: &StringArray, at: usize) -> Option<&str> {
        texts.is_valid(at).then(|| texts.value(at))
    }
}
