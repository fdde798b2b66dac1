"""What a publish consists of, for `api`, which declares it and imports this when it runs."""

from urlset._publish.checked_options import checked_columns, checked_options
from urlset._publish.commit.commit import StagedSet, commit_set
from urlset._publish.commit.staging import stage_set
from urlset._publish.pipeline import plan_publish
from urlset._publish.rows.database import planning_database
from urlset._publish.rows.ingest import IngestReport
from urlset._publish.stored.transaction import Transaction
from urlset._publish.values import robots_txt
from urlset._publish.values.options import SectionRows
from urlset._stores.open import open_store

__all__ = [
    "IngestReport",
    "SectionRows",
    "StagedSet",
    "Transaction",
    "checked_columns",
    "checked_options",
    "commit_set",
    "open_store",
    "plan_publish",
    "planning_database",
    "robots_txt",
    "stage_set",
]
