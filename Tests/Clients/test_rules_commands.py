"""`brasa rules` and `brasa-tools rules`: the example's cases, and what is said of mistakes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.servers import REPOSITORY

EXAMPLE = REPOSITORY / "Examples" / "Rules"

pytestmark = pytest.mark.hosted("commands of our own")


def run(program: Path, *arguments: object) -> tuple[int, list[str]]:
    done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, timeout=60)
    return done.returncode, (done.stdout + done.stderr).splitlines()


def test_the_example_is_decided_as_its_cases_say(tools: Path):
    status, lines = run(tools, "rules", "test", EXAMPLE / "notes.rules", EXAMPLE / "notes.yaml")
    assert status == 0, lines
    assert lines[-1] == "12 of 12 decided as expected"


def test_a_case_that_comes_out_otherwise_is_told_and_explained(tools: Path, tmp_path: Path):
    cases = tmp_path / "cases.yaml"
    cases.write_text("cases:\n- {auth: eve, method: get, path: notes/a, documents: {notes/a: {owner: ann}}, expect: allow}\n")
    status, lines = run(tools, "rules", "test", EXAMPLE / "notes.rules", cases)
    assert status == 1
    assert lines[0] == "FAIL line 2: get notes/a as eve: denied, expected allow"
    assert any("resource.data.owner is \"ann\"" in line for line in lines)
    assert any("failed: L13:" in line for line in lines)


def test_every_case_is_explained(tools: Path):
    status, lines = run(tools, "rules", "explain", EXAMPLE / "notes.rules", EXAMPLE / "notes.yaml")
    assert status == 0
    assert any("L13 allow: true" in line for line in lines)


def test_what_no_case_has_tried_is_told(tools: Path, tmp_path: Path):
    cases = tmp_path / "cases.yaml"
    cases.write_text("cases:\n- {auth: ann, method: get, path: notes/a, documents: {notes/a: {owner: ann}}, expect: allow}\n")
    status, lines = run(tools, "rules", "test", "--coverage", EXAMPLE / "notes.rules", cases)
    assert status == 0
    assert any(" never evaluated: " in line for line in lines)
    assert any(line.startswith("L13:") and " always true: " in line for line in lines), lines
    assert lines[-2].endswith(" expressions evaluated")
    status, lines = run(tools, "rules", "test", "--coverage", EXAMPLE / "notes.rules", EXAMPLE / "notes.yaml")
    assert lines[-1] == "12 of 12 decided as expected"


@pytest.mark.parametrize(
    "content, status, line",
    [
        ("service cloud.firestore { match /t/{x} { allow get: if tru; } }", 0, ":1:56: warning: "),
        ("service cloud.firestore {\n match /t/{x} { allow get: 1; } }", 1, ":2:"),
        ("", 1, "error: Rules content empty. Compilation aborted."),
    ],
)
def test_a_file_is_checked(binary: Path, tmp_path: Path, content: str, status: int, line: str):
    rules = tmp_path / "some.rules"
    rules.write_text(content)
    done, lines = run(binary, "rules", "check", rules)
    assert done == status, lines
    assert any(str(rules) in each and line in each for each in lines), lines


def test_a_file_that_is_too_long_is_neither_read_nor_deployed(binary: Path, tmp_path: Path):
    rules = tmp_path / "long.rules"
    data = tmp_path / "data"
    text = (EXAMPLE / "notes.rules").read_text()
    rules.write_text(text + " " * (256 * 1024 - len(text.encode())))
    assert run(binary, "rules", "deploy", rules, "--data-dir", data)[0] == 0
    rules.write_text(rules.read_text() + " ")
    for command in (["check", rules], ["deploy", rules, "--data-dir", data]):
        done, lines = run(binary, "rules", *command)
        assert done == 1
        assert lines == [f"brasa: {rules} is longer than 262144 bytes"]
    assert run(binary, "rules", "show", "--data-dir", data)[0] == 0
    with rules.open("wb") as file:
        file.truncate(1 << 40)
    assert run(binary, "rules", "check", rules)[0] == 1


def test_a_file_that_is_not_there_is_told(binary: Path, tools: Path, tmp_path: Path):
    assert run(binary, "rules", "check", tmp_path / "none")[0] == 1
    assert run(tools, "rules", "test", EXAMPLE / "notes.rules", tmp_path / "none")[0] == 1


def test_a_mistake_in_cases_has_its_line(tools: Path, tmp_path: Path):
    cases = tmp_path / "cases.yaml"
    cases.write_text("cases:\n- {method: get, path: notes, expect: allow}\n")
    status, lines = run(tools, "rules", "test", EXAMPLE / "notes.rules", cases)
    assert status == 1
    assert lines == [f"{cases}:2: error: notes is no document: its path has an even number of names"]
