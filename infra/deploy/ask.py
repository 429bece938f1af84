"""Asks what a deployment must know, and stores what is secret.

Secrets go from the keyboard to AWS Secrets Manager: never to the disk, never
into a command line. Everything else is printed on standard output as parameter
overrides for sam deploy, one a line; questions go to standard error. Asked
again, it offers what is there already (U4).

    ask.py STACK
"""

import getpass
import json
import sys

import boto3
import botocore.exceptions

# What each connector's secret holds: name, question, secret or not, required.
CONNECTORS = {
    "Slack": [
        ("signing_secret", "Signing Secret (Basic Information, App Credentials)", True, True),
        ("bot_token", "Bot User OAuth Token, xoxb-... (OAuth & Permissions)", True, True),
    ],
    "Feishu": [
        ("app_id", "App ID, cli_... (Credentials & Basic Info)", False, True),
        ("app_secret", "App Secret (the same page)", True, True),
        ("encrypt_key", "Encrypt Key (Events & Callbacks, Encryption Strategy)", True, True),
        ("verification_token", "Verification Token (the same page)", True, True),
        ("domain", "feishu or lark", False, False),
    ],
    "Github": [
        ("webhook_secret", "the App's webhook secret", True, True),
        ("slug", "the App's slug, as in github.com/apps/SLUG", False, True),
        ("app_id", "App ID", False, True),
        ("installation_id", "Installation ID", False, True),
        ("private_key", "file with the App's private key (PEM), read once", False, True),
    ],
    "Model": [
        ("api_key", "the provider's API key", True, True),
        ("base_url", "base URL, empty for the provider's own", False, False),
    ],
}


def line(question: str, default: str = "") -> str:
    shown = f" [{default}]" if default else ""
    print(f"{question}{shown}: ", end="", file=sys.stderr, flush=True)
    got = sys.stdin.readline()
    if not got:
        fail("the answers ended before the questions did")
    return got.strip() or default


def hidden(question: str) -> str:
    if sys.stdin.isatty():
        return getpass.getpass(f"{question} (not shown): ", stream=sys.stderr).strip()
    return line(question)


def yes(question: str, default: bool) -> bool:
    got = line(question + (" [Y/n]" if default else " [y/N]")).lower()
    return default if not got else got.startswith("y")


def fail(why: str):
    print("deploy: " + why, file=sys.stderr)
    sys.exit(1)


def values(fields: list) -> dict:
    out = {}
    for key, question, secret, required in fields:
        value = hidden("  " + question) if secret else line("  " + question)
        while required and not value:
            value = hidden("  " + question) if secret else line("  " + question)
        if key == "private_key":
            with open(value, encoding="utf-8") as f:
                value = f.read()
        if value:
            out[key] = value
    return out


def connector(client, stack: str, name: str) -> str:
    """The ARN of a connector's secret, made or kept; empty if not connected."""
    secret = f"{stack}/{name.lower()}"
    try:
        arn = client.describe_secret(SecretId=secret)["ARN"]
    except client.exceptions.ResourceNotFoundException:
        arn = ""
    if arn and yes(f"{name}: its secret is there. Keep it?", True):
        return arn
    if not arn and not yes(f"Connect {name}?" if name != "Model" else "Does the model's provider need a key?", False):
        return ""
    text = json.dumps(values(CONNECTORS[name]))
    if arn:
        client.put_secret_value(SecretId=arn, SecretString=text)
        return arn
    return client.create_secret(Name=secret, Description=f"Postern's {name} keys", SecretString=text)["ARN"]


def known(stack: str) -> dict:
    """The parameters of the stack as it is, if it is."""
    try:
        found = boto3.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
    except botocore.exceptions.ClientError as e:
        if "does not exist" in str(e):
            return {}
        raise
    return {p["ParameterKey"]: p["ParameterValue"] for p in found.get("Parameters", [])}


def main() -> int:
    stack = sys.argv[1]
    session = boto3.session.Session()
    if not session.region_name:
        fail("no region: set AWS_REGION, or AWS_PROFILE to a profile that has one")
    try:
        who = boto3.client("sts").get_caller_identity()
    except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError) as e:
        fail(f"no AWS credentials that work: {e}")
    print(f"Stack {stack} in account {who['Account']}, {session.region_name}.", file=sys.stderr)
    was, client = known(stack), boto3.client("secretsmanager")
    answers = {f"{name}SecretArn": connector(client, stack, name) for name in ("Slack", "Feishu", "Github")}
    answers["Model"] = line("Model of hosted agents, provider:model; - for none", was.get("Model") or "-").removeprefix("-")
    answers["ModelSecretArn"] = connector(client, stack, "Model") if answers["Model"] else ""
    answers["AlarmEmail"] = line("Where alarms go (e-mail); - for the dashboard only", was.get("AlarmEmail") or "-").removeprefix("-")
    answers["PublicUrl"] = line("Public address, https://...; - for the API's own", was.get("PublicUrl") or "-").removeprefix("-").rstrip("/")
    for key, value in answers.items():
        print(f'{key}="{value}"')  # quoted: sam takes an empty value only so
    return 0


if __name__ == "__main__":
    sys.exit(main())
