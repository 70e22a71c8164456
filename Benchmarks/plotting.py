"""Line plots as SVG, with a logarithmic axis each way: how a cost grows shows as a slope."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 80, 170, 40, 50
# Distinguishable also without colours: each with a mark of its own.
COLOURS = ("#1b6ca8", "#c8553d", "#3f8f4f", "#7a4fa3", "#8a6d1d")
MARKS = ("circle", "square", "diamond", "ring", "triangle")


@dataclass
class Line:
    name: str
    points: list[tuple[float, float]]


class Axis:
    """A logarithmic axis from one power of ten to another."""

    def __init__(self, values: list[float], start: float, end: float):
        self.first = math.floor(math.log10(min(values)))
        self.last = max(self.first + 1, math.ceil(math.log10(max(values))))
        self.start, self.end = start, end

    def place(self, value: float) -> float:
        share = (math.log10(value) - self.first) / (self.last - self.first)
        return self.start + share * (self.end - self.start)

    @property
    def ticks(self) -> list[float]:
        return [10.0**power for power in range(self.first, self.last + 1)]


def number(value: float) -> str:
    for size, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{suffix}"
    return f"{value:g}"


def mark(kind: str, x: float, y: float, colour: str) -> str:
    match kind:
        case "square":
            return f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7" fill="{colour}"/>'
        case "diamond":
            points = f"{x:.1f},{y - 5:.1f} {x + 5:.1f},{y:.1f} {x:.1f},{y + 5:.1f} {x - 5:.1f},{y:.1f}"
            return f'<polygon points="{points}" fill="{colour}"/>'
        case "triangle":
            points = f"{x:.1f},{y - 5:.1f} {x + 4.5:.1f},{y + 3.5:.1f} {x - 4.5:.1f},{y + 3.5:.1f}"
            return f'<polygon points="{points}" fill="{colour}"/>'
        case "ring":
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="white" stroke="{colour}" stroke-width="2"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'


def grid(axes: tuple[Axis, Axis], units: tuple[str, str]) -> list[str]:
    across, up = axes
    parts = []
    for tick in across.ticks:
        x = across.place(tick)
        parts.append(f'<line x1="{x:.1f}" y1="{up.start}" x2="{x:.1f}" y2="{up.end}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{up.start + 18}" text-anchor="middle">{number(tick)}</text>')
    for tick in up.ticks:
        y = up.place(tick)
        parts.append(f'<line x1="{across.start}" y1="{y:.1f}" x2="{across.end}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{across.start - 8}" y="{y + 4:.1f}" text-anchor="end">{number(tick)}</text>')
    middle = (across.start + across.end) / 2
    parts.append(f'<text x="{middle}" y="{up.start + 38}" text-anchor="middle">{escape(units[0])}</text>')
    parts.append(f'<text x="{across.start - 8}" y="{up.end - 12}" text-anchor="end">{escape(units[1])}</text>')
    return parts


def curve(line: Line, index: int, axes: tuple[Axis, Axis]) -> list[str]:
    colour, kind = COLOURS[index % len(COLOURS)], MARKS[index % len(MARKS)]
    places = [(axes[0].place(x), axes[1].place(y)) for x, y in line.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>']
    parts += [mark(kind, x, y, colour) for x, y in places]
    key = TOP + 16 + 20 * index
    parts.append(mark(kind, WIDTH - RIGHT + 18, key, colour))
    parts.append(f'<text x="{WIDTH - RIGHT + 30}" y="{key + 4}">{escape(line.name)}</text>')
    return parts


def plot(file: Path, title: str, units: tuple[str, str], lines: list[Line]) -> None:
    """Values that are not above zero have no place on such axes and are left out."""
    lines = [Line(line.name, [point for point in line.points if min(point) > 0]) for line in lines]
    values = [point for line in lines for point in line.points]
    axes = (
        Axis([x for x, _ in values], LEFT, WIDTH - RIGHT),
        Axis([y for _, y in values], HEIGHT - BOTTOM, TOP + 10),
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{WIDTH / 2}" y="20" text-anchor="middle" font-size="14">{escape(title)}</text>',
        *grid(axes, units),
        *(part for index, line in enumerate(lines) for part in curve(line, index, axes)),
        "</svg>",
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(parts) + "\n")
