"""The server as a process: its flags, its refusals, its end, and its data folder."""

import concurrent.futures
import os
import re
import signal
import socket
import subprocess
from pathlib import Path

import grpc
import pytest
from grpc import StatusCode

from support import messages
from support.messages import set_write
from support.servers import BrasaServer, clean_environment
from support.wire import Database, Wire

RUN_SECONDS = 60


def run(binary: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(binary), *arguments],
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        env={**clean_environment(), **environment},
        check=False,
    )


def refused(done: subprocess.CompletedProcess, *words: str) -> str:
    """Asserts a non-zero exit with one clear line; the line."""
    assert done.returncode > 0, (done.returncode, done.stdout, done.stderr)
    assert "listening on" not in done.stdout
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert lines, "nothing was said"
    for word in words:
        assert word in done.stderr, done.stderr
    assert "Fatal" not in done.stderr and "crashed" not in done.stderr
    return lines[0]


def one_line(done: subprocess.CompletedProcess, *words: str) -> None:
    """Beside what the log has to tell, one line says what is wrong."""
    refused(done, *words)
    logged = re.compile(r"^\d{4}-\d\d-\d\dT\S+ (info|notice|debug|trace) ")
    lines = [line for line in done.stderr.splitlines() if line.strip() and not logged.match(line)]
    assert len(lines) == 1, done.stderr


# Flags


@pytest.mark.parametrize(
    "flags",
    [
        ["--no-such-flag"],
        ["--listen", "nonsense"],
        ["--listen", "127.0.0.1:99999"],
        ["--listen", "127.0.0.1:-1"],
        ["--durability", "maybe"],
        ["--shards", "0"],
        ["--shards", "x"],
        ["--threads", "0"],
        ["--history", "soon"],
        ["--history", "-1h"],
        ["--log-level", "loud"],
    ],
    ids=" ".join,
)
def test_bad_flags_are_refused(binary, tmp_path, flags):
    arguments = ["--data-dir", str(tmp_path / "data"), *flags]
    if "--listen" not in flags:
        arguments += ["--listen", "127.0.0.1:0"]
    refused(run(binary, "serve", *arguments))


@pytest.mark.parametrize(
    ("variable", "text"),
    [("BRASA_DURABILITY", "maybe"), ("BRASA_LISTEN", "nonsense"), ("BRASA_SHARDS", "x"), ("BRASA_LOG_LEVEL", "loud")],
)
def test_bad_variables_are_refused(binary, tmp_path, variable, text):
    arguments = ["serve", "--data-dir", str(tmp_path / "data")]
    if variable != "BRASA_LISTEN":
        arguments += ["--listen", "127.0.0.1:0"]
    refused(run(binary, *arguments, **{variable: text}))


def test_variables_configure_the_server(binary, tmp_path):
    environment = {"BRASA_LISTEN": "127.0.0.1:0", "BRASA_DATA_DIR": str(tmp_path / "data"), "BRASA_DURABILITY": "os"}
    with subprocess.Popen(
        [str(binary), "serve"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**clean_environment(), **environment},
    ) as process:
        try:
            lines = iter(process.stdout.readline, "")
            address = next(line for line in lines if line.startswith("listening on ")).split()[-1]
            wire = Wire(address)
            Database(wire).set("a/b")
            wire.close()
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(RUN_SECONDS) == 0
    assert (tmp_path / "data").is_dir()


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]"])
def test_listening_beyond_loopback_needs_insecure(binary, tmp_path, host):
    data = str(tmp_path / "data")
    one_line(run(binary, "serve", "--listen", f"{host}:0", "--data-dir", data), "insecure")
    assert not Path(data).exists(), "it is refused before anything is touched"


def test_insecure_allows_every_address(start_server):
    server = start_server("--insecure", listen="0.0.0.0:0")
    wire = Wire(f"127.0.0.1:{server.port}")
    Database(wire).set("a/b")
    wire.close()
    assert server.stop() == 0


def test_localhost_is_loopback(start_server):
    server = start_server(listen="localhost:0")
    wire = Wire(f"localhost:{server.port}")
    Database(wire).set("a/b")
    wire.close()
    assert server.stop() == 0


def test_help_and_version(binary):
    for arguments in (["--help"], ["serve", "--help"], ["check", "--help"], ["--version"]):
        done = run(binary, *arguments)
        assert done.returncode == 0 and done.stdout.strip(), arguments
    assert all(
        flag in run(binary, "serve", "--help").stdout
        for flag in ("--listen", "--data-dir", "--durability", "--shards", "--threads", "--history", "--emulator")
    )


# Start


def test_a_port_in_use_is_refused(binary, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        one_line(run(binary, "serve", "--listen", address, "--data-dir", str(tmp_path / "data")), address)


def test_a_second_server_on_one_folder_is_refused(binary, start_server, tmp_path):
    server = start_server()
    folder = str(tmp_path / "data")
    one_line(run(binary, "serve", "--listen", "127.0.0.1:0", "--data-dir", folder), folder)
    wire = Wire(server.address)
    Database(wire).set("a/b")
    wire.close()
    assert server.stop() == 0
    # The lock survives nothing: neither an orderly end nor a kill.
    again = start_server()
    again.kill()
    assert start_server().stop() == 0


def test_a_file_in_place_of_the_folder_is_refused(binary, tmp_path):
    path = tmp_path / "data"
    path.write_text("not a folder")
    one_line(run(binary, "serve", "--listen", "127.0.0.1:0", "--data-dir", str(path)), str(path))


def test_an_unreadable_folder_is_refused(binary, tmp_path):
    if os.geteuid() == 0:
        # Permissions do not bind root; a folder below a file cannot be read by anybody.
        (tmp_path / "file").write_text("")
        path = tmp_path / "file" / "data"
    else:
        path = tmp_path / "data"
        path.mkdir(mode=0)
    one_line(run(binary, "serve", "--listen", "127.0.0.1:0", "--data-dir", str(path)), str(path))


def test_a_damaged_folder_is_refused_with_file_and_offset(binary, start_server, tmp_path):
    server = start_server()
    wire = Wire(server.address)
    database = Database(wire)
    for number in range(50):
        database.set("a/b", {"n": number, "text": "findable text"})
    wire.close()
    assert server.stop() == 0
    damaged = None
    for path in sorted((tmp_path / "data").rglob("*")):
        content = bytearray(path.read_bytes()) if path.is_file() else b""
        at = content.find(b"findable text")
        if at >= 0 and content.count(b"findable text") > 10:
            content[at] ^= 0xFF
            path.write_bytes(content)
            damaged = path
            break
    assert damaged is not None, "the log should hold the document's bytes"
    one_line(run(binary, "serve", "--listen", "127.0.0.1:0", "--data-dir", str(tmp_path / "data")), damaged.name)
    checked = run(binary, "check", str(tmp_path / "data"))
    assert checked.returncode != 0 and damaged.name in checked.stdout + checked.stderr


# End


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_signal_ends_the_server_and_keeps_the_data(start_server, how):
    server = start_server()
    wire = Wire(server.address)
    database = Database(wire)
    written = database.set("a/b", {"n": 1})
    server.process.send_signal(how)
    assert server.wait() == 0
    wire.close()
    wire = Wire(start_server().address)
    document = Database(wire, database.project).get("a/b").message
    assert document.update_time == written and document.fields["n"].integer_value == 1
    wire.close()


def test_calls_in_flight_finish_when_the_server_ends(start_server):
    """A commit that waits for a lock is in flight at SIGTERM; the drain lets it finish."""
    server = start_server()
    reading, writing = Wire(server.address), Wire(server.address)
    database = Database(reading)
    other = database.through(writing)
    database.set("a/b", {"n": 1})
    transaction = database.begin()
    database.batch_get("a/b", transaction=transaction).stream
    grpc.channel_ready_future(writing.channel).result(timeout=30)
    commits = [other.start_commit(set_write(database.doc("a/b"), {"n": 2})) for _ in range(3)]
    finish = database.start_commit(set_write(database.doc("a/c"), {"n": 1}), transaction=transaction)
    assert other.batch_get("a/b").ok
    server.terminate()
    outcomes = [finish.outcome(), *(commit.outcome() for commit in commits)]
    assert all(outcome.ok or outcome.code is StatusCode.UNAVAILABLE for outcome in outcomes), outcomes
    assert server.wait() == 0
    acknowledged = sum(outcome.ok for outcome in outcomes[1:])
    reading.close()
    writing.close()
    wire = Wire(start_server().address)
    found = Database(wire, database.project).fields("a/b")["n"].integer_value
    assert found == (2 if acknowledged else found)
    wire.close()


def test_a_loaded_server_ends_without_losing_what_it_acknowledged(start_server):
    server = start_server()
    project = "load"

    def load(writer: int) -> list[int]:
        wire = Wire(server.address)
        database = Database(wire, project)
        done = []
        for number in range(100_000):
            if not database.commit(set_write(database.doc(f"w{writer}/{number}"), {"n": number})).ok:
                break
            done.append(number)
            if writer == 0 and number == 100:
                server.terminate()
        wire.close()
        return done

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        acknowledged = list(pool.map(load, range(4)))
    assert server.wait() == 0
    wire = Wire(start_server().address)
    database = Database(wire, project)
    for writer, numbers in enumerate(acknowledged):
        query = messages.StructuredQuery(from_=[{"collection_id": f"w{writer}"}])
        stored = {r.document.fields["n"].integer_value for r in database.query(query).stream if r.HasField("document")}
        assert set(numbers) <= stored
    wire.close()


# Data


def test_data_survives_restarts_with_every_kind_of_change(start_server):
    project = "restarts"
    for round_number in range(4):
        server = start_server()
        wire = Wire(server.address)
        database = Database(wire, project)
        if round_number:
            assert database.fields("a/kept")["n"].integer_value == round_number - 1
            assert database.fields("a/counter")["n"].integer_value == round_number
            database.get("a/gone").refused(StatusCode.NOT_FOUND)
            assert list(database.collections("a/parent").message.collection_ids) == ["b"]
            created = messages.microseconds(database.get("a/counter").message.create_time)
            assert created < messages.microseconds(database.set("a/later"))
        database.set("a/gone", {"n": 1})
        database.set("a/kept", {"n": round_number})
        database.set("a/counter", mask=[], transforms=[messages.increment("n", 1)])
        database.set("a/parent/b/child")
        database.delete("a/gone")
        wire.close()
        assert server.stop() == 0


def test_commit_times_increase_across_restarts(start_server):
    latest = 0
    for _ in range(3):
        server = start_server()
        wire = Wire(server.address)
        database = Database(wire, "times")
        for _ in range(20):
            time = messages.microseconds(database.set("a/b", {"t": latest}))
            assert time > latest
            latest = time
        wire.close()
        server.kill()


@pytest.mark.parametrize("durability", ["fsync", "os", "memory"])
def test_each_durability_serves_and_is_announced(start_server, durability):
    server = start_server("--durability", durability)
    wire = Wire(server.address)
    database = Database(wire, "durable")
    database.set("a/b", {"n": 1})
    wire.close()
    assert server.stop() == 0
    if durability != "fsync":
        assert durability in server.log.read_text()
    wire = Wire(start_server().address)
    assert Database(wire, "durable").get("a/b").ok is (durability != "memory")
    wire.close()


def test_check_says_what_a_folder_holds(binary, start_server, tmp_path):
    server = start_server()
    wire = Wire(server.address)
    for number in range(7):
        Database(wire, "checked").set(f"a/{number}")
    wire.close()
    assert server.stop() == 0
    checked = run(binary, "check", str(tmp_path / "data"))
    assert checked.returncode == 0, checked.stderr
    assert re.search(r"\d", checked.stdout)
    refused(run(binary, "check", str(tmp_path / "none")))


def test_a_full_disk_is_told_and_nothing_is_acknowledged(binary, tmp_path):
    """A file size limit stands in for a full disk: writes past it fail, as they do there."""
    data = tmp_path / "data"
    command = f"ulimit -f 64; exec '{binary}' serve --listen 127.0.0.1:0 --data-dir '{data}'"
    done = subprocess.run(
        ["sh", "-c", f"trap '' XFSZ; {command}"], capture_output=True, text=True, timeout=RUN_SECONDS, check=False
    )
    refused(done)


def test_the_server_uses_the_folder_of_its_flag_only(start_server, tmp_path):
    server: BrasaServer = start_server()
    before = {path.name for path in tmp_path.iterdir()}
    assert "data" in before
    assert server.stop() == 0
    assert {path.name for path in tmp_path.iterdir()} == before
