//! Columns of lists and structs: of any subset of the fields, in any order.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, StringArray, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};

use super::{cast_to, strings, text};
use crate::media::{ID, PRICE, SEGMENT, SHOW, TAG, VIDEO_TEXTS, Video};

/// A column of structs, each of them texts.
#[derive(Debug)]
pub struct Structs<const N: usize> {
    /// Which of them are there: what lies beneath a null is nothing.
    present: Option<NullBuffer>,
    fields: [Option<StringArray>; N],
}

impl<const N: usize> Structs<N> {
    pub fn new(name: &str, column: &ArrayRef, known: &[&str; N]) -> Result<Self, String> {
        Structs::of(name, structs(name, column)?, known)
    }

    fn of(name: &str, structs: &StructArray, known: &[&str; N]) -> Result<Self, String> {
        let mut fields = [const { None }; N];
        for (field, known) in fields.iter_mut().zip(known) {
            *field = child(structs, known).map(|column| strings(&format!("{name}.{known}"), column)).transpose()?;
        }
        Ok(Structs { present: structs.logical_nulls(), fields })
    }

    fn is_present(&self, at: usize) -> bool {
        self.present.as_ref().is_none_or(|present| present.is_valid(at))
    }

    /// The texts of a struct that is there.
    pub fn get(&self, at: usize) -> Option<[Option<&str>; N]> {
        self.is_present(at).then(|| self.fields.each_ref().map(|texts| text(texts.as_ref()?, at)))
    }
}

fn structs<'c>(name: &str, column: &'c ArrayRef) -> Result<&'c StructArray, String> {
    let wrong = || format!("the column {name:?} has to be of structs, not {}", column.data_type());
    column.as_struct_opt().ok_or_else(wrong)
}

/// A field of structs; one of nulls alone is as good as none.
fn child<'s>(structs: &'s StructArray, name: &str) -> Option<&'s ArrayRef> {
    structs.column_by_name(name).filter(|column| column.data_type() != &DataType::Null)
}

/// Where the items of each row's list are.
#[derive(Debug)]
struct Spans {
    offsets: Vec<usize>,
    present: Option<NullBuffer>,
}

impl Spans {
    /// The spans of a list column of any kind, and all its items.
    fn new(name: &str, column: &ArrayRef) -> Result<(Self, ArrayRef), String> {
        let (offsets, values) = match column.data_type() {
            DataType::List(_) => offsets_and_values::<i32>(column),
            DataType::LargeList(_) => offsets_and_values::<i64>(column),
            DataType::ListView(item) | DataType::LargeListView(item) | DataType::FixedSizeList(item, _) => {
                let item = Field::new("item", item.data_type().clone(), true);
                offsets_and_values::<i32>(&cast_to(name, column, &DataType::List(item.into()))?)
            }
            other => return Err(format!("the column {name:?} has to be a list, not {other}")),
        };
        Ok((Spans { offsets, present: column.logical_nulls() }, values))
    }

    fn of(&self, at: usize) -> Range<usize> {
        let is_present = self.present.as_ref().is_none_or(|present| present.is_valid(at));
        if is_present { self.offsets[at]..self.offsets[at + 1] } else { 0..0 }
    }
}

fn offsets_and_values<O: OffsetSizeTrait>(column: &ArrayRef) -> (Vec<usize>, ArrayRef) {
    let list = column.as_list::<O>();
    (list.offsets().iter().map(|offset| offset.as_usize()).collect(), list.values().clone())
}

/// A list column: of structs, or of plain texts that stand for the structs' first field.
#[derive(Debug)]
pub struct Lists<const N: usize> {
    spans: Spans,
    items: Structs<N>,
}

impl<const N: usize> Lists<N> {
    pub fn new(name: &str, column: &ArrayRef, known: &[&str; N]) -> Result<Self, String> {
        let (spans, values) = Spans::new(name, column)?;
        let items = match (values.as_struct_opt(), values.data_type()) {
            (Some(structs), _) => Structs::of(name, structs, known)?,
            (None, DataType::Null) => Structs { present: values.logical_nulls(), fields: [const { None }; N] },
            _ => {
                let mut fields = [const { None }; N];
                fields[0] = Some(strings(name, &values)?);
                Structs { present: None, fields }
            }
        };
        Ok(Lists { spans, items })
    }

    /// The items of a row; one that is null has nothing in it.
    pub fn items(&self, at: usize) -> impl Iterator<Item = [Option<&str>; N]> {
        self.spans.of(at).map(|at| self.items.get(at).unwrap_or([None; N]))
    }
}

/// The column of videos: lists of structs that hold lists themselves.
#[derive(Debug)]
pub struct Videos {
    spans: Spans,
    texts: Structs<24>,
    segments: Option<Lists<2>>,
    tags: Option<Lists<1>>,
    prices: Option<Lists<4>>,
    show: Option<Structs<6>>,
    ids: Option<Lists<2>>,
}

impl Videos {
    pub fn new(name: &str, column: &ArrayRef) -> Result<Self, String> {
        let (spans, values) = Spans::new(name, column)?;
        if values.data_type() == &DataType::Null {
            let texts = Structs { present: values.logical_nulls(), fields: [const { None }; 24] };
            return Ok(Videos { spans, texts, segments: None, tags: None, prices: None, show: None, ids: None });
        }
        let structs = structs(name, &values)?;
        Ok(Videos {
            spans,
            texts: Structs::of(name, structs, &VIDEO_TEXTS)?,
            segments: lists(name, structs, "content_segments", &SEGMENT)?,
            tags: lists(name, structs, "tags", &TAG)?,
            prices: lists(name, structs, "prices", &PRICE)?,
            show: child(structs, "tvshow")
                .map(|column| Structs::new(&format!("{name}.tvshow"), column, &SHOW))
                .transpose()?,
            ids: lists(name, structs, "ids", &ID)?,
        })
    }

    pub fn row(&self, at: usize) -> Vec<Video<Option<&str>>> {
        self.spans.of(at).map(|at| self.video(at)).collect()
    }

    fn video(&self, at: usize) -> Video<Option<&str>> {
        let Some(texts) = self.texts.get(at) else { return Video::default() };
        Video {
            texts,
            segments: items(&self.segments, at),
            tags: items(&self.tags, at),
            prices: items(&self.prices, at),
            show: self.show.as_ref().and_then(|structs| structs.get(at)),
            ids: items(&self.ids, at),
        }
    }
}

/// The field of a video that is a list.
fn lists<const N: usize>(
    of: &str,
    structs: &StructArray,
    name: &str,
    known: &[&str; N],
) -> Result<Option<Lists<N>>, String> {
    child(structs, name).map(|column| Lists::new(&format!("{of}.{name}"), column, known)).transpose()
}

fn items<const N: usize>(lists: &Option<Lists<N>>, at: usize) -> Vec<[Option<&str>; N]> {
    lists.as_ref().map_or_else(Vec::new, |lists| lists.items(at).collect())
}
