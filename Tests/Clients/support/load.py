"""Callers that go on calling while something happens to the server."""

from __future__ import annotations

import threading
from typing import Callable


class Load:
    """Threads that repeat a step until the block ends. `step` takes the number of its thread and raises when a call fails."""

    def __init__(self, step: Callable[[int], None], threads: int = 4):
        self.count = 0
        self.failures: list[BaseException] = []
        self._step = step
        self._lock = threading.Condition()
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(threads)]

    def _run(self, number: int) -> None:
        while not self._stopped.is_set():
            failure = None
            try:
                self._step(number)
            except BaseException as error:  # pylint: disable=broad-except
                failure = error
            with self._lock:
                self.count += 1
                if failure is not None:
                    self.failures.append(failure)
                self._lock.notify_all()

    def more(self, count: int, seconds: float = 60) -> None:
        """Waits until so many more steps are done."""
        with self._lock:
            wanted = self.count + count
            assert self._lock.wait_for(lambda: self.count >= wanted, seconds), self.failures

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()
        if error[0] is None:
            assert not self.failures, self.failures[:3]
            assert self.count > 0
