#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the queries of docs/analytics.md over the directory lake/.

    run_doc_queries.py DuckDB|Spark DOC OUT

OUT/QUERY.csv receives the rows of each query, OUT/QUERY.txt the output of the engine, OUT/schema.csv the
names and types of the view.
"""
import contextlib
import csv
import io
import re
import sys


def blocks(document):
    """The ```sql blocks by the name in their first line: "view: DuckDB", "query: sizes" ..."""
    with open(document, encoding="utf-8") as f:
        return dict(re.findall(r"^```sql\n-- (.*)\n((?:.*\n)*?)```$", f.read(), re.MULTILINE))


class DuckDB:
    def __init__(self):
        import duckdb
        self.connection = duckdb.connect()
        self.run = self.connection.execute

    def schema(self):
        result = self.connection.sql("SELECT * FROM io")
        return zip(result.columns, map(str, result.types))

    def query(self, text):
        result = self.connection.sql(text)
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            result.show(max_rows=100, max_width=200)
        return result.fetchall(), shown.getvalue()


class Spark:
    def __init__(self):
        from pyspark.sql import SparkSession
        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        self.session = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
        self.run = self.session.sql

    def schema(self):
        return self.session.table("io").dtypes

    def query(self, text):
        frame = self.session.sql(text)
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            frame.show(100, truncate=False)
        return [tuple(row) for row in frame.collect()], shown.getvalue()


def write_csv(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows(rows)


def main():
    name, document, out = sys.argv[1:]
    sql = blocks(document)
    engine = {"DuckDB": DuckDB, "Spark": Spark}[name]()
    engine.run(sql[f"view: {name}"])
    write_csv(f"{out}/schema.csv", engine.schema())
    for title, text in sql.items():
        if title.startswith("query: "):
            query = title.removeprefix("query: ")
            rows, shown = engine.query(text)
            write_csv(f"{out}/{query}.csv", rows)
            with open(f"{out}/{query}.txt", "w", encoding="utf-8") as f:
                f.write(shown.rstrip("\n") + "\n")


main()
