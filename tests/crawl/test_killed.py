"""A crawl that is killed goes on where it was: nothing is lost, and hardly anything is asked for twice."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import urlset
from support.crawl.linked_site import plant, tree
from support.http_server import Site

TESTS = Path(__file__).parents[1]

#: Pages that may be asked for twice: a batch, and those on their way.
_TWICE = 20 + 4 * 8


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_crawl_is_resumed(site: Site, tmp_path: Path, number: signal.Signals) -> None:
    links = tree(5, 3)
    plant(site, links)
    state = tmp_path / "a.duckdb"
    command = [sys.executable, "-m", "support.crawl.interrupted", f"{site.url}/", str(state)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=TESTS) as ran:
        assert ran.stdout is not None
        for line in ran.stdout:
            if int(line) >= 60:
                ran.send_signal(number)
                break
        ran.wait()
    asked = len(site.paths())
    assert 20 <= asked < len(links)
    with urlset.crawl(f"{site.url}/", state=state) as found:
        assert (found.run, found.state, found.is_complete) == (1, "complete", True)
        assert sorted(page.loc.removeprefix(site.url) for page in found) == sorted(links)
    counts = Counter(site.paths())
    assert counts.keys() == links.keys()
    assert sum(counts.values()) <= len(links) + _TWICE
    with urlset.crawl(f"{site.url}/", state=state) as found:  # the next is a run of its own
        assert (found.run, len(found)) == (2, len(links))
