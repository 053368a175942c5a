"""What the tests of the probed process share."""

import pytest

from tests.probe.run.running import runner

__all__ = ["runner"]


@pytest.hookimpl(tryfirst=True)  # the rule of tests/conftest.py for slow tests comes after
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever runs a training in a process of its own takes seconds; a few do so in `make test` all the same."""
    for item in items:
        if "runner" in getattr(item, "fixturenames", ()) and item.get_closest_marker("each_run") is None:
            item.add_marker(pytest.mark.slow)
