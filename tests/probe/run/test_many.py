"""Several ranks: each leaves its evidence, all stop at the same step, and the slow one is named."""

from __future__ import annotations

import pytest

from tests.probe.run.running import SCRIPTS, Runner
from trainlint.evidence.run import Phase
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.ranks import compare_ranks


def test_two_ranks_started_by_torchs_own_launcher(runner: Runner) -> None:
    launched = runner.run("data_parallel", processes=2)
    assert launched.exit_code == 0
    assert [(run.rank, run.world_size, run.outcome, len(run.steps)) for run in launched.runs] == [
        (0, 2, "window closed", 8),
        (1, 2, "window closed", 8),
    ]
    assert {run.warmup for run in launched.runs} == {3}
    seen = compare_ranks(launched.runs)
    assert seen.missing == ()
    assert seen.straggler is not None
    assert seen.straggler.rank == 1
    assert f"mostly in {Phase.OTHER.value}," in seen.straggler.sentence
    assert seen.straggler.late_ms > 50  # it sleeps for 150
    assert all(any(item.symptom is Symptom.COLLECTIVE for item in run.seen) for run in launched.runs)


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_ranks_that_the_script_starts(runner: Runner, method: str) -> None:
    launched = runner.run("spawned", method)
    assert launched.exit_code == 0
    assert [(run.rank, run.world_size, run.outcome, len(run.steps)) for run in launched.runs] == [
        (0, 2, "window closed", 8),
        (1, 2, "window closed", 8),
    ]


@pytest.mark.nightly
def test_a_launcher_that_the_user_names_himself(runner: Runner) -> None:
    script = runner.project / "train.py"
    script.write_text((SCRIPTS / "data_parallel.py").read_text())
    launched = runner.run("torch.distributed.run", "--standalone", "--nproc-per-node=2", "train.py", module=True)
    assert launched.exit_code == 0
    assert [(run.rank, run.outcome, len(run.steps)) for run in launched.runs] == [
        (0, "window closed", 8),
        (1, "window closed", 8),
    ]
