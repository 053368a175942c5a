"""Does the probe read traces as a plain reading of the same files does?

python -m benchmarks.trace_agreement TRACE ...

Of each trace, the step, the device's idle time, communication and the sum of kernels are computed twice: by the probe,
and by `plain.py`, which shares no code with it. The table says both, and how far they lie apart. The exit code is 1
where two of them differ by more than 5%, and by more than a thousandth of the step.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.trace_agreement.plain import Figures, figures
from trainlint_probe.traces.events import UnreadableTrace
from trainlint_probe.traces.reading import TraceReading, read_trace

LIMIT = 0.05
_TRIFLE = 0.001
"""Of a step: a smaller difference tells nothing, be it of a value that is nearly 0."""


def of_probe(reading: TraceReading) -> Figures:
    """The same figures, as the probe reads them."""
    device, communication = reading.device, reading.communication
    has_exchange = communication is not None and communication.exposed is not None
    return Figures(
        reading.window.count,
        reading.step_ms,
        device.idle if device else None,
        (communication.ms if communication and has_exchange else 0.0) if device else None,
        sum(item.ms for item in device.arithmetic.classes) if device else None,
    )


def differences(one: Figures, other: Figures) -> dict[str, float]:
    """By what share of the plain reading the probe's lies off, by name: only what is more than a trifle."""
    found = {}
    for name in ("steps", "step_ms", "idle_ms", "communication_ms", "kernels_ms"):
        mine, plain = getattr(one, name), getattr(other, name)
        if (mine is None) != (plain is None):
            found[name] = float("inf")
        elif mine is not None and abs(mine - plain) > _TRIFLE * other.step_ms:
            found[name] = abs(mine - plain) / abs(plain) if plain else float("inf")
    return found


def rows(paths: Sequence[Path]) -> Iterator[tuple[str, bool]]:
    """A line of Markdown for each trace, and whether the two agree."""
    for path in paths:
        try:
            mine, plain = of_probe(read_trace(path)), figures(path)
        except (UnreadableTrace, ValueError, KeyError) as error:
            yield f"| {path.name} | could not be read: {error} |", False
            continue
        off = differences(mine, plain)
        agree = all(share <= LIMIT for share in off.values())
        pairs = (_pair(getattr(mine, name), getattr(plain, name)) for name in _COLUMNS)
        worst = max(off.values(), default=0.0)
        yield f"| {path.name} | {mine.steps} | {' | '.join(pairs)} | {worst:.1%} |", agree


_COLUMNS = ("step_ms", "idle_ms", "communication_ms", "kernels_ms")


def _pair(mine: float | None, plain: float | None) -> str:
    return " / ".join("-" if value is None else f"{value:.2f}" for value in (mine, plain))


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Compare the probe's reading of traces with a plain one.")
    parser.add_argument("traces", nargs="+", type=Path)
    sys.stdout.write("| trace | steps | step ms | idle ms | communication ms | kernels ms | apart |\n")
    sys.stdout.write("| --- | --- | --- | --- | --- | --- | --- |\n")
    agreed = True
    for line, agrees in rows(parser.parse_args().traces):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
        agreed = agreed and agrees
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
