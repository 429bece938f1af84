"""Brings a deployment's table back to an earlier moment.

    restore.py STACK --at 2026-11-30T09:15:00Z     from point-in-time recovery
    restore.py STACK --from TABLE                  from a table that has it already

DynamoDB restores into a new table, and the stack's own keeps its name, stream
and rights. So the rows are copied back into it, while nothing runs: the
functions are held, the queues and the stream wait. Rows that were written after
the moment are gone then; --yes says that you mean it. It can be run again after
it was cut off: what is right already is left alone.

What runs afterwards by itself, and what has to be looked at by a person, is in
docs/deploying.md#restore.
"""

import argparse
import datetime
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import boto3

SEGMENTS = 4


def resources(stack: str) -> list:
    pages = boto3.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack)
    return [r for page in pages for r in page["StackResourceSummaries"]]


def restored(db, table: str, at: str) -> str:
    """Restores into a new table and waits for it."""
    moment = datetime.datetime.fromisoformat(at.replace("Z", "+00:00"))
    if moment.tzinfo is None:
        raise SystemExit("restore: --at wants a time with its zone, such as 2026-11-30T09:15:00Z")
    name = f"{table}-at-{moment.astimezone(datetime.timezone.utc):%Y%m%dT%H%M%S}"
    try:
        db.restore_table_to_point_in_time(SourceTableName=table, TargetTableName=name, RestoreDateTime=moment)
        print(f"restoring {table} as of {at} into {name}")
    except db.exceptions.TableAlreadyExistsException:
        print(f"{name} is there from an earlier run")
    while db.describe_table(TableName=name)["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(10)
    return name


class Halt:
    """Holds every function and every source of events while rows are copied."""

    def __init__(self, parts: list):
        self.lam = boto3.client("lambda")
        self.names = [r["PhysicalResourceId"] for r in parts if r["ResourceType"] == "AWS::Lambda::Function"]
        self.mappings = [r["PhysicalResourceId"] for r in parts if r["ResourceType"] == "AWS::Lambda::EventSourceMapping"]

    def hold(self):
        for m in self.mappings:
            self.lam.update_event_source_mapping(UUID=m, Enabled=False)
        for n in self.names:
            self.lam.put_function_concurrency(FunctionName=n, ReservedConcurrentExecutions=0)
        print(f"held: {len(self.names)} functions, {len(self.mappings)} sources of events")

    def go(self):
        for n in self.names:
            self.lam.delete_function_concurrency(FunctionName=n)
        for m in self.mappings:
            self.lam.update_event_source_mapping(UUID=m, Enabled=True)
        print("running again")


def key(row: dict) -> tuple:
    return row["pk"]["S"], row["sk"]["S"]


def scan(db, table: str) -> dict:
    """All rows of a table by key. A deployment's table fits into memory: at rest
    it is a few hundred bytes a decision."""

    def part(segment: int) -> dict:
        pages = db.get_paginator("scan").paginate(TableName=table, Segment=segment, TotalSegments=SEGMENTS, ConsistentRead=True)
        return {key(row): row for page in pages for row in page["Items"]}

    rows = {}
    with ThreadPoolExecutor(SEGMENTS) as pool:
        for found in pool.map(part, range(SEGMENTS)):
            rows.update(found)
    return rows


def write(db, table: str, requests: list):
    for i in range(0, len(requests), 25):
        left = {table: requests[i : i + 25]}
        while left:
            left = db.batch_write_item(RequestItems=left).get("UnprocessedItems") or {}
            if left:
                time.sleep(0.5)


def copy(db, source: str, target: str) -> tuple:
    """Makes target hold what source holds. Rows that are equal are not written."""
    want, have = scan(db, source), scan(db, target)
    puts = [{"PutRequest": {"Item": row}} for k, row in want.items() if have.get(k) != row]
    deletes = [{"DeleteRequest": {"Key": {"pk": row["pk"], "sk": row["sk"]}}} for k, row in have.items() if k not in want]
    write(db, target, puts)
    write(db, target, deletes)
    return len(want), len(puts), len(deletes)


def main() -> int:
    p = argparse.ArgumentParser(prog="restore.py", description=__doc__.split("\n")[0])
    p.add_argument("stack")
    which = p.add_mutually_exclusive_group(required=True)
    which.add_argument("--at", help="the moment, with its zone")
    which.add_argument("--from", dest="source", help="a table that has the rows")
    p.add_argument("--yes", action="store_true", help="that rows written since are to go")
    a = p.parse_args()
    parts, db = resources(a.stack), boto3.client("dynamodb")
    tables = [r["PhysicalResourceId"] for r in parts if r["ResourceType"] == "AWS::DynamoDB::Table"]
    if len(tables) != 1:
        raise SystemExit(f"restore: {a.stack} has {len(tables)} tables, not one")
    if not a.yes:
        raise SystemExit(f"restore: this makes {tables[0]} what it was; what was decided since is gone. Say --yes.")
    source = a.source or restored(db, tables[0], a.at)
    halt = Halt(parts)
    halt.hold()
    time.sleep(0 if a.source else 30)  # what was under way ends
    try:
        rows, written, deleted = copy(db, source, tables[0])
        print(f"{rows} rows as they were: {written} written, {deleted} removed")
    finally:
        halt.go()
    print(f"{source} is not needed any more: aws dynamodb delete-table --table-name {source}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
