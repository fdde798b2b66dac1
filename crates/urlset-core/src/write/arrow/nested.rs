//! Columns of lists and structs, with any subset of the fields in any order.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, StringArray, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};

use super::cast::{cast_to, strings, text};
use crate::media::{ID, PRICE, SEGMENT, SHOW, TAG, VIDEO_TEXTS, Video};
use crate::write::error::TableError;

/// A column of structs whose fields are texts.
#[derive(Debug)]
pub struct Structs<const N: usize> {
    /// Which of them are present: what lies beneath a null does not count.
    present: Option<NullBuffer>,
    fields: [Option<StringArray>; N],
}

impl<const N: usize> Structs<N> {
    pub fn new(name: &str, column: &ArrayRef, known: &[&str; N]) -> Result<Self, TableError> {
        Structs::of(name, structs(name, column)?, known)
    }

    fn of(name: &str, structs: &StructArray, known: &[&str; N]) -> Result<Self, TableError> {
        let mut fields = [const { None }; N];
        for (field, known) in fields.iter_mut().zip(known) {
            let texts = child(structs, known).map(|column| strings(&format!("{name}.{known}"), column)).transpose()?;
            // A field that is null everywhere is not looked at for each item.
            *field = texts.filter(|texts| texts.null_count() < texts.len());
        }
        Ok(Structs { present: structs.logical_nulls(), fields })
    }

    #[inline(always)]
    fn is_present(&self, at: usize) -> bool {
        self.present.as_ref().is_none_or(|present| present.is_valid(at))
    }

    /// Return the texts of a struct, if it is present.
    #[inline(always)]
    pub fn get(&self, at: usize) -> Option<[Option<&str>; N]> {
        self.is_present(at).then(|| self.fields.each_ref().map(|texts| text(texts.as_ref()?, at)))
    }
}

fn structs<'c>(name: &str, column: &'c ArrayRef) -> Result<&'c StructArray, TableError> {
    let wrong = || TableError::Column(format!("the column {name:?} has to hold structs, not {}", column.data_type()));
    column.as_struct_opt().ok_or_else(wrong)
}

/// Return a field of structs; None if it holds only nulls.
fn child<'s>(structs: &'s StructArray, name: &str) -> Option<&'s ArrayRef> {
    structs.column_by_name(name).filter(|column| column.data_type() != &DataType::Null)
}

/// The spans of each row's items.
#[derive(Debug)]
struct Spans {
    offsets: Vec<usize>,
    present: Option<NullBuffer>,
}

impl Spans {
    /// Return the spans of a list column of any kind, and all its items.
    fn new(name: &str, column: &ArrayRef) -> Result<(Self, ArrayRef), TableError> {
        let (offsets, values) = match column.data_type() {
            DataType::List(_) => offsets_and_values::<i32>(column),
            DataType::LargeList(_) => offsets_and_values::<i64>(column),
            DataType::ListView(item) | DataType::LargeListView(item) | DataType::FixedSizeList(item, _) => {
                let item = Field::new("item", item.data_type().clone(), true);
                offsets_and_values::<i32>(&cast_to(name, column, &DataType::List(item.into()))?)
            }
            other => return Err(TableError::Column(format!("the column {name:?} has to be a list, not {other}"))),
        };
        Ok((Spans { offsets, present: column.logical_nulls() }, values))
    }

    #[inline(always)]
    fn of(&self, at: usize) -> Range<usize> {
        let is_present = self.present.as_ref().is_none_or(|present| present.is_valid(at));
        if is_present { self.offsets[at]..self.offsets[at + 1] } else { 0..0 }
    }
}

fn offsets_and_values<O: OffsetSizeTrait>(column: &ArrayRef) -> (Vec<usize>, ArrayRef) {
    let list = column.as_list::<O>();
    (list.offsets().iter().map(|offset| offset.as_usize()).collect(), list.values().clone())
}

/// A list column of structs, or of plain texts that stand for the first field of a struct.
#[derive(Debug)]
pub struct Lists<const N: usize> {
    spans: Spans,
    items: Structs<N>,
}

impl<const N: usize> Lists<N> {
    pub fn new(name: &str, column: &ArrayRef, known: &[&str; N]) -> Result<Self, TableError> {
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

    /// The same for a column that can also hold one plain text per row, which is the only item.
    pub fn of_texts_or(name: &str, column: &ArrayRef, known: &[&str; N]) -> Result<Self, TableError> {
        let Ok(texts) = strings(name, column) else { return Lists::new(name, column, known) };
        // An empty text is not an item.
        let is_present = (0..texts.len()).map(|at| text(&texts, at).is_some_and(|text| !text.trim().is_empty()));
        let spans = Spans { offsets: (0..=texts.len()).collect(), present: Some(is_present.collect()) };
        let mut fields = [const { None }; N];
        fields[0] = Some(texts);
        Ok(Lists { spans, items: Structs { present: None, fields } })
    }

    /// Return the indexes of the items of a row.
    #[inline(always)]
    pub fn span(&self, at: usize) -> Range<usize> {
        self.spans.of(at)
    }

    /// Return an item by its index. One that is null is empty.
    #[inline(always)]
    pub fn item(&self, index: usize) -> [Option<&str>; N] {
        self.items.get(index).unwrap_or([None; N])
    }
}

/// The column of videos: lists of structs that themselves hold lists.
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
    pub fn new(name: &str, column: &ArrayRef) -> Result<Self, TableError> {
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

/// Return a field of a video that is a list.
fn lists<const N: usize>(
    of: &str,
    structs: &StructArray,
    name: &str,
    known: &[&str; N],
) -> Result<Option<Lists<N>>, TableError> {
    child(structs, name).map(|column| Lists::new(&format!("{of}.{name}"), column, known)).transpose()
}

fn items<const N: usize>(lists: &Option<Lists<N>>, at: usize) -> Vec<[Option<&str>; N]> {
    lists.as_ref().map_or_else(Vec::new, |lists| lists.span(at).map(|index| lists.item(index)).collect())
}
