"""Finds copies on a cluster of machines, with Spark: the same Rust code, and the same results.

>>> import retold.spark as rs                                          # doctest: +SKIP
>>> found = rs.find(spark.read.parquet("s3://corpus/"), text="text", id="url", output="s3://found/")  # doctest: +SKIP
>>> found.pairs, found.clusters, found.documents                       # doctest: +SKIP
>>> clean = rs.dedup(df, output="hdfs:///clean", keep="longest")       # doctest: +SKIP
>>> clean.kept.write.parquet("hdfs:///corpus-clean")                   # doctest: +SKIP

DataFrames go in and come out. Everything between two stages is a table below `output`; a run that broke off
goes on from there. Only the DataFrame interface of Spark is used, so that it also runs through Spark Connect.
"""

from retold.spark._plan import Planned, plan
from retold.spark._running import Deduplicated, Found, dedup, find

__all__ = ["Deduplicated", "Found", "Planned", "dedup", "find", "plan"]
