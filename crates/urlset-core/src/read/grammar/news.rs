//! `<news:news>`, of which an entry has one.

use super::content::Content;
use crate::media::{NEWS_PUBLICATION, News};
use crate::read::entries::slots::{NewsSlots, Slot};
use crate::read::lexer::tag::Tag;
use crate::read::namespaces::element::Element;
use crate::read::stop::Stop;

impl Content {
    /// Reads the article that `tag` begins and returns where it ends. Only the entry's first one counts.
    #[inline(never)]
    pub fn news(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        if self.slots.news.is_some() {
            return self.skip_repeated(window, tag);
        }
        let mut news = NewsSlots { at: tag.start, ..NewsSlots::default() };
        let mut has_publication = false;
        let end = self.children(window, tag, |content, window, child| match child.element {
            Element::NewsPublication if has_publication => content.skip_repeated(window, child),
            Element::NewsPublication => {
                has_publication = true;
                content.news_publication(window, child, &mut news.values)
            }
            Element::NewsPart(index) if usize::from(index) >= NEWS_PUBLICATION => {
                content.first_leaf(window, child, &mut news.values[usize::from(index)])
            }
            _ => content.pass_over(window, child),
        })?;
        self.slots.news = Some(news);
        Ok(end)
    }

    /// `<news:publication>`: a name and a language.
    fn news_publication(&mut self, window: &str, tag: &Tag, values: &mut News<Slot>) -> Result<usize, Stop> {
        self.children(window, tag, |content, window, child| match child.element {
            Element::NewsPart(index) if usize::from(index) < NEWS_PUBLICATION => {
                content.first_leaf(window, child, &mut values[usize::from(index)])
            }
            _ => content.pass_over(window, child),
        })
    }
}
