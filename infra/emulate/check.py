"""Looks over an emulated deployment after the scenario ran.

Every entrance answers and refuses what nobody signed; the reconciler's clock
rang; every mapping reads its queue; nothing lies in a dead-letter queue; no
function broke down or was refused a call. It changes nothing.

    check.py ADDRESSES.json       prints one line a check and the count
"""

import json
import sys
import time
import urllib.error
import urllib.request

import boto3

RECONCILE_WAIT = 100  # seconds; its clock rings each minute here


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def say(self, what: str, ok: bool, why: str = ""):
        self.passed, self.failed = self.passed + ok, self.failed + (not ok)
        print(("ok   " if ok else "FAIL ") + what + ("" if ok else ": " + why))


def ask(at: dict, method: str, path: str) -> int:
    request = urllib.request.Request(at["api"] + path, method=method, data=b"{}" if method == "POST" else None)
    request.add_header("Host", at["host"])
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as e:
        return e.code


def resources(stack: str) -> dict:
    pages = boto3.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack)
    return {r["LogicalResourceId"]: r for page in pages for r in page["StackResourceSummaries"]}


def lines(group: str) -> list:
    pages = boto3.client("logs").get_paginator("filter_log_events").paginate(logGroupName=group)
    return [e["message"] for page in pages for e in page["events"]]


def reconciled(group: str) -> bool:
    """Waits for one run of the wake function that ended."""
    for _ in range(RECONCILE_WAIT):
        if any(line.startswith("REPORT") for line in lines(group)):
            return True
        time.sleep(1)
    return False


BROKEN = ("panic:", "AccessDenied", "not authorized to perform", "is not declared in this function's calls.go", '"errorType"')


def main() -> int:
    with open(sys.argv[1], encoding="utf-8") as f:
        at = json.load(f)
    found, c = resources(at["stack"]), Checks()
    for hook in ("slack", "feishu", "github"):
        status = ask(at, "POST", f"/hooks/{hook}")
        c.say(f"/hooks/{hook} refuses what nobody signed", status in (400, 401, 403), f"answered {status}")
    for path in ("/", "/v1/sessions"):
        status = ask(at, "GET", path)
        c.say(f"GET {path} answers", status < 500, f"answered {status}")
    if at["kind"] == "localstack":
        print("left out: the reconciler's clock; LocalStack fires no schedules")
    else:
        c.say("the reconciler's clock rings", reconciled(found["WakeLog"]["PhysicalResourceId"]), f"not within {RECONCILE_WAIT} s")

    if at["schedule"]:
        with open(at["log"], encoding="utf-8") as f:
            rings = sum("EventBridge" in line and line.rstrip().endswith("SQS " + at["stack"] + "-wakes") for line in f)
        c.say(f"one-time schedules rang ({rings})", rings > 0, "none reached the wakes queue")
        left = boto3.client("scheduler").list_schedules(GroupName=at["outputs"]["ScheduleGroupName"])["Schedules"]
        c.say("schedules that rang are gone", not left, str([s["Name"] for s in left]))

    mappings = boto3.client("lambda").list_event_source_mappings()["EventSourceMappings"]
    c.say("five mappings are enabled", sum(m["State"] == "Enabled" for m in mappings) == 5, str([m["State"] for m in mappings]))
    sqs = boto3.client("sqs")
    for name, url in at["outputs"].items():
        if name.endswith("DeadQueueUrl"):
            got = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessages"])
            n = int(got["Attributes"]["ApproximateNumberOfMessages"])
            c.say(f"{name[:-3]} is empty", n == 0, f"{n} messages")
    for name, r in sorted(found.items()):
        if r["ResourceType"] == "AWS::Logs::LogGroup" and name != "AccessLog":
            bad = [line for line in lines(r["PhysicalResourceId"]) if any(b in line for b in BROKEN)]
            c.say(f"{name} tells of no breakdown", not bad, bad[0].strip()[:300] if bad else "")
    print(f"{c.passed} passed, {c.failed} failed")
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
