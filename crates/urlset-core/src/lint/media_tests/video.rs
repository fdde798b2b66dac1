//! Videos.

use super::*;

#[test]
fn videos_that_lack_something() {
    let whole = [
        "<v:thumbnail_loc>https://e.com/i</v:thumbnail_loc>",
        "<v:title>a</v:title>",
        "<v:description>b</v:description>",
        "<v:player_loc>https://e.com/p</v:player_loc>",
    ];
    expect(&url(&format!("<v:video>{}</v:video>", whole.concat())), &[]);
    for (without, code, message) in [
        (vec![0], "VID001", "the video has no thumbnail_loc"),
        (vec![1, 2], "VID001", "the video has no title, no description"),
        (vec![3], "VID002", "neither"),
    ] {
        let left = whole.iter().enumerate().filter(|(at, _)| !without.contains(at)).map(|(_, part)| *part);
        expect(&url(&format!("⟦<⟧v:video>{}</v:video>", left.collect::<String>())), &[(code, message)]);
    }
    let empty = whole.concat().replace(">a<", ">⟦⟧ <");
    expect(&url(&format!("<v:video>{empty}</v:video>")), &[("VID001", "no title")]);
    expect(
        &url("⟦⟦<⟧⟧v:video><v:title/></v:video>"),
        &[("VID001", "no thumbnail_loc, no title, no description"), ("VID002", "neither")],
    );
}

#[test]
fn a_video_is_not_its_page() {
    let entry = video("<v:player_loc>⟦https://e.com/⟧</v:player_loc>");
    expect(&entry, &[("VID003", "the player_loc is the loc")]);
    expect(&entry.replace("⟦https://e.com/⟧", "https://e.com"), &[]);
    expect(
        &entry.replace("⟦https://e.com/⟧", "").replace("https://e.com/v", "⟦https://e.com&#47;⟧"),
        &[("VID003", "the content_loc")],
    );
}

#[test]
fn texts_of_videos_at_their_bounds() {
    for (name, most) in [("title", 100), ("description", 2048), ("category", 256), ("uploader", 255)] {
        // Characters of two bytes and of five.
        let text = |length: usize| (0..length).map(|at| ["é", "&amp;"][at % 2]).collect::<String>();
        let whole = video("");
        let entry = |text: &str| {
            let element = format!("<v:{name}>{text}</v:{name}>");
            let other = match name {
                "title" => whole.replace("<v:title>a</v:title>", ""),
                "description" => whole.replace("<v:description>b</v:description>", ""),
                _ => whole.clone(),
            };
            let entry = other.replace("</v:video>", &format!("{element}</v:video>"));
            entry.replace("<v:category", "⟦<⟧v:category")
        };
        let mut expected = if name == "category" { vec![("VID009", "category")] } else { vec![] };
        expect(&entry(&format!(" {}\n", text(most))), &expected);
        expected.push(("VID004", "characters"));
        expect(&entry(&format!(" ⟦{}⟧\n", text(most + 1))), &expected);
    }
}

#[test]
fn numbers_of_videos_at_their_bounds() {
    for (name, fine, bad) in [
        (
            "duration",
            vec!["1", "28800", " 90 ", "007"],
            vec!["0", "28801", "-1", "1.0", "2:30", "90s", "", "4294967297"],
        ),
        (
            "rating",
            vec!["0", "0.0", "5", "5.0", "4.25", ".5", "-0.0"],
            vec!["5.1", "5.0001", "-0.1", "4,5", "NaN", "5e0", ""],
        ),
        ("view_count", vec!["0", "9000000000", "99999999999999999999999"], vec!["-1", "1,000", "12k", "1.5", "", "+"]),
    ] {
        for text in fine {
            expect(&video(&format!("<v:{name}>{text}</v:{name}>")), &[]);
        }
        for text in bad {
            expect(&video(&format!("<v:{name}>⟦{text}⟧</v:{name}>")), &[("VID005", name)]);
        }
    }
}

#[test]
fn flags_of_videos() {
    for name in ["family_friendly", "requires_subscription", "live"] {
        for text in ["yes", "no", "Yes", "YES", "No", "NO", " yes "] {
            expect(&video(&format!("<v:{name}>{text}</v:{name}>")), &[]);
        }
        for (text, fixed) in
            [("true", "yes"), ("1", "yes"), ("Y", "yes"), ("yEs", "yes"), ("FALSE", "no"), ("0", "no"), ("n", "no")]
        {
            let bad = video(&format!("<v:{name}> ⟦{text}⟧ </v:{name}>"));
            expect(&bad, &[("VID006", "neither yes nor no")]);
            expect_fixed(&bad, None, &video(&format!("<v:{name}> {fixed} </v:{name}>")));
        }
        for text in ["ja", "-1", "", "yes no"] {
            let bad = video(&format!("<v:{name}>⟦{text}⟧</v:{name}>"));
            expect(&bad, &[("VID006", "neither yes nor no")]);
            expect_fixed(&bad, None, &video(&format!("<v:{name}>{text}</v:{name}>")));
        }
    }
    let bad = video("<v:player_loc allow_embed='⟦⟦true⟧⟧'>https://e.com/p</v:player_loc>");
    expect(&bad, &[("VID006", "\"true\""), ("VID009", "allow_embed")]);
}

#[test]
fn restrictions_of_videos() {
    let element = |name: &str, text: &str| video(&format!("<v:{name} relationship='allow'>{text}</v:{name}>"));
    for (name, text) in [
        ("restriction", "DE"),
        ("restriction", "DE\n AT  CH"),
        ("restriction", ""),
        ("platform", "web mobile tv"),
        ("platform", "tv"),
    ] {
        expect(&element(name, text), &[]);
    }
    for (name, text, fixed) in [
        ("restriction", "de at", "DE AT"),
        ("restriction", "DE,AT", "DE AT"),
        ("restriction", "de, At ,ch", "DE AT CH"),
        ("restriction", "Germany", "Germany"),
        ("restriction", "DE UK", "DE UK"),
        ("restriction", "DE A", "DE A"),
        ("restriction", "DE;AT", "DE;AT"),
        ("restriction", ",", ","),
        ("platform", "Web TV", "web tv"),
        ("platform", "web console", "web console"),
        ("platform", "web,tv", "web,tv"),
    ] {
        let bad = element(name, &format!("⟦{text}⟧"));
        expect(&bad, &[("VID007", if name == "platform" { "is not one of web" } else { "is not a country" })]);
        expect_fixed(&bad, None, &element(name, fixed));
    }
    for (platform, message) in [
        ("<v:platform relationship='⟦Allow⟧'>tv</v:platform>", "neither allow nor deny"),
        ("<v:platform relationship='⟦⟧'>tv</v:platform>", "neither allow nor deny"),
        ("⟦<⟧v:platform>tv</v:platform>", "the platform has no relationship"),
    ] {
        expect(&video(platform), &[("VID007", message)]);
    }
    // Two causes.
    expect(
        &video("⟦<⟧v:restriction>⟦de⟧</v:restriction>"),
        &[("VID007", "no relationship"), ("VID007", "is not a country")],
    );
}

#[test]
fn urls_of_videos() {
    for (name, text) in [("player_loc", "None"), ("gallery_loc", "/b"), ("content_segment_loc", "rtsp://e.com/")] {
        let bad = video(&format!("<v:{name}>⟦{text}⟧</v:{name}>"));
        let expected =
            if name == "gallery_loc" { vec![("VID009", name), ("VID011", name)] } else { vec![("VID011", name)] };
        expect(&bad.replace("<v:gallery_loc>", "⟦<⟧v:gallery_loc>"), &expected);
    }
    expect(&video("<v:player_loc>ftp://e.com/p</v:player_loc><v:uploader info='https://e.com/u'>a</v:uploader>"), &[]);
    expect(&video("<v:uploader info='⟦/u⟧'>a</v:uploader>"), &[("VID011", "uploader_info")]);
    let page = video("").replace(">https://e.com/v<", ">⟦https://e.com/v.html⟧<");
    expect(&page, &[("VID012", "a page")]);
}

#[test]
fn tags_of_videos() {
    let tags = "<v:tag>a</v:tag>".repeat(32);
    expect(&video(&tags), &[]);
    expect(&video(&format!("{tags}⟦<⟧v:tag>b</v:tag><v:tag>c</v:tag>")), &[("VID008", "34 tags in one video")]);
}

#[test]
fn dropped_children_of_videos() {
    let old = "<v:category>a</v:category><v:gallery_loc>https://e.com/b</v:gallery_loc><v:price/><!-- <v:tvshow> --><v:tvshow>\
               <v:show_title>c</v:show_title></v:tvshow><v:player_loc autoplay='1'>https://e.com/p</v:player_loc>";
    let mut marked = old.replace("autoplay='1'", "autoplay='⟦1⟧'");
    for name in ["category", "gallery_loc", "price", "tvshow><"] {
        marked = marked.replace(&format!("<v:{name}"), &format!("⟦<⟧v:{name}"));
    }
    let names = ["category", "gallery_loc", "price", "tvshow", "autoplay"];
    expect(&format!("{}{}", video(&marked), video(old)), &names.map(|name| ("VID009", name)));
    expect(&video("⟦<⟧v:tvshow/>"), &[("VID009", "tvshow")]);
}

#[test]
fn dates_of_videos() {
    for text in [
        "2026-02-01T12:00:00Z",
        "2026-02-01T11:00:00-01:00",
        "2026-02-01",
        "2026-02",
        "2026",
        " 2027-01-01 ",
        "2026-02-01T13:00+01:00",
    ] {
        expect(&video(&format!("<v:expiration_date>{text}</v:expiration_date>")), &[]);
    }
    for text in ["2026-02-01T11:59:59Z", "2026-01-31", "2026-01", "2025", "2026-02-01T12:59:59+01:00"] {
        expect(&video(&format!("<v:expiration_date>⟦{text}⟧</v:expiration_date>")), &[("VID010", "expired")]);
        expect(&video(&format!("<v:publication_date>{text}</v:publication_date>")), &[]);
    }
    for (text, zone, fixed) in [
        ("2027-01-31T08:00:00+0100", None, "2027-01-31T08:00:00+01:00"),
        ("2026-01-31 08:00:00Z", None, "2026-01-31T08:00:00Z"),
        ("20260131", None, "2026-01-31"),
        ("2026-01-31T08:00:00", Some("+01:00"), "2026-01-31T08:00:00+01:00"),
        ("2026-01-31T08:00:00", None, "2026-01-31T08:00:00"),
        ("2026-02-30", None, "2026-02-30"),
        ("yesterday", None, "yesterday"),
        ("", None, ""),
    ] {
        let date = |text: &str| video(&format!("<v:publication_date>{text}</v:publication_date>"));
        let (reported, fixed_text) = lint(&urlset(&date(&format!("⟦{text}⟧"))), zone);
        assert_eq!((reported.len(), reported[0].0, fixed_text), (1, "VID010", urlset(&date(fixed))), "{text}");
        let safety = match (fixed == text, text.starts_with("2026-01-31T")) {
            (false, _) => Some(Safety::Safe),
            (true, is_shown) => is_shown.then_some(Safety::Display),
        };
        assert_eq!(reported[0].2, safety, "{text}");
    }
}
