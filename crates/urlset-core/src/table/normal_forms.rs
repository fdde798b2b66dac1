//! The URLs of a table that are not in their normal form: whoever compares URLs need look at no others.

use std::sync::{Arc, LazyLock};

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::value::href::Href;
use crate::value::hrefs::Hrefs;
use crate::value::identity;

static FORMS: LazyLock<SchemaRef> = LazyLock::new(|| {
    let text = |name| Field::new(name, DataType::Utf8, false);
    Arc::new(Schema::new(vec![text("written"), text("normal")]))
});

/// The schema of [`normal_forms`].
pub fn forms_schema() -> SchemaRef {
    FORMS.clone()
}

/// The locs of some rows and the hrefs of their links that are not in their normal form, as they are written and in it.
/// Columns that the rows do not have count as empty.
pub fn normal_forms(rows: &RecordBatch) -> RecordBatch {
    let (mut written, mut normal) = (StringBuilder::new(), StringBuilder::new());
    let mut seen = Hrefs::default();
    for urls in [locs(rows), hrefs(rows)].into_iter().flatten() {
        for url in urls.iter().flatten().filter(|url| seen.look_at(url) != Href::Normal) {
            if let Some(form) = identity::normalized(url).filter(|form| form != url) {
                written.append_value(url);
                normal.append_value(form);
            }
        }
    }
    let columns: Vec<ArrayRef> = vec![Arc::new(written.finish()), Arc::new(normal.finish())];
    RecordBatch::try_new(forms_schema(), columns).expect("both columns have a text for each URL")
}

fn locs(rows: &RecordBatch) -> Option<&StringArray> {
    rows.column_by_name("loc")?.as_string_opt()
}

fn hrefs(rows: &RecordBatch) -> Option<&StringArray> {
    let links = rows.column_by_name("alternates")?.as_list_opt::<i32>()?;
    links.values().as_struct_opt()?.column_by_name("href")?.as_string_opt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Findings;
    use crate::limits::Budget;
    use crate::read::Reader;
    use crate::read::namespace::CORE;
    use crate::table::{Table, projection};

    /// The forms of the URLs in a document of two entries, the first with two links.
    fn forms(columns: &[&str]) -> Vec<(String, String)> {
        let text = format!(
            "<urlset xmlns=\"{CORE}\" xmlns:x=\"http://www.w3.org/1999/xhtml\">\
             <url><loc>https://e.com/a</loc><x:link rel=\"alternate\" hreflang=\"de\" href=\"HTTPS://e.com/de\"/>\
             <x:link rel=\"alternate\" hreflang=\"fr\" href=\"https://e.com/fr\"/></url>\
             <url><loc>https://E.com/%7eb</loc></url><url></url></urlset>"
        );
        let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
        let mut table = Table::new(projection(&columns).unwrap(), false);
        let mut reader = Reader::new(Budget::DEFAULT, Findings::default());
        reader.feed(&text, &mut table);
        reader.finish(&mut table);
        let found = normal_forms(&table.take_rest().unwrap().record);
        let texts = |at: usize| found.column(at).as_string::<i32>().iter().flatten().map(str::to_owned);
        texts(0).zip(texts(1)).collect()
    }

    #[test]
    fn urls_that_are_written_in_another_way_have_their_normal_form() {
        let loc = ("https://E.com/%7eb".to_owned(), "https://e.com/~b".to_owned());
        let href = ("HTTPS://e.com/de".to_owned(), "https://e.com/de".to_owned());
        assert_eq!(forms(&["loc", "alternates", "line"]), [loc.clone(), href.clone()]);
        assert_eq!(forms(&["loc"]), [loc]);
        assert_eq!(forms(&["alternates"]), [href]);
        assert_eq!(forms(&["line"]), []);
    }
}
