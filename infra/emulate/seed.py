"""Makes the secrets of an emulated deployment and prints their addresses.

Reads the stand-ins' secrets on standard input (devsecrets), adds where each
platform's API is, so that nothing leaves the machine, and stores one secret a
connector, in the form that the connector reads. The driver reads them back
from Secrets Manager, as a deployer's machine would.

    seed.py [--prefix P] SLACK FEISHU GITHUB MODEL      base URLs

The secrets are named P/slack and so on; P is postern if not given.
"""

import json
import sys

import boto3


def main() -> int:
    args, prefix = sys.argv[1:], "postern"
    if args[0] == "--prefix":
        prefix, args = args[1], args[2:]
    slack, feishu, github, model = args
    values = json.load(sys.stdin)
    values["slack"]["api"] = slack + "/api"
    values["feishu"]["api"] = feishu
    values["github"]["api"] = github
    values["model"] = {"api_key": "sk-dev", "base_url": model + "/v1"}
    client = boto3.client("secretsmanager")
    arns = {
        name: client.create_secret(Name=f"{prefix}/{name}", SecretString=json.dumps(value))["ARN"]
        for name, value in values.items()
    }
    json.dump(arns, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
