"""Whatever is edited in whatever order, a run with a cache finds what a run without one finds."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, settings, strategies
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.cache.project import opened, run_over
from tests.engine.linked_project import ENGINE, TRAIN, UTILS
from trainlint.config import Overrides
from trainlint.engine.rewriting import Fixing
from trainlint.finding import Safety

NAMES = ("pkg/__init__.py", "pkg/utils.py", "pkg/engine.py", "scripts/train.py", "lib/helpers.py")
TEXTS = (
    "",
    UTILS,
    ENGINE,
    TRAIN,
    UTILS.replace(".item()", ".detach()"),
    UTILS.replace("print(step, loss.item())", "if step % 100 == 0:\n        print(step, loss.item())"),
    ENGINE.replace("    log(loss, step)\n", ""),
    ENGINE.replace("pkg.utils", "lib.helpers"),
    TRAIN.replace("in enumerate(train_loader)", "in [(0, next(iter(train_loader)))]"),
    TRAIN + "\n\nscaler = torch.cuda.amp.GradScaler()\n",
    "from pkg.engine import *\n",
    "import torch\n\ndef broken(:\n",
)
SETTINGS = ("", 'cold = ["run_step"]', 'ignore = ["TRN201"]', 'exclude = ["lib"]', '[severity]\nTRN2 = "error"')


@contextmanager
def working_directory(path: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


class Edits(RuleBasedStateMachine):
    """A project and its cache, which many runs share."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.root = Path(self.directory.name).resolve()
        (self.root / "pyproject.toml").write_text('[project]\ndependencies = ["torch>=2.4"]\n')

    def teardown(self) -> None:
        self.directory.cleanup()

    @initialize()
    def linked(self) -> None:
        for name, text in zip(NAMES, ("", UTILS, ENGINE, TRAIN), strict=False):
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    @rule(name=strategies.sampled_from(NAMES), text=strategies.sampled_from(TEXTS))
    def edit(self, name: str, text: str) -> None:
        self.write(name, text)

    @rule(name=strategies.sampled_from(NAMES), lines=strategies.integers(1, 3))
    def shift(self, name: str, lines: int) -> None:
        path = self.root / name
        if path.exists():
            self.write(name, "\n" * lines + path.read_text())

    @rule(name=strategies.sampled_from(NAMES))
    def delete(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)

    @rule(name=strategies.sampled_from(NAMES), new=strategies.sampled_from(NAMES))
    def move(self, name: str, new: str) -> None:
        if (self.root / name).exists():
            (self.root / new).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).replace(self.root / new)

    @rule(text=strategies.sampled_from(SETTINGS))
    def configure(self, text: str) -> None:
        (self.root / "trainlint.toml").write_text(text)

    @rule()
    def fix(self) -> None:
        with working_directory(self.root):
            run_over(cache=opened(), fixing=Fixing(Safety.SAFE))

    @rule(named=strategies.sampled_from(NAMES))
    def judge_one_file(self, named: str) -> None:
        if (self.root / named).exists():
            self.compare(named)

    @rule()
    def judge_with_other_rules(self) -> None:
        self.compare(overrides=Overrides(ignore=("TRN201",)))

    @invariant()
    def findings_are_the_same(self) -> None:
        self.compare()

    def compare(self, *paths: str, overrides: Overrides | None = None) -> None:
        with working_directory(self.root):
            cache = opened()
            known = run_over(*paths, cache=cache, overrides=overrides)
            alone = run_over(*paths, overrides=overrides)
        assert not cache.trouble
        assert (known.report, known.failing, known.context_files) == (alone.report, alone.failing, alone.context_files)


TestRandomEdits = Edits.TestCase
TestRandomEdits.settings = settings(
    max_examples=6, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
