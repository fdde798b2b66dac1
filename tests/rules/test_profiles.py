"""Profiles: what `profiles.toml` states is whole and said once, and the profiles that come of it fit the facts."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from urlset import PROTOCOL, InputError, rules
from urlset._rules.profiles import (
    OFF,
    PROFILES,
    Choice,
    ConsumerSettings,
    Difference,
    choices,
    differences,
    profile,
    unread,
)

RULES = {rule.code: rule for rule in rules()}
OTHERS = PROFILES[1:]
DOCS = Path(__file__).parents[2] / "docs"
STATED: list[Difference | Choice] = [*differences(), *choices()]


def in_profile(name: str, code: str) -> str:
    """The severity of a rule in a profile, or off."""
    return profile(name).severities.get(code, OFF)


def group(*prefixes: str) -> list[str]:
    return [code for code in RULES if code.startswith(prefixes)]


# --- what is stated -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stated", STATED, ids=lambda each: getattr(each, "name", None) or "-".join(each.codes))
def test_everything_that_is_stated_has_a_reason_and_a_source(stated: Difference | Choice) -> None:
    assert stated.profiles
    assert set(stated.profiles) <= set(PROFILES)
    assert re.fullmatch(r"[A-Zx].{10,118}\.", stated.why)
    assert re.fullmatch(r"\S.{8,}\S", stated.source)
    assert stated.link is None or re.fullmatch(r"https://\S+", stated.link)


@pytest.mark.parametrize("difference", differences(), ids=lambda each: "-".join(each.codes))
def test_a_difference_is_one(difference: Difference) -> None:
    assert difference.severity in {OFF, "error", "warning", "info"}
    assert difference.codes
    for code in difference.codes:
        assert RULES[code].severity != difference.severity


def test_no_difference_is_stated_twice() -> None:
    said = Counter((code, name) for each in differences() for code in each.codes for name in each.profiles)
    said.update((choice.name, name) for choice in choices() for name in choice.profiles)
    assert [what for what, count in said.items() if count > 1] == []


def test_every_setting_has_a_default_and_every_choice_a_setting() -> None:
    names = [field.name for field in fields(ConsumerSettings)]
    assert [choice.name for choice in choices() if PROFILES[0] in choice.profiles] == names
    assert {choice.name for choice in choices()} == set(names)


# (setting, profiles): what is known of a consumer. Nobody states anything else, so the page of profiles cannot either.
KNOWN: dict[str, set[str]] = {
    "loc_chars": {"yandex"},
    "loc_bytes": {"baidu"},
    "tag_bytes": {"yandex"},
    "document_bytes": {"google", "bing", "yandex", "baidu"},
    "feeds": {"google", "bing", "yandex", "baidu"},
    "indexes": {"google", "bing", "yandex", "baidu"},
    "extensions": {"google", "yandex"},
    "foreign_children": {"google"},
    "agents": set(OTHERS),
}


def test_what_is_not_known_is_shown_as_not_stated() -> None:
    page = (DOCS / "profiles.md").read_text("utf-8")
    table = page.partition("\n## What each consumer is known to accept\n")[2].partition("\n## ")[0]
    _, _, *rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("|")]
    for setting, (_, *cells) in zip(KNOWN, rows, strict=True):
        shown = dict(zip(PROFILES, cells, strict=True))
        assert {name for name in OTHERS if shown[name] != "not stated"} == KNOWN[setting], setting
        assert shown["protocol"] != "not stated"


def test_a_page_says_which_of_its_sources_could_not_be_read() -> None:
    cited = {stated.source for stated in STATED} | {source for rule in rules() for source in rule.sources}
    assert unread().keys() <= cited
    for rule in rules():
        text = " ".join(rule.page.split())
        assert [source for source, note in unread().items() if note in text] == [
            source for source in unread() if source in rule.sources
        ], rule.code


@pytest.mark.parametrize("name", PROFILES)
def test_values_have_the_types_of_their_settings(name: str) -> None:
    settings = profile(name).settings
    for field in fields(ConsumerSettings):
        value = getattr(settings, field.name)
        if field.type == "bool":
            assert isinstance(value, bool)
        elif field.type == "tuple[str, ...]":
            assert isinstance(value, tuple)
            assert value
            assert all(isinstance(word, str) for word in value)
        else:
            optional = str(field.type).endswith("None")
            assert (value is None and optional) or (type(value) is int and value > 0)


def test_the_same_titles_have_the_same_links() -> None:
    links: dict[str, set[str | None]] = {}
    for stated in STATED:
        links.setdefault(stated.source, set()).add(stated.link)
    assert [title for title, found in links.items() if len(found) > 1] == []
    pages = re.findall(r"^- \[(.*)\]\((https://\S+)\)$", "\n".join(rule.page for rule in rules()), re.MULTILINE)
    for title, link in pages:
        assert links.get(title, {link}) == {link}, title


# --- the profiles --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_of_the_catalogue_and_cannot_be_changed(name: str) -> None:
    found = profile(name)
    assert found.name == name
    assert profile(name) is found
    assert list(found.severities) == [code for code in RULES if code in found.severities]
    assert set(found.severities.values()) <= {"error", "warning", "info"}
    with pytest.raises(TypeError):
        found.severities["LOC001"] = OFF  # type: ignore[index]
    with pytest.raises(AttributeError):
        found.settings.feeds = False  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gogle", "no profile is called 'gogle'; did you mean google?"),
        ("Bing", "no profile is called 'Bing'; did you mean bing?"),
        ("duck", "no profile is called 'duck'; known: protocol, google, bing, yandex, baidu, naver, seznam$"),
        ("", "no profile is called ''; known: "),
        (["bing"], r"no profile is called \['bing'\]"),
    ],
)
def test_an_unknown_profile_is_refused(name: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        profile(name)


def test_rules_about_unreadable_documents_are_the_same_in_all_profiles() -> None:
    own = [code for code in group("XML", "LIM", "TXT") if RULES[code].authority == "protocol"]
    assert {"XML001", "XML008", "LIM001", "LIM002", "TXT001"} <= set(own)
    for name in PROFILES:
        changed = {code for code in own if in_profile(name, code) != RULES[code].severity}
        assert changed == set()


def test_a_rule_of_one_consumer_is_enabled_in_its_profile() -> None:
    for rule in rules():
        if rule.authority in OTHERS:
            assert in_profile(rule.authority, rule.code) == rule.severity, rule.code


# Which profiles ask the rules that are not asked by all, but for groups that a consumer does not read.
ONLY = {
    "IDX004": {"google"},
    "IDX009": {"baidu"},
    "IMG003": {"google"},
    "IMG005": {"google"},
    "VID009": {"google"},
    "NWS006": {"google"},
    "ALT008": {"google"},
    "ALT010": {"google"},
    "TXT004": {"google"},
    "FRQ002": {"google", "bing"},
    "PRI004": {"google", "bing"},
    "MOD006": {"bing"},
    "MOD011": {"bing"},
    "LIM006": {"yandex"},
    "LOC007": set(OTHERS),
}


def test_rules_of_a_few_profiles_are_enabled_in_no_other() -> None:
    for code, names in ONLY.items():
        assert {name for name in PROFILES if code in profile(name).severities} == names, code
    # The protocol asks everything else, as its page says.
    protocol = profile("protocol").severities
    assert protocol == {code: rule.severity for code, rule in RULES.items() if code not in ONLY}


def _same(name: str, *prefixes: str) -> list[tuple[str, str, str]]:
    return [(name, code, RULES[code].severity) for code in group(*prefixes) if code not in ONLY]


# (profile, code, severity): a row for every fact about a consumer that touches rules.
FACTS: list[tuple[str, str, str]] = [
    # Google and Bing ignore changefreq and priority; Google reports a bad value all the same.
    *((name, code, "warning") for name in ("google", "bing") for code in ("FRQ001", "PRI001", "PRI002")),
    *((name, code, "info") for name in ("google", "bing") for code in ("FRQ002", "PRI004")),
    *((name, code, OFF) for name in ("google", "bing") for code in ("FRQ003", "PRI003")),
    # Google uses all four extensions, RSS, Atom, text lists and indexes, and reports a nested one.
    *_same("google", "IMG", "VID", "NWS", "ALT", "FEED", "TXT", "IDX", "MOD"),
    # Bing distrusts dates that are all equal, or of the build, and wants a time in them.
    *(("bing", code, RULES[code].severity) for code in ("MOD006", "MOD009", "MOD010", "MOD011", "MOD012")),
    # What Bing makes of extensions is not known.
    *_same("bing", "IMG", "VID", "NWS", "ALT", "FEED", "TXT", "IDX"),
    # Yandex warns of a bad optional value and keeps the URL; it uses priority.
    *(("yandex", code, "warning") for code in ("MOD001", "MOD002", "MOD003", "MOD004", "MOD005")),
    *(("yandex", code, "warning") for code in ("FRQ001", "PRI001", "PRI002", "LIM006")),
    ("yandex", "PRI003", "info"),
    ("yandex", "PRI004", OFF),
    # It reads images, and no videos, news, language versions or feeds.
    *_same("yandex", "IMG", "TXT", "IDX"),
    *(("yandex", code, OFF) for code in group("VID", "NWS", "ALT")),
    ("yandex", "FEED001", "error"),
    ("yandex", "FEED002", OFF),
    ("yandex", "FEED003", OFF),
    ("yandex", "NS006", "warning"),
    # A URL outside the directory, or too long, is in its list of errors.
    ("yandex", "LOC013", "error"),
    ("yandex", "LOC009", "error"),
    # What is reported of Baidu and indexes differs, so their rules apply, and one more.
    *(("baidu", code, "error") for code in ("IDX001", "IDX002", "IDX003", "LIM003")),
    *(("baidu", code, "warning") for code in ("IDX005", "IDX007", "IDX009")),
    ("baidu", "IDX004", OFF),
    ("baidu", "IDX006", "error"),
    ("baidu", "IDX008", "warning"),
    # It takes hosts of the same domain, and its own sample has no namespace.
    ("baidu", "LOC011", "warning"),
    ("baidu", "LOC012", "error"),
    ("baidu", "NS001", "warning"),
    ("baidu", "NS003", "error"),
    *_same("baidu", "MOD", "FRQ", "PRI", "IMG", "VID", "NWS", "ALT", "FEED", "TXT"),
    # Seznam uses priority. Of Naver nothing is known.
    *_same("seznam", ""),
    *_same("naver", ""),
]


def test_the_rules_fit_the_facts() -> None:
    wrong = [(fact, in_profile(*fact[:2])) for fact in FACTS if in_profile(*fact[:2]) != fact[2]]
    assert wrong == []


SETTINGS: dict[str, dict[str, Any]] = {
    "protocol": {
        "loc_chars": 2_047,
        "loc_bytes": None,
        "tag_bytes": None,
        "document_bytes": PROTOCOL.bytes,
        "feeds": True,
        "indexes": True,
        "extensions": True,
        "foreign_children": True,
        "agents": ("*",),
    },
    "google": {"foreign_children": False, "agents": ("Googlebot",)},
    "bing": {"agents": ("bingbot",)},
    "yandex": {"loc_chars": 1_024, "tag_bytes": 100, "feeds": False, "extensions": False, "agents": ("Yandex",)},
    "baidu": {
        "loc_bytes": 256,
        "document_bytes": 10_485_760,
        "feeds": False,
        "indexes": False,
        "agents": ("Baiduspider",),
    },
    "naver": {"agents": ("Yeti",)},
    "seznam": {"agents": ("SeznamBot",)},
}


@pytest.mark.parametrize("name", PROFILES)
def test_the_settings_fit_the_facts(name: str) -> None:
    assert profile(name).settings == ConsumerSettings(**SETTINGS["protocol"] | SETTINGS[name])


def test_pages_that_name_their_profiles_name_the_right_ones() -> None:
    named = 0
    for rule in rules():
        text = " ".join(rule.page.split())
        found = re.search(r"enabled only in the profiles? ([a-z`, ]+)\.", text)
        if found:
            named += 1
            assert set(re.findall(r"[a-z]+", found[1])) - {"and"} == ONLY[rule.code], rule.code
    assert named >= 13
