"""Makes the few things that functions reach for, in an emulated account.

A table as the template has it, the four queues, a schedule group, the secrets:
no stack, since the Runtime Interface Emulator runs one function at a time.
Prints the functions' POSTERN_* environment as JSON.

    world.py      secrets on standard input (devsecrets); with AWS_ENDPOINT_URL set
"""

import json
import sys

import boto3

NOWHERE = "http://127.0.0.1:9"  # where the platforms' APIs would be: nobody listens


def key(pk: str, sk: str) -> list:
    return [{"AttributeName": pk, "KeyType": "HASH"}, {"AttributeName": sk, "KeyType": "RANGE"}]


def table(client) -> str:
    names = ["pk", "sk", "open_pk", "open_sk", "list_pk", "list_sk"]
    client.create_table(
        TableName="postern",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in names],
        KeySchema=key("pk", "sk"),
        GlobalSecondaryIndexes=[
            {
                "IndexName": i,
                "KeySchema": key(i + "_pk", i + "_sk"),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
            for i in ("open", "list")
        ],
    )
    return "postern"


def queue(client, name: str, fifo: bool) -> str:
    attributes = {"FifoQueue": "true"} if fifo else {}
    return client.create_queue(QueueName=name + (".fifo" if fifo else ""), Attributes=attributes)["QueueUrl"]


def main() -> int:
    sqs, secrets = boto3.client("sqs"), boto3.client("secretsmanager")
    env = {"POSTERN_TABLE": table(boto3.client("dynamodb")), "POSTERN_LOG_LEVEL": "info", "POSTERN_MODEL": "scripted:demo"}
    for name, fifo in (("triggers", True), ("outbound", True), ("turns", False), ("wakes", False)):
        env[f"POSTERN_{name.upper()}_QUEUE"] = queue(sqs, "postern-" + name, fifo)
        queue(sqs, "postern-" + name + "-dead", fifo)
    env["POSTERN_WAKES_QUEUE_ARN"] = "arn:aws:sqs:us-east-1:000000000000:postern-wakes"
    boto3.client("scheduler").create_schedule_group(Name="postern-wakes")
    env["POSTERN_SCHEDULE_GROUP"] = "postern-wakes"
    env["POSTERN_SCHEDULE_ROLE_ARN"] = "arn:aws:iam::000000000000:role/postern-schedule"
    values = json.load(sys.stdin)
    for name in values:
        values[name]["api"] = NOWHERE
    values["link"] = {"key": "a-key-of-this-run-that-signs-nothing-real"}
    for name, value in values.items():
        made = secrets.create_secret(Name="postern/" + name, SecretString=json.dumps(value))
        env[f"POSTERN_{name.upper()}_SECRET"] = made["ARN"]
    json.dump(env, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
