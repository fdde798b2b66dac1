//! Documents put together from rendered rows.

use std::{iter, mem};

use arrow_array::RecordBatchReader;
use arrow_array::types::{UInt8Type, UInt32Type};

use super::columns::{TableRows, numbers, text, texts};
use super::document::Piece;
use super::element;
use super::error::TableError;
use super::layout::{Layout, NamespacesUsed, footer, header, indented};
use crate::read::Kind;

/// A rendered row and what its set adds to it. `links` are the alternates of its hreflang group.
#[derive(Debug, Clone, Copy, Default)]
pub struct AssignedRow<'a> {
    pub loc: &'a str,
    pub lastmod: Option<&'a str>,
    pub after_lastmod: Option<&'a str>,
    pub links: Option<&'a str>,
    pub news: Option<&'a str>,
    pub namespaces: NamespacesUsed,
}

/// The memory of a document is a multiple of so many bytes: the next one is about as long, and then fits where it was.
const BLOCK: usize = 1 << 20;

/// Puts documents together. Whoever assigned the rows has kept to the limits: see [`ShardPacker`](super::pack::ShardPacker).
#[derive(Debug)]
pub struct Assembler {
    layout: Layout,
    /// The document behind room for its header, which is known at the end.
    body: String,
    /// The room for the longest header, and for a document like the one before.
    head: usize,
    room: usize,
    line: String,
    entries: u64,
    namespaces: NamespacesUsed,
}

impl Assembler {
    pub fn new(layout: Layout) -> Assembler {
        Assembler {
            head: header(Kind::Urlset, NamespacesUsed(u8::MAX), layout.stylesheet.as_deref()).len(),
            layout,
            body: String::new(),
            room: 0,
            line: String::new(),
            entries: 0,
            namespaces: NamespacesUsed::default(),
        }
    }

    /// Add an entry. A text that XML does not allow was refused when the row was rendered.
    pub fn push(&mut self, row: AssignedRow<'_>) {
        if self.body.is_empty() {
            self.body.reserve_exact(self.room);
            // A header ends a line, too.
            self.body.extend(iter::repeat_n('\n', self.head));
        }
        let out = if self.layout.is_pretty { &mut self.line } else { &mut self.body };
        let start = out.len();
        out.push_str("<url><loc>");
        if element::text(row.loc, out).is_err() {
            out.truncate(start);
            return;
        }
        out.push_str("</loc>");
        if let Some(lastmod) = row.lastmod {
            out.push_str("<lastmod>");
            out.push_str(lastmod);
            out.push_str("</lastmod>");
        }
        for part in [row.after_lastmod, row.links, row.news].into_iter().flatten() {
            out.push_str(part);
        }
        out.push_str("</url>\n");
        if self.layout.is_pretty {
            indented(&self.line, &mut self.body);
            self.line.clear();
        }
        self.entries += 1;
        self.namespaces = self.namespaces.and(row.namespaces);
    }

    /// End the document, if it has entries, and begin the next one. `shard` is the number of its shard.
    pub fn finish(&mut self, shard: u32) -> Option<ShardDocument> {
        if self.entries == 0 {
            return None;
        }
        self.body.push_str(footer(Kind::Urlset));
        self.room = self.body.len().next_multiple_of(BLOCK);
        let mut xml = Piece::new(mem::take(&mut self.body).into_bytes(), self.head);
        let namespaces = mem::take(&mut self.namespaces);
        xml.prepend(header(Kind::Urlset, namespaces, self.layout.stylesheet.as_deref()).as_bytes());
        Some(ShardDocument { shard, xml, entries: mem::take(&mut self.entries) })
    }
}

/// A document of a set: the number of its shard, its XML, and how many entries it has.
#[derive(Debug)]
pub struct ShardDocument {
    pub shard: u32,
    pub xml: Piece,
    pub entries: u64,
}

/// Puts documents together from a table of assigned rows in the order of their shards: columns shard UINTEGER, loc,
/// lastmod, xml_after_lastmod, links, news VARCHAR and namespace_bits UTINYINT.
#[derive(Debug)]
pub struct AssignedDocuments<R> {
    rows: TableRows<R>,
    assembler: Assembler,
}

impl<R: RecordBatchReader> AssignedDocuments<R> {
    pub fn new(table: R, layout: Layout) -> AssignedDocuments<R> {
        AssignedDocuments { rows: TableRows::new(table), assembler: Assembler::new(layout) }
    }

    /// Return the next document; None at the end.
    pub fn next_document(&mut self) -> Result<Option<ShardDocument>, TableError> {
        let mut current = None;
        while let Some((batch, at)) = self.rows.next_batch()? {
            let shards = numbers::<UInt32Type>(batch, "shard")?;
            let namespaces = numbers::<UInt8Type>(batch, "namespace_bits")?;
            let (locs, lastmods, after_lastmods) =
                (texts(batch, "loc")?, texts(batch, "lastmod")?, texts(batch, "xml_after_lastmod")?);
            let (links, news) = (texts(batch, "links")?, texts(batch, "news")?);
            while *at < batch.num_rows() {
                let (row, shard) = (*at, shards.value(*at));
                if *current.get_or_insert(shard) != shard {
                    return Ok(current.and_then(|shard| self.assembler.finish(shard)));
                }
                self.assembler.push(AssignedRow {
                    loc: locs.value(row),
                    lastmod: text(&lastmods, row),
                    after_lastmod: text(&after_lastmods, row),
                    links: text(&links, row),
                    news: text(&news, row),
                    namespaces: NamespacesUsed(namespaces.value(row)),
                });
                *at += 1;
            }
        }
        Ok(current.and_then(|shard| self.assembler.finish(shard)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::render::Renderer;
    use crate::write::store::plan::{PlannedDocuments, PlannedShard, plan};
    use crate::write::store::{RowStore, SortedRows};
    use crate::write::{Alternate, Encoder, Finished, Image, Lastmod, Pushed, Row};
    /// Documents of rendered rows are the same as those that are written from the rows themselves.
    #[test]
    fn documents_are_those_of_the_encoder() {
        let caption = "c".repeat(3_000);
        let rows: Vec<_> = (0..30_000).map(|number| format!("https://a.example/{number:05}?a=1&b=2")).collect();
        let images = [Image { loc: "https://a.example/i.png", caption: Some(&caption), ..Image::default() }];
        let links = [Alternate { hreflang: Some("de"), href: "https://a.example/de", ..Alternate::default() }];
        let rows = rows.iter().enumerate().map(|(number, loc)| Row {
            loc,
            lastmod: (number % 2 == 0).then_some(Lastmod::Day(number as i32)),
            images: if number > 9_000 { images.to_vec() } else { Vec::new() },
            alternates: if number % 20_000 == 19_999 { links.to_vec() } else { Vec::new() },
            ..Row::default()
        });
        let mut encoder = Encoder::new(Kind::Urlset, None);
        let mut renderer = Renderer::new("https://a.example/", None, false).unwrap();
        let mut store = RowStore::default();
        let mut expected = Vec::new();
        for (index, row) in rows.enumerate() {
            if encoder.push(&row).unwrap() == Pushed::Full {
                expected.extend(encoder.finish());
                encoder.push(&row).unwrap();
            }
            renderer.push(index as u64, &row, &mut store).unwrap();
        }
        expected.extend(encoder.finish());
        let (mut run, layout) = (Vec::new(), Layout::default());
        store.write_run(&mut run).unwrap();
        let sorted = || SortedRows::new([run.as_slice()]);
        let planned = plan(&mut sorted(), store.facts(), 50_000, &layout, i64::MAX).unwrap().unwrap();
        let wanted = |(number, rows)| PlannedShard { number, rows, is_wanted: true };
        let shards = planned.shards.iter().map(|shard| wanted((shard.number, shard.rows))).collect();
        let mut planned = PlannedDocuments::new(sorted(), shards, layout);
        let mut documents = Vec::new();
        while let Some(ShardDocument { xml, entries, .. }) = planned.next_document().unwrap() {
            documents.push(Finished { xml: xml.to_vec(), entries });
        }
        assert!(documents.len() > 1);
        assert!(documents == expected);
    }
}
