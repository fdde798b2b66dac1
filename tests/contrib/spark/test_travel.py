"""Rows between the tasks of a publish: what is packed arrives, in little memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.publish import BASE
from urlset.jobs import PublishJob

pa: Any = pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")
pytestmark = pytest.mark.long


def test_packets_hold_all_rows_of_a_task_that_exceed_the_memory(tmp_path: Path) -> None:
    from urlset.contrib.spark.publish import _rendered
    from urlset.contrib.spark.travel import arrived, packed

    rows = pa.table({"loc": [f"{BASE}{number:060}" for number in range(200_000)]})
    job = PublishJob(tmp_path, base_url=BASE, shard_by="hash:7", memory="40MB")
    job.begin()
    packets = list(packed(_rendered(job))(iter(rows.to_batches(max_chunksize=10_000))))
    locs: list[str] = []
    routes: set[str] = set()
    for table in arrived(iter(packets)):
        locs += table["loc"].to_pylist() if "loc" in table.column_names else []
        routes |= set(table["route"].to_pylist()) if "route" in table.column_names else set()
    assert sorted(locs) == rows["loc"].to_pylist()
    assert routes == {None, *map(str, range(7))}
