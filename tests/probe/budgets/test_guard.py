"""`trainlint_probe.budget` and `allow`, on a simulated GPU, with threads and tasks."""

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
from torch.utils.data import DataLoader

from trainlint_probe import BudgetExceeded, UnusableBudget, allow, budget, simulated_gpu

GPU = simulated_gpu()
with GPU:
    LOSS = torch.tensor(2.0, device="cuda")


@pytest.fixture
def _gpu() -> Iterator[None]:
    with GPU:
        yield


def read() -> float:
    return float(LOSS)


def within(limit: budget, *calls: Callable[[], object]) -> None:
    with limit:
        for call in calls:
            call()


def counts_of(spent: budget) -> dict[str, float]:
    assert spent.spending is not None
    return {item.what: item.count for use in spent.spending.uses for item in use.lines if not item.allowed}


def total(spent: budget) -> float:
    assert spent.spending is not None
    return sum(use.used for use in spent.spending.uses)


def test_a_wait_for_batches_is_a_share_of_the_time() -> None:
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


def test_torch_is_as_before_when_a_budget_has_closed() -> None:
    names = ("item", "to", "__getitem__", "__setitem__", "copy_")
    before, own = {name: getattr(torch.Tensor, name) for name in names}, set(vars(torch.Tensor))
    with budget(graph_breaks=0, data_wait_percent=100):
        pass
    assert {name: getattr(torch.Tensor, name) for name in before} == before
    assert set(vars(torch.Tensor)) == own
    assert torch.tensor([torch.ones(2)[0], torch.ones(2)[1]]).tolist() == [1, 1]  # C asks for slots, not for names


class TestWithoutAGpu:
    def test_what_needs_one_is_refused(self) -> None:
        with (
            pytest.raises(UnusableBudget, match="no GPU, so that syncs and pageable-copies cannot be counted"),
            budget(syncs=0, pageable_copies=0, graph_breaks=0),
        ):
            pass

    def test_a_simulated_one_that_is_left_alone_holds_no_limit(self) -> None:
        with simulated_gpu(), pytest.raises(UnusableBudget, match="nothing was on the GPU"), budget(syncs=0):
            torch.ones(()).item()

    def test_the_others_are_counted(self) -> None:
        with budget(graph_breaks=0, allocations=0) as spent:
            pass
        assert spent.spending is not None
        assert [use.not_counted for use in spent.spending.uses] == ["", "not counted, as no GPU is in use"]


@pytest.mark.usefixtures("_gpu")
class TestFailing:
    def test_the_message_names_file_line_count_and_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(Path(__file__).parent)
        with pytest.raises(BudgetExceeded) as failed:
            within(budget(syncs=1), read, read)
        message = str(failed.value)
        assert "syncs: 2 a step (limit 1)" in message
        assert f"test_guard.py:{line_of('return float(LOSS)')}: Tensor.__float__, 2" in message
        assert "Counted on a simulated GPU." in message

    def test_it_is_kept_with_as_many_as_the_limit(self) -> None:
        with budget(syncs=2):
            read()
            read()

    def test_a_failure_of_the_block_is_not_hidden(self) -> None:
        def fails() -> None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            within(budget(syncs=0), read, fails)
        with budget(syncs=inf) as spent:  # and the next budget counts as ever
            read()
        assert counts_of(spent) == {"Tensor.__float__": 1}

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


@pytest.mark.usefixtures("_gpu")
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
        "with trainlint_probe.simulated_gpu(), trainlint_probe.budget(syncs=9) as spent:\n"
        "    for package in (mine, theirs, broken): package.steps.step(torch.ones((), device='cuda'))\n"
        "print(*(item.at.path for item in spent.spending.uses[0].lines if item.at))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert ran.stdout.split() == ["site-packages/mine/steps.py"]


@pytest.mark.usefixtures("_gpu")
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
            "loss = torch.ones((), device='cuda')\n"
            "with trainlint_probe.budget():\n"
            "    loss.item()\n"
            "with trainlint_probe.budget():\n"
            "    loss.item()\n"
            "    loss.item()\n"
        )
        (project / "step.py").write_text(code)
        with simulated_gpu(), pytest.raises(BudgetExceeded, match=r"syncs: 2 a step \(limit 1\)"):
            runpy.run_path(str(project / "step.py"))

    def test_torch_is_imported_only_when_a_budget_opens(self, project: Path) -> None:
        code = (
            "import sys\n"
            "from trainlint_probe import allow, budget\n"
            "limits = budget(graph_breaks=0)\n"
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
