"""What a run that is compared with another draws, where the script gives no seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from trainlint_probe.compared.seeding import seed_what_is_unseeded
from trainlint_probe.watch.imported import Imports


@pytest.fixture(autouse=True)
def _generators_as_they_were(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(np.random.bit_generator, "randbits", np.random.bit_generator.randbits)  # type: ignore[attr-defined]
    python, numpy = random.getstate(), np.random.get_state()
    yield
    random.setstate(python)
    np.random.set_state(numpy)


def drawn() -> list[float]:
    """Numbers of global generators, and of two that are made without a seed."""
    seed_what_is_unseeded(0, Imports())
    return [random.random(), np.random.rand(), np.random.default_rng().random(), np.random.RandomState().rand()]


def test_generators_without_a_seed_repeat_themselves_and_differ_from_each_other() -> None:
    first = drawn()
    assert drawn() == first
    assert len(set(first)) == len(first)
