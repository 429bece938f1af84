"""Removes a test deployment whole: the stack, the table that it keeps (D7), the
secrets that were made for it. Only names that begin with postern-test- are
touched.

    remove.py STACK
"""

import sys

import boto3


def main() -> int:
    stack = sys.argv[1]
    if not stack.startswith("postern-test-"):
        print(f"{stack} is no test deployment", file=sys.stderr)
        return 2
    cfn, db, secrets = boto3.client("cloudformation"), boto3.client("dynamodb"), boto3.client("secretsmanager")
    tables = []
    try:
        pages = cfn.get_paginator("list_stack_resources").paginate(StackName=stack)
        tables = [r["PhysicalResourceId"] for page in pages for r in page["StackResourceSummaries"] if r["ResourceType"] == "AWS::DynamoDB::Table"]
        cfn.delete_stack(StackName=stack)
        cfn.get_waiter("stack_delete_complete").wait(StackName=stack)
    except cfn.exceptions.ClientError as e:
        if "does not exist" not in str(e):
            raise
    for table in tables:
        db.delete_table(TableName=table)
    for page in secrets.get_paginator("list_secrets").paginate(Filters=[{"Key": "name", "Values": [stack + "/"]}]):
        for s in page["SecretList"]:
            secrets.delete_secret(SecretId=s["ARN"], ForceDeleteWithoutRecovery=True)
    print(f"{stack} is removed, its table and secrets too")
    return 0


if __name__ == "__main__":
    sys.exit(main())
