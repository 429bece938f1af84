"""Lists the parts of a stack that LocalStack only pretends to have: those whose
physical id is "unknown", though the stack is complete.

    unknown.py STACK        with AWS_ENDPOINT_URL set
"""

import sys

import boto3


def main() -> int:
    pages = boto3.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=sys.argv[1])
    pretended = [r for page in pages for r in page["StackResourceSummaries"] if r.get("PhysicalResourceId", "unknown") in ("", "unknown")]
    for r in pretended:
        print(f"not there, though the stack says so: {r['LogicalResourceId']} ({r['ResourceType']})")
    print(f"{len(pretended)} parts are only pretended")
    return 0


if __name__ == "__main__":
    sys.exit(main())
