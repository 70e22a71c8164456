"""Asks a server of ours what becomes of a scenario's requests: the same as the emulator's, over gRPC."""

from __future__ import annotations

import signal
import time
import urllib.request
from pathlib import Path
from typing import Any

from google.protobuf.json_format import ParseDict
from grpc import StatusCode

from rules.decide import DOCUMENTS, sent, structured, token
from support import messages
from support.messages import verify_write
from support.servers import BrasaServer
from support.wire import METHODS, Wire

RELOAD_SECONDS = 30
DECIDED = {StatusCode.OK: True, StatusCode.NOT_FOUND: True, StatusCode.PERMISSION_DENIED: False}
# They say that the rules have allowed the write, if it is the only one of its commit.
PRECONDITIONS = (StatusCode.NOT_FOUND, StatusCode.ALREADY_EXISTS, StatusCode.FAILED_PRECONDITION)


class Server:
    """Takes unsigned tokens, and the rules of a file that changes from scenario to scenario."""

    def __init__(self, server: BrasaServer, rules: Path):
        self.server = server
        self.rules = rules
        self.wire = Wire(server.address, authorization=None)

    def decide(self, scenario: dict[str, Any], project: str) -> list[bool | None]:
        """Of the requests, in their order; None where rules did not decide. Each finds the scenario's documents."""
        self._load(scenario["rules"], project)
        root = DOCUMENTS.format(project=project)
        self._reset(scenario, root)
        decisions = []
        for request in scenario["requests"]:
            code = self._ask(request, root).code
            decisions.append(self._verdict(code, request))
            if request.get("writes") and code is StatusCode.OK:
                self._reset(scenario, root)
        return decisions

    @staticmethod
    def _verdict(code: StatusCode, request: dict[str, Any]) -> bool | None:
        if "writes" not in request:
            return DECIDED.get(code)
        if code in PRECONDITIONS:
            return True if len(request["writes"]) <= 1 else None
        return DECIDED.get(code)

    def _reset(self, scenario: dict[str, Any], root: str) -> None:
        path = f"http://{self.server.address}/emulator/v1/{root}"
        with urllib.request.urlopen(urllib.request.Request(path, method="DELETE"), timeout=30) as response:
            assert response.status == 200
        writes = [{"path": path, "kind": "set", "fields": fields} for path, fields in scenario["documents"].items()]
        assert self._commit(writes, root, "owner").ok

    def _load(self, rules: str, project: str) -> None:
        log = self.server.log
        before = log.read_text().count("calls are judged by new rules")
        # No two files are equal, so that each is told of.
        self.rules.write_text(f"{rules}\n// {project}")
        self.server.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + RELOAD_SECONDS
        while log.read_text().count("calls are judged by new rules") == before:
            assert time.monotonic() < deadline, log.read_text()[-2000:]
            time.sleep(0.01)

    def _call(self, method: str, content: dict[str, Any], bearer: str | None):
        return self._send(method, ParseDict(content, METHODS[method][1]()), bearer)

    def _send(self, method: str, request: Any, bearer: str | None):
        metadata = [("authorization", f"Bearer {bearer}")] if bearer else []
        return self.wire.call(method, request, metadata=metadata)

    def _commit(self, writes: list[dict[str, Any]], root: str, bearer: str | None):
        request = METHODS["Commit"][1](database=root.removesuffix("/documents"))
        for write in writes:
            if write["kind"] == "verify":
                request.writes.append(verify_write(f"{root}/{write['path']}", exists=write["exists"]))
            else:
                request.writes.append(ParseDict(sent(write, root), messages.Write()))
        return self._send("Commit", request, bearer)

    def _ask(self, request: dict[str, Any], root: str):
        bearer = token(request)
        database = root.removesuffix("/documents")
        names = [f"{root}/{path}" for path in request.get("get", [])]
        if len(names) == 1:
            return self._call("GetDocument", {"name": names[0]}, bearer)
        if names:
            return self._call("BatchGetDocuments", {"database": database, "documents": names}, bearer)
        if "listing" in request:
            listing = request["listing"]
            parent, _, collection = listing["collection"].rpartition("/")
            order = ",".join(f"{part['field']} {'desc' if part['descends'] else 'asc'}" for part in listing["orderBy"])
            content = {"parent": f"{root}/{parent}" if parent else root, "collectionId": collection,
                "pageSize": listing["pageSize"], "orderBy": order}
            return self._call("ListDocuments", content, bearer)
        if "writes" in request:
            return self._commit(request["writes"], root, bearer)
        query = request["query"]
        content = {"parent": f"{root}/{query['parent']}" if query["parent"] else root}
        if not request["counts"]:
            return self._call("RunQuery", content | {"structuredQuery": structured(query)}, bearer)
        count = {"structuredQuery": structured(query), "aggregations": [{"alias": "all", "count": {}}]}
        return self._call("RunAggregationQuery", content | {"structuredAggregationQuery": count}, bearer)
