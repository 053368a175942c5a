"""`trainlint_probe.budget` and `allow`, on real tensors, threads and tasks."""

from __future__ import annotations

import asyncio
import re
import runpy
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from trainlint_probe import BudgetExceeded, UnusableBudget, allow, budget

LOSS = torch.tensor(2.0)
VALUES = torch.arange(4.0)


def read() -> float:
    return float(LOSS)


def within(limit: budget, *calls: Callable[[], object]) -> None:
    with limit:
        for call in calls:
            call()


def counted(block: Callable[[], object], **limits: Any) -> dict[str, float]:
    """What each call counts for syncs in a block."""
    with budget(**{"syncs": inf, **limits}) as spent:
        block()
    return counts_of(spent)


def counts_of(spent: budget) -> dict[str, float]:
    assert spent.spending is not None
    return {item.what: item.count for use in spent.spending.uses for item in use.lines if not item.allowed}


def total(spent: budget) -> float:
    assert spent.spending is not None
    return sum(use.used for use in spent.spending.uses)


class TestWhatIsCounted:
    @pytest.mark.parametrize(
        ("block", "what"),
        [
            (lambda: LOSS.item(), "Tensor.item"),
            (lambda: VALUES.tolist(), "Tensor.tolist"),
            (lambda: VALUES.cpu(), "Tensor.cpu"),
            (lambda: float(LOSS), "Tensor.__float__"),
            (lambda: f"{LOSS:.2f}", "Tensor.item"),
            (lambda: bool(LOSS > 1), "Tensor.__bool__"),
            (lambda: 2.0 in VALUES, "Tensor.__contains__"),
            (lambda: VALUES.equal(VALUES), "Tensor.equal"),
            (lambda: VALUES.nonzero(), "Tensor.nonzero"),
            (lambda: VALUES[VALUES > 1], "indexing by a mask"),
            (lambda: VALUES[None, VALUES > 1], "indexing by a mask"),
            (lambda: VALUES.clone().__setitem__(VALUES > 1, torch.ones(2)), "assignment by a mask"),
        ],
    )
    def test_a_read_counts_once_whatever_it_calls_inside(self, block: Callable[[], object], what: str) -> None:
        assert counted(block) == {what: 1}

    @pytest.mark.parametrize(
        "block",
        [
            lambda: VALUES.numpy(),
            lambda: VALUES[1:3] + VALUES[torch.tensor([0, 1])],
            lambda: VALUES.clone().__setitem__(VALUES > 1, 0.0),
            lambda: VALUES.to("cpu"),
            lambda: VALUES.to(torch.float64),
            lambda: VALUES.clone().copy_(VALUES),
        ],
    )
    def test_what_waits_for_no_device_is_not_counted(self, block: Callable[[], object]) -> None:
        assert counted(block) == {}

    def test_what_libraries_read_of_the_cpu_is_not_counted(self) -> None:
        model = nn.Linear(2, 1)
        optimizer = torch.optim.AdamW(model.parameters())  # it reads its number of steps

        def step() -> None:
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()

        assert counted(step) == {}

    def test_what_a_dataset_reads_is_not_counted(self) -> None:
        class Labels(Dataset[float]):  # type: ignore[misc]  # mypy reads nothing of torch
            def __len__(self) -> int:
                return 4

            def __getitem__(self, index: int) -> float:
                return float(VALUES[index])

        def epoch() -> None:
            for batch in DataLoader(Labels(), batch_size=2):
                batch.sum()

        assert counted(epoch) == {}

    def test_a_wait_for_batches_is_a_share_of_the_time(self) -> None:
        loader = DataLoader(list(range(64)), batch_size=1)
        with (
            pytest.raises(BudgetExceeded, match=r"data-wait-percent: .*% of the time \(limit 0%\)") as failed,
            budget(data_wait_percent=0),
        ):
            for _ in loader:
                pass
        (use,) = failed.value.spending.uses
        assert 1 < use.used <= 100
        assert {item.at.line for item in use.lines if item.at} == {line_of("for _ in loader")}

    def test_a_copy_within_a_list_of_steps_is_shared_among_them(self) -> None:
        with budget(syncs=0.5, steps=4) as spent:
            read()
            read()
        assert total(spent) == 0.5

    def test_no_read_is_left_counted_when_no_budget_is_open(self) -> None:
        before = {name: getattr(torch.Tensor, name) for name in ("item", "to", "__getitem__", "copy_")}
        own = set(vars(torch.Tensor))
        with budget(syncs=1):
            assert torch.Tensor.item is not before["item"]
        assert {name: getattr(torch.Tensor, name) for name in before} == before
        assert set(vars(torch.Tensor)) == own


class TestFailing:
    def test_the_message_names_file_line_count_and_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(Path(__file__).parent)
        with pytest.raises(BudgetExceeded) as failed:
            within(budget(syncs=1), read, read)
        message = str(failed.value)
        assert "syncs: 2 a step (limit 1)" in message
        assert f"test_guard.py:{line_of('return float(LOSS)')}: Tensor.__float__, 2" in message
        assert "No accelerator is in use" in message

    def test_it_is_kept_with_as_many_as_the_limit(self) -> None:
        with budget(syncs=2):
            read()
            read()

    def test_a_failure_of_the_block_is_not_hidden(self) -> None:
        def fails() -> None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            within(budget(syncs=0), read, fails)
        assert counted(read) == {"Tensor.__float__": 1}  # and the next budget counts as ever

    def test_what_could_not_be_counted_is_said(self) -> None:
        with budget(allocations=0, pageable_copies=0) as spent:
            pass
        assert spent.spending is not None
        assert [use.not_counted for use in spent.spending.uses] == ["not counted, as no accelerator is in use"] * 2

    @pytest.mark.parametrize(
        ("limits", "sentence"),
        [
            ({"syncs": -1}, "syncs must be a number from 0 on, not -1"),
            ({"syncs": True}, "syncs must be a number from 0 on, not true"),
            ({"data_wait_percent": 101}, "data-wait-percent must be a number from 0 to 100, not 101"),
            ({"syncs": 0, "steps": 0}, "steps must be a whole number from 1 on, not 0"),
        ],
    )
    def test_a_wrong_limit_is_a_sentence(self, limits: dict[str, Any], sentence: str) -> None:
        with pytest.raises(UnusableBudget, match=re.escape(sentence)):
            budget(**limits)

    def test_one_object_counts_one_block_at_a_time(self) -> None:
        mine = budget(syncs=0)
        with mine, pytest.raises(UnusableBudget, match="open already"), mine:
            pass
        with mine:
            pass


class TestAllowed:
    def test_what_is_allowed_is_told_with_its_reason(self) -> None:
        logged = allow("it is logged")(read)
        with pytest.raises(BudgetExceeded, match=r"Allowed: syncs, 1 a step \(it is logged\)") as failed:
            within(budget(syncs=0), logged, lambda: LOSS.item())
        (use,) = failed.value.spending.uses
        assert use.used == 1

    def test_an_allowed_block_alone_is_kept(self) -> None:
        with budget(syncs=0), allow("it is logged"):
            read()

    def test_a_budget_that_is_opened_inside_is_not_affected(self) -> None:
        with allow("around"), pytest.raises(BudgetExceeded), budget(syncs=0):
            read()

    def test_a_function_may_be_allowed(self) -> None:
        @allow("it is logged")
        def log() -> float:
            return read()

        with budget(syncs=0):
            assert log() == 2.0

    def test_a_region_that_fails_ends(self) -> None:
        @allow("why not")
        def fails() -> None:
            raise KeyError

        def goes_on() -> None:
            with suppress(KeyError):
                fails()

        with pytest.raises(BudgetExceeded):
            within(budget(syncs=0), goes_on, read)

    @pytest.mark.parametrize("reason", ["", "  ", None])
    def test_a_reason_is_needed(self, reason: Any) -> None:
        with pytest.raises(UnusableBudget, match="say why"):
            allow(reason)

    def test_a_generator_cannot_be_decorated(self) -> None:
        def batches() -> Iterator[int]:
            yield 1

        with pytest.raises(TypeError, match="batches is a generator, which allow cannot decorate"):
            allow("why not")(batches)

    @pytest.mark.parametrize(
        ("comment", "is_ignored"),
        [
            ("# trainlint: ignore[TRN201] it is logged", True),
            ("# trainlint: ignore[host-sync] it is logged", True),
            ("# trainlint: ignore", True),
            ("# trainlint: ignore[TRN101] of something else", False),
            ("# it is logged", False),
        ],
    )
    def test_an_ignore_comment_is_respected(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, comment: str, is_ignored: bool
    ) -> None:
        path = tmp_path / "steps.py"
        path.write_text(f"def step(loss):\n    return loss.item()  {comment}\n")
        monkeypatch.chdir(tmp_path)
        names: dict[str, Any] = {}
        exec(compile(path.read_text(), str(path), "exec"), names)
        spent = budget(syncs=0)
        if is_ignored:
            with spent:
                names["step"](LOSS)
            assert spent.spending is not None
            assert [item.at.line for use in spent.spending.uses for item in use.ignored if item.at] == [2]
        else:
            with pytest.raises(BudgetExceeded), spent:
                names["step"](LOSS)


def test_a_package_that_is_installed_from_a_path_is_the_user_s_own(tmp_path: Path) -> None:
    """After `pip install .` or tox. `theirs` came by its name; of `broken` nobody can tell."""
    site = tmp_path / "site-packages"
    origins = {"mine": '{"url": "file:///home/me/mine", "dir_info": {}}', "theirs": None, "broken": "{"}
    for name, origin in origins.items():
        metadata = site / f"{name}-1.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "RECORD").write_text(f"{name}/steps.py,sha256=x,1\n{name}-1.dist-info/RECORD,,\n")
        if origin is not None:
            (metadata / "direct_url.json").write_text(origin)
        (site / name).mkdir()
        (site / name / "steps.py").write_text("def step(loss):\n    return loss.item()\n")
    code = (
        f"import sys; sys.path.insert(0, {str(site)!r})\n"
        "import torch, mine.steps, theirs.steps, broken.steps, trainlint_probe\n"
        "with trainlint_probe.budget(syncs=9) as spent:\n"
        "    for package in (mine, theirs, broken): package.steps.step(torch.ones(()))\n"
        "print(*(item.at.path for item in spent.spending.uses[0].lines))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert ran.stdout.split() == ["site-packages/mine/steps.py"]


class TestThreadsAndTasks:
    def test_other_threads_are_not_charged(self) -> None:
        reading, done = threading.Event(), threading.Event()

        def beside() -> None:
            reading.wait()
            read()
            done.set()

        thread = threading.Thread(target=beside)
        thread.start()
        with budget(syncs=0):
            reading.set()
            done.wait()
        thread.join()

    def test_each_thread_has_its_own_budget(self) -> None:
        together = threading.Barrier(4)
        spent: dict[int, float] = {}

        def work(number: int) -> None:
            with budget(syncs=inf) as mine:
                together.wait()
                for _ in range(number * 50):
                    read()
                together.wait()
            spent[number] = total(mine)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert spent == {0: 0, 1: 50, 2: 100, 3: 150}

    def test_what_one_thread_may_another_may_not(self) -> None:
        allowing, done = threading.Event(), threading.Event()

        def beside() -> None:
            with allow("here alone"):
                allowing.set()
                done.wait()

        thread = threading.Thread(target=beside)
        thread.start()
        try:
            with pytest.raises(BudgetExceeded):
                within(budget(syncs=0), allowing.wait, read)
        finally:
            done.set()
            thread.join()

    def test_each_task_has_its_own_budget(self) -> None:
        async def work(reads: int) -> float:
            with budget(syncs=inf) as mine:
                for _ in range(reads):
                    read()
                    await asyncio.sleep(0)
            return total(mine)

        async def all_of_them() -> list[float]:
            return await asyncio.gather(*(work(reads) for reads in (0, 3, 5)))

        assert asyncio.run(all_of_them()) == [0, 3, 5]

    def test_what_a_block_starts_is_charged_to_it(self) -> None:
        async def child() -> None:
            await asyncio.sleep(0)
            read()

        async def block() -> float:
            with budget(syncs=inf) as mine:
                await asyncio.gather(asyncio.create_task(child()), asyncio.to_thread(read))
            return total(mine)

        assert asyncio.run(block()) == 2

    def test_a_task_that_outlives_the_block_is_not_charged(self) -> None:
        async def late(may_read: asyncio.Event) -> None:
            await may_read.wait()
            with budget(syncs=1):  # while one is open, calls are counted
                read()

        async def block() -> float:
            may_read = asyncio.Event()
            with budget(syncs=0) as mine:
                task = asyncio.create_task(late(may_read))
                await asyncio.sleep(0)
            may_read.set()
            await task
            return total(mine)

        assert asyncio.run(block()) == 0

    def test_a_task_keeps_its_allowed_region_over_an_await(self) -> None:
        async def allowed() -> None:
            with allow("here alone"):
                await asyncio.sleep(0)
                read()

        async def not_allowed() -> None:
            await asyncio.sleep(0)
            LOSS.item()

        async def block() -> dict[str, float]:
            with budget(syncs=inf) as mine:
                await asyncio.gather(allowed(), not_allowed())
            return counts_of(mine)

        assert asyncio.run(block()) == {"Tensor.item": 1}

    def test_decorated_coroutines_are_counted_until_they_end(self) -> None:
        @budget(syncs=0)
        async def serve() -> None:
            await asyncio.sleep(0)
            read()

        with pytest.raises(BudgetExceeded):
            asyncio.run(serve())

    def test_a_budget_may_end_in_another_context_than_it_began_in(self) -> None:
        """As that of an asynchronous fixture does."""
        import contextvars

        mine = budget(syncs=inf)
        contextvars.copy_context().run(mine.__enter__)
        mine.__exit__(None, None, None)
        assert total(mine) == 0


class TestConfiguration:
    @pytest.fixture
    def project(self, tmp_path: Path) -> Path:
        (tmp_path / ".git").mkdir()
        (tmp_path / "pyproject.toml").write_text("[tool.trainlint.budget]\nsyncs = 1\n")
        return tmp_path

    def run(self, project: Path, code: str) -> subprocess.CompletedProcess[str]:
        (project / "step.py").write_text(code)
        command = [sys.executable, str(project / "step.py")]
        return subprocess.run(command, capture_output=True, text=True, cwd=project.parent, check=False, timeout=120)

    def test_the_limits_of_the_calling_file_hold_where_none_is_named(
        self, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(project.parent)
        code = (
            "import torch, trainlint_probe\n"
            "with trainlint_probe.budget():\n"
            "    torch.ones(()).item()\n"
            "with trainlint_probe.budget():\n"
            "    torch.ones(()).item()\n"
            "    torch.ones(()).item()\n"
        )
        (project / "step.py").write_text(code)
        with pytest.raises(BudgetExceeded, match=r"syncs: 2 a step \(limit 1\)"):
            runpy.run_path(str(project / "step.py"))

    def test_torch_is_imported_only_when_a_budget_opens(self, project: Path) -> None:
        code = (
            "import sys\n"
            "from trainlint_probe import allow, budget\n"
            "limits = budget()\n"
            "with allow('nothing is open'): pass\n"
            "assert 'torch' not in sys.modules\n"
            "with limits: assert 'torch' in sys.modules\n"
        )
        ran = self.run(project, code)
        assert (ran.returncode, ran.stderr) == (0, "")

    def test_without_any_limit_it_is_an_error(self, project: Path) -> None:
        (project / "pyproject.toml").write_text("[tool.trainlint]\n")
        ran = self.run(project, "import trainlint_probe\ntrainlint_probe.budget()\n")
        assert "UnusableBudget: there is no limit: name one, such as syncs=0" in ran.stderr


def line_of(text: str) -> int:
    """The first line of this file that holds some text."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)
