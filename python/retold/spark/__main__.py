"""What `retold spark` starts by `spark-submit`: reads, finds or removes copies, writes."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from pyspark.sql import SparkSession

from retold import Error
from retold.spark import dedup, find


def value_of(text: str) -> Any:
    """A setting as JSON, or else as it stands."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def main(arguments: list[str] | None = None) -> None:
    """Runs a command line."""
    parser = argparse.ArgumentParser(prog="retold spark", description="Finds copies, or removes them, with Spark.")
    parser.add_argument("command", choices=["find", "dedup"])
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--output", required=True)
    parser.add_argument("--input-format", default="parquet")
    parser.add_argument("--order", default="")
    parser.add_argument("--partitions", type=int)
    parser.add_argument("--block-docs", type=int)
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE")
    given = parser.parse_args(arguments)
    settings: dict[str, Any] = {}
    for setting in given.setting:
        name, sign, value = setting.partition("=")
        if not sign:
            parser.error(f"a setting is NAME=VALUE, got {setting}")
        settings[name.replace("-", "_")] = value_of(value)
    if given.block_docs:
        settings["block_docs"] = given.block_docs
    spark = SparkSession.builder.appName(f"retold {given.command}").getOrCreate()
    frame = spark.read.format(given.input_format).load(given.inputs)
    order = [name for name in given.order.split(",") if name] or None
    run = dedup if given.command == "dedup" else find
    output = given.output.rstrip("/")

    def told(name: str, what: str) -> None:
        print(f"{what:>5}  {name}", file=sys.stderr, flush=True)

    try:
        found = run(frame, output=output, order=order, partitions=given.partitions, progress=told, **settings)
    except Error as error:
        sys.exit(f"error: {error}")
    tables = ["pairs", "clusters", "documents"] + (["removed", "review", "kept"] if given.command == "dedup" else [])
    for name in tables:
        getattr(found, name).write.mode("overwrite").parquet(f"{output}/{name}")
    print(f"results in {output}: {', '.join(tables)}", flush=True)


if __name__ == "__main__":
    main()
