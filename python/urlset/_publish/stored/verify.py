"""Verify: compare what is stored of a set with what was published, byte by byte, and change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from urlset._model.errors import LimitError, PublishError
from urlset._model.limits import PROTOCOL
from urlset._options.publish import Dest
from urlset._options.shared import StoreOptions
from urlset._publish.documents import derived, stylesheet
from urlset._publish.rows.database import PlanningDatabase, planning_database
from urlset._publish.rows.schema import create
from urlset._publish.stored import manifest
from urlset._publish.stored.integrity import Integrity, problems
from urlset._publish.stored.manifest import MANIFEST, PREVIOUS
from urlset._publish.stored.transaction import PREVIOUS_ENTRY_POINT, Transaction, digest, replaced_names
from urlset._publish.values.header import Header
from urlset._read.entry_points import ENTRY_POINT
from urlset._stores.open import open_store
from urlset._stores.store import Store
from urlset._util.duckdb import scalar

if TYPE_CHECKING:
    from pathlib import Path

    from duckdb import DuckDBPyConnection

#: Locs that are compared with each other in one pass: 100 million do not fit into the memory of a verification.
_LOCS_AT_ONCE = 20_000_000


@dataclass(frozen=True, slots=True)
class Damage:
    """A stored file that is not as it was published.

    Attributes:
        name: The name of the file.
        reason: What is wrong with it.
        is_previous: Whether only the previous set needs the file, so that a rollback is not possible.

    Example:
        >>> import pathlib, urlset
        >>> published = urlset.publish(["/"], "public", base_url="https://shop.example/")
        >>> pathlib.Path("public/.urlset/manifest.parquet").unlink()
        >>> urlset.verify("public").damage
        (Damage(name='.urlset/manifest.parquet', reason='is missing or damaged', is_previous=False),)
    """

    name: str
    reason: str
    is_previous: bool = False


@dataclass(frozen=True, slots=True)
class Verification:
    """What `verify` has found.

    Attributes:
        location: The path or URL at which the entry point is stored.
        documents: How many documents were compared, those of the previous set among them.
        bytes: How many bytes they should have.
        damage: The files that are not as they were published.

    Example:
        >>> import urlset
        >>> published = urlset.publish(["/"], "public", base_url="https://shop.example/")
        >>> urlset.verify("public").is_intact
        True
    """

    location: str
    documents: int
    bytes: int
    damage: tuple[Damage, ...]

    @property
    def is_intact(self) -> bool:
        """Whether everything is as it was published."""
        return not self.damage

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON."""
        return {"is_intact": self.is_intact} | asdict(self)


def verify(dest: Dest, *, store: StoreOptions = None) -> Verification:
    """Compare every stored file of a published set with what was published, by its hash. Nothing is changed.

    The current set is compared, and the previous one, to which `rollback` returns. A publish of the same rows with
    `Checks(verify=True)` writes damaged documents again.

    Args:
        dest: Destination: a folder, or an object store as s3://, gs:// or az://BUCKET/PREFIX.
        store: Options of the object store, such as endpoint and region; secrets stay in the environment.

    Returns:
        What is damaged.

    Raises:
        InputError: The destination or an option is invalid.
        PublishError: There is no set, or the store fails.

    Example:
        >>> import pathlib, urlset
        >>> sections = {name: urlset.Section(["/" + name]) for name in ("tea", "cups")}
        >>> published = urlset.publish(sections, "public", base_url="https://shop.example/")
        >>> shard = pathlib.Path("public", published.shards[0].name)
        >>> damaged = shard.write_bytes(shard.read_bytes()[:-1] + b"!")
        >>> [damage.reason for damage in urlset.verify("public").damage]
        ['has other bytes than were published']
    """
    destination = open_store(dest, **(store or {}))
    with planning_database("512MB") as database, Transaction.read_only(destination, database) as transaction:
        live = transaction.entry_point()
        found, previous = transaction.current(live), transaction.header(PREVIOUS)
        if live is None and found is None:
            raise PublishError(f"there is no published set in {destination.location}")
        damage = [
            *_entry_point(live, found[0] if found else None),
            *(_of_set(database, transaction, *found) if found else ()),
            *_of_previous(destination, previous[0] if previous else None, found[0] if found else None),
        ]
        sets = [each[0] for each in (previous, found) if each is not None]
        documents = {record.name: record.size for each in sets for record in each.shards}
        return Verification(
            f"{destination.location}/{ENTRY_POINT}", len(documents), sum(documents.values()), tuple(damage)
        )


def _entry_point(live: bytes | None, header: Header | None) -> Iterator[Damage]:
    if header is None:
        yield Damage(MANIFEST, "is missing or damaged")
    elif live is None:
        yield Damage(ENTRY_POINT, "is missing")
    elif header.entry_point != digest(live):
        yield Damage(ENTRY_POINT, "has other bytes than were published")


def _of_set(database: PlanningDatabase, transaction: Transaction, header: Header, path: Path) -> Iterator[Damage]:
    """Yield what is wrong with the documents of the current set, its manifest and its stylesheet."""
    store = transaction.store
    found = problems(Integrity(store, is_full=True), header.shards, header.indexes)
    yield from (Damage(name, problem) for name, problem in found.items())
    connection = database.connection
    create(connection, "known")
    paths = transaction.files_with_rows(header, path)
    database.expect(manifest.count_rows(connection, paths))
    if not manifest.load(connection, paths) or repeats_a_loc(connection):
        yield Damage(MANIFEST, "is missing or damaged")
    else:
        counted = dict(
            connection.execute("SELECT shard, count(*) FROM known WHERE gone IS NULL GROUP BY shard").fetchall()
        )
        entries = {each.shard: each.entries for each in header.shards if each.section not in derived.NAMES}
        # A document of another program may repeat a loc, which is known once.
        own = {each.shard for each in header.shards if each.is_ours}
        wrong = sorted(name for name in own & entries.keys() if counted.get(name, 0) != entries[name])
        if wrong:
            yield Damage(MANIFEST, f"knows other entries than these documents have: {', '.join(wrong[:5])}")
    if header.layout.endswith(f" {stylesheet.STYLESHEET}"):
        yield from _stylesheet(store)


def repeats_a_loc(connection: DuckDBPyConnection, at_once: int = _LOCS_AT_ONCE) -> bool:
    """Return whether `known` has a loc twice. About `at_once` locs are compared in one pass over the table."""
    passes = max(1, -(-int(scalar(connection, "SELECT count(*) FROM known")) // at_once))
    # Typed, because DuckDB computes with 128 bits otherwise.
    query = "SELECT count(*) > count(DISTINCT loc) FROM known WHERE hash(loc) % $passes::UBIGINT = $number::UBIGINT"
    return any(
        connection.execute(query, {"passes": passes, "number": number}).fetchall() == [(True,)]
        for number in range(passes)
    )


def _stylesheet(store: Store) -> Iterator[Damage]:
    try:
        there = store.read(stylesheet.STYLESHEET, PROTOCOL.bytes)
    except LimitError:
        there = b""
    if there is None:
        yield Damage(stylesheet.STYLESHEET, "is missing")
    elif not stylesheet.is_ours(there):
        yield Damage(stylesheet.STYLESHEET, "was not made by urlset")


def _of_previous(store: Store, header: Header | None, current: Header | None) -> Iterator[Damage]:
    """Yield what keeps the previous set from being restored, except that its documents were replaced on purpose."""
    entry_point = store.read(PREVIOUS_ENTRY_POINT, 2 * PROTOCOL.bytes)
    if header is None:
        if entry_point is not None or store.size(PREVIOUS) is not None:
            yield Damage(PREVIOUS, "is missing or damaged", is_previous=True)
        return
    if digest(entry_point) != header.entry_point:
        reason = "is missing" if entry_point is None else "has other bytes than were published"
        yield Damage(PREVIOUS_ENTRY_POINT, reason, is_previous=True)
    replaced = replaced_names(header, current) if current else set()
    kept = [record for record in header.shards if record.name not in replaced]
    found = problems(Integrity(store, is_full=True), kept, header.indexes)
    yield from (Damage(name, problem, is_previous=True) for name, problem in found.items())
