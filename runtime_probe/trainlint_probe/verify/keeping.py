"""Whether a fix ends that a training keeps what its steps make: by counts, which are the same in each run."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint_probe.verify.result import Keeping, Kept, Trial

LEAST = 0.5
"""Operations a step. A training that keeps a loss with its graph keeps at least one; one that keeps nothing may hold a
few more at the end of the window than at its beginning, as where the last batch of an epoch is a smaller one."""


def compare_kept(before: Sequence[Trial], after: Sequence[Trial]) -> Keeping | None:
    """How many tensors, and operations that autograd remembers, a step leaves behind without and with the fix.

    None where that was not counted in each run.
    """
    old, new = [trial.kept for trial in before], [trial.kept for trial in after]
    known_old, known_new = [item for item in old if item is not None], [item for item in new if item is not None]
    if not old or not new or len(known_old) < len(old) or len(known_new) < len(new):
        return None
    fewest, most = min(known_old, key=_weight), max(known_new, key=_weight)
    # All runs of a version must agree on the direction: what a cache happens to hold differs from run to run.
    keeps_less = fewest.graph_nodes - most.graph_nodes >= LEAST and most.tensors <= fewest.tensors
    words = f"each step leaves {_words(most)} behind with the fix, and {_words(fewest)} without it"
    return Keeping(fewest, most, keeps_less, words)


def _weight(kept: Kept) -> tuple[float, float]:
    return kept.graph_nodes, kept.tensors


def _words(kept: Kept) -> str:
    if not kept.graph_nodes and not kept.tensors:
        return "nothing"
    return f"{kept.graph_nodes:.3g} operations of autograd and {kept.tensors:.3g} tensors"
