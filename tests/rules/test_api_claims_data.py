"""What the rules about loading data say of PyTorch, asked of the installed version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from torch.utils.data import DataLoader, DistributedSampler, IterableDataset  # noqa: E402


class Rows:
    """Its rows say which process made them."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        info = torch.utils.data.get_worker_info()
        return index, 0 if info is None else info.seed - info.id


def orders(**options: Any) -> list[list[int]]:
    """The rows of three epochs, with the random number that training draws after each."""
    torch.manual_seed(0)
    loader = DataLoader(Rows(), batch_size=8, shuffle=True, **options)
    return [next(iter(loader))[0].tolist() for _ in range(3)]


class TestPersistentWorkers:
    """TRN103."""

    def test_they_are_refused_without_workers(self) -> None:
        with pytest.raises(ValueError, match="persistent_workers"):
            DataLoader(Rows(), num_workers=0, persistent_workers=True)

    def test_they_are_off_unless_asked_for(self) -> None:
        assert DataLoader(Rows(), num_workers=1).persistent_workers is False

    def test_new_workers_are_seeded_anew_and_persistent_ones_are_not(self) -> None:
        def seeds(*, persistent: bool) -> set[int]:
            loader = DataLoader(Rows(), batch_size=8, num_workers=1, persistent_workers=persistent)
            return {int(seed[0]) for _ in range(3) for _, seed in loader}

        assert len(seeds(persistent=False)) == 3
        assert len(seeds(persistent=True)) == 1

    def test_the_order_of_later_epochs_changes_so_that_the_fix_is_not_safe(self) -> None:
        new, kept = orders(num_workers=1), orders(num_workers=1, persistent_workers=True)
        assert new[0] == kept[0]
        assert new != kept


class TestDistributedSampler:
    """TRN108."""

    def test_it_shuffles_unless_told_otherwise(self) -> None:
        assert list(DistributedSampler(Rows(), num_replicas=1, rank=0)) != list(range(8))
        assert list(DistributedSampler(Rows(), num_replicas=1, rank=0, shuffle=False)) == list(range(8))

    def test_the_order_depends_on_the_epoch_that_it_was_told_and_on_nothing_else(self) -> None:
        sampler = DistributedSampler(Rows(), num_replicas=2, rank=1)
        first = list(sampler)
        torch.rand(5)
        assert list(sampler) == first
        sampler.set_epoch(1)
        assert list(sampler) != first

    def test_shuffle_is_its_fourth_argument(self) -> None:
        assert list(DistributedSampler(Rows(), 1, 0, False)) == list(range(8))


def test_a_loader_takes_no_sampler_and_shuffle_together() -> None:
    """TRN107."""
    with pytest.raises(ValueError, match="mutually exclusive"):
        DataLoader(Rows(), shuffle=True, sampler=DistributedSampler(Rows(), 1, 0))


class Stream(IterableDataset):  # type: ignore[misc]
    """Eight rows, for whoever asks."""

    def __iter__(self) -> Iterator[int]:
        return iter(range(8))


@pytest.mark.parametrize(("workers", "rows"), [(0, 8), (1, 8), (2, 16)])
def test_each_worker_goes_through_the_whole_of_an_iterable_dataset(workers: int, rows: int) -> None:
    """TRN106."""
    assert len(list(DataLoader(Stream(), batch_size=None, num_workers=workers))) == rows


def test_a_worker_limits_the_threads_of_pytorch_and_no_others() -> None:
    """TRN105."""
    loader = DataLoader(Threads(), batch_size=None, num_workers=1)
    assert next(iter(loader)) == 1


class Threads:
    """Says how many threads PyTorch uses where it is asked."""

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> int:
        return int(torch.get_num_threads())
