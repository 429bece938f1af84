"""Prints what the emulated functions logged, by function, oldest first.

    logs.py STACK [LINES]        with AWS_ENDPOINT_URL set; the last 60 lines each
"""

import sys

import boto3


def main() -> int:
    stack, lines = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    cfn, logs = boto3.client("cloudformation"), boto3.client("logs")
    for page in cfn.get_paginator("list_stack_resources").paginate(StackName=stack):
        for r in page["StackResourceSummaries"]:
            if r["ResourceType"] != "AWS::Logs::LogGroup":
                continue
            found = [
                e["message"].rstrip()
                for p in logs.get_paginator("filter_log_events").paginate(logGroupName=r["PhysicalResourceId"])
                for e in p["events"]
            ]
            print(f"--- {r['LogicalResourceId']}: {len(found)} lines")
            print("\n".join(found[-lines:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
