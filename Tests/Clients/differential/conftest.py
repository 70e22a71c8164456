"""The server that the one under test is compared with."""

from __future__ import annotations

import os
from typing import Iterator

import pytest

from support.servers import Emulator, emulator_program


@pytest.fixture(scope="session")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    running = os.environ.get("BRASA_TEST_PEER")
    if running:
        yield running
        return
    program = emulator_program()
    if program is None:
        pytest.skip("Google's emulator (part of google-cloud-cli) is not installed")
    emulator = Emulator(program, tmp_path_factory.mktemp("emulator") / "log")
    yield emulator.address
    emulator.stop()
