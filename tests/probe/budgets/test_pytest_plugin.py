"""The marker and the fixture `trainlint_budget`, in a pytest of their own."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from trainlint.config.toml import parse_toml

pytest_plugins = ("pytester",)
pytestmark = pytest.mark.slow  # each starts a pytest, which imports torch
REPOSITORY = Path(__file__).parents[3]
STEP = """\
    import asyncio, unittest
    import pytest, torch

    def step(reads):
        loss = torch.ones((), device="cuda")
        for _ in range(reads):
            loss.item()
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project in an environment where trainlint is installed, as far as entry points go."""
    monkeypatch.syspath_prepend(str(_metadata(pytester.mkdir("installed"))))
    path = (pytester.path / "installed", *(REPOSITORY / folder for folder in (".", "runtime_probe", "rules")))
    monkeypatch.setenv("PYTHONPATH", ":".join(map(str, path)))
    pytester.mkdir(".git")
    return pytester


def _metadata(folder: Path) -> Path:
    """What pip would write of the plugin that pyproject.toml declares."""
    declared = parse_toml((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    written = folder / "trainlint_as_installed-0.dist-info"
    written.mkdir()
    (written / "METADATA").write_text("Metadata-Version: 2.1\nName: trainlint-as-installed\nVersion: 0\n")
    rows = [f"{name} = {value}" for name, value in declared["pytest11"].items()]
    (written / "entry_points.txt").write_text("\n".join(["[pytest11]", *rows, ""]))
    return folder


def run(project: pytest.Pytester, tests: str, *arguments: str) -> pytest.RunResult:
    project.makepyfile(f"{STEP}\n{tests}")
    return project.runpytest_subprocess("-p", "no:randomly", "--strict-markers", *arguments)


@pytest.mark.each_run
def test_a_marked_test_fails_beyond_its_budget(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
    @pytest.mark.trainlint_budget(syncs=1)
    def test_kept():
        step(1)

    @pytest.mark.trainlint_budget(syncs=1)
    @pytest.mark.parametrize("reads", [2])
    def test_exceeded(reads):
        step(reads)

    @pytest.mark.trainlint_budget(syncs=1, steps=4)
    def test_of_four_steps():
        step(4)
    """,
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "_* test_exceeded?2? _*",
            "trainlint_budget: syncs: 2 a step (limit 1)",
            "  test_a_marked_test_fails_beyond_its_budget.py:7: Tensor.item, 2",
            "*= trainlint budgets =*",
            "*::test_kept: syncs: 1 a step (limit 1); counted on a simulated GPU",
        ]
    )


def test_the_fixture_opens_a_budget(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\ntrainlint_device = simulated\n")
    result = run(
        project,
        """
    def test_exceeded(trainlint_budget):
        step(3)
        with trainlint_budget(syncs=0):
            step(1)

    def test_kept(trainlint_budget):
        step(3)
        with trainlint_budget(syncs=1):
            step(1)
    """,
    )
    result.assert_outcomes(passed=1, failed=1)


def test_without_limits_those_of_the_configuration_hold(project: pytest.Pytester) -> None:
    project.makepyprojecttoml("[tool.trainlint.budget]\nsyncs = 2\n")
    result = run(
        project,
        """
    @pytest.mark.trainlint_budget
    def test_kept():
        step(2)

    @pytest.mark.trainlint_budget
    def test_exceeded():
        step(3)

    @pytest.mark.trainlint_budget
    def test_exceeded_too(trainlint_budget):
        with trainlint_budget():
            step(3)
    """,
    )
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["trainlint_budget: syncs: 3 a step (limit 2)", "E*syncs: 3 a step (limit 2)"])


def test_limits_without_a_gpu_and_tests_without_limits_run_on_this_machine(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
    @pytest.mark.trainlint_budget(graph_breaks=0)
    def test_without():
        assert not torch.cuda.is_available()

    @pytest.mark.trainlint_budget(syncs=0)
    def test_that_uses_no_gpu():
        torch.ones(()).item()

    def test_the_fixture(trainlint_budget):
        with trainlint_budget(syncs=0):
            pass
    """,
    )
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*UnusableBudget: nothing was on the GPU*", "*UnusableBudget: there is no GPU*"])


def test_a_marker_takes_the_place_of_the_device_of_the_project(project: pytest.Pytester) -> None:
    project.makepyprojecttoml(
        '[tool.trainlint.budget]\nsyncs = 1\n[tool.pytest.ini_options]\ntrainlint_device = "simulated:a100-80gbx2"\n'
    )
    result = run(
        project,
        """
    def machine():
        return torch.cuda.device_count() and (torch.cuda.get_device_name(), torch.cuda.device_count())

    @pytest.mark.trainlint_budget
    def test_of_the_project():
        assert machine() == ("NVIDIA A100-SXM4-80GB", 2)
        step(1)

    @pytest.mark.trainlint_budget(device="simulated:h100")
    def test_of_the_marker():
        assert machine() == ("NVIDIA H100 80GB HBM3", 1)
        step(1)

    @pytest.mark.trainlint_budget(graph_breaks=0, device="auto")
    def test_of_this_machine():
        assert not machine()

    @pytest.mark.trainlint_budget
    def test_exceeded():
        step(2)
    """,
    )
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["trainlint_budget: syncs: 2 a step (limit 1)"])


@pytest.mark.parametrize("mode", ["auto", "strict"])
def test_coroutines_run_inside_of_the_budget(project: pytest.Pytester, mode: str) -> None:
    pytest.importorskip("pytest_asyncio")
    result = run(
        project,
        """
    @pytest.mark.asyncio
    @pytest.mark.trainlint_budget(syncs=0)
    async def test_exceeded():
        await asyncio.sleep(0)
        step(1)

    @pytest.mark.asyncio
    @pytest.mark.trainlint_budget(syncs=1)
    async def test_kept():
        await asyncio.sleep(0)
        step(1)
    """,
        "--asyncio-mode",
        mode,
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["trainlint_budget: syncs: 1 a step (limit 0)"])


def test_what_cannot_be_counted_is_never_passed(project: pytest.Pytester) -> None:
    """unittest runs coroutines of its own in a way that no plugin can reach."""
    result = run(
        project,
        """
    @pytest.mark.trainlint_budget(syncs=0)
    class TestMine(unittest.IsolatedAsyncioTestCase):
        async def test_coroutine(self):
            step(1)

    @pytest.mark.trainlint_budget(0)
    def test_without_a_name():
        step(1)

    @pytest.mark.trainlint_budget(sinks=0)
    def test_wrong_name():
        step(1)

    @pytest.mark.trainlint_budget
    def test_no_limit():
        step(1)
    """,
    )
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(
        [
            "*trainlint_budget takes limits by their names*",
            '*there is no limit "sinks"; did you mean "syncs"?',
            "*there is no limit: name one, such as syncs=0*",
        ]
    )


def test_tests_of_unittest_are_counted(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
    @pytest.mark.trainlint_budget(syncs=0)
    class TestMine(unittest.TestCase):
        def test_exceeded(self):
            step(1)

        def test_kept(self):
            step(0)
    """,
    )
    result.assert_outcomes(passed=1, failed=1)


def test_other_tests_are_left_alone_and_import_nothing(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
    import sys

    def test_nothing_is_imported():
        assert "trainlint_probe.budgets.pytest_plugin" in sys.modules
        assert not {"torch", "trainlint.config.settings", "trainlint_probe.budgets.guard"} & set(sys.modules)
    """
    )
    project.runpytest_subprocess("-p", "no:randomly").assert_outcomes(passed=1)


@pytest.mark.each_run
def test_with_an_old_pluggy_only_marked_tests_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """It knows no `wrapper`, and pytest loads the plugin whether anything is marked or not."""

    def old(*, hookwrapper: bool = False) -> None:
        """What pluggy took before 1.2."""

    monkeypatch.setattr(pytest, "hookimpl", old)
    plugin = runpy.run_path(str(REPOSITORY / "runtime_probe/trainlint_probe/budgets/pytest_plugin.py"))
    assert "pytest_runtest_call" not in plugin
    plugin["pytest_runtest_setup"](SimpleNamespace(get_closest_marker=lambda name: None))
    with pytest.raises(pytest.fail.Exception, match=r"needs pluggy 1\.2 or later"):
        plugin["pytest_runtest_setup"](SimpleNamespace(get_closest_marker=lambda name: name))


def test_the_plugin_is_the_one_that_is_declared(project: pytest.Pytester) -> None:
    project.runpytest_subprocess("--markers").stdout.fnmatch_lines(["@pytest.mark.trainlint_budget(syncs=0, ...*"])
