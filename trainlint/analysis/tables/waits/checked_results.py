"""Functions of PyTorch that make the host wait to learn whether they succeeded, as their documentation says."""

from __future__ import annotations

from typing import NamedTuple


class CheckedResult(NamedTuple):
    """One function, by its dotted origin."""

    origin: str
    instead: str = ""
    """The function that does the same without the wait, and hands its error codes over; empty where there is none."""


_WITH_CODES = ("cholesky", "inv", "ldl_factor", "lu_factor", "solve")
"""Of these there is one whose name ends in `_ex`."""
_WITHOUT = "cond eig eigh eigvals eigvalsh matrix_rank pinv svd svdvals".split()
_ROWS = (
    *(CheckedResult(f"torch.linalg.{name}", f"torch.linalg.{name}_ex") for name in _WITH_CODES),
    *(CheckedResult(f"torch.linalg.{name}") for name in _WITHOUT),
    CheckedResult("torch.inverse", "torch.linalg.inv_ex"),
    CheckedResult("torch.pinverse"),
)
CHECKED: dict[str, CheckedResult] = {row.origin: row for row in _ROWS}
