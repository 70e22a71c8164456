"""`brasa-tools bench client` does each of its works against a real server, without a failed call."""

from __future__ import annotations

import subprocess

import pytest

WORKS = ("get", "read", "cached", "query", "set", "commit", "increment", "transaction", "change", "listen")


@pytest.mark.parametrize("work", WORKS)
def test_the_swift_client_is_measured_at_its_work(address, tools, work):
    command = [str(tools), "bench", "client", work, "--target", address, "--format", "row", "--documents", "200"]
    command += ["--clients", "2", "--tasks", "4", "--warm-up", "10ms", "--duration", "200ms"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    rate, median, tail, core_rate = map(float, done.stdout.split())
    assert rate > 0 and core_rate > 0
    assert 0 < median <= tail
