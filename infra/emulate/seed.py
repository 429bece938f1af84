"""Makes the secrets of an emulated deployment and prints their addresses.

Values are random, one set a run, in the form that each connector reads; the
driver reads them back from Secrets Manager as a deployer's machine would. The
platforms' own addresses are the stand-ins', so that nothing leaves the machine.

    seed.py SLACK FEISHU GITHUB MODEL      base URLs; with AWS_ENDPOINT_URL set
"""

import json
import secrets
import sys

import boto3


def main() -> int:
    slack, feishu, github, model = sys.argv[1:5]
    values = {
        "slack": {
            "signing_secret": secrets.token_hex(16),
            "bot_token": "xoxb-" + secrets.token_hex(12),
            "api_url": slack,
        },
        "feishu": {
            "app_id": "cli_" + secrets.token_hex(8),
            "app_secret": secrets.token_hex(16),
            "encrypt_key": secrets.token_hex(16),
            "verification_token": secrets.token_hex(16),
            "bot_open_id": "ou_" + secrets.token_hex(16),
            "domain": feishu,
        },
        "github": {
            "webhook_secret": secrets.token_hex(16),
            "slug": "postern",
            "token": "ghs_" + secrets.token_hex(16),
            "api_url": github,
        },
        "model": {"key": "sk-" + secrets.token_hex(16), "base_url": model},
    }
    client = boto3.client("secretsmanager")
    arns = {
        name: client.create_secret(Name=f"postern/{name}", SecretString=json.dumps(value))["ARN"]
        for name, value in values.items()
    }
    json.dump(arns, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
