"""Memory that runs need: measured in this process and those below it, and compared."""

from __future__ import annotations

import subprocess
import sys

import pytest

from trainlint_probe.verify.memory import host_peak
from trainlint_probe.verify.peak import compare_peaks
from trainlint_probe.verify.result import End, Trial


def runs(*megabytes: float, device: bool = False) -> list[Trial]:
    peaks = [round(item * 1e6) for item in megabytes]
    if device:
        return [Trial(End.WINDOW_CLOSED, host_peak=500_000_000, device_peak=peak) for peak in peaks]
    return [Trial(End.WINDOW_CLOSED, host_peak=peak) for peak in peaks]


def test_a_change_beyond_what_runs_differ_by_is_one() -> None:
    peak = compare_peaks(runs(500, 510, 505, 507, 503), runs(400, 408, 402, 404, 401))
    assert peak is not None
    assert (peak.where, peak.before, peak.after, peak.is_change) == ("host", 505_000_000, 402_000_000, True)
    assert peak.sentence == (
        "it holds 402 MB of the machine's memory at most, and 505 MB without the fix: it saves 103 MB"
    )


def test_more_is_told_as_more() -> None:
    peak = compare_peaks(runs(1000, 1000, device=True), runs(1500, 1500, device=True))
    assert peak is not None
    assert peak.where == "device"
    assert peak.sentence.endswith(
        "1.5 GB of the device's memory at most, and 1 GB without the fix: it needs 500 MB more"
    )


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ((500, 540), (505, 510), "runs of one version differ as much"),
        ((500, 500), (499.9, 499.9), "as it does without the fix"),
        ((500, 501, 502, 503), (430, 431, 432, 433), "too few runs to tell"),
        ((500, 501, 502, 503, 430), (430, 431, 432, 433, 434), "runs of one version differ as much"),
    ],
)
def test_noise_and_trifles_are_none(before: tuple[float, ...], after: tuple[float, ...], words: str) -> None:
    peak = compare_peaks(runs(*before), runs(*after))
    assert peak is not None
    assert not peak.is_change
    assert words in peak.sentence


def test_what_was_not_measured_is_not_compared() -> None:
    assert compare_peaks([Trial(End.TOO_SHORT)], runs(1)) is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux what other processes hold")
def test_what_a_process_below_holds_counts() -> None:
    before = host_peak()
    code = "kept = bytearray(200_000_000); kept[::4096] = b'x' * len(kept[::4096]); print(1, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert 190e6 < host_peak() - before < 260e6
        process.kill()
