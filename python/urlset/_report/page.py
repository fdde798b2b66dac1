"""The page: one file of HTML that loads nothing and sends nothing.

Its policy allows only its own style and its own script, by their hashes. So nothing in it may have a `style` or an
`on…` attribute. All findings stand in a `noscript` element: with scripts a browser keeps that as text, of which the
script shows a part at a time, and without them it is the list.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

from urlset._report.charts.svg import legend, strip
from urlset._report.markup import number, paragraphs, share, text, url
from urlset._report.model import Figure, Group, Headline, Notes, ReportedFinding, View
from urlset._rules.catalogue import Rule, rules
from urlset._util.text import plural

#: Examples of a finding that are shown.
EXAMPLES = 3
#: Sitemaps that could not be read that are named.
GAPS = 20

_UPPER = {"url": "URL", "urls": "URLs", "html": "HTML", "http": "HTTP", "xml": "XML", "utf8": "UTF-8", "bom": "BOM"}
#: A finding is one line of the list.
_ONE_LINE = str.maketrans("\n\r", "  ")
_NO_RULE = "This version of urlset has no page for this rule."


def lines(view: View, notes: Notes) -> Iterator[str]:
    """Yield the page line by line; the findings are read as they are written."""
    style, script = _own("report.css"), _own("report.js")
    # The only picture is part of the page.
    pictures = "img-src data:; " if notes.logo else ""
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; {pictures}"
        "base-uri 'none'; form-action 'none'"
    )
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
    title = f"{notes.title or view.site} · {view.name}"
    yield f"<title>{text(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    yield from _head(view, notes)
    yield "<main>\n"
    yield from _rules(view)
    if view.figures:
        yield '<section id="pictures" aria-labelledby="pictures-head">\n<h2 id="pictures-head">Pictures</h2>\n'
        yield '<div class="grid">\n'
        yield from map(_figure, view.figures)
        yield "</div>\n</section>\n"
    yield from _list(view)
    yield "</main>\n<footer><p>Made by urlset. This file loads nothing and sends nothing.</p></footer>\n"
    yield f"<script>{script}</script>\n</body>\n</html>\n"


@cache
def _own(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _hash(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def _head(view: View, notes: Notes) -> Iterator[str]:
    yield '<a class="skip" href="#findings">Skip to the findings</a>\n<header>\n'
    if notes.logo:
        yield f'<img class="logo" alt="" src="{text(notes.logo, len(notes.logo))}">\n'
    yield f'<p class="verb">{text(view.name.capitalize())}</p>\n'
    yield f"<h1><bdi>{text(notes.title or view.site, 200)}</bdi></h1>\n"
    told = [("Site", view.site), *view.facts] if notes.title else view.facts
    facts = "".join(f"<div><dt>{text(label)}</dt><dd>{text(value)}</dd></div>" for label, value in told)
    yield f'<dl class="facts">{facts}</dl>\n'
    yield from _gaps(view)
    if notes.note:
        paragraphs = (f"<p>{text(each, len(each))}</p>" for each in notes.note.split("\n\n") if each.strip())
        yield f'<div class="note">{"".join(paragraphs)}</div>\n'
    if view.headline is not None:
        yield _headline(view.headline)
    if view.warning is not None:
        yield f'<p class="notice">{text(view.warning, 2000)}</p>\n'
    pictures = '<a href="#pictures">Pictures</a>' if view.figures else ""
    yield f'<nav aria-label="Parts of this page"><a href="#findings">Rules</a>{pictures}'
    yield '<a href="#list">All findings</a></nav>\n</header>\n'


def _gaps(view: View) -> Iterator[str]:
    """Yield what could not be read, before anything that was."""
    if not view.gaps:
        return
    items = "".join(f"<li>{text(each, 1000)}</li>" for each in view.gaps[:GAPS])
    if rest := len(view.gaps) - GAPS:
        items += f"<li>and {rest:,} more</li>" if rest > 0 else ""
    yield '<section class="gaps" id="gaps" aria-labelledby="gaps-head">\n'
    yield f'<h2 id="gaps-head">{plural(len(view.gaps), "sitemap")} could not be read</h2>\n<ul>{items}</ul>\n'
    yield "<p>What they list is not known, so this report does not show all of the site.</p></section>\n"


def _headline(headline: Headline) -> str:
    whole = sum(count for _, _, count in headline.parts)
    items = [(color, f"{label} {number(count)}") for color, label, count in headline.parts if count]
    return (
        f'<p class="headline"><strong>{text(headline.figure)}</strong> {text(headline.sentence)}</p>\n'
        f'<div class="truth">{strip(headline.parts, whole)}</div>\n{legend(items)}\n'
    )


def _rules(view: View) -> Iterator[str]:
    yield '<section id="findings" aria-labelledby="findings-head">\n'
    yield '<h2 id="findings-head">Rules that were broken</h2>\n'
    if not view.groups:
        yield '<p class="none">None. Nothing was found.</p>\n'
    known = {rule.code: rule for rule in rules()}
    most: dict[tuple[str, str], int] = {}
    for group in view.groups:
        most[group.things] = max(most.get(group.things, 1), group.count)
    for at, group in enumerate(view.groups):
        yield _card(view, group, known.get(group.code), most[group.things], is_open=at == 0)
    yield "</section>\n"


def _card(view: View, group: Group, rule: Rule | None, most: int, *, is_open: bool) -> str:
    """Return one rule: a line with its count, and below it why, fix, effect and its first findings."""
    name = _titled(rule.name) if rule else "Unknown rule"
    tone = _tone(group.severity, group.verdict)
    color = "c-refused" if tone == "inconclusive" else f"c-{group.severity}"
    asked = _asked(group)
    help_ = f'<p class="help">{text(asked)}</p>' if asked else ""
    summary = (
        f'<span class="chip {tone}">{tone}</span>'
        f'<span class="name"><b>{text(name)}</b> <code>{text(group.code)}</code>{_marks(group)}</span>'
        f'<span class="spark">{strip([(color, name, group.count)], most)}</span>'
        f'<span class="count">{number(group.count)}<span class="hidden"> {text(group.things[1])}</span></span>'
    )
    why = (
        f"<div><h3>Why</h3>{_part(rule, 'Why it is bad')}</div><div><h3>Fix</h3>{help_}{_part(rule, 'Fix')}</div>"
        f"<div><h3>Effect</h3>{_effect(view, group)}</div>"
    )
    top = "".join(_top(finding, asked) for finding in group.top)
    return (
        f'<details class="card"{" open" if is_open else ""}><summary>{summary}</summary>\n'
        f'<div class="why">{why}</div>\n<ul class="top">{top}</ul>{_more(group)}</details>\n'
    )


def _titled(name: str) -> str:
    """Return the name of a rule as words: `url-redirects` is `URL redirects`."""
    words = " ".join(_UPPER.get(word, word) for word in name.split("-"))
    return words[0].upper() + words[1:]


def _tone(severity: str, verdict: str) -> str:
    return severity if verdict == "found" else "inconclusive"


def _marks(group: Group) -> str:
    marks = [f"{number(count)} {word}" for word, count in (("new", group.new), ("fixed", group.fixed)) if count]
    return f' <span class="marks">{text(", ".join(marks))}</span>' if marks else ""


def _more(group: Group) -> str:
    if group.findings <= len(group.top):
        return ""
    link = f'href="#{_anchor(group.code, group.verdict)}" data-rule="{text(group.code)}"'
    return f'<p class="more"><a {link}>All {number(group.findings)} in the list</a></p>'


def _anchor(code: str, verdict: str) -> str:
    return f"list-{text(code)}-{text(verdict)}"


def _part(rule: Rule | None, heading: str) -> str:
    """Return a part of a rule's page as HTML."""
    if rule is None:
        return f"<p>{_NO_RULE}</p>"
    _, _, rest = rule.page.partition(f"## {heading}\n")
    return paragraphs(rest.partition("\n## ")[0])


def _asked(group: Group) -> str | None:
    """Return what the first finding asks for, which is said once for the rule."""
    return group.top[0].help if group.top else None


def _effect(view: View, group: Group) -> str:
    one, many = group.things
    if group.verdict != "found":
        return f"<p>{plural(group.count, one, many)} could not be judged, and do not count as wrong.</p>"
    if not group.count:
        return "<p>All of it is fixed.</p>"
    is_part = bool(view.whole) and one == "page" and group.count <= (view.whole or 0)
    of = f", {share(group.count, view.whole or 0)} of those listed" if is_part else ""
    said = f"<p>A fix corrects {plural(group.count, one, many)}{of}.</p>"
    first = group.top[0]
    if first.pattern and group.findings > 1:
        said += f"<p>The largest pattern, {_pattern(first.pattern)}, has {number(first.count)} of them.</p>"
    elif first.pattern:
        said += f"<p>All have one pattern, {_pattern(first.pattern)}, so one change may correct them.</p>"
    return said


def _pattern(pattern: str) -> str:
    return f"<q>{text(pattern)}</q>"


def _top(finding: ReportedFinding, common_help: str | None) -> str:
    """Return one finding below its rule."""
    state = _state(finding)
    times = f'<span class="times">{number(finding.count)}{f" {state}" if state else ""}</span>'
    return f"<li><div>{_shown(finding, common_help)}</div>{times}</li>"


def _state(finding: ReportedFinding) -> str:
    """Return whether it is new, open or fixed. One that was there before may have new pages."""
    if finding.state == "open" and finding.new:
        return f"open, {number(finding.new)} new"
    return finding.state or ""


def _shown(finding: ReportedFinding, common_help: str | None) -> str:
    """Return what a finding says: what it is about, what is wrong, the pattern, and examples."""
    examples = [url(example) for example in finding.examples[:EXAMPLES] if example != finding.subject]
    detail = f" {text(f'({finding.detail})')}" if finding.detail else ""
    parts = [f"<b>{url(finding.subject)}</b>{detail} {text(finding.message)}"]
    if finding.pattern and finding.pattern not in finding.message:
        parts.append(_pattern(finding.pattern))
    if examples:
        parts.append(f"<small>{', '.join(examples)}</small>")
    if finding.help and finding.help != common_help:
        parts.append(f"<i>{text(finding.help)}</i>")
    return " ".join(parts)


def _figure(figure: Figure) -> str:
    wide = ' class="wide"' if figure.is_wide else ""
    name = text(figure.name)
    return (
        f'<section id="{name}"{wide} aria-labelledby="{name}-head"><h3 id="{name}-head">{text(figure.title)}</h3>'
        f'<p class="lead">{text(figure.lead)}</p>{figure.body}</section>\n'
    )


def _list(view: View) -> Iterator[str]:
    yield '<section id="list" aria-labelledby="list-head">\n<h2 id="list-head">All findings</h2>\n'
    yield _own("tools.html")
    yield '<noscript id="all">\n'
    of = {(group.code, group.verdict): group for group in view.groups}
    for (code, verdict), findings in groupby(view.findings(), lambda each: (each.code, each.verdict)):
        group = of[code, verdict]
        total = f"{number(group.findings)} with {plural(group.count, *group.things)}"
        facts = f"{group.severity} {code} {verdict}"
        yield f'<details data-g="{text(facts)}" id="{_anchor(code, verdict)}">'
        yield f"<summary>{text(code)}, {text(verdict)}: {total}</summary><table>\n"
        asked = _asked(group)
        for finding in findings:
            yield from _lines(finding, asked)
        yield "</table></details>\n"
    yield "</noscript>\n</section>\n"


def _lines(finding: ReportedFinding, common_help: str | None) -> Iterator[str]:
    """Yield a finding as a line, and then all that it stands for, if that is known and more than the finding itself."""
    # Whoever looks for what is new finds the patterns that have new pages, too.
    word = "new" if finding.new and finding.state == "open" else finding.state
    yield _line("pattern", word, finding.count, _shown(finding, common_help), _state(finding))
    if len(finding.hits) > 1:
        for subject, detail, is_new in finding.hits:
            each = None if finding.state is None else "new" if is_new else "open"
            yield _line("each", each, 1, f"{url(subject)} {text(detail)}", each or "")


def _line(kind: str, word: str | None, count: int, shown: str, state: str) -> str:
    """Return one line, which begins with what it is sorted and filtered by."""
    facts = f"{kind} {word or '-'} {count}"
    return f'<tr data-f="{text(facts)}"><td>{number(count)}<td>{shown.translate(_ONE_LINE)}<td>{text(state)}\n'
