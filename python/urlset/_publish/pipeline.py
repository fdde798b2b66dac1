"""The pipeline of a publish: recall, ingest, assign, plan, then stage and commit.

Each stage is a function with typed inputs and a frozen result, and the next stages take that result. The rows
themselves are held by the core, and, unless the set is planned in the core, in the tables of the planning database;
schema says which stage fills and reads which table. Nothing in the store changes before `commit_set`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from urlset import _core
from urlset._publish.documents.derived import derive
from urlset._publish.plan.assign import assign
from urlset._publish.plan.guards import count_lastmods
from urlset._publish.plan.known_set import assign_known
from urlset._publish.plan.new_set import assign_new
from urlset._publish.plan.plan import PlannedSet, plan_set, unchanged
from urlset._publish.rows import hreflang
from urlset._publish.rows.database import PlanningDatabase
from urlset._publish.rows.held_rows import hold, may_be_held
from urlset._publish.rows.ingest import IngestedSection, IngestReport, check_incoming, collect, insert, is_checked, sort
from urlset._publish.rows.known_input import (
    InputRecord,
    KnownInput,
    given_rows,
    is_decided,
    known_files,
    stored_record,
)
from urlset._publish.stored.recall import CurrentSet, find_set, recall, recall_from_documents
from urlset._publish.stored.transaction import Transaction
from urlset._publish.values.assignment import Assignment, RepeatedLocError
from urlset._publish.values.options import PublishOptions, SectionRows


def plan_publish(
    database: PlanningDatabase,
    transaction: Transaction,
    options: PublishOptions,
    sections: Sequence[SectionRows],
    report: IngestReport,
) -> PlannedSet:
    """Take the rows in, and find out what has to be done with them.

    Args:
        database: An empty planning database.
        transaction: The store, and the manifests in it.
        options: The options of the publish.
        sections: The sections and their rows.
        report: Counts the rows.

    Raises:
        EntryError: A row is refused, and it is not to be left out.
        InputError: The rows cannot be used.
        PublishError: The rows are too many, or the store cannot be read.
    """
    integrity = transaction.integrity
    integrity.is_full = options.checks.verify
    current = find_set(transaction, options)
    # Most runs over a set that is there change little or nothing.
    may_be_same = current.header is not None and bool(current.header.rows)
    known, record, held = _known_input(database, transaction, options, sections, report, may_be_same=may_be_same)
    if record is not None:
        rows = options.fingerprint(sections, record.fingerprints)
        same = unchanged(current, integrity, options, rows)
        if same is not None:
            record.count(report)
            return plan_set(*same, (), integrity, options, report, rows, None)
    # Rows that are given in another way than the last time will be read.
    may_be_unread = may_be_same and not held
    is_given = known is None and is_decided(options, sections)
    ingested = collect(
        database, options, sections, report, sources=held, is_given=is_given, may_be_unread=may_be_unread
    )
    if known is None:
        known = given_rows(options, sections, [store.given for store in ingested], report.rows)
    learned = None if known is None else known.learned(report, [store.fingerprint for store in ingested])
    planned = _plan(database, transaction, options, sections, report, current, ingested)
    return replace(planned, learned=learned if planned.rows and learned != record else None)


def _known_input(
    database: PlanningDatabase,
    transaction: Transaction,
    options: PublishOptions,
    sections: Sequence[SectionRows],
    report: IngestReport,
    *,
    may_be_same: bool,
) -> tuple[KnownInput | None, InputRecord | None, Sequence[_core.Rows]]:
    """Return the rows as far as they are known before they are rendered, what they come to, and those open for that."""
    known = known_files(options, sections)
    if not may_be_same or (known is None and not may_be_held(options, sections)):
        return known, None, ()
    stored = stored_record(transaction.store)
    held: Sequence[_core.Rows] = ()
    if known is None and stored is not None:
        found = hold(database, options, sections, report)
        known, held = found.input, found.sources
    return known, None if known is None else known.record(stored), held


def _plan(
    database: PlanningDatabase,
    transaction: Transaction,
    options: PublishOptions,
    sections: Sequence[SectionRows],
    report: IngestReport,
    current: CurrentSet,
    ingested: Sequence[IngestedSection],
) -> PlannedSet:
    """Find out what has to be done with rows that were read."""
    integrity = transaction.integrity
    is_sticky = all(section.shard_by.is_sticky for section in sections)
    rows = options.fingerprint(sections, [store.fingerprint for store in ingested]) if is_sticky else ""
    same = unchanged(current, integrity, options, rows)
    if same is not None:
        return plan_set(*same, (), integrity, options, report, rows, None)
    sort(ingested)
    compared = assign_known(database, transaction, options, sections, ingested, current)
    if compared is not None:
        known, assignment, lastmods = compared
        return plan_set(known, assignment, (), integrity, options, report, rows, lastmods)
    known = recall(database, transaction, options, current)
    new = assign_new(sections, ingested, known, options)
    if new is not None:
        assignment, lastmods = new
        return plan_set(known, assignment, (), integrity, options, report, rows, lastmods)
    connection = database.connection
    insert(database, ingested)
    refused = report.refused
    incoming = check_incoming(connection, report, is_checked=is_checked(ingested))
    usual = hreflang.usual_code(options.x_default)
    if incoming.has_groups:
        hreflang.link(connection, report, usual, options.layout)
    if incoming.has_repeated or report.refused > refused:
        rows = ""  # more than the fingerprint says has decided what is published

    def assigned() -> Assignment:
        has_groups = incoming.has_groups
        return assign(connection, sections, known.lasting, options, is_known=known.has_rows, has_groups=has_groups)

    try:
        assignment = assigned()
    except RepeatedLocError:
        known = recall_from_documents(database, transaction, options, current)
        assignment = assigned()
    derived = derive(connection, options, known.records, len(assignment.shards))
    lastmods = count_lastmods(connection, assignment.entries, assignment.latest, options.now)
    return plan_set(known, assignment, derived, integrity, options, report, rows, lastmods)
