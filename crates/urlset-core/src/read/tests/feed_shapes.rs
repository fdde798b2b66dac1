//! Items of feeds that are recognised by their shape are read as the parser reads them.

use super::shapes::{Random, compare, parsed};

fn atom(entries: &str) -> String {
    let namespaces = "xmlns=\"http://www.w3.org/2005/Atom\" xmlns:o=\"urn:other\" xmlns:p=\"urn:more\"";
    format!("<feed {namespaces}><title>t</title>{entries}</feed>")
}

fn rss(items: &str) -> String {
    format!(
        "<rss version=\"2.0\" xmlns:o=\"urn:other\" xmlns:p=\"urn:more\"><channel><title>t</title>{items}</channel></rss>"
    )
}

/// Parts of items, with `{}` where their values stand. Most are well-formed, and some are what few items have.
const PARTS: [&str; 70] = [
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
    "<o:x a=\"{}\"/>",
    "<o:x a=\"{}\">{}</o:x>",
    "<o:y a=\"{}\">{}</o:y>",
    "<o:x a=\"{}\">{}</o:y>",
    "<o:x a='{}' b=\"{}\"><o:x>{}</o:x></o:x>",
    "<o:x><o:x a=\"{}\">{}</o:x></o:x>",
    "<o:x><o:x>{}</o:x>",
    "<p:y><![CDATA[{}]]></p:y>",
    "<p:y/>",
    "<q:y>{}</q:y>",
    "<category domain=\"{}\"><![CDATA[{}]]></category>",
    "<category domain=\"{}\"><![CDATA[{}]]>",
    "<source url=\"{}\"><id>{}</id></source>",
    "<source url=\"{}\"><link title=\"{}\" href=\"{}\"/></source>",
    "<link href=\"{}\" title=\"{}\" rel=\"self\" type=\"{}\"/>",
    "<link href=\"{}\" title=\"{}\" rel=\"alternate\"/>",
    "<link title=\"{}\" href=\"{}\"/>",
    "<link title=\"{}\" rel=\"self\" href=\"{}\"/>",
    "<link title=\"{}\"/>",
    "<guid><![CDATA[{}]]></guid>",
    "<pubDate><![CDATA[ {} ]]></pubDate>",
    "<link>\n<![CDATA[{}]]>\n</link>",
    "<description>\n<![CDATA[{}]]>\n</description>",
    "<description>\n<![CDATA[{}]]> x <![CDATA[{}]]></description>",
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
    for _ in 0..600 {
        // The items of one feed are made of the same few parts, so that each follows each. Similar parts are neighbours.
        let blank = random.of(&["", "", "\n  ", "\r\n", " x "]);
        let near = &PARTS[random.below(PARTS.len() - 12)..][..12];
        let parts_of = if random.below(2) == 0 { near } else { &PARTS };
        let parts: Vec<&str> = (0..1 + random.below(6)).map(|_| random.of(parts_of)).collect();
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
    for (document, item) in
        [(atom as fn(&str) -> String, entry.as_str()), (rss, item), (rss, WORDPRESS), (atom, JEKYLL)]
    {
        let text = document(&(0..300).map(|number| item.replace("{}", &number.to_string())).collect::<String>());
        compare(&text, &[text.len()]);
        let (few, _) = parsed::<true>(&text, 300, text.len());
        assert!(few <= 4, "{few} items parsed: {item}");
    }
}

#[test]
fn items_are_recognised_whose_texts_are_in_sections_or_not() {
    let plain = "<item><title>{}</title><link>http://e.com/{}</link><description>{}</description></item>";
    let mixed = plain.replace("<description>{}<", "<description><![CDATA[{}]]><");
    let other = mixed.replace("<title>{}<", "<title><![CDATA[{}]]><").replace("</link>", "</link><o:x>{}</o:x>");
    let items = [plain, mixed.as_str(), other.as_str()];
    let text = rss(&(0..300).map(|number| items[number * number % 7 % 3].replace("{}", "a")).collect::<String>());
    compare(&text, &[text.len()]);
    let (few, _) = parsed::<true>(&text, 300, text.len());
    assert!(few <= 6, "{few} items parsed");
}

/// Items as two generators write them, which put texts in CDATA sections.
const WORDPRESS: &str = "\n<item>\n\t<title>{}</title>\n\t<link>http://e.com/{}</link>\n\n\
    \t<o:creator><![CDATA[{}]]></o:creator>\n\t<pubDate>Thu, 01 Jan 2026 00:00:00 GMT</pubDate>\n\
    \t<category><![CDATA[a {}]]></category>\n\t<category><![CDATA[b]]></category>\n\
    \t<guid isPermaLink=\"false\">http://e.com/?p={}</guid>\n\n\t<description><![CDATA[<p>[{}] ]]></description>\n\
    \t<p:encoded><![CDATA[\n<p>{} &amp; ]] > ]</p>\n]]></p:encoded>\n\n\t<o:x>{}</o:x>\n</item>";
const JEKYLL: &str = "<entry><title type=\"html\">{}</title><link href=\"http://e.com/{}\" rel=\"alternate\" \
    type=\"text/html\" title=\"a &amp; {}\" /><published>2026-01-01</published><updated>2026-01-02</updated>\
    <id>http://e.com/{}</id><content type=\"html\" xml:base=\"http://e.com/{}\"><![CDATA[<p>{}</p>]]></content>\
    <author><name>{}</name></author><category term=\"{}\" /><category term=\"b\" />\
    <summary type=\"html\"><![CDATA[{}]]></summary></entry>";

#[test]
fn a_cut_at_any_place_makes_no_difference_to_an_item() {
    for (document, item) in [(rss as fn(&str) -> String, WORDPRESS), (atom, JEKYLL)] {
        let text = document(&(0..3).map(|number| item.replace("{}", &"x".repeat(number * 9))).collect::<String>());
        for cut in 4..text.len() {
            compare(&text, &[cut, text.len()]);
        }
        compare(&text, &[1]);
    }
}

#[test]
fn nothing_is_learned_from_what_follows_an_item() {
    for item in ["<item><link>{}</link></item >a</item>", "<item><o:x><link>{}</link></o:x >a</o:x></item>"] {
        let text = rss(&(0..20).map(|number| item.replace("{}", &number.to_string())).collect::<String>());
        compare(&text, &[text.len()]);
    }
}

#[test]
fn what_breaks_an_item_with_sections_is_found_behind_others() {
    for (document, item, name) in [(rss as fn(&str) -> String, WORDPRESS, "item"), (atom, JEKYLL, "entry")] {
        let usual = item.replace("{}", "1");
        let broken =
            ["]]>", "]]", "\u{1}", "\u{ffff}", "&", "&x;", "<b>", "</p:encoded>", "<![CDATA[", "\r\n", "\"", "<"];
        // Something odd in place of each value, by turns.
        let values = item.matches("{}").count();
        for value in 0..values {
            for odd in broken {
                let mut number = 0;
                let parts = item.split("{}");
                let odd_item = parts.fold(String::new(), |text, part| {
                    number += 1;
                    text + if number == 1 {
                        ""
                    } else if number == value + 2 {
                        odd
                    } else {
                        "2"
                    } + part
                });
                let text = document(&[usual.repeat(3), odd_item, usual.repeat(3)].concat());
                compare(&text, &[text.len()]);
                compare(&text, &[150]);
            }
        }
        // What closes, or opens, is missing or of another name.
        for tag in item.split_inclusive('>').filter_map(|part| part.rsplit_once('<')).map(|(_, tag)| format!("<{tag}"))
        {
            for other in ["", "<o:x>", "</o:x>", "<z:x/>", "text", "]]>", "<!-- ]]> -->", &format!("</{name}>")] {
                let text = document(&[usual.repeat(3), usual.replacen(&tag, other, 1), usual.repeat(3)].concat());
                compare(&text, &[text.len()]);
            }
        }
    }
}
