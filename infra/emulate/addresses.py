"""Prints where everything of a deployed stack is, as JSON, for the driver.

    addresses.py STACK KIND [KEY=VALUE]...

KIND says what it runs on (ministack, localstack, cloud); each KEY=VALUE is
added as it is, VALUE as JSON where it is JSON. The same form serves all.
"""

import json
import os
import sys

import boto3


def plain(value: str):
    try:
        return json.loads(value)
    except ValueError:
        return value


def main() -> int:
    stack, kind = sys.argv[1:3]
    cfn = boto3.client("cloudformation")
    found = cfn.describe_stacks(StackName=stack)["Stacks"][0]
    pages = cfn.get_paginator("list_stack_resources").paginate(StackName=stack)
    out = {
        "kind": kind,
        "stack": stack,
        "region": boto3.session.Session().region_name,
        "endpoint": os.environ.get("AWS_ENDPOINT_URL", ""),
        "functions": {
            r["LogicalResourceId"]: r["PhysicalResourceId"]
            for page in pages
            for r in page["StackResourceSummaries"]
            if r["ResourceType"] == "AWS::Lambda::Function"
        },
        "outputs": {o["OutputKey"]: o["OutputValue"] for o in found.get("Outputs", [])},
    }
    for pair in sys.argv[3:]:
        key, _, value = pair.partition("=")
        out[key] = plain(value)
    json.dump(out, sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
