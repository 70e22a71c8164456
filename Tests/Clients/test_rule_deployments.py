"""`brasa rules deploy` and its kin: rules in the data folder, by which a server judges that runs on it, or begins to."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from support.servers import BrasaServer
from test_rules import SOON_SECONDS, Ruled, denied

pytestmark = pytest.mark.hosted("commands of our own")

DATABASE = "projects/demo/databases/(default)"


def rules(condition: str) -> str:
    return (
        "rules_version = '2';\nservice cloud.firestore { match /databases/{database}/documents {\n"
        f"  match /c/{{id}} {{ allow read: if {condition}; }}\n}} }}\n"
    )


class Commands:
    def __init__(self, binary: Path, data: Path, folder: Path):
        self.binary = binary
        self.data = data
        self.file = folder / "some.rules"

    def run(self, *arguments: str) -> tuple[int, list[str]]:
        command = [str(self.binary), "rules", *arguments, "--data-dir", str(self.data)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return done.returncode, (done.stdout + done.stderr).splitlines()

    def deploy(self, text: str, *arguments: str) -> tuple[int, list[str]]:
        self.file.write_text(text)
        return self.run("deploy", str(self.file), *arguments)


@pytest.fixture
def commands(binary: Path, tmp_path: Path) -> Commands:
    return Commands(binary, tmp_path / "data", tmp_path)


def soon(attempt) -> None:
    deadline = time.monotonic() + SOON_SECONDS
    while not attempt():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def listen(made: Ruled) -> None:
    """Until there is a first snapshot."""
    seen: list[bool] = []
    made.watch = made.user("ann").collection("c").on_snapshot(lambda *_: seen.append(True))
    soon(lambda: seen)


def test_what_is_deployed_holds_at_once_for_open_listeners_and_after_a_kill(commands: Commands, start_server) -> None:
    assert commands.deploy(rules("true"), "--by", "ann")[0] == 0
    made = Ruled(start_server("--emulator"))
    listen(made)
    assert commands.deploy(rules("false"), "--database", DATABASE, "--by", "bob") == (
        0, [f"deployment 2 for {DATABASE}: {digest(commands, '--database', DATABASE)}"],
    )  # fmt: skip
    soon(lambda: not made.watch.is_active)
    denied(made.user("ann").document("c/x").get)
    made.server.process.kill()
    made.server.process.wait()
    made = Ruled(start_server("--emulator"))
    denied(made.user("ann").document("c/x").get)
    assert commands.run("remove", "--database", DATABASE)[0] == 0
    soon(lambda: not refused(made))


def refused(made: Ruled) -> bool:
    try:
        made.user("ann").document("c/x").get()
        return False
    except Exception:
        return True


def digest(commands: Commands, *arguments: str) -> str:
    """The beginning of that of the present rules, as the history shows it."""
    return commands.run("history", *arguments)[1][-1].split()[3]


def test_history_says_who_and_when_and_what_can_be_brought_back(commands: Commands) -> None:
    for condition, author in [("1 == 1", "ann"), ("2 == 2", "bob")]:
        assert commands.deploy(rules(condition), "--by", author)[0] == 0
    assert commands.run("show") == (0, rules("2 == 2").splitlines())
    assert commands.run("show", "1") == (0, rules("1 == 1").splitlines())
    status, lines = commands.run("rollback", "--by", "cid")
    assert status == 0 and lines[0].startswith("deployment 3 for all others: ") and lines[0].endswith("as in 1")
    assert commands.run("show") == (0, rules("1 == 1").splitlines())
    status, lines = commands.run("history")
    assert [line.split()[0] for line in lines] == ["NUMBER", "1", "2", "3"]
    assert [line.split()[2] for line in lines[1:]] == ["ann", "bob", "cid"]
    assert commands.run("show", "--database", DATABASE) == (1, [f"brasa: no rules were deployed for {DATABASE}"])
    assert commands.run("show", "9") == (1, ["brasa: there is no deployment 9 for all databases"])
    assert commands.run("show", "--database", "demo")[1][0].startswith("brasa: a database is named as in ")


def test_rules_with_an_error_are_not_deployed(commands: Commands) -> None:
    assert commands.deploy(rules("true"))[0] == 0
    status, lines = commands.deploy(rules("nothing.here("))
    assert status == 1 and any(f"{commands.file}:3:" in line and "error: " in line for line in lines)
    assert commands.run("show") == (0, rules("true").splitlines())
    # A warning is told, and the rules are deployed.
    status, lines = commands.deploy(rules("tru"))
    assert status == 0 and "warning: " in lines[0]


def ask(server: BrasaServer, path: str, body: dict | None = None) -> tuple[int, str]:
    data = None if body is None else json.dumps(body).encode()
    method = "GET" if body is None else "PUT"
    request = urllib.request.Request(f"http://{server.address}/emulator/v1/projects/demo{path}", data, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_an_emulator_reports_what_rules_were_worth_since_they_were_loaded(start_server) -> None:
    made = Ruled(start_server("--emulator"))
    assert ask(made.server, ":ruleCoverage")[0] == 404
    text = rules("request.auth.uid == 'ann' && id == 'x'")
    body = {"rules": {"files": [{"content": text}]}}
    assert ask(made.server, ":securityRules", body) == (200, "{}")
    made.user("ann").document("c/x").get()
    made.user("ann").document("c/x").get()
    denied(made.user("bob").document("c/x").get)
    denied(made.client(None).document("c/x").get)
    status, answer = ask(made.server, ":ruleCoverage")
    assert status == 200
    coverage = json.loads(answer)
    assert coverage["rules"]["files"][0]["content"] == text
    [condition] = coverage["report"]
    assert (condition["sourcePosition"]["line"], len(condition["children"])) == (3, 2)
    assert condition["values"][0] == {"value": {"boolValue": True}, "count": 2}
    assert {"value": {"boolValue": False}, "count": 1} in condition["values"]
    # Not asked for bob; for nobody, since an error of the other side might have been absorbed.
    assert condition["children"][1]["values"] == [{"value": {"boolValue": True}, "count": 3}]
    assert ask(made.server, ":securityRules", body)[0] == 200
    [condition] = json.loads(ask(made.server, ":ruleCoverage")[1])["report"]
    assert "values" not in condition
