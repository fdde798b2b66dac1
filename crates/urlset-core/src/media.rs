//! The parts of a video and of a news article: one description that reading, the table and writing share.
//!
//! Sources: Google Search Central, video sitemaps and news sitemaps; for the order, and for what was dropped since,
//! Google's schemas sitemap-video 1.1 and sitemap-news 0.9.

/// The field that takes the values of a child of `<video:video>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// [`Video::texts`]: its text at this index, its attributes right after it. The first such child counts.
    Texts(usize),
    Segments,
    Tags,
    Prices,
    Show,
    Ids,
}

/// A child of `<video:video>`.
#[derive(Debug)]
pub struct VideoPart {
    pub name: &'static str,
    pub attributes: &'static [&'static str],
    pub holds: Holds,
}

const fn part(name: &'static str, attributes: &'static [&'static str], holds: Holds) -> VideoPart {
    VideoPart { name, attributes, holds }
}

/// The children of `<video:video>`, in the order of the schema.
pub static VIDEO_PARTS: [VideoPart; 23] = [
    part("thumbnail_loc", &[], Holds::Texts(0)),
    part("title", &[], Holds::Texts(1)),
    part("description", &[], Holds::Texts(2)),
    part("content_loc", &[], Holds::Texts(3)),
    part("player_loc", &["allow_embed", "autoplay"], Holds::Texts(4)),
    part("duration", &[], Holds::Texts(7)),
    part("expiration_date", &[], Holds::Texts(8)),
    part("rating", &[], Holds::Texts(9)),
    part("content_segment_loc", &["duration"], Holds::Segments),
    part("view_count", &[], Holds::Texts(10)),
    part("publication_date", &[], Holds::Texts(11)),
    part("tag", &[], Holds::Tags),
    part("category", &[], Holds::Texts(12)),
    part("family_friendly", &[], Holds::Texts(13)),
    part("restriction", &["relationship"], Holds::Texts(14)),
    part("gallery_loc", &["title"], Holds::Texts(16)),
    part("price", &["currency", "type", "resolution"], Holds::Prices),
    part("requires_subscription", &[], Holds::Texts(18)),
    part("uploader", &["info"], Holds::Texts(19)),
    part("tvshow", &[], Holds::Show),
    part("platform", &["relationship"], Holds::Texts(21)),
    part("live", &[], Holds::Texts(23)),
    part("id", &["type"], Holds::Ids),
];

/// The columns of [`Video::texts`]. An attribute's column is named after its element and the attribute.
pub const VIDEO_TEXTS: [&str; 24] = [
    "thumbnail_loc",
    "title",
    "description",
    "content_loc",
    "player_loc",
    "player_loc_allow_embed",
    "player_loc_autoplay",
    "duration",
    "expiration_date",
    "rating",
    "view_count",
    "publication_date",
    "category",
    "family_friendly",
    "restriction",
    "restriction_relationship",
    "gallery_loc",
    "gallery_loc_title",
    "requires_subscription",
    "uploader",
    "uploader_info",
    "platform",
    "platform_relationship",
    "live",
];
/// Those of them that every video has to have.
pub const VIDEO_REQUIRED: [usize; 3] =
    [index_of(&VIDEO_TEXTS, "thumbnail_loc"), index_of(&VIDEO_TEXTS, "title"), index_of(&VIDEO_TEXTS, "description")];
/// Those of them that are URLs.
pub const VIDEO_URLS: [usize; 5] = [
    index_of(&VIDEO_TEXTS, "thumbnail_loc"),
    index_of(&VIDEO_TEXTS, "content_loc"),
    index_of(&VIDEO_TEXTS, "player_loc"),
    index_of(&VIDEO_TEXTS, "gallery_loc"),
    index_of(&VIDEO_TEXTS, "uploader_info"),
];
/// The columns of an item of each list: its text, then its attributes.
pub const SEGMENT: [&str; 2] = ["loc", "duration"];
pub const TAG: [&str; 1] = ["tag"];
pub const PRICE: [&str; 4] = ["price", "currency", "type", "resolution"];
pub const ID: [&str; 2] = ["id", "type"];
/// The children of `<video:tvshow>` in the order of the schema, and their columns.
pub const SHOW: [&str; 6] =
    ["show_title", "video_type", "episode_title", "season_number", "episode_number", "premier_date"];

/// The columns of a news article, in the order of the schema.
pub const NEWS: [&str; 8] = [
    "publication_name",
    "publication_language",
    "access",
    "genres",
    "publication_date",
    "title",
    "keywords",
    "stock_tickers",
];
/// The elements of these columns. The first [`NEWS_PUBLICATION`] are in `<news:publication>`.
pub const NEWS_ELEMENTS: [&str; 8] =
    ["name", "language", "access", "genres", "publication_date", "title", "keywords", "stock_tickers"];
pub const NEWS_PUBLICATION: usize = 2;

/// The index of a name in a list, found at compile time.
pub const fn index_of(list: &[&str], name: &str) -> usize {
    let mut index = 0;
    loop {
        let (one, other) = (list[index].as_bytes(), name.as_bytes());
        let mut at = 0;
        while at < one.len() && at < other.len() && one[at] == other[at] {
            at += 1;
        }
        if at == one.len() && at == other.len() {
            return index;
        }
        index += 1;
    }
}

/// The values of one video: slots when it is read, texts when it is written.
#[derive(Debug, Clone, Default, PartialEq, Hash)]
pub struct Video<T> {
    pub texts: [T; 24],
    pub segments: Vec<[T; 2]>,
    pub tags: Vec<[T; 1]>,
    pub prices: Vec<[T; 4]>,
    pub show: Option<[T; 6]>,
    pub ids: Vec<[T; 2]>,
}

/// The values of one news article.
pub type News<T> = [T; 8];

impl<T> Video<T> {
    /// Return the same video with each value replaced by another.
    pub fn map<'v, U>(&'v self, mut make: impl FnMut(&'v T) -> U) -> Video<U> {
        Video {
            texts: self.texts.each_ref().map(&mut make),
            segments: self.segments.iter().map(|item| item.each_ref().map(&mut make)).collect(),
            tags: self.tags.iter().map(|item| item.each_ref().map(&mut make)).collect(),
            prices: self.prices.iter().map(|item| item.each_ref().map(&mut make)).collect(),
            show: self.show.as_ref().map(|show| show.each_ref().map(&mut make)),
            ids: self.ids.iter().map(|item| item.each_ref().map(&mut make)).collect(),
        }
    }

    /// Return all of its values.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        let lists = self.segments.as_flattened().iter().chain(self.tags.as_flattened());
        let lists = lists.chain(self.prices.as_flattened()).chain(self.ids.as_flattened());
        self.texts.iter().chain(self.show.iter().flatten()).chain(lists)
    }

    /// Return the length of the longest list, and what its items are called.
    pub fn longest(&self) -> (usize, &'static str) {
        let lists = [
            (self.segments.len(), "content segments"),
            (self.tags.len(), "tags"),
            (self.prices.len(), "prices"),
            (self.ids.len(), "ids"),
        ];
        lists.into_iter().max_by_key(|(items, _)| *items).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_after_elements_and_attributes() {
        let mut names = Vec::new();
        for VideoPart { name, attributes, holds } in &VIDEO_PARTS {
            let items: &[&str] = match holds {
                Holds::Texts(first) => {
                    assert_eq!(*first, names.len(), "{name}");
                    names.push((*name).to_owned());
                    names.extend(attributes.iter().map(|attribute| format!("{name}_{attribute}")));
                    continue;
                }
                Holds::Segments => &SEGMENT,
                Holds::Tags => &TAG,
                Holds::Prices => &PRICE,
                Holds::Ids => &ID,
                Holds::Show => continue,
            };
            assert_eq!(items[1..], **attributes, "{name}");
        }
        assert_eq!(names, VIDEO_TEXTS);
        for (at, (column, element)) in NEWS.iter().zip(NEWS_ELEMENTS).enumerate() {
            let expected = if at < NEWS_PUBLICATION { format!("publication_{element}") } else { element.to_owned() };
            assert_eq!(**column, expected);
        }
    }
}
