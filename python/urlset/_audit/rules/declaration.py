"""How a rule about the listed pages is declared: what it needs, what it asks, what it finds, and its words.

The catalogue, what is executed, the wording, the prober and `Audit.rows` follow from the declarations. Only the facts
that the documentation shows too, such as the name and the severity, stand on the rule's page in `urlset/_rules/pages`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

#: The tables that every statement may read: what is listed, the pages of this run beside that, and each listed loc as
#: its normal form, the hrefs of listed alternates that are not in it, and the files that entries name.
TABLES: Final = frozenset({"entries", "page_view", "normalized", "href_forms", "media"})


#: Pages whose answers prove something.
ANSWERED: Final = "SELECT loc FROM page_view WHERE refused IS NULL AND (status IS NOT NULL OR redirects > 0)"

Extent = Literal["page", "group", "set"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """Questions to servers, or so many of them.

    Attributes:
        questions: A statement for the loc of the page that each question is about, the URL to request, and, if only
            another version of it is wanted, the ETag and the Last-Modified in microseconds.
        most: How many are asked at most. They are drawn from all sections alike, so that none is left out.
        by: Whose sections these are: `"about"` is the page, and `"url"` is what is requested.
        is_enough: Whether their answers tell those of all others.
    """

    questions: str
    most: int
    by: Literal["about", "url"] = "about"
    is_enough: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """Questions to servers that only the first answers lead to.

    Attributes:
        kind: The name under which the answers are kept.
        draws: The questions.
        method: `"HEAD"` if the headers are enough; a server that does not answer it is asked with `"GET"`.
    """

    kind: str
    draws: tuple[Draw, ...]
    method: Literal["GET", "HEAD"] = "GET"

    @property
    def table(self) -> str:
        """The view of the answers of this run."""
        return f"asked_{self.kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Something that a rule takes beside what this run knows of each page.

    Attributes:
        name: What it is.
        tables: The tables that a statement may read because of it.
        is_met: A query for whether this run has it; None if every run that wants it has.
        otherwise: A statement for what is inconclusive if it has not, as in `LiveRule`; None for nothing.
        remedy: What to do about that.
        reason: The pattern of `otherwise`, if it is always the same.
        probe: What is asked to fill the tables.
    """

    name: str
    tables: frozenset[str]
    is_met: str | None = None
    otherwise: str | None = None
    remedy: str = ""
    reason: str | None = None
    probe: Probe | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What `Audit.rows` does about the entry of a page that was found. Texts are expressions over `page_view`.

    Attributes:
        removes: Whether it leaves the entry out.
        unless: Where it does not.
        loc: The URL to list instead.
        url: The normal form of that.
        is_fit: Whether that URL may be listed: if not, the entry is left out; if that is not known, it stays as it is.
        lastmod: The date to state.
    """

    removes: bool = False
    unless: str = "false"
    loc: str = "NULL"
    url: str = "NULL"
    is_fit: str = "NULL::BOOLEAN"
    lastmod: str = "NULL::TIMESTAMPTZ"


@dataclass(frozen=True, slots=True)
class Words:
    """What a finding says.

    Attributes:
        one: What is wrong, after "1 listed page".
        many: The same after the number of several pages.
        remedy: What to do about it.
        subject: What is counted.
        takes_status: Whether the pattern begins with a status, which ends the predicate: "1 listed page is 404".
    """

    one: str
    many: str
    remedy: str
    subject: str = "listed page"
    takes_status: bool = False

    def said(self, pattern: str, count: int = 1) -> tuple[str, str]:
        """Return the predicate for so many pages, and what it does not say of their pattern."""
        predicate = self.one if count == 1 else self.many
        if not self.takes_status:
            return predicate, pattern
        status, _, rest = pattern.partition(" ")
        return f"{predicate} {status}", rest


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRule:
    """One rule of an audit.

    A statement selects the pages that it finds, at most once each: `loc`, the `pattern` by which pages with the same
    remedy become one finding, and a `detail` of this page. Findings that exclude each other have
    conditions that do: an answer is an error, or leads elsewhere, or is a page whose content can be judged.

    What it finds in a sample stands for all listed pages if `extent` is `"page"`: each page is judged by itself. It is
    `"group"` if several listed pages make a finding, which a sample sees only if it has drawn them all; and `"set"` if
    what is found does not depend on what was drawn.

    Attributes:
        code: Its code, such as `"LIVE003"`.
        words: What a finding says.
        found: The statement for pages that are wrong.
        inconclusive: The statement for pages whose answers prove nothing.
        needs: What it takes beside what this run knows of each page.
        probes: What it asks servers.
        correction: What `Audit.rows` does about it; None if it takes a person to decide.
        extent: What a finding takes.
        is_of_asked: Whether a page can only be found if its probe was asked about it. There may be more than were.
        judged: A statement for the pages of which this run can tell that a finding is gone.
        known: One for the pages that would have been found if they were wrong: an estimate is of these.
        reasons: Why pages cannot be judged and what to do about it, by the beginning of the pattern; `""` has the
            answer for all others.
    """

    code: str
    words: Words
    found: str | None = None
    inconclusive: str | None = None
    needs: tuple[Need, ...] = ()
    probes: tuple[Probe, ...] = ()
    correction: Correction | None = None
    extent: Extent = "page"
    is_of_asked: bool = True
    judged: str = ANSWERED
    known: str = ANSWERED
    reasons: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def is_about_listed(self) -> bool:
        """Whether what it finds are listed pages: one that is not listed any more does not count."""
        return self.words.subject == "listed page"

    @property
    def all_probes(self) -> tuple[Probe, ...]:
        """What it asks servers, and what the things that it needs ask."""
        return (*(need.probe for need in self.needs if need.probe is not None), *self.probes)
