"""Administrators' keys: `brasa keys` on a data folder, and what Google's own library makes of a key file."""

import json
import stat
import subprocess
from pathlib import Path

from google.auth import jwt
from google.oauth2 import service_account

SCOPE = "https://www.googleapis.com/auth/datastore"


def keys(binary: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [binary, "keys", *arguments, "--data-dir", folder]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def listed(binary: Path, folder: Path) -> list[list[str]]:
    return [line.split() for line in keys(binary, folder, "list").stdout.splitlines()[1:]]


def test_a_key_file_is_one_for_googles_library(binary: Path, tmp_path: Path) -> None:
    made = keys(binary, tmp_path, "create", "web", "--server", "https://db.example:8080", "--project", "demo")
    assert made.returncode == 0, made.stderr
    information = json.loads(made.stdout)
    assert information["type"] == "service_account"
    assert information["token_uri"] == "https://db.example:8080/token"
    path = tmp_path / "web.json"
    path.write_text(made.stdout)
    credentials = service_account.Credentials.from_service_account_file(str(path), scopes=[SCOPE])
    assert credentials.project_id == "demo"
    assert credentials.service_account_email == information["client_email"]
    # What it signs names the key and its owner; the public half is in the folder.
    token = credentials._make_authorization_grant_assertion()
    assert jwt.decode_header(token)["kid"] == information["private_key_id"]
    assert jwt.decode(token, verify=False)["iss"] == information["client_email"]


def test_keys_are_listed_disabled_and_deleted(binary: Path, tmp_path: Path) -> None:
    assert listed(binary, tmp_path) == []
    assert keys(binary, tmp_path, "create", "one").returncode == 0
    database = "projects/demo/databases/(default)"
    assert keys(binary, tmp_path, "create", "two", "--read-only", "--database", database).returncode == 0
    rows = listed(binary, tmp_path)
    assert [(row[0], row[1], row[2], row[4]) for row in rows] == [
        ("one", "administrator", "enabled", "all"),
        ("two", "read-only", "enabled", database),
    ]
    assert keys(binary, tmp_path, "disable", "one").returncode == 0
    assert [row[2] for row in listed(binary, tmp_path)] == ["disabled", "enabled"]
    assert keys(binary, tmp_path, "enable", "one").returncode == 0
    assert [row[2] for row in listed(binary, tmp_path)] == ["enabled", "enabled"]
    assert keys(binary, tmp_path, "delete", "one").returncode == 0
    assert [row[0] for row in listed(binary, tmp_path)] == ["two"]


def test_the_list_is_for_its_owner_and_has_no_private_key(binary: Path, tmp_path: Path) -> None:
    assert keys(binary, tmp_path, "create", "one").returncode == 0
    path = tmp_path / "identity" / "keys.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "PRIVATE" not in path.read_text()


def test_what_cannot_be_done_is_said_in_a_sentence(binary: Path, tmp_path: Path) -> None:
    assert keys(binary, tmp_path, "create", "one").returncode == 0
    for arguments, sentence in [
        (("create", "one"), "there is a key named one"),
        (("create", "One"), 'a key\'s name has lower case letters, digits and dashes, 63 at most, not "One"'),
        (("create", "two", "--database", "d"), 'a database is named as in projects/P/databases/D, not "d"'),
        (("create", "two", "--server", "db"), 'a server\'s address is as in https://db.example:8080, not "db"'),
        (("delete", "two"), "there is no key named two"),
    ]:
        done = keys(binary, tmp_path, *arguments)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", f"brasa: {sentence}\n")
    (tmp_path / "identity" / "keys.json").write_text("{")
    done = keys(binary, tmp_path, "list")
    assert done.returncode == 1
    assert "keys.json is damaged" in done.stderr
