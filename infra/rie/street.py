"""Walks one message down the street, each function under the Lambda Runtime
Interface Emulator, one request at a time (D10).

What a function puts on a queue or into the table is what the next one gets, in
the event that Lambda would wrap it in. Each must start and answer; nothing is
asserted of what the flows decide, other tests do that.

    street.py RIE BUILT ENV.json EVENTS      BUILT holds NAMEFunction/bootstrap
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

import boto3

passed = failed = 0


def say(what: str, ok: bool, why: str = ""):
    global passed, failed
    passed, failed = passed + ok, failed + (not ok)
    print(("ok   " if ok else "FAIL ") + what + ("" if ok else ": " + why))


def free() -> list:
    held = [socket.socket() for _ in range(2)]
    for s in held:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


class Function:
    """One function under the emulator, for as long as the with block lasts."""

    def __init__(self, rie: str, built: str, env: dict, name: str):
        self.name, self.rie, self.env = name, rie, env
        self.bootstrap = os.path.join(built, name + "Function", "bootstrap")

    def __enter__(self):
        port, api = free()
        self.url = f"http://127.0.0.1:{port}/2015-03-31/functions/function/invocations"
        self.process = subprocess.Popen(
            [self.rie, "--runtime-interface-emulator-address", f"127.0.0.1:{port}",
             "--runtime-api-address", f"127.0.0.1:{api}", "--log-level", "error", self.bootstrap],
            env={**os.environ, **self.env, "AWS_LAMBDA_FUNCTION_NAME": self.name}, stdout=sys.stderr)
        for _ in range(100):
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", port)) == 0:
                    return self
            time.sleep(0.05)
        raise RuntimeError(f"{self.name}: the emulator did not start")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)

    def ask(self, event: dict):
        request = urllib.request.Request(self.url, data=json.dumps(event).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read().decode()
        return json.loads(text) if text else None


def http(answer) -> int:
    return answer.get("statusCode", 0) if isinstance(answer, dict) else 0


def batch(answer) -> bool:
    """A list that is there, even if empty: null would not do (D4)."""
    return isinstance(answer, dict) and isinstance(answer.get("batchItemFailures"), list)


def take(sqs, url: str) -> dict:
    """One message of a queue as Lambda hands it to a function."""
    got = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=1, WaitTimeSeconds=5,
                              MessageSystemAttributeNames=["All"], VisibilityTimeout=60).get("Messages")
    if not got:
        return {}
    m = got[0]
    sqs.delete_message(QueueUrl=url, ReceiptHandle=m["ReceiptHandle"])
    return {"Records": [{
        "messageId": m["MessageId"], "receiptHandle": m["ReceiptHandle"], "body": m["Body"], "attributes": m["Attributes"],
        "messageAttributes": {}, "md5OfBody": m["MD5OfBody"], "eventSource": "aws:sqs", "awsRegion": "us-east-1",
        "eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:" + url.rsplit("/", 1)[1],
    }]}


def outbox(client, table: str) -> list:
    """The outbox rows there are, as inserts of the table's stream."""
    rows = [row for page in client.get_paginator("scan").paginate(TableName=table) for row in page["Items"]
            if row.get("kind", {}).get("S") == "outbox"]
    return [{"eventID": str(i), "eventName": "INSERT", "eventSource": "aws:dynamodb", "awsRegion": "us-east-1",
             "eventSourceARN": f"arn:aws:dynamodb:us-east-1:000000000000:table/{table}/stream/x",
             "dynamodb": {"Keys": {"pk": row["pk"], "sk": row["sk"]}, "NewImage": row, "SequenceNumber": str(i),
                          "StreamViewType": "NEW_AND_OLD_IMAGES"}} for i, row in enumerate(rows, 1)]


def get(path: str) -> dict:
    return {"version": "2.0", "routeKey": "ANY /{proxy+}", "rawPath": path, "rawQueryString": "",
            "headers": {"host": "api.example.com", "accept": "text/html"}, "isBase64Encoded": False,
            "requestContext": {"domainName": "api.example.com", "stage": "$default", "requestId": "r", "timeEpoch": 0,
                               "http": {"method": "GET", "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1"}}}


def main() -> int:
    rie, built, env_file, events = sys.argv[1:5]
    with open(env_file, encoding="utf-8") as f:
        env = json.load(f)
    sqs, db = boto3.client("sqs"), boto3.client("dynamodb")

    def function(name):
        return Function(rie, built, env, name)

    def event(name):
        with open(os.path.join(events, name + ".json"), encoding="utf-8") as f:
            return json.load(f)

    for name, sample in (("Slack", "slack-app_mention"), ("Feishu", "feishu-message-mention"), ("Github", "github-issues-opened")):
        with function(name) as f:
            status = http(f.ask(event(sample)))
            say(f"{name} takes {sample}", status == 200, f"answered {status}")
            spoilt = event(sample)
            spoilt["body"] = spoilt["body"][:-1] + " "
            status = http(f.ask(spoilt))
            say(f"{name} refuses it changed", status in (400, 401), f"answered {status}")
    with function("Gate") as f:
        for n in range(1, 4):
            got = take(sqs, env["POSTERN_TRIGGERS_QUEUE"])
            answer = f.ask(got) if got else None
            say(f"Gate judges trigger {n} of 3", answer == {"batchItemFailures": []}, f"answered {answer}")
    rows = outbox(db, env["POSTERN_TABLE"])
    with function("Dispatch") as f:
        answer = f.ask({"Records": rows}) if rows else None
        say(f"Dispatch moves {len(rows)} rows", answer == {"batchItemFailures": []}, f"answered {answer}")
    for name, queue in (("Turn", "TURNS"), ("Deliver", "OUTBOUND")):
        with function(name) as f:
            got = take(sqs, env[f"POSTERN_{queue}_QUEUE"])
            answer = f.ask(got) if got else None
            say(f"{name} answers a ring", batch(answer), f"answered {answer}")
    with function("Wake") as f:
        answer = f.ask({"version": "0", "source": "aws.scheduler", "detail-type": "Scheduled Event", "time": "2026-01-01T00:00:00Z", "detail": {}})
        say("Wake reconciles", not isinstance(answer, dict), f"answered {answer}")
    with function("Api") as f:
        for path in ("/", "/v1/sessions"):
            status = http(f.ask(get(path)))
            say(f"Api answers GET {path}", 0 < status < 500, f"answered {status}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
