"""The instructions of a Dockerfile, of as much of its language as deploy/ uses."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field
from pathlib import Path

FLAGGED = {"COPY", "HEALTHCHECK", "RUN", "ADD"}


@dataclass
class Instruction:
    name: str
    text: str
    flags: dict[str, str] = field(default_factory=dict)

    @property
    def words(self) -> list[str]:
        """Of an exec form its arguments, else what a shell would split."""
        return json.loads(self.text) if self.text.startswith("[") else shlex.split(self.text)

    @property
    def pairs(self) -> dict[str, str]:
        return dict(word.split("=", 1) for word in self.words)


class Stage(list[Instruction]):
    def all(self, name: str) -> list[Instruction]:
        return [each for each in self if each.name == name]

    def last(self, name: str) -> Instruction:
        return self.all(name)[-1]

    @property
    def environment(self) -> dict[str, str]:
        return {name: value for each in self.all("ENV") for name, value in each.pairs.items()}

    @property
    def health_command(self) -> list[str]:
        text = self.last("HEALTHCHECK").text
        assert text.startswith("CMD ["), text
        return json.loads(text.removeprefix("CMD "))


def stages(path: Path) -> list[Stage]:
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    found: list[Stage] = []
    for line in joined.splitlines():
        name, _, text = line.strip().partition(" ")
        instruction = Instruction(name, text.strip())
        while name in FLAGGED and instruction.text.startswith("--"):
            flag, _, rest = instruction.text.partition(" ")
            instruction.flags |= dict([flag.removeprefix("--").split("=", 1)])
            instruction.text = rest.strip()
        if name == "FROM":
            found.append(Stage())
        found[-1].append(instruction)
    return found
