"""What a page shows, whichever verb found it: facts of a run, its findings, and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from urlset._model.diagnostics import Severity


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """One pattern of findings of a rule, or one finding of a lint.

    Attributes:
        code: Code of its rule.
        severity: How bad it is.
        verdict: `"found"`, or `"inconclusive"` if it could not be decided.
        state: `"new"`, `"open"` or `"fixed"`, compared with an earlier audit; None without one.
        count: How many entries, pages or places it stands for.
        subject: What it is about: a URL, or the path of a document with a line and a column.
        pattern: What all of them have in common, or None.
        examples: Some of them.
        message: What is wrong, in a sentence.
        help: What to do about it, or None.
        detail: More about what it is about, or None.
        new: How many of these the earlier audit had not found.
        hits: All that it stands for, if that is known: what each is about, what is wrong there, and whether it is new.
    """

    code: str
    severity: Severity
    verdict: str
    state: str | None
    count: int
    subject: str
    pattern: str | None
    examples: tuple[str, ...]
    message: str
    help: str | None
    detail: str | None = None
    new: int = 0
    hits: tuple[tuple[str, str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """The findings of one rule with one verdict.

    Attributes:
        code: Code of the rule.
        severity: How bad its findings are.
        verdict: As in `ReportedFinding`.
        count: The sum of the counts of its findings.
        findings: How many there are.
        new: How many of what they count is new.
        fixed: How many of the findings are fixed.
        top: Those with most that is new, and then those with the greatest counts.
        things: What is counted: one and many, such as `("page", "pages")`.
    """

    code: str
    severity: Severity
    verdict: str
    count: int
    findings: int
    new: int
    fixed: int
    top: tuple[ReportedFinding, ...]
    things: tuple[str, str] = ("page", "pages")


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture with what it says.

    Attributes:
        name: Its id on the page.
        title: What it shows.
        lead: The most important thing that it says, in a sentence.
        body: The picture, as HTML.
        is_wide: Whether it needs the whole width.
    """

    name: str
    title: str
    lead: str
    body: str
    is_wide: bool = False


@dataclass(frozen=True, slots=True)
class Headline:
    """What is true of all that was checked, in a sentence, and its parts as a bar.

    Attributes:
        figure: The number that stands for it.
        sentence: What the number says.
        parts: A class of color, a label and a count each.
    """

    figure: str
    sentence: str
    parts: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True)
class Notes:
    """What somebody adds to a page for whoever reads it.

    Attributes:
        title: The title of the page; None for the site.
        logo: A picture, as a data URL; None for none.
        note: Paragraphs of text; None for none.
    """

    title: str | None = None
    logo: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class View:
    """All that a page shows.

    Attributes:
        name: What it is the result of, and of which day, such as `audit of 2026-11-01`.
        site: What was checked.
        facts: Labels and values: when, how long, by which version.
        gaps: What could not be read, each in a sentence. It comes before everything else.
        warning: Why the run does not show everything, or None.
        headline: The main result, if the run has one.
        whole: Of how many things, or None if that is unknown.
        groups: The findings by rule, the worst first.
        figures: The pictures.
        findings: Yields all findings, in the order of `groups`.
    """

    name: str
    site: str
    facts: tuple[tuple[str, str], ...]
    gaps: tuple[str, ...]
    warning: str | None
    headline: Headline | None
    whole: int | None
    groups: tuple[Group, ...]
    figures: tuple[Figure, ...]
    findings: Callable[[], Iterator[ReportedFinding]]
