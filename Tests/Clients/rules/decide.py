"""Asks the emulator, and our evaluator, what becomes of a scenario's requests."""

from __future__ import annotations

import base64
import json
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

DOCUMENTS = "projects/{project}/databases/(default)/documents"


def token(request: dict[str, Any]) -> str | None:
    """An unsigned token, which the emulator takes for what it says."""
    if request["uid"] is None:
        return None
    claims = {name: next(iter(value.values())) for name, value in request.get("claims", {}).items()}
    claims = {name: int(value) if name == "level" else value for name, value in claims.items()}

    def part(content: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")

    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(claims | {'sub': request['uid']})}."


class Peer:
    """The emulator, over HTTP. Every scenario has a project of its own."""

    def __init__(self, address: str):
        self.address = address

    def call(self, method: str, path: str, body: Any, bearer: str | None) -> tuple[int, Any]:
        headers = {"Content-Type": "application/json"}
        if bearer:
            headers["Authorization"] = f"Bearer {bearer}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://{self.address}/{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status, json.loads(response.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")

    def decide(self, scenario: dict[str, Any], project: str) -> dict[str, Any]:
        rules = {"rules": {"files": [{"content": scenario["rules"]}]}}
        status, answer = self.call("PUT", f"emulator/v1/projects/{project}:securityRules", rules, None)
        if status != 200:
            return {"errors": [answer["error"]["message"]], "decisions": []}
        self._reset(scenario, project)
        decisions = []
        for request in scenario["requests"]:
            status, answer = self._ask(request, project)
            error = answer[0].get("error") if isinstance(answer, list) and answer else None
            error = error or (answer.get("error") if isinstance(answer, dict) else None)
            message = error.get("message", "") if error else ""
            allowed = verdict(status, error, request)
            decisions.append({"allowed": allowed, "message": message})
            if request.get("writes") and allowed:
                self._reset(scenario, project)
        return {"errors": [], "decisions": decisions}

    def results(self, query: dict[str, Any], project: str) -> list[str]:
        """The paths of all documents that a query finds for those who may see all, without its offset and limit."""
        root = DOCUMENTS.format(project=project)
        parent = f"{root}/{query['parent']}" if query["parent"] else root
        asked = structured({name: part for name, part in query.items() if name not in ("limit", "offset")})
        status, answer = self.call("POST", f"v1/{parent}:runQuery", {"structuredQuery": asked}, "owner")
        assert status == 200, answer
        return [part["document"]["name"].removeprefix(f"{root}/") for part in answer if "document" in part]

    def _reset(self, scenario: dict[str, Any], project: str) -> None:
        root = DOCUMENTS.format(project=project)
        self.call("DELETE", f"emulator/v1/{root}", None, None)
        writes = [
            {"update": {"name": f"{root}/{path}", "fields": timed(fields)}}
            for path, fields in scenario["documents"].items()
        ]
        status, answer = self.call("POST", f"v1/{root}:commit", {"writes": writes}, "owner")
        assert status == 200, answer

    def _ask(self, request: dict[str, Any], project: str) -> tuple[int, Any]:
        root = DOCUMENTS.format(project=project)
        bearer = token(request)
        if len(request.get("get", [])) == 1:
            return self.call("GET", f"v1/{root}/{request['get'][0]}", None, bearer)
        if "get" in request:
            names = [f"{root}/{path}" for path in request["get"]]
            return self.call("POST", f"v1/{root}:batchGet", {"documents": names}, bearer)
        if "listing" in request:
            return self.call("GET", f"v1/{root}/{listed(request['listing'])}", None, bearer)
        if "query" in request:
            query = request["query"]
            parent = f"{root}/{query['parent']}" if query["parent"] else root
            if not request["counts"]:
                return self.call("POST", f"v1/{parent}:runQuery", {"structuredQuery": structured(query)}, bearer)
            count = {"structuredQuery": structured(query), "aggregations": [{"alias": "all", "count": {}}]}
            body = {"structuredAggregationQuery": count}
            return self.call("POST", f"v1/{parent}:runAggregationQuery", body, bearer)
        writes = [sent(write, root) for write in request["writes"]]
        return self.call("POST", f"v1/{root}:commit", {"writes": writes}, bearer)


def verdict(status: int, error: dict[str, Any] | None, request: dict[str, Any]) -> bool | None:
    """Whether rules allowed what was answered like this; None where that cannot be told."""
    if status in (200, 403):
        return status == 200
    # That a document is not as one write demands says nothing of what rules make of the others.
    is_of_documents = status in (404, 409) or (error or {}).get("status") == "FAILED_PRECONDITION"
    return True if is_of_documents and len(request.get("writes", [])) <= 1 else None


def listed(listing: dict[str, Any]) -> str:
    order = ",".join(f"{part['field']} {'desc' if part['descends'] else 'asc'}" for part in listing["orderBy"])
    parameters = {"pageSize": listing["pageSize"]} if listing["pageSize"] else {}
    parameters |= {"orderBy": order} if order else {}
    return f"{listing['collection']}?{urllib.parse.urlencode(parameters)}"


def timed(value: Any) -> Any:
    """The scenario's times as the protocol has them."""
    if isinstance(value, list):
        return [timed(element) for element in value]
    if not isinstance(value, dict):
        return value
    if "timestampValue" in value:
        moment = datetime.fromtimestamp(value["timestampValue"], timezone.utc)
        return {"timestampValue": moment.strftime("%Y-%m-%dT%H:%M:%SZ")}
    return {name: timed(part) for name, part in value.items()}


def sent(write: dict[str, Any], root: str) -> dict[str, Any]:
    name = f"{root}/{write['path']}"
    result: dict[str, Any] = {}
    if write["kind"] != "set":
        result[write["kind"]] = name
    else:
        result["update"] = {"name": name, "fields": timed(write["fields"])}
    if "mask" in write:
        result["updateMask"] = {"fieldPaths": write["mask"]}
    if "transforms" in write:
        result["updateTransforms"] = [transformed(transform) for transform in write["transforms"]]
    if "exists" in write:
        result["currentDocument"] = {"exists": write["exists"]}
    return result


def transformed(transform: dict[str, Any]) -> dict[str, Any]:
    op = transform["op"]
    operand: Any = "REQUEST_TIME"
    if op in ("appendMissingElements", "removeAllFromArray"):
        operand = {"values": transform["values"]}
    elif op != "setToServerValue":
        [operand] = transform["values"]
    return {"fieldPath": transform["field"], op: operand}


def structured(query: dict[str, Any]) -> dict[str, Any]:
    def filter_of(part: dict[str, Any]) -> dict[str, Any]:
        for op in ("and", "or"):
            if op in part:
                return {"compositeFilter": {"op": op.upper(), "filters": [filter_of(inner) for inner in part[op]]}}
        field = {"fieldPath": part["field"]}
        if "value" not in part:
            return {"unaryFilter": {"op": part["op"], "field": field}}
        return {"fieldFilter": {"field": field, "op": part["op"], "value": timed(part["value"])}}

    selector: dict[str, Any] = {"collectionId": query["collection"]}
    if query["descendants"]:
        selector["allDescendants"] = True
    result: dict[str, Any] = {"from": [selector]}
    if "filter" in query:
        result["where"] = filter_of(query["filter"])
    if "limit" in query:
        result["limit"] = query["limit"]
    if "offset" in query:
        result["offset"] = query["offset"]
    if "orderBy" in query:
        result["orderBy"] = [
            {"field": {"fieldPath": order["field"]}, "direction": "DESCENDING" if order["descends"] else "ASCENDING"}
            for order in query["orderBy"]
        ]
    return result


class Ours:
    """The program `rules-decide`: a scenario a line, a verdict a line."""

    def __init__(self, program: Path):
        self.process = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def decide(self, scenario: dict[str, Any]) -> dict[str, Any]:
        self.process.stdin.write(json.dumps(scenario) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait()

