//! Every rule that the core can report. The pages under `python/urlset/_rules/pages` are the source of everything about a
//! rule; a contract test proves that this table agrees with them. Rules over a whole set are Python's.

use super::rule::{Rule, Severity};

macro_rules! catalogue {
    ($($code:ident $name:literal $severity:ident;)+) => {
        /// The indexes of the rules.
        enum Index {
            $($code),+
        }
        $(pub static $code: Rule = Rule {
            code: stringify!($code),
            name: $name,
            severity: Severity::$severity,
            index: Index::$code as usize,
        };)+
        /// How many rules there are.
        pub const COUNT: usize = [$(stringify!($code)),+].len();
        /// Every rule, by code.
        pub static RULES: &[&Rule] = &[$(&$code),+];
    };
}

catalogue! {
    ALT001 "alternate-attribute" Error;
    ALT002 "bad-hreflang" Error;
    ALT003 "hreflang-case" Info;
    ALT004 "no-self-reference" Warning;
    ALT006 "duplicate-hreflang" Error;
    ALT007 "bad-alternate-href" Error;
    ALT008 "no-x-default" Info;
    ALT010 "undocumented-hreflang" Warning;
    FEED001 "unsupported-feed" Warning;
    FEED002 "item-without-link" Error;
    FEED003 "bad-feed-date" Warning;
    FRQ001 "invalid-changefreq" Error;
    FRQ002 "changefreq-ignored" Info;
    FRQ003 "changefreq-contradiction" Info;
    IDX003 "child-foreign-site" Error;
    IDX004 "child-out-of-directory" Warning;
    IDX005 "duplicate-child" Warning;
    IDX006 "mixed-entries" Error;
    IDX009 "unsupported-index" Warning;
    IDX010 "child-is-page" Warning;
    IMG001 "missing-image-loc" Error;
    IMG002 "too-many-images" Error;
    IMG003 "deprecated-image-tag" Info;
    IMG004 "bad-image-url" Error;
    IMG005 "duplicate-or-misordered-image" Info;
    LIM001 "too-many-urls" Error;
    LIM002 "file-too-big" Error;
    LIM003 "too-many-children" Error;
    LIM004 "near-limit" Info;
    LIM005 "empty-sitemap" Warning;
    LIM006 "oversized-tag" Warning;
    LIM007 "beyond-budget" Error;
    LOC001 "missing-loc" Error;
    LOC002 "relative-url" Error;
    LOC003 "bad-scheme" Error;
    LOC004 "invalid-url" Error;
    LOC005 "bad-percent-escape" Error;
    LOC006 "illegal-url-character" Warning;
    LOC007 "raw-non-ascii" Info;
    LOC008 "padded-loc" Warning;
    LOC009 "loc-too-long" Error;
    LOC010 "fragment-or-userinfo" Warning;
    LOC011 "foreign-host" Error;
    LOC012 "scheme-or-port-mismatch" Error;
    LOC013 "out-of-directory" Warning;
    LOC014 "duplicate-loc" Warning;
    LOC015 "unstable-url" Info;
    LOC016 "several-origins" Warning;
    LOC017 "private-host" Warning;
    LOC018 "unintended-url" Warning;
    MOD001 "invalid-lastmod" Error;
    MOD002 "missing-timezone" Error;
    MOD003 "bad-offset" Error;
    MOD004 "bad-separator-or-padding" Error;
    MOD005 "impossible-date" Error;
    MOD006 "reduced-precision" Info;
    MOD007 "future-lastmod" Warning;
    MOD008 "implausible-lastmod" Warning;
    MOD009 "identical-lastmod" Warning;
    MOD011 "date-only-or-absent" Info;
    NS001 "missing-core-namespace" Error;
    NS002 "https-core-namespace" Error;
    NS003 "wrong-core-namespace" Error;
    NS004 "wrong-extension-namespace" Error;
    NS005 "undeclared-prefix" Error;
    NS006 "unknown-or-obsolete-extension" Warning;
    NS007 "unexpected-extension-element" Warning;
    NWS001 "missing-news-field" Error;
    NWS002 "news-too-old" Warning;
    NWS003 "too-many-news" Error;
    NWS004 "bad-news-language" Error;
    NWS005 "bad-news-date" Error;
    NWS006 "legacy-news-tag" Info;
    PRI001 "invalid-priority" Error;
    PRI002 "priority-range" Error;
    PRI003 "flat-priority" Info;
    PRI004 "priority-ignored" Info;
    ROB002 "bad-sitemap-line" Error;
    ROB005 "sitemap-line-beyond-limit" Warning;
    ROB006 "repeated-sitemap-line" Info;
    ROB007 "crawlers-share-a-group" Warning;
    TXT001 "bad-text-line" Error;
    TXT002 "text-encoding" Error;
    TXT003 "blank-or-padded-line" Info;
    TXT004 "text-extension" Warning;
    VID001 "missing-video-field" Error;
    VID002 "no-media-url" Error;
    VID003 "media-equals-page" Error;
    VID004 "video-text-length" Warning;
    VID005 "video-number-range" Error;
    VID006 "video-flag" Error;
    VID007 "video-restriction" Error;
    VID008 "too-many-video-tags" Error;
    VID009 "deprecated-video-tag" Info;
    VID010 "video-date" Warning;
    VID011 "bad-video-url" Error;
    VID012 "content-is-page" Warning;
    XML001 "not-well-formed" Error;
    XML002 "not-utf8" Error;
    XML003 "bytes-before-declaration" Error;
    XML004 "bom-conflict" Warning;
    XML005 "unescaped-ampersand" Error;
    XML006 "double-escaped" Warning;
    XML007 "illegal-character" Error;
    XML008 "html-not-sitemap" Error;
    XML009 "unknown-entity" Error;
    XML010 "unexpected-node" Warning;
    XML011 "bad-child-structure" Error;
    XML012 "element-order" Info;
    XML013 "compression-mismatch" Warning;
    XML014 "byte-order-mark" Info;
}

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn codes_are_sorted_and_once_each() {
        assert!(RULES.windows(2).all(|pair| pair[0].code < pair[1].code));
        assert!(RULES.iter().enumerate().all(|(index, rule)| rule.index == index));
    }
}
