"""What audits say of lastmods, on a simulated site whose model knows when its pages change."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.audit.changing_kinds import KINDS
from support.audit.changing_site import ChangingSite, line, problems
from support.http_server import Site

SOME = ["honest", "behind", "ahead", "dates", "lying", "ads", "counters", "german", "prices", "data"]


def look_again_and_again(site: Site, folder: Path, kinds: list[str], pages: int, looks: int) -> None:
    changing = ChangingSite(site, kinds, pages=pages, looks=looks)
    for number in range(looks):
        audit = changing.look(number, folder / "site.duckdb")
    trust = {each.section: each for each in audit.trust}
    for kind in kinds:
        of_kind = trust[f"/{kind}/"]
        assert problems(kind, changing.tallies[kind], of_kind) == [], line(kind, changing.tallies[kind], of_kind)
        assert of_kind.looks == (0 if KINDS[kind].is_unclear else looks - 1)


def test_trust_is_what_the_site_does(site: Site, tmp_path: Path) -> None:
    look_again_and_again(site, tmp_path, SOME, pages=6, looks=8)


@pytest.mark.long
def test_trust_is_what_every_kind_of_site_does(site: Site, tmp_path: Path) -> None:
    look_again_and_again(site, tmp_path, list(KINDS), pages=12, looks=16)
