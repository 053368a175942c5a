"""Fixes, right and wrong ones, tried on small trainings: real processes, real torch, the rules' own fixes.

What takes time in these trainings is sleep, so that a busy machine changes little.
"""

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from trainlint.cli.console import UsageError
from trainlint.finding import Safety
from trainlint_probe.verify.arm import place_of_script
from trainlint_probe.verify.fixes import Edit, Proposal, proposals
from trainlint_probe.verify.one_run import Request, run_once
from trainlint_probe.verify.order import Place
from trainlint_probe.verify.result import End, Likeness, Outcome, Trial, Verification
from trainlint_probe.verify.run import Tell, try_all, verify

SCRIPTS = Path(__file__).parent / "scripts"

pytestmark = pytest.mark.slow


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of a user, which must look the same after all runs but for what a test says."""
    directory = tmp_path / "project"
    directory.mkdir()
    monkeypatch.chdir(directory)
    return directory


@pytest.fixture
def script(project: Path) -> Callable[[str], Path]:
    def copied(name: str) -> Path:
        shutil.copy(SCRIPTS / name, project / name)
        return project / name

    return copied


def changed(path: Path, old: str, new: str, safety: Safety = Safety.UNSAFE) -> Proposal:
    """A fix that puts one text in the place of another."""
    text = path.read_text()
    assert text.count(old) == 1
    edit = Edit(str(path.resolve()), path.name, text.replace(old, new).encode())
    return Proposal("XXX001", "made-up", safety, 1, (edit,))


def try_fixes(proposal: Proposal, request: Request, tell: Tell = lambda sentence: None) -> Verification:
    """What came of one rule."""
    (found,) = try_all([proposal], request, tell)
    return found


def asked(path: Path, *, steps: int = 6, pairs: int = 2, seed: int | None = None, timeout: float = 300.0) -> Request:
    return Request(path.name, warmup=2, steps=steps, pairs=pairs, seed=seed, timeout=timeout)


def test_workers_for_a_loader_that_is_waited_for_are_tried(script: Callable[[str], Path], project: Path) -> None:
    path = script("slow_loader.py")
    before = path.read_bytes()
    (found,) = verify(["TRN101"], [path], asked(path, steps=16, pairs=3))
    assert found.outcome in (Outcome.VERIFIED, Outcome.INCONCLUSIVE), found.sentence  # a loud machine hides any gain
    assert found.speed is not None
    assert found.training is not None
    assert found.training.likeness is Likeness.IDENTICAL
    assert (found.files, found.fixes, found.safety) == (("slow_loader.py",), 1, Safety.UNSAFE)
    assert (len(found.before), len(found.after)) == (4, 3)
    assert [len(trial.step_ms) for trial in found.after] == [16, 16, 16]
    assert path.read_bytes() == before
    assert list(project.iterdir()) == [path]


LEAKS = """import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
kept = []
for _ in range(60):
    loss = model(torch.ones(2, 4)).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    kept.append(loss)
"""


@pytest.mark.nightly
def test_a_copy_that_changes_nothing_shows_no_gain(script: Callable[[str], Path]) -> None:
    path = script("paced.py")
    found = try_fixes(changed(path, "import sys", "import sys  # the same"), asked(path, pairs=3))
    assert found.outcome in (Outcome.NO_GAIN, Outcome.INCONCLUSIVE), found.sentence
    assert found.training is not None
    assert found.training.likeness is Likeness.IDENTICAL
    assert found.training.sentence == "all 8 losses and the parameters are the same bit for bit"


@pytest.mark.nightly
def test_a_fix_that_drops_zero_grad_changes_the_training_however_fast_it_is(script: Callable[[str], Path]) -> None:
    path = script("paced.py")
    text = (
        path.read_text().replace("        optimizer.zero_grad()\n", "").replace("time.sleep(0.1)", "time.sleep(0.01)")
    )
    wrong = Proposal("XXX001", "made-up", Safety.UNSAFE, 1, (Edit(str(path.resolve()), "paced.py", text.encode()),))
    found = try_fixes(wrong, asked(path, steps=16))
    assert found.outcome is Outcome.TRAINING_CHANGED, found.sentence
    assert found.training is not None
    assert found.training.first_difference == 3  # the second update is the first that the old gradient is part of
    assert found.training.noise == 0
    assert found.training.same_parameters is False
    assert found.speed is not None
    assert found.speed.high < 1


class TestSafeFixesOfRealRules:
    @pytest.fixture
    def path(self, script: Callable[[str], Path]) -> Path:
        return script("safe_fixes.py")

    @pytest.mark.nightly
    @pytest.mark.parametrize(("code", "fixes"), [("TRN205", 1), ("TRN416", 1)])
    def test_they_keep_every_bit(self, path: Path, code: str, fixes: int) -> None:
        (found,) = verify([code], [path], asked(path, steps=20))
        assert found.training is not None, found.sentence
        assert found.training.likeness is Likeness.IDENTICAL
        assert (found.training.losses, found.training.noise, found.fixes) == (22, 0.0, fixes)
        assert found.safety is Safety.SAFE
        assert found.after[0].loaded == (str(path.resolve()),)
        assert found.before[0].loaded == ()

    @pytest.mark.nightly
    def test_the_bias_that_another_takes_away_is_seen_in_the_parameters(self, path: Path) -> None:
        """As TRN410 advises: fewer parameters are drawn, so all that follow are others."""
        without = changed(path, "torch.nn.Linear(16, 64)", "torch.nn.Linear(16, 64, bias=False)")
        found = try_fixes(without, asked(path, steps=20))
        assert found.training is not None
        assert found.training.same_parameters is False
        assert found.training.first_difference == 1

    def test_all_tries_one_rule_after_the_other(self, path: Path) -> None:
        assert [proposal.code for proposal in proposals("all", [path])] == ["TRN205"]

    def test_a_rule_without_a_fix_here_is_told(self, path: Path) -> None:
        (found,) = verify(["TRN306"], [path], asked(path))
        assert found.outcome is Outcome.INCONCLUSIVE
        assert found.sentence == "no finding of TRN306 has a fix, so there is nothing to try"

    def test_a_rule_that_there_is_not_is_refused(self, path: Path) -> None:
        with pytest.raises(UsageError, match="TRN999"):
            verify(["TRN999"], [path], asked(path))


class TestUnseeded:
    @pytest.mark.nightly
    def test_a_script_that_draws_what_nobody_seeds_differs_from_itself(
        self, script: Callable[[str], Path], project: Path
    ) -> None:
        path = script("unseeded.py")
        (project / "weights.pt").write_bytes(b"the user's own")
        found = try_fixes(changed(path, "import torch\n", "import torch  # the same\n", Safety.SAFE), asked(path))
        assert found.outcome is Outcome.INCONCLUSIVE
        assert found.training is not None
        assert found.training.likeness is Likeness.UNKNOWN
        assert found.training.noise is not None
        assert found.training.noise > 0.1
        assert "give --seed" in found.training.sentence
        assert (project / "weights.pt").read_bytes() == b"the user's own"

    @pytest.mark.nightly
    def test_a_seed_makes_it_comparable(self, script: Callable[[str], Path], project: Path) -> None:
        path = script("unseeded.py")
        proposal = changed(path, "import torch\n", "import torch  # the same\n", Safety.SAFE)
        found = try_fixes(proposal, asked(path, seed=1))
        assert found.training is not None
        assert found.training.likeness is Likeness.IDENTICAL
        assert list(project.iterdir()) == [path]


def test_a_leak_that_a_fix_ends_is_seen_in_what_each_step_leaves_behind(script: Callable[[str], Path]) -> None:
    path = script("keeps.py")
    path.write_text(LEAKS)
    found = try_fixes(changed(path, "kept.append(loss)", "kept.append(loss.item())"), asked(path, pairs=2))
    assert found.keeping is not None
    assert found.keeping.keeps_less
    assert found.keeping.before.graph_nodes >= 1
    assert found.keeping.after.graph_nodes < 0.5


class TestFailures:
    @pytest.fixture
    def path(self, script: Callable[[str], Path]) -> Path:
        return script("paced.py")

    def test_a_script_that_fails_by_itself(self, path: Path) -> None:
        path.write_text(path.read_text().replace("lr=0.05", "lr=-1"))
        found = try_fixes(changed(path, "time.sleep(0.1)", "pass"), asked(path))
        assert found.outcome is Outcome.INCONCLUSIVE
        words = "the script fails without the fix: ValueError: Invalid learning rate: -1 (paced.py:12)"
        assert found.sentence == words
        assert (len(found.before), len(found.after)) == (1, 0)

    @pytest.mark.nightly
    def test_a_script_that_fails_with_the_fix_alone(self, path: Path) -> None:
        found = try_fixes(changed(path, "optimizer.zero_grad()", "optimiser.zero_grad()"), asked(path))
        assert found.outcome is Outcome.TRAINING_CHANGED
        assert "fails with the fix, and does not without it: NameError: name 'optimiser'" in found.sentence
        assert found.sentence.endswith("(paced.py:17)")

    @pytest.mark.nightly
    def test_a_fix_that_is_no_python(self, path: Path) -> None:
        found = try_fixes(changed(path, "lr=0.05)", "lr=0.05"), asked(path))
        assert found.outcome is Outcome.TRAINING_CHANGED
        assert "SyntaxError" in found.sentence

    @pytest.mark.nightly
    def test_a_process_that_dies_without_a_word(self, path: Path) -> None:
        found = try_fixes(changed(path, "time.sleep(0.1)", "__import__('os').kill(0, 9)"), asked(path))
        assert found.outcome is Outcome.TRAINING_CHANGED
        assert "it was ended by SIGKILL" in found.sentence

    def test_what_fails_on_our_side_is_not_laid_at_the_script_s_door(self, path: Path) -> None:
        path.write_text(path.read_text().replace("import sys", "import gc, sys; gc.get_objects = None"))
        found = try_fixes(changed(path, "lr=0.05", "lr=0.04"), asked(path))
        assert found.outcome is Outcome.INCONCLUSIVE
        assert found.sentence.startswith("trainlint itself failed (TypeError: 'NoneType' object is not callable)")

    def test_a_script_that_would_overwrite_a_checkpoint_past_torch_is_stopped(self, path: Path, project: Path) -> None:
        (project / "best.pt").write_bytes(b"the user's own")
        text = path.read_text().replace("time.sleep(0.1)", "open('best.pt', 'wb')")
        path.write_text(text)
        request = replace(asked(path), overlay=False)
        found = try_fixes(changed(path, "lr=0.05", "lr=0.04"), request)
        what = f"the script was stopped before it overwrote or removed {project / 'best.pt'}"
        assert found.sentence == f"{what}, which was there before"
        assert (project / "best.pt").read_bytes() == b"the user's own"

    def test_a_script_that_never_ends(self, path: Path) -> None:
        found = try_fixes(changed(path, "lr=0.05", "lr=0.04"), asked(path, timeout=0.5))
        assert found.outcome is Outcome.INCONCLUSIVE
        assert found.sentence.startswith("without the fix, the script had not done 8 steps after 0.5 s")
        assert found.before[0].end is End.TIMED_OUT

    @pytest.mark.nightly
    def test_a_script_that_ends_before_the_window_is_compared_as_far_as_it_goes(self, path: Path) -> None:
        request = Request(path.name, ("5",), warmup=2, steps=50, pairs=2)
        found = try_fixes(changed(path, "import sys", "import sys  # the same"), request)
        assert found.before[0].end is End.TOO_SHORT
        assert found.training is not None
        assert (found.training.likeness, found.training.losses) == (Likeness.IDENTICAL, 5)
        assert len(found.before[0].step_ms) == 3

    @pytest.mark.nightly
    def test_a_fix_at_a_line_that_the_steps_do_not_reach(self, path: Path) -> None:
        """The file is loaded, and the function that is fixed is called after the training alone."""
        text = path.read_text()
        path.write_text("def report():\n    print('done')\n\n\n" + text + "report()\n")
        fix = changed(path, "print('done')", "print('ready')")
        found = try_fixes(replace(fix, places=(Place(str(path.resolve()), 2, 2),)), asked(path))
        assert found.outcome is Outcome.INCONCLUSIVE
        assert found.sentence == "the steps that were run never came by what the fix changes (paced.py:2)"
        assert (len(found.before), len(found.after)) == (1, 0)

    @pytest.mark.nightly
    def test_what_loader_workers_reach_counts(self, script: Callable[[str], Path]) -> None:
        path = script("slow_loader.py")
        path.write_text(path.read_text().replace("DataLoader(", "DataLoader(num_workers=1, dataset="))
        line = next(number for number, text in enumerate(path.read_text().splitlines(), 1) if "time.sleep" in text)
        places = (Place(str(path.resolve()), line, line), Place(str(path.resolve()), 1000, 1001))
        assert run_once(asked(path), {}, places).reached == places[:1]

    @pytest.mark.nightly
    def test_a_fix_in_a_file_that_the_script_does_not_load(self, path: Path, project: Path) -> None:
        other = project / "other.py"
        other.write_text("A = 1\n")
        found = try_fixes(changed(other, "1", "2"), asked(path))
        assert found.outcome is Outcome.INCONCLUSIVE
        assert found.sentence == "the script loads none of the files that the fix edits (other.py)"

    def test_one_pair_of_runs_is_refused(self, path: Path) -> None:
        with pytest.raises(ValueError, match="two at least"):
            try_fixes(changed(path, "lr=0.05", "lr=0.04"), asked(path, pairs=1))


@pytest.mark.nightly
def test_a_fix_in_a_module_of_a_package_that_is_run_by_name(project: Path) -> None:
    package = project / "parts"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "settings.py").write_text("RATE = 0.05\n")
    text = (SCRIPTS / "paced.py").read_text()
    text = text.replace("import torch\n", "import torch\n\nfrom .settings import RATE\n").replace("lr=0.05", "lr=RATE")
    (package / "train.py").write_text(text.replace("time.sleep(0.1)", "pass"))
    request = Request("parts.train", module=True, warmup=2, steps=4, pairs=2)
    found = try_fixes(changed(package / "settings.py", "0.05", "0.5"), request)
    assert found.outcome is Outcome.TRAINING_CHANGED, found.sentence
    assert found.training is not None
    assert found.training.first_difference == 2


@pytest.mark.nightly
def test_what_happens_is_told(script: Callable[[str], Path]) -> None:
    path, told = script("paced.py"), list[str]()
    try_fixes(changed(path, "lr=0.05", "lr=-1"), asked(path), told.append)
    trying, took, *runs = told
    assert trying == "Trying the fixes of XXX001: 5 runs of the script at most, of 8 steps each. First a rehearsal."
    assert re.fullmatch(r"The rehearsal took \d+ s, so the other 4 runs take about \d+ (s|minutes)\.", took)
    assert runs == [
        "XXX001: runs 1 and 2 of 4, taking turns",  # in which the fixed one fails
        "XXX001: run 1 of 4, without the fix",
        "XXX001: run 2 of 4, with the fix",
    ]


@pytest.mark.nightly
def test_who_interrupts_hears_what_is_known(script: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path, told = script("paced.py"), list[str]()
    missing = Place(str(path), 10_000, 10_000)
    ran = run_once(replace(asked(path), steps=2), {}, (missing,))
    answers = iter([ran])

    def answer(*arguments: object) -> Trial:
        try:
            return next(answers)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr("trainlint_probe.verify.run.run_once", answer)
    monkeypatch.setattr("trainlint_probe.verify.run.run_pair", answer)
    never_runs = replace(changed(path, "lr=0.05", "lr=0.04"), code="XXX000", places=(missing,))
    found = try_all([never_runs, changed(path, "lr=0.05", "lr=0.04")], asked(path), told.append)
    assert [item.code for item in found] == ["XXX000"]
    assert told[-1] == "Interrupted: what is known is told, and nothing of XXX001."


@pytest.mark.parametrize(
    ("words", "script"),
    [
        ("python train.py --lr -m", "train.py"),
        ("python -u -X dev -W ignore train.py", "train.py"),
        ("python -u -m train", None),
        ("python -c pass", None),
        ("python", None),
    ],
)
def test_the_script_among_the_words_that_python_is_started_with(words: str, script: str | None) -> None:
    split = words.split()
    place = place_of_script(split)
    assert (split[place] if place is not None else None) == script


class TestRanks:
    @pytest.fixture
    def path(self, script: Callable[[str], Path]) -> Path:
        return script("ranks_apart.py")

    @pytest.mark.nightly
    def test_all_ranks_are_compared(self, path: Path) -> None:
        """Only the second rank's loss changes, and the parameters that both have in common with it."""
        launcher = ("--standalone", "--nproc-per-node=2", "ranks_apart.py")
        request = replace(asked(path), script="torch.distributed.run", arguments=launcher, module=True)
        found = try_fixes(changed(path, "SHIFT = 0.0", "SHIFT = 1.0"), request)
        assert found.outcome is Outcome.TRAINING_CHANGED, found.sentence
        assert {trial.ranks for trial in (*found.before, *found.after)} == {2}
        assert found.training is not None
        assert (found.training.losses, found.training.noise) == (16, 0.0)
        assert found.training.first_difference == 2

    @pytest.mark.nightly
    def test_ranks_that_the_probe_starts_run_the_fix(self, path: Path) -> None:
        (edit,) = changed(path, "SHIFT = 0.0", "SHIFT = 1.0").edits
        before, after = (run_once(replace(asked(path), processes=2), edits) for edits in ({}, {edit.path: edit.text}))
        assert (before.ranks, after.ranks) == (2, 2)
        assert len(before.losses) == len(after.losses) == 16
        assert before.losses != after.losses

    @pytest.mark.nightly
    def test_ranks_that_the_script_spawns_run_the_fix(self, script: Callable[[str], Path]) -> None:
        path = script("spawned.py")
        path.write_text(path.read_text().replace("model =", "torch.manual_seed(rank)\n    model ="))
        request = replace(asked(path), arguments=("spawn",))
        found = try_fixes(changed(path, "AdamW(model.parameters())", "AdamW(model.parameters(), lr=0.1)"), request)
        assert found.outcome is Outcome.TRAINING_CHANGED, found.sentence
        assert {trial.ranks for trial in (*found.before, *found.after)} == {2}
        assert found.training is not None
        assert (found.training.losses, found.training.noise, found.training.first_difference) == (16, 0.0, 3)

    @pytest.mark.nightly
    def test_a_rank_that_fails_ends_the_others(self, path: Path) -> None:
        fix = changed(path, "SHIFT = 0.0", "SHIFT = 1 / (1 - rank)")
        trial = run_once(replace(asked(path), processes=2), {edit.path: edit.text for edit in fix.edits})
        assert trial.end is End.FAILED
        assert trial.failure == "ZeroDivisionError: division by zero (ranks_apart.py:12)"


@pytest.mark.nightly
def test_what_the_runs_write_is_told_once_and_gone(script: Callable[[str], Path], project: Path) -> None:
    path = script("paced.py")
    path.write_text(path.read_text().replace("import sys", "import sys; open('log.txt', 'w').write('started')"))
    before = sorted(project.iterdir())
    trial = run_once(asked(path), {})
    if not trial.files[0].startswith("The script ran on an overlay"):
        pytest.skip(trial.files[-1])
    assert sorted(project.iterdir()) == before
    assert trial.files[0].endswith("It would have made log.txt.")
    trial = run_once(replace(asked(path), overlay=False), {})
    assert trial.files == ("The script wrote by itself, and that stays: it made log.txt.",)
    assert (project / "log.txt").read_text() == "started"


@pytest.mark.nightly
def test_memory_that_a_fix_saves_verifies_it(script: Callable[[str], Path]) -> None:
    path = script("paced.py")
    path.write_text(path.read_text().replace("import torch\n", "import torch\n\nkept = torch.ones(25_000_000)\n"))
    found = try_fixes(changed(path, "kept = torch.ones(25_000_000)", "kept = None"), asked(path))
    assert found.peak is not None
    assert (found.peak.where, found.peak.is_change) == ("host", True)
    assert 80e6 < found.peak.before - found.peak.after < 120e6
    assert "saves" in found.peak.sentence
    assert found.outcome in (Outcome.VERIFIED, Outcome.INCONCLUSIVE)  # the latter where this machine is too loud
