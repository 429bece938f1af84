"""Expands template.yaml as CloudFormation's serverless transform would.

Prints the plain CloudFormation template as JSON: what the linter and the
assertions in tests/template look at, since neither sees through a SAM
template (D10). Parameters take their defaults. Offline; writes nothing else.

    expand.py template.yaml > expanded.json
"""

import json
import os
import sys

os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")

from samtranslator.parser.parser import Parser
from samtranslator.public.exceptions import InvalidDocumentException
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse


def expand(path: str) -> dict:
    with open(path, encoding="utf-8") as f:
        template = yaml_parse(f)
    # The translator wants code that already lies in a bucket.
    template["Globals"]["Function"]["CodeUri"] = "s3://bucket/package.zip"
    parameters = {
        name: p["Default"]
        for name, p in template.get("Parameters", {}).items()
        if "Default" in p
    }
    return Translator({}, Parser()).translate(template, parameters)


def main() -> int:
    try:
        json.dump(expand(sys.argv[1]), sys.stdout, indent=1)
    except InvalidDocumentException as e:
        for cause in e.causes:
            print(cause.message, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
