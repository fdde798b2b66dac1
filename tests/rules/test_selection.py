"""Selection: which rules run. Examples of each rule of it, and precedence held against a plain model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from urlset import InputError, Rule, rules
from urlset._rules.profiles import PROFILES, profile
from urlset._rules.selection import ALL, check_selectors, per_file, select_rules

#: Those of lint: it never enables the rules of audit.
RULES = {rule.code: rule for rule in rules() if rule.scope != "live"}
LIVE = [rule.code for rule in rules() if rule.scope == "live"]
STABLE = [code for code, rule in RULES.items() if rule.status == "stable"]
PREVIEW = [code for code, rule in RULES.items() if rule.status == "preview"]


def asked(
    select: list[str] | None = None, ignore: tuple[str, ...] = (), *, name: str = "protocol", preview: bool = False
) -> list[str]:
    return list(select_rules(profile(name), select=select, ignore=ignore, preview=preview))


def beginning(prefix: str, codes: list[str] = STABLE) -> list[str]:
    return [code for code in codes if code.startswith(prefix)]


# --- examples ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROFILES)
def test_without_a_selection_the_rules_of_the_profile_are_enabled(name: str) -> None:
    severities = {code: severity for code, severity in profile(name).severities.items() if code in RULES}
    stable = {code: severity for code, severity in severities.items() if code in STABLE}
    assert select_rules(profile(name), select=None, ignore=(), preview=False) == stable
    assert select_rules(profile(name), select=None, ignore=(), preview=True) == severities


def test_lint_and_audit_enable_rules_of_their_own() -> None:
    live = select_rules(profile("protocol"), select=None, ignore=("LIVE02",), preview=False, scope="live")
    assert list(live) == [code for code in LIVE if not code.startswith("LIVE02")]
    assert select_rules(profile("protocol"), select=[ALL], ignore=(), preview=False, scope="live").keys() == set(LIVE)
    assert asked(["LIVE"]) == []
    for selector in ("LIVE001", "url-client-error"):
        with pytest.raises(InputError, match=r"^LIVE001 \(url-client-error\) is a rule of audit$"):
            asked([selector])
    with pytest.raises(InputError, match=r"^LOC002 \(relative-url\) is a rule of lint$"):
        select_rules(profile("protocol"), select=["LOC002"], ignore=(), preview=False, scope="live")
    with pytest.raises(InputError, match="whose codes begin with LIVE, got LOC"):
        select_rules(profile("protocol"), select=["LOC"], ignore=(), preview=False, scope="live")


def test_there_are_previews() -> None:
    assert {"LOC015", "MOD010", "FRQ003"} <= set(PREVIEW)


@pytest.mark.parametrize(
    ("select", "ignore", "codes"),
    [
        (["LOC002"], (), ["LOC002"]),
        (["relative-url"], (), ["LOC002"]),
        (["NS", "LOC002"], (), ["LOC002", *beginning("NS")]),
        (["LOC", "LOC"], (), beginning("LOC")),
        ([ALL], (), STABLE),
        ([], (), []),
        # Of two that contradict each other the longer one wins,
        (["LOC"], ("LOC011",), [code for code in beginning("LOC") if code != "LOC011"]),
        (["LOC002"], ("LOC",), ["LOC002"]),
        (["LOC00"], ("LOC", "LOC001"), [code for code in beginning("LOC00") if code != "LOC001"]),
        ([ALL], ("L",), [code for code in STABLE if not code.startswith("L")]),
        (["LOC"], (ALL,), beginning("LOC")),
        # of its own kind too,
        (["L", "LOC002"], ("LOC",), [*beginning("LIM"), "LOC002"]),
        # and the one that ignores if they are as long; a name is as long as its code.
        (["LOC002", "LOC003"], ("LOC002",), ["LOC003"]),
        (["relative-url"], ("LOC002",), []),
        (["LOC002"], ("relative-url",), []),
        (["relative-url"], ("LOC00",), ["LOC002"]),
        ([ALL], (ALL,), []),
    ],
)
def test_a_selection_enables_the_expected_rules(select: list[str], ignore: tuple[str, ...], codes: list[str]) -> None:
    assert asked(select, ignore) == codes


def test_ignored_rules_are_disabled() -> None:
    assert asked(ignore=("LOC", "MOD001")) == [
        code for code in asked() if not code.startswith("LOC") and code != "MOD001"
    ]
    assert asked(ignore=(ALL,)) == []


def test_a_rule_that_is_off_in_the_profile_can_be_selected() -> None:
    off = [code for code in STABLE if code not in profile("protocol").severities]
    assert set(off) & set(asked()) == set()
    for code in off:
        chosen = select_rules(profile("protocol"), select=[code], ignore=(), preview=False)
        assert chosen == {code: RULES[code].severity}
    assert set(off) <= set(asked([ALL]))


def test_a_selected_rule_has_the_severity_of_the_profile() -> None:
    assert select_rules(profile("yandex"), select=["MOD001", "VID001"], ignore=(), preview=False) == {
        "MOD001": "warning",
        "VID001": "error",
    }


@pytest.mark.parametrize("code", PREVIEW)
def test_a_preview_rule_needs_preview(code: str) -> None:
    assert code not in asked([ALL])
    assert code not in asked([code[:3]])
    assert code in asked([code[:3]], preview=True)
    for selector in (code, RULES[code].name):
        assert asked([selector], preview=True) == [code]
        with pytest.raises(InputError, match=rf"^{code} \({RULES[code].name}\) is a preview rule: it needs preview"):
            asked([code[:3], selector])
        # One that is ignored as well is not selected.
        assert asked([selector], (code,)) == []


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ("LOC99", "no rule has the code 'LOC99'"),
        ("loc002", "no rule has the code 'loc002'; did you mean LOC002?"),
        ("LLOC002", "no rule has the code 'LLOC002'; did you mean LOC002?"),
        ("relativ-url", "no rule has the code 'relativ-url'; did you mean relative-url?"),
        ("all", "no rule has the code 'all'; did you mean ALL?"),
        ("relative", "no rule has the code 'relative'"),
        ("", "no rule has the code ''"),
        ("LOC002 ", "no rule has the code 'LOC002 '; did you mean LOC002?"),
    ],
)
def test_an_unknown_selector_is_refused_everywhere(selector: str, message: str) -> None:
    for refused in (
        lambda: asked([selector]),
        lambda: asked(ignore=("LOC", selector)),
        lambda: per_file({"a.xml": [selector]}, "b.xml"),
        lambda: check_selectors([selector], "select"),
    ):
        with pytest.raises(InputError) as raised:
            refused()
        assert str(raised.value).startswith(message)


def test_one_text_instead_of_a_list_is_refused() -> None:
    text: Any = "LOC002"
    with pytest.raises(InputError, match=r"^select must be a list of selectors, got one str, 'LOC002'$"):
        asked(text)
    with pytest.raises(InputError, match=r"^ignore must be a list of selectors, got one str"):
        asked(ignore=text)


# --- precedence ----------------------------------------------------------------------------------------------------


def lengths(rule: Rule, selectors: list[str]) -> list[int]:
    """How much each selector says of a rule: nothing, or the letters of the code that it names."""
    found = []
    for selector in selectors:
        if selector == ALL:
            found.append(0)
        elif selector == rule.name:
            found.append(len(rule.code))
        elif rule.code[: len(selector)] == selector:
            found.append(len(selector))
    return found


SELECTORS = st.one_of(
    st.just(ALL),
    st.sampled_from(sorted(RULES)),
    st.sampled_from(sorted({code[:length] for code in RULES for length in range(1, len(code))})),
    st.sampled_from([rule.name for rule in RULES.values()]),
)


@given(
    name=st.sampled_from(PROFILES),
    select=st.none() | st.lists(SELECTORS, max_size=5),
    ignore=st.lists(SELECTORS, max_size=5),
)
def test_the_longer_selector_wins(name: str, select: list[str] | None, ignore: list[str]) -> None:
    chosen = select_rules(profile(name), select=select, ignore=ignore, preview=True)
    for code, rule in RULES.items():
        own = profile(name).severities.get(code)
        wanted = lengths(rule, select) if select is not None else [0] if own else []
        against = lengths(rule, ignore)
        assert (code in chosen) == (bool(wanted) and all(max(wanted) > length for length in against))
        assert chosen.get(code, own or rule.severity) == (own or rule.severity)


@given(select=st.lists(SELECTORS, max_size=5), ignore=st.lists(SELECTORS, max_size=5), data=st.data())
def test_order_and_repetition_have_no_effect(select: list[str], ignore: list[str], data: st.DataObject) -> None:
    chosen = asked(select, tuple(ignore), preview=True)
    again = data.draw(st.permutations([*select, *select[:1]]))
    assert asked(again, tuple(reversed(ignore)), preview=True) == chosen


@given(select=st.none() | st.lists(SELECTORS, max_size=5), ignore=st.lists(SELECTORS, max_size=5))
def test_preview_only_adds_previews(select: list[str] | None, ignore: list[str]) -> None:
    with_preview = asked(select, tuple(ignore), preview=True)
    try:
        without = asked(select, tuple(ignore))
    except InputError:
        assert set(select or ()) & {word for code in PREVIEW for word in (code, RULES[code].name)}
    else:
        assert without == [code for code in with_preview if code in STABLE]


@given(
    select=st.none() | st.lists(SELECTORS, max_size=5),
    ignore=st.lists(SELECTORS, max_size=3),
    file=st.lists(SELECTORS, min_size=1, max_size=3),
)
def test_rules_ignored_for_a_file_are_disabled_for_it(
    select: list[str] | None, ignore: list[str], file: list[str]
) -> None:
    codes = per_file({"*.xml": file}, "a.xml")
    assert [code for code in codes if code in RULES] == [code for code, rule in RULES.items() if lengths(rule, file)]
    chosen = asked(select, (*ignore, *codes), preview=True)
    assert chosen == [code for code in asked(select, tuple(ignore), preview=True) if code not in codes]


# --- ignores of a file ---------------------------------------------------------------------------------------------

FITS = [
    ("legacy.xml", "legacy.xml", True),
    ("legacy.xml", "shop/legacy.xml", True),
    ("legacy.xml", "shop/legacy.xml.gz", False),
    ("*.xml", "shop/tea/a.xml", True),
    ("*.xml", "shop/tea/a.xml.gz", False),
    ("shop/*.xml", "shop/a.xml", True),
    ("shop/*.xml", "./shop/../shop/a.xml", True),
    ("./shop/*.xml", "shop/a.xml", True),
    ("shop/*.xml", "shop/tea/a.xml", False),
    ("shop/*.xml", "workshop/a.xml", False),
    ("shop/**", "shop/tea/a.xml", True),
    ("shop/", "shop/tea/a.xml", True),
    ("shop/", "shop", False),
    ("shop/**/a.xml", "shop/a.xml", True),
    ("shop/**/a.xml", "shop/x/y/a.xml", True),
    ("shop/**/a.xml", "shop/x/y/ba.xml", False),
    ("**/tea/*.xml", "tea/a.xml", True),
    ("**/tea/*.xml", "shop/tea/a.xml", True),
    ("**/tea/*.xml", "shop/green-tea/a.xml", False),
    ("sitemap-?.xml", "sitemap-1.xml", True),
    ("sitemap-?.xml", "sitemap-10.xml", False),
    ("sitemap-[0-9].xml", "sitemap-7.xml", True),
    ("sitemap-[!0-9].xml", "sitemap-7.xml", False),
    ("sitemap-[!0-9].xml", "sitemap-x.xml", True),
    ("a[!x]b", "a/b", False),
    ("a?b", "a/b", False),
    ("sitemap-[1.xml", "sitemap-[1.xml", True),
    ("a.xml", "aXxml", False),
    ("a+(b).xml", "a+(b).xml", True),
    ("[\\w].xml", "w.xml", False),
    ("Legacy.xml", "legacy.xml", False),
    ("shop\\*.xml", "shop/a.xml", True),
    ("shop/*.xml", "https://www.example.com/shop/a.xml?page=1", True),
    ("a.xml", "https://www.example.com/shop/a.xml", True),
    ("www.example.com/**", "https://www.example.com/shop/a.xml", False),
]


@pytest.mark.parametrize(("glob", "location", "fits"), FITS)
def test_a_glob_fits_a_document(glob: str, location: str, fits: bool) -> None:
    assert per_file({glob: ["LOC002"]}, location) == (["LOC002"] if fits else [])


def test_globs_begin_at_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ignores = {"shop/*.xml": ["LOC002"]}
    inside = tmp_path / "shop" / "a.xml"
    assert per_file(ignores, str(inside)) == []
    assert per_file(ignores, str(inside), root=tmp_path) == ["LOC002"]
    assert per_file(ignores, str(tmp_path / "other" / "shop" / "a.xml"), root=tmp_path) == []
    # The absolute path fits from anywhere.
    assert per_file({f"{tmp_path.as_posix()}/**": ["LOC002"]}, str(inside), root=Path("/elsewhere")) == ["LOC002"]
    monkeypatch.chdir(tmp_path)
    assert per_file(ignores, str(inside)) == ["LOC002"]
    monkeypatch.chdir("/")
    assert per_file(ignores, "shop/a.xml", root=tmp_path) == ["LOC002"]


def test_the_codes_of_all_globs_that_fit_are_ignored() -> None:
    ignores = {"*.xml": ["LOC002", "NS001"], "shop/**": ["relative-url", "IMG"], "*.txt": [ALL]}
    assert per_file(ignores, "shop/a.xml") == sorted({"LOC002", "NS001", *beginning("IMG", list(RULES))})
    assert per_file(ignores, "a.txt") == sorted([*RULES, *LIVE])
    assert per_file(ignores, "a.json") == []
    assert per_file({}, "a.xml") == []


def test_no_glob_matches_a_document_without_a_location() -> None:
    assert per_file({"**": [ALL]}, None) == []


def test_an_invalid_glob_is_refused() -> None:
    with pytest.raises(InputError, match=r"^'\[z-a\]\.xml' is not a valid glob: bad character range"):
        per_file({"[z-a].xml": ["LOC"]}, None)


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_glob_is_taken_or_refused(glob: str, location: str) -> None:
    try:
        codes = per_file({glob: ["LOC002"]}, location)
    except InputError:
        assert "[" in glob
    else:
        assert codes in ([], ["LOC002"])


@given(st.text("abc./-_ é", min_size=1, max_size=20).filter(lambda text: not text.endswith("/")))
def test_a_path_without_signs_fits_itself(path: str) -> None:
    if Path(path).name not in ("", ".", "..") and ".." not in Path(path).parts:
        assert per_file({Path(path).as_posix(): ["LOC002"]}, path) == ["LOC002"]
