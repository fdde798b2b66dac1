//! What the rules are called. The pages under `python/urlset/rules/pages` are the source of everything about a rule;
//! a contract test proves that this table says the same as they do.

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
    Info,
}

impl Severity {
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }
}

/// A rule's code and name; its page says the rest.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    pub code: &'static str,
    pub name: &'static str,
    pub severity: Severity,
}

macro_rules! catalogue {
    ($($code:ident $name:literal $severity:ident;)+) => {
        $(pub static $code: Rule =
            Rule { code: stringify!($code), name: $name, severity: Severity::$severity };)+
        /// Every rule, by code.
        pub static RULES: &[&Rule] = &[$(&$code),+];
    };
}

catalogue! {
    ALT001 "alternate-attribute" Error;
    ALT007 "bad-alternate-href" Error;
    FEED001 "unsupported-feed" Warning;
    FEED002 "item-without-link" Error;
    FEED003 "bad-feed-date" Warning;
    FRQ001 "invalid-changefreq" Error;
    IDX006 "mixed-entries" Error;
    IMG001 "missing-image-loc" Error;
    IMG002 "too-many-images" Error;
    IMG004 "bad-image-url" Error;
    LIM001 "too-many-urls" Error;
    LIM002 "file-too-big" Error;
    LIM007 "beyond-budget" Error;
    LOC001 "missing-loc" Error;
    LOC002 "relative-url" Error;
    LOC003 "bad-scheme" Error;
    LOC004 "invalid-url" Error;
    LOC008 "padded-loc" Warning;
    LOC009 "loc-too-long" Error;
    LOC011 "foreign-host" Error;
    MOD001 "invalid-lastmod" Error;
    MOD002 "missing-timezone" Error;
    NS001 "missing-core-namespace" Error;
    NS002 "https-core-namespace" Error;
    NS003 "wrong-core-namespace" Error;
    NS004 "wrong-extension-namespace" Error;
    NS005 "undeclared-prefix" Error;
    PRI001 "invalid-priority" Error;
    PRI002 "priority-range" Error;
    ROB002 "bad-sitemap-line" Error;
    TXT001 "bad-text-line" Error;
    TXT003 "blank-or-padded-line" Info;
    XML001 "not-well-formed" Error;
    XML002 "not-utf8" Error;
    XML003 "bytes-before-declaration" Error;
    XML004 "bom-conflict" Warning;
    XML005 "unescaped-ampersand" Error;
    XML007 "illegal-character" Error;
    XML008 "html-not-sitemap" Error;
    XML009 "doctype-or-entity" Error;
    XML010 "unexpected-node" Warning;
    XML011 "bad-child-structure" Error;
}

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn codes_are_sorted_and_once_each() {
        assert!(RULES.windows(2).all(|pair| pair[0].code < pair[1].code));
    }
}
