"""The pytest plugin: the marker `trainlint_budget` and the fixture of the same name.

pytest imports this in each run where trainlint is installed, so that nothing else is imported before it is needed.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from trainlint_probe.budgets.guard import budget

NAME = "trainlint_budget"


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, for --strict-markers."""
    config.addinivalue_line(
        "markers",
        f"{NAME}(syncs=0, ..., steps=1): fail where the test does more than this of what trainlint counts; without "
        "limits, those of [tool.trainlint.budget]",
    )


@pytest.fixture
def trainlint_budget() -> type[budget]:
    """`trainlint_probe.budget`, for tests that would rather not import it."""
    from trainlint_probe.budgets.guard import budget

    return budget


def _within_budget(item: pytest.Item) -> Generator[None, object, object]:
    """Run the function of a marked test inside of its budget, whichever plugin runs it and in whichever task."""
    marker = item.get_closest_marker(NAME)
    if marker is None:
        return (yield)
    from trainlint_probe.budgets.decorating import run_inside
    from trainlint_probe.budgets.guard import BudgetExceeded, budget
    from trainlint_probe.budgets.limits import UnusableBudget, limits_for
    from trainlint_probe.budgets.words import in_short

    if marker.args or not hasattr(item, "obj"):
        pytest.fail(f"{NAME} takes limits by their names, and marks test functions: {NAME}(syncs=0)", pytrace=False)
    named = {name.replace("_", "-"): value for name, value in marker.kwargs.items()}
    steps = named.pop("steps", 1)
    try:
        limit = budget.of(limits_for(named, item.path.parent), steps)
    except UnusableBudget as error:
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
