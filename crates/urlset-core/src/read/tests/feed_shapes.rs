//! Items of feeds that are recognised by their shape are read as the parser reads them.

use super::shapes::{Random, compare, parsed};

fn atom(entries: &str) -> String {
    format!("<feed xmlns=\"http://www.w3.org/2005/Atom\" xmlns:o=\"urn:other\"><title>t</title>{entries}</feed>")
}

fn rss(items: &str) -> String {
    format!("<rss version=\"2.0\" xmlns:o=\"urn:other\"><channel><title>t</title>{items}</channel></rss>")
}

/// Parts of items, with `{}` where their values stand. Most are well-formed, and some are what few items have.
const PARTS: [&str; 46] = [
    "<title>{}</title>",
    "<title type=\"text\">{}</title>",
    "<summary>{}</summary>",
    "<summary><![CDATA[{}]]></summary>",
    "<summary><!-- {} --></summary>",
    "<summary/>",
    "<category term=\"a\"/>",
    "<category term=\"{}\"/>",
    "<link>{}</link>",
    "<link a=\"b\">{}</link>",
    "<link rel=\"alternate\" href=\"{}\"/>",
    "<link rel=\"self\" href=\"{}\"/>",
    "<link href=\"{}\"/>",
    "<link href=\"{}\" />",
    "<link href=\"{}\" rel=\"self\"/>",
    "<link href=\"{}\" rel=\"alternate\"/>",
    "<link href='{}'/>",
    "<link xml:base=\"http://e.com/\" href=\"{}\"/>",
    "<link rel=\"alternate\"/>",
    "<link rel=\"alternate\" href=\"{}\"></link>",
    "<id>{}</id>",
    "<guid>{}</guid>",
    "<guid isPermaLink=\"false\">{}</guid>",
    "<guid isPermaLink=\"true\">{}</guid>",
    "<updated>{}</updated>",
    "<published>{}</published>",
    "<pubDate>{}</pubDate>",
    "<author><name>{}</name></author>",
    "<author><name>{}</name><uri>{}</uri></author>",
    "<contributor><name>{}</name></contributor>",
    "<contributor><name>{}</name><name>{}</name></contributor>",
    "<source><id>{}</id><link href=\"{}\"/><updated>{}</updated></source>",
    "<content><div>{}<p>{}</p></div></content>",
    "<enclosure type=\"image/png\" url=\"{}\"/>",
    "<o:x>{}</o:x>",
    "<title xmlns=\"urn:x\">{}</title>",
    "<Title>{}</Title>",
    "<title>{}",
    "<link><![CDATA[{}]]></link>",
    "<o:creator><![CDATA[{}]]></o:creator>",
    "<description><![CDATA[<p>{}</p> [x] ]] > ]]></description>",
    "<guid>{}]]></guid>",
    "<title>{}]]></title>",
    "<link rel=\"alternate\" href=\"{}]]>\"/>",
    "<link href=\"{}\" rel=\"alternate\" type=\"text/html\" title=\"{}\" />",
    "<content type=\"html\" xml:base=\"{}\"><![CDATA[{}]]></content>",
];
const VALUES: [&str; 15] = [
    "http://e.com/a",
    "b",
    "2026-01-01",
    "c",
    "",
    " d ",
    "e&amp;f",
    "&#233;",
    "g & h",
    "\n",
    "k\"",
    "[l]",
    "m\r\nn",
    "o]]>",
    "\u{1}p",
];

#[test]
fn items_with_a_shape_are_read_as_the_parser_reads_them() {
    let mut random = Random(1);
    for _ in 0..1_500 {
        // The items of one feed are made of the same few parts, so that each follows each.
        let blank = random.of(&["", "", "\n  ", "\r\n", " x "]);
        let parts: Vec<&str> = (0..1 + random.below(6)).map(|_| random.of(&PARTS)).collect();
        let is_atom = random.below(2) == 0;
        let name = if is_atom { "entry" } else { "item" };
        let opening = random.of(&["", "", "", " xml:base=\"http://e.com/b/\""]);
        let mut items = String::new();
        for _ in 0..random.below(40) {
            let chosen: Vec<&str> = (0..random.below(6)).map(|_| parts[random.below(parts.len())]).collect();
            let template = format!("{blank}<{name}{opening}>{blank}{}{blank}</{name}>", chosen.join(blank));
            let mut rest = template.as_str();
            while let Some((before, after)) = rest.split_once("{}") {
                let most = if random.below(8) == 0 { VALUES.len() } else { 4 };
                items += before;
                items += VALUES[random.below(most)];
                rest = after;
            }
            items += rest;
        }
        let text = if is_atom { atom(&items) } else { rss(&items) };
        compare(&text, &[text.len()]);
        compare(&text, &[1 + random.below(60), 1 + random.below(400)]);
    }
}

#[test]
fn nearly_all_usual_items_are_recognised() {
    let link = "<link rel=\"alternate\" type=\"text/html\" href=\"http://e.com/{}?a=1&amp;b\"/>";
    let author = "<author>\n<name>{}</name>\n<uri>http://e.com/{}</uri>\n</author>";
    let entry = format!(
        "\n<entry>\n<title type=\"html\">{{}} &amp; b</title>\n{link}\n<id>urn:{{}}</id>\n{author}\n\
         <published>2026-01-01</published>\n<updated>2026-01-02</updated>\n<summary>{{}}</summary>\n</entry>"
    );
    let item = "\n<item>\n<title>{}</title>\n<link>http://e.com/{}</link>\n<guid isPermaLink=\"false\">{}</guid>\n\
                <pubDate>Thu, 01 Jan 2026 00:00:00 GMT</pubDate>\n<description></description>\n</item>";
    for (document, item) in [(atom as fn(&str) -> String, entry.as_str()), (rss, item)] {
        let text = document(&(0..300).map(|number| item.replace("{}", &number.to_string())).collect::<String>());
        compare(&text, &[text.len()]);
        let (few, _) = parsed::<true>(&text, 300, text.len());
        assert!(few <= 4, "{few} items parsed: {item}");
    }
}
