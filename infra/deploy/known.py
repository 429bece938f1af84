"""Says where a deployment would go and what is there: the account, the region,
and the parameters of the stack as it is, one KEY=VALUE a line.

It looks first whether there are a region and credentials that work, and says
what is missing.

    known.py STACK
"""

import sys

import boto3
import botocore.exceptions


def fail(why: str):
    print("deploy: " + why, file=sys.stderr)
    sys.exit(1)


def main() -> int:
    stack, session = sys.argv[1], boto3.session.Session()
    if not session.region_name:
        fail("no region: set AWS_REGION, or AWS_PROFILE to a profile that has one")
    try:
        account = boto3.client("sts").get_caller_identity()["Account"]
    except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError) as e:
        fail(f"no AWS credentials that work (aws configure, or AWS_PROFILE): {e}")
    print(f"account={account}")
    print(f"region={session.region_name}")
    try:
        found = boto3.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
    except botocore.exceptions.ClientError as e:
        if "does not exist" in str(e):
            return 0
        fail(f"the stack cannot be looked at: {e}")
    print(f"status={found['StackStatus']}")
    for p in found.get("Parameters", []):
        print(f"{p['ParameterKey']}={p.get('ParameterValue', '')}")
    for o in found.get("Outputs", []):
        print(f"output.{o['OutputKey']}={o['OutputValue']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
