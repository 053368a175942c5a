"""What tests of several parts ask for."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import chosen_cases, forked

# How long an example takes says how busy the machine is. No test may pass or fail by it.
# Each run draws other examples, so that fewer in each are as many in the end.
settings.register_profile("no clocks", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no clocks")


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main() -> Generator[None, object, object]:
    """Keep trainlint's caches in a temporary directory, those of the processes that tests start, too."""
    with tempfile.TemporaryDirectory(prefix="trainlint-caches-") as directory:
        os.environ["TRAINLINT_CACHE_DIR"] = directory
        try:
            return (yield)
        finally:
            forked.stop()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The files of tests that are run on each file. Those of the nightly run take seconds to collect."""
    if metafunc.definition.get_closest_marker("each_file"):
        nightly = "not nightly" not in metafunc.config.option.markexpr
        metafunc.parametrize("path", list(chosen_cases.parameters(nightly=nightly)))


def pytest_collection_finish() -> None:
    """Leave modules and tests out of what Python searches for cycles, again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """The same before the first test of each file: what judges in this process brings it all back in the end."""
    if item.path != item.session.stash.get(_FILE, None):
        item.session.stash[_FILE] = item.path
        gc.freeze()
    return (yield)


_FILE = pytest.StashKey[Path]()
"""The file whose tests are being run."""


_STARTS_TRAINLINT = {"program", "clone", "stranger", "editor"}
"""Fixtures of tests that start the real program, which takes half a second each time."""


@pytest.hookimpl(tryfirst=True)  # before the order is shuffled, and after the hooks of directories below
def _place_of_parameter(item: pytest.Item) -> tuple[str, tuple[int, ...]]:
    """The test, and how many parameters stand before this one."""
    call = getattr(item, "callspec", None)
    return item.nodeid.partition("[")[0], tuple(call.indices.values()) if call is not None else ()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the later parameters of a test that takes long to `make test-slow`, and their rest to `make nightly`.

    Of a test that starts the program, `make test` runs the first parameter only, unless the marker `each_run` keeps
    more of them. Of a slow test, `make test-slow` runs the first parameter only, but for those of tests/security:
    each of them is an attack of its own.
    """
    seen: set[str] = set()
    seen_slow: set[str] = set()
    for item in sorted(items, key=_place_of_parameter):  # they come shuffled, and each run is to have the same ones
        starts = _STARTS_TRAINLINT.intersection(getattr(item, "fixturenames", ()))
        test = item.nodeid.partition("[")[0]
        if starts and test in seen and item.get_closest_marker("each_run") is None:
            item.add_marker(pytest.mark.slow)
        seen.add(test)
        if item.get_closest_marker("slow"):
            if test in seen_slow and not test.startswith("tests/security/"):
                item.add_marker(pytest.mark.nightly)
            seen_slow.add(test)


@pytest.fixture
def permissions(tmp_path: Path) -> None:
    """Skip the test where permissions hold nobody back."""
    closed = tmp_path / "closed"
    closed.touch(mode=0)
    if os.access(closed, os.R_OK):
        pytest.skip("this user, such as root, may read and write everything")
