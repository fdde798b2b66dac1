//! Bot challenges that are served in place of a page.

use std::sync::LazyLock;

use memchr::memmem::Finder;

/// Texts that must all stand in the first bytes of a challenge page, as seen in such pages.
const MARKS: [(&[&str], &str); 7] = [
    (&["/cdn-cgi/challenge-platform/", "_cf_chl_opt"], "Cloudflare"),
    (&["gokuProps", "awswaf"], "AWS WAF"),
    (&["captcha-delivery.com", "var dd="], "DataDome"),
    (&["_Incapsula_Resource", "incident"], "Imperva"),
    (&["px-captcha", "_pxAppId"], "HUMAN"),
    (&["/.well-known/sgcaptcha/"], "SiteGround"),
    (&["anubis_challenge"], "Anubis"),
];
/// Challenge pages are short, and say what they are at their beginning.
const FIRST: usize = 20_000;

static FINDERS: LazyLock<Vec<(Vec<Finder<'static>>, &'static str)>> =
    LazyLock::new(|| MARKS.iter().map(|(marks, whose)| (marks.iter().map(Finder::new).collect(), *whose)).collect());

/// Return whose challenge page a body is, which may be the beginning of one; None if it is none.
pub fn challenger(body: &[u8]) -> Option<&'static str> {
    let first = &body[..body.len().min(FIRST)];
    let stands_there = |mark: &Finder<'_>| mark.find(first).is_some();
    FINDERS.iter().find(|(marks, _)| marks.iter().all(stands_there)).map(|(_, whose)| *whose)
}
