//! Videos and news from Python objects and dicts.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use urlset_core::media::{ID, NEWS, News, PRICE, SEGMENT, SHOW, VIDEO_TEXTS, Video};

use super::values::{check_item, field, items, listed, present, text, texts};

/// The fields of a video that are not texts.
const NESTED: [&str; 5] = ["content_segments", "tags", "prices", "tvshow", "ids"];
const VALUE: &str = "a dict or urlset's own object";

pub fn videos(value: Option<Bound<'_, PyAny>>, index: u64) -> PyResult<Vec<Video<Option<String>>>> {
    let known = [&VIDEO_TEXTS[..], &NESTED].concat();
    listed(value, "videos", index, |item| {
        check_item(&item, "videos", "a list of dicts or of urlset's own objects", &known, index)?;
        video(&item, index)
    })
}

fn video(item: &Bound<'_, PyAny>, index: u64) -> PyResult<Video<Option<String>>> {
    let is_dict = item.is_instance_of::<PyDict>();
    let value = |name: &str| field(item, is_dict, name);
    Ok(Video {
        texts: texts(item, &VIDEO_TEXTS, index)?,
        segments: items(value("content_segments")?, "content_segments", SEGMENT, Some(0), index)?,
        tags: listed(value("tags")?, "tags", index, |tag| Ok([text(Some(tag), "tags", index)?]))?,
        prices: items(value("prices")?, "prices", PRICE, Some(0), index)?,
        show: one(value("tvshow")?, "tvshow", &SHOW, index)?,
        ids: items(value("ids")?, "ids", ID, Some(0), index)?,
    })
}

pub fn news(value: Option<Bound<'_, PyAny>>, index: u64) -> PyResult<Option<News<Option<String>>>> {
    one(value, "news", &NEWS, index)
}

/// Return the texts of a single dict or object, if there is one.
fn one<const N: usize>(
    value: Option<Bound<'_, PyAny>>,
    name: &str,
    names: &[&str; N],
    index: u64,
) -> PyResult<Option<[Option<String>; N]>> {
    let Some(value) = present(value) else {
        return Ok(None);
    };
    check_item(&value, name, VALUE, names, index)?;
    texts(&value, names, index).map(Some)
}
