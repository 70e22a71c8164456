"""A server under attack, and a client of good manners that has every call answered before, during and after."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Callable

from support import resident

# Calls of the well-behaved client before an attack, after its last byte was sent, and after its connections are gone.
CALLS = 100
# A bound that only a server that stands still goes past.
CALL_SECONDS = 20
ATTACK_SECONDS = 60


class Customer:
    """A client of good manners, one call after the other; latencies are told, and decide nothing."""

    def __init__(self):
        self.latencies: list[float] = []
        self.failures: list[str] = []

    def call(self) -> None:
        """Several by `measure`."""
        raise NotImplementedError

    def measure(self, call: Callable[[], str | None]) -> None:
        """What it returns is why it failed."""
        start = time.monotonic()
        failure = call()
        self.latencies.append(time.monotonic() - start)
        if failure is not None:
            self.failures.append(failure)

    def calls(self, count: int = CALLS) -> None:
        for _ in range(count):
            self.call()

    def report(self) -> str:
        """The 50th and 99th hundredths since the last report."""
        latencies, self.latencies = sorted(self.latencies), []
        p50, p99 = (latencies[int(len(latencies) * share)] * 1000 for share in (0.5, 0.99))
        return f"{len(latencies)} calls, p50 {p50:.1f} ms, p99 {p99:.1f} ms, worst {latencies[-1] * 1000:.1f} ms"


@dataclass(frozen=True)
class Siege:
    # The most that the server had more than before, of resident memory.
    grown_bytes: int
    # The customer's reports.
    before: str
    during: str
    after: str


def besiege(
    pid: int, customer: Customer, attack: Callable[[], None], end: Callable[[], None], seconds: float = ATTACK_SECONDS
) -> Siege:
    """Runs the attack on a thread of its own. `end` closes its connections."""
    failures: list[BaseException] = []

    def run() -> None:
        # Where nobody would hear of what goes wrong.
        try:
            attack()
        except BaseException as failure:
            failures.append(failure)

    customer.calls()
    before = customer.report()
    held = resident.resident_bytes(pid)
    resident.forget_peak(pid)
    attacker = threading.Thread(target=run, daemon=True)
    attacker.start()
    deadline = time.monotonic() + seconds
    while attacker.is_alive() and time.monotonic() < deadline:
        customer.call()
    assert not attacker.is_alive(), "the server stands still"
    if failures:
        raise failures[0]
    customer.calls()
    during = customer.report()
    grown = resident.peak_bytes(pid) - held
    end()
    customer.calls()
    return Siege(grown, before, during, customer.report())
