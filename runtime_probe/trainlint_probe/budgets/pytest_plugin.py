"""The pytest plugin: the marker `trainlint_budget`, the fixture of the same name, and the option `trainlint_device`.

pytest imports this in each run where trainlint is installed, so that nothing else is imported before it is needed.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from trainlint_probe.budgets.guard import budget
    from trainlint_probe.simulated.context import simulated_gpu

NAME = "trainlint_budget"
DEVICE = "trainlint_device"
_machines: pytest.StashKey[dict[tuple[str, int], simulated_gpu]] = pytest.StashKey()
"""The simulated machines of a session: what a fixture of a module puts on one is there for all of its tests."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The device of marked tests, for a project and for one run."""
    what = (
        "run tests that are marked with trainlint_budget, or use it, on: auto (a GPU, else a simulated one where a "
        "limit needs one) or simulated[:GPU][xN]"
    )
    parser.addini(DEVICE, what, default="auto")
    parser.getgroup("trainlint").addoption("--trainlint-device", dest=DEVICE, metavar="DEVICE", help=what)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, for --strict-markers."""
    try:
        _machine_named(_configured(config))
    except ValueError as error:
        raise pytest.UsageError(f"{DEVICE}: {error}") from error
    config.stash[_machines] = {}
    config.addinivalue_line(
        "markers",
        f"{NAME}(syncs=0, ..., steps=1, device=...): fail where the test does more than this of what trainlint counts; "
        "without limits, those of [tool.trainlint.budget]",
    )


@pytest.fixture
def trainlint_budget() -> type[budget]:
    """`trainlint_probe.budget`, for tests that would rather not import it."""
    from trainlint_probe.budgets.guard import budget

    return budget


def _configured(config: pytest.Config) -> str:
    return str(config.getoption(DEVICE) or config.getini(DEVICE))


def _machine_of(item: pytest.Item) -> tuple[str, int] | None:
    """What a test that has a budget is to run on: a simulated machine, or None for the real one. Raises ValueError."""
    marker = item.get_closest_marker(NAME)
    configured = _configured(item.config)
    if marker is None:
        return _machine_named(configured) if NAME in getattr(item, "fixturenames", ()) else None
    device = marker.kwargs.get("device", configured)
    if device != "auto":
        return _machine_named(device)
    from trainlint_probe.budgets.account import OF_A_GPU
    from trainlint_probe.budgets.limits import limits_for

    if OF_A_GPU.isdisjoint(limits_for(_limits_in(marker), item.path.parent)):
        return None
    import torch

    return None if torch.cuda.is_available() else _machine_named("simulated")


def _limits_in(marker: pytest.Mark) -> dict[str, Any]:
    """The limits that a marker names, as the configuration writes them."""
    return {name.replace("_", "-"): value for name, value in marker.kwargs.items() if name not in ("steps", "device")}


def _machine_named(device: object) -> tuple[str, int] | None:
    """The simulated GPU and how many; None for whatever the machine has. Raises ValueError."""
    if device == "auto":
        return None
    if not isinstance(device, str) or device.partition(":")[0] != "simulated":
        raise ValueError(f"write auto, simulated or simulated:h100, not {device}")
    from trainlint_probe.simulated.names import machine_named

    return machine_named(device)


def _with_its_device(item: pytest.Item) -> Generator[None, object, object]:
    """A test that has a budget, and its fixtures, run on the device that the marker or the configuration names."""
    try:
        machine = _machine_of(item)
    except ValueError:
        machine = None  # said where the test is called
    if machine is None:
        return (yield)
    from trainlint_probe.simulated.context import simulated_gpu

    machines = item.config.stash[_machines]
    if machine not in machines:
        machines[machine] = simulated_gpu(*machine)
    with machines[machine]:
        return (yield)


def _within_budget(item: pytest.Item) -> Generator[None, object, object]:
    """Run the function of a marked test inside of its budget, whichever plugin runs it and in whichever task."""
    marker = item.get_closest_marker(NAME)
    if marker is None:
        return (yield)
    from trainlint_probe.budgets.decorating import run_inside
    from trainlint_probe.budgets.guard import BudgetExceeded, budget
    from trainlint_probe.budgets.limits import limits_for
    from trainlint_probe.budgets.words import in_short

    if marker.args or not hasattr(item, "obj"):
        pytest.fail(f"{NAME} takes limits by their names, and marks test functions: {NAME}(syncs=0)", pytrace=False)
    try:
        _machine_named(marker.kwargs.get("device", "auto"))
        limit = budget.of(limits_for(_limits_in(marker), item.path.parent), marker.kwargs.get("steps", 1))
    except ValueError as error:  # an unusable budget is one
        pytest.fail(f"{NAME}: {error}", pytrace=False)
    original = item.obj
    item.obj = run_inside(original, lambda: limit)
    try:
        result = yield
    except BudgetExceeded as error:
        if error.spending is not limit.spending:
            raise  # of a budget inside of the test, whose line is of interest
        pytest.fail(f"{NAME}: {error}", pytrace=False)
    finally:
        item.obj = original
        if limit.spending is not None:
            item.user_properties.append((NAME, "; ".join(in_short(limit.spending))))
    if limit.spending is None:
        pytest.fail(
            f"{NAME} could not be placed around this test, so nothing was counted; open the budget in the test: "
            "`with trainlint_probe.budget(...):`",
            pytrace=False,
        )
    return result


def _refuse(item: pytest.Item) -> None:
    """Fail a marked test where the installed pluggy cannot run it inside of a budget."""
    if item.get_closest_marker(NAME) is not None:
        from trainlint.installation.install_command import install_command

        pytest.fail(f"{NAME} needs pluggy 1.2 or later: run `{install_command('-U', 'pluggy')}`", pytrace=False)


try:
    pytest_runtest_call = pytest.hookimpl(wrapper=True)(_within_budget)
    pytest_runtest_protocol = pytest.hookimpl(wrapper=True)(_with_its_device)
except TypeError:  # pluggy before 1.2: all other tests must run as if trainlint were not installed
    pytest_runtest_setup = _refuse


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what passed tests were counted to do: how far a limit can come down, and on which device that was."""
    told = [
        (report.nodeid, said)
        for report in terminalreporter.getreports("passed")
        for name, said in getattr(report, "user_properties", ())
        if name == NAME and report.when == "call"
    ]
    if told:
        terminalreporter.section("trainlint budgets")
        for test, said in told:
            terminalreporter.line(f"{test}: {said}")
