"""Jobs that run in many processes: what one part of them does, whoever runs the parts.

An engine such as Spark, or a pool of threads, plans on one machine, does each part wherever there is room, and commits
on the first machine again. Everything that travels can be pickled. Nothing here knows an engine.
"""

from urlset._publish.parts import PartFacts
from urlset.jobs.parts import Listed, Outcome, ReadPart
from urlset.jobs.planning import plan_partitions
from urlset.jobs.publishing import PublishJob
from urlset.jobs.reading import PartScan, scan_partition
from urlset.jobs.writing import WriteJob

__all__ = [
    "Listed",
    "Outcome",
    "PartFacts",
    "PartScan",
    "PublishJob",
    "ReadPart",
    "WriteJob",
    "plan_partitions",
    "scan_partition",
]
