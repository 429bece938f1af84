"""Gives the emulated HTTP API the routes of the deployed template.

ministack ignores an API's Body, so every address answers 404 (its one gap that
a deployment cannot live with). This reads the processed template back from the
stack and makes, for each path and method of the Body, the integration and the
route by API. Nothing else is changed; on AWS it is not needed.

    routes.py STACK        with AWS_ENDPOINT_URL set
"""

import json
import sys

import boto3

ANY = "x-amazon-apigateway-any-method"


def resources(cfn, stack: str) -> dict:
    pages = cfn.get_paginator("list_stack_resources").paginate(StackName=stack)
    return {
        r["LogicalResourceId"]: r["PhysicalResourceId"]
        for page in pages
        for r in page["StackResourceSummaries"]
    }


def processed(cfn, stack: str) -> dict:
    body = cfn.get_template(StackName=stack, TemplateStage="Processed")["TemplateBody"]
    return body if isinstance(body, dict) else json.loads(body)


def function_of(integration: dict) -> str:
    uri = integration["uri"]["Fn::Sub"]
    uri = uri[0] if isinstance(uri, list) else uri
    return uri.split("/functions/${", 1)[1].split(".", 1)[0]


def main() -> int:
    stack = sys.argv[1]
    cfn, gw, lam = (boto3.client(s) for s in ("cloudformation", "apigatewayv2", "lambda"))
    ids = resources(cfn, stack)
    made = 0
    for logical, resource in processed(cfn, stack)["Resources"].items():
        if resource["Type"] != "AWS::ApiGatewayV2::Api":
            continue
        api = ids[logical]
        for path, methods in resource["Properties"]["Body"]["paths"].items():
            for method, op in methods.items():
                how = op["x-amazon-apigateway-integration"]
                arn = lam.get_function(FunctionName=ids[function_of(how)])["Configuration"]["FunctionArn"]
                integration = gw.create_integration(
                    ApiId=api,
                    IntegrationType="AWS_PROXY",
                    IntegrationUri=arn,
                    PayloadFormatVersion=how["payloadFormatVersion"],
                    TimeoutInMillis=how["timeoutInMillis"],
                )["IntegrationId"]
                verb = "ANY" if method == ANY else method.upper()
                gw.create_route(ApiId=api, RouteKey=f"{verb} {path}", Target=f"integrations/{integration}")
                made += 1
    print(f"{made} routes made")
    return 0 if made else 1


if __name__ == "__main__":
    sys.exit(main())
