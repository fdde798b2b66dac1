//! Columns that take many entries at once, one column after the other.

use std::ops::Range;

use urlset_texts::TextBuilder;

use super::columns::{Columns, fill_texts};
use super::numbers::{Values, some_of};
use crate::checks::values::is_usual_loc;
use crate::read::element::Field;
use crate::read::stretch::{MOST, Stretch};
use crate::value::{changefreq, priority, w3c_date};

/// Bytes that are copied at once: nearly all locs, and all common forms of dates, have no more.
const LOC_BLOCK: usize = 128;
const DATE_BLOCK: usize = 32;

impl Columns {
    /// The entries with a value about which there may be something to note, a bit for each.
    #[inline(always)]
    pub fn odd(&mut self, stretch: &Stretch<'_>) -> u64 {
        let mut odd = 0;
        if self.loc.is_some() {
            for (number, entry) in stretch.entries.iter().enumerate() {
                let is_usual = stretch.bytes(entry, Field::Loc).is_some_and(is_usual_loc);
                odd |= u64::from(!is_usual) << number;
            }
        }
        let Values { lastmods, changefreqs, priorities } = &mut self.values;
        if self.lastmod.is_some() {
            odd |= lastmods.keep(stretch, Field::Lastmod, |text| w3c_date::instant(text));
        }
        if self.changefreq.is_some() {
            odd |= changefreqs.keep(stretch, Field::Changefreq, |text| Some(changefreq::parse(text)? as i8));
        }
        if self.priority.is_some() {
            odd |= priorities.keep(stretch, Field::Priority, |text| priority::usual(text));
        }
        odd
    }

    /// Adds the values of entries that are not odd, and returns how many bytes of text the longest column holds now.
    #[inline(always)]
    pub fn take(&mut self, row: usize, stretch: &Stretch<'_>, entries: Range<usize>) -> usize {
        let mut bytes = 0;
        if let Some(builder) = &mut self.loc {
            // Every entry of a stretch has one.
            let locs = stretch.entries[entries.clone()].iter().map(|entry| stretch.part(entry, Field::Loc));
            builder.extend::<LOC_BLOCK>(locs);
            bytes = builder.bytes();
        }
        if let Some(builder) = &mut self.lastmod {
            self.values.lastmods.add(builder, row, entries.clone());
        }
        if let Some(builder) = &mut self.lastmod_raw {
            add_texts(builder, row, stretch, entries.clone());
            bytes = bytes.max(builder.bytes());
        }
        if let Some(builder) = &mut self.changefreq {
            self.values.changefreqs.add(builder, row, entries.clone());
        }
        if let Some(builder) = &mut self.priority {
            self.values.priorities.add(builder, row, entries.clone());
        }
        if let Some(builder) = &mut self.line {
            let mut lines = [0; MOST];
            let entries = &stretch.entries[entries];
            for (line, entry) in lines.iter_mut().zip(entries) {
                *line = stretch.line_of(entry);
            }
            builder.append_slice(&lines[..entries.len()]);
        }
        bytes
    }
}

/// Adds the lastmods of some entries as they are written, the first of which is this row.
#[inline(always)]
fn add_texts(builder: &mut TextBuilder, row: usize, stretch: &Stretch<'_>, entries: Range<usize>) {
    let present = some_of(stretch.present(Field::Lastmod), &entries);
    let entries = &stretch.entries[entries];
    if present.count_ones() as usize == entries.len() {
        fill_texts(builder, row);
        builder.extend::<DATE_BLOCK>(entries.iter().map(|entry| stretch.part(entry, Field::Lastmod)));
        return;
    }
    for (number, entry) in entries.iter().enumerate().filter(|(number, _)| present >> number & 1 == 1) {
        let (whole, range) = stretch.part(entry, Field::Lastmod);
        fill_texts(builder, row + number);
        builder.push_part(whole, range);
    }
}
