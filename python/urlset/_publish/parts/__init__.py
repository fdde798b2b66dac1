"""A set that several tasks make, one part each. This is all that jobs use of a publish; a contract test holds that."""

from urlset._publish.checked_options import checked_columns, checked_options
from urlset._publish.commit.publication import Publication
from urlset._publish.parts.driver import begin_parts, commit_parts
from urlset._publish.parts.facts import CurrentPart, PartFacts, PartOptions, PartTarget
from urlset._publish.parts.shuffle import KNOWN, ROW, joined_sql
from urlset._publish.parts.tasks import AttemptFolder, check_columns, known, rendered, write_arrived, write_part
from urlset._publish.values.shards import ShardBy

__all__ = [
    "KNOWN",
    "ROW",
    "AttemptFolder",
    "CurrentPart",
    "PartFacts",
    "PartOptions",
    "PartTarget",
    "Publication",
    "ShardBy",
    "begin_parts",
    "check_columns",
    "checked_columns",
    "checked_options",
    "commit_parts",
    "joined_sql",
    "known",
    "rendered",
    "write_arrived",
    "write_part",
]
