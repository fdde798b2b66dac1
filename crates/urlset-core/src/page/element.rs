//! What the HTML Standard says of an element, by its name.

/// Traits of an element. Source: HTML Standard, parsing HTML documents; the names in quotes are those of the standard.
pub type Traits = u32;

/// It has no content and no end tag.
pub const VOID: Traits = 1;
/// "Special": its end tag ends what is open in it, and no other end tag ends it.
pub const SPECIAL: Traits = 1 << 1;
/// "Formatting": it may be open across others.
pub const FORMATTING: Traits = 1 << 2;
/// The boundary of a "scope": no end tag inside ends what is open around it.
pub const SCOPE: Traits = 1 << 3;
/// Its start tag ends a paragraph.
pub const ENDS_P: Traits = 1 << 4;
/// It can be in the head, so that the head goes on.
pub const OF_HEAD: Traits = 1 << 5;
/// A reader does not see what is in it.
pub const UNSEEN: Traits = 1 << 6;
/// It holds what every page of a site repeats.
pub const CHROME: Traits = 1 << 7;
/// A header in it belongs to it; any other is the site's. Source: HTML Accessibility API Mappings, header.
pub const SECTION: Traits = 1 << 8;
/// It ends drawings and formulas. Source: HTML Standard, the rules for parsing tokens in foreign content.
pub const BREAKS_OUT: Traits = 1 << 9;

pub const P: Traits = 1 << 10;
pub const LI: Traits = 1 << 11;
pub const DEFINITION: Traits = 1 << 12;
pub const HEADING: Traits = 1 << 13;
pub const CELL: Traits = 1 << 14;
pub const ROW: Traits = 1 << 15;
pub const ROWS: Traits = 1 << 16;
pub const TABLE: Traits = 1 << 17;
pub const BUTTON: Traits = 1 << 18;
pub const ANCHOR: Traits = 1 << 19;
pub const OPTION: Traits = 1 << 20;
pub const LIST: Traits = 1 << 21;
/// "address", "div" or "p", which an item of a list may be open around.
pub const LOOSE: Traits = 1 << 22;
pub const FORM: Traits = 1 << 23;
/// It has ended, and what follows is still in it, because it stands in an element of it that has not.
pub const OUTLIVED: Traits = 1 << 24;

/// Its end tag may be missing at the end of its parent and of the page. Source: HTML Standard, the "in body" insertion
/// mode, an end-of-file token.
pub const OPTIONAL_END: Traits = P | LI | DEFINITION | OPTION | CELL | ROW | ROWS;
/// The end tag of a form ends what is open in it and has one of these. Source: HTML Standard, "generate implied end tags".
pub const IMPLIED_END: Traits = P | LI | DEFINITION | OPTION;

const BLOCK: Traits = SPECIAL | ENDS_P | BREAKS_OUT;

/// Return what is known of the element of this name.
pub fn traits(name: &[u8]) -> Traits {
    match name {
        b"a" => FORMATTING | ANCHOR,
        b"b" | b"big" | b"code" | b"em" | b"i" | b"s" | b"small" | b"strike" | b"strong" | b"tt" | b"u" => {
            FORMATTING | BREAKS_OUT
        }
        b"font" | b"nobr" => FORMATTING,
        b"span" | b"sub" | b"sup" | b"ruby" | b"var" => BREAKS_OUT,
        b"p" => BLOCK | P | LOOSE,
        b"div" | b"address" => BLOCK | LOOSE,
        b"blockquote" | b"center" | b"dl" | b"menu" | b"pre" | b"listing" => BLOCK,
        b"ol" | b"ul" => BLOCK | LIST,
        b"details" | b"dialog" | b"dir" | b"fieldset" | b"figcaption" | b"figure" | b"header" | b"hgroup"
        | b"search" | b"summary" | b"plaintext" | b"xmp" => SPECIAL | ENDS_P,
        b"form" => SPECIAL | ENDS_P | FORM,
        b"article" | b"main" | b"section" => SPECIAL | ENDS_P | SECTION,
        b"nav" | b"footer" | b"aside" => SPECIAL | ENDS_P | CHROME,
        b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => BLOCK | HEADING,
        b"li" => BLOCK | LI,
        b"dd" | b"dt" => BLOCK | DEFINITION,
        b"table" => BLOCK | SCOPE | TABLE,
        b"caption" => SPECIAL | SCOPE,
        b"td" | b"th" => SPECIAL | SCOPE | CELL,
        b"tr" => SPECIAL | ROW,
        b"tbody" | b"thead" | b"tfoot" => SPECIAL | ROWS,
        b"button" => SPECIAL | BUTTON,
        b"option" | b"optgroup" => OPTION,
        b"select" | b"colgroup" | b"frameset" | b"noframes" | b"noembed" | b"textarea" => SPECIAL,
        b"applet" | b"marquee" => SPECIAL | SCOPE,
        b"object" => SPECIAL | SCOPE | UNSEEN,
        b"script" | b"style" | b"title" | b"noscript" | b"template" => SPECIAL | OF_HEAD | UNSEEN,
        b"iframe" => SPECIAL | UNSEEN,
        b"svg" | b"math" => UNSEEN,
        b"base" | b"link" | b"meta" | b"bgsound" => VOID | OF_HEAD,
        b"hr" => VOID | ENDS_P | BREAKS_OUT,
        b"img" | b"br" | b"embed" => VOID | BREAKS_OUT,
        b"area" | b"col" | b"input" | b"source" | b"track" | b"wbr" | b"param" | b"frame" | b"keygen" => VOID,
        b"html" | b"head" => OF_HEAD,
        _ => 0,
    }
}
