"""Check what audits say of lastmods, on a simulated site that is audited again and again.

    python benches/changes.py
    python benches/changes.py --pages 10 --looks 12 --hours 24 --only german,ads

Every kind of page (`tests/support/audit/changing_kinds.py`) has a folder of its own, and a model that knows when its
pages change and what the sitemap says of it. The site is served on loopback; its clock is that of the audits, two of
which are made on each simulated day. Prints a line for each kind: how many pairs of looks were judged, moved, changed
and told, as the audit states and as it is, and how many findings are right, wrong and missing. Exits with 1 if a truth
is outside of its interval, if a finding is wrong, or if less than half of what is to be found was found.
"""

from __future__ import annotations

import argparse
import sys
import time
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests"))


def main() -> int:
    parser = argparse.ArgumentParser(description="Check what audits say of lastmods.")
    parser.add_argument("--pages", type=int, default=30, help="pages of each kind")
    parser.add_argument("--looks", type=int, default=30)
    parser.add_argument("--hours", type=int, default=12, help="simulated hours from one look to the next")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="kinds, with commas between them")
    options = parser.parse_args()
    known: Any = import_module("support.audit.changing_kinds").KINDS
    changing: Any = import_module("support.audit.changing_site")
    kinds = options.only.split(",") if options.only else list(known)
    begun = time.monotonic()
    with TemporaryDirectory() as folder, import_module("support.http_server").serve() as server:
        site = changing.ChangingSite(
            server,
            kinds,
            pages=options.pages,
            looks=options.looks,
            step=timedelta(hours=options.hours),
            seed=options.seed,
        )
        for number in range(options.looks):
            audit = site.look(number, Path(folder) / "site.duckdb")
        size = (Path(folder) / "site.duckdb").stat().st_size
    trust = {each.section: each for each in audit.trust}
    failed = 0
    for kind in kinds:
        problems = changing.problems(kind, site.tallies[kind], trust[f"/{kind}/"])
        print(changing.line(kind, site.tallies[kind], trust[f"/{kind}/"]), *problems, sep="\n    ")
        failed += len(problems)
    print(f"{failed} problems, {time.monotonic() - begun:.0f} seconds, a state of {size / 1e6:.1f} MB")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
