"""What changes nothing of what a condition says: its form, its order, names without a meaning."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.interpreter.branches.reading import MEANINGS, branch_of
from trainlint.interpreter.branches.branch import Branch

_NAMES: Final = {name: MEANINGS[meaning] for name, meaning in (("k", "counter"), ("j", "inner"), ("loss", "tensor"))}
_ATOMS: Final = (
    *("step % 100 == 0", "k % 50 == 0", "j % 50 == 0", "step % args.every > 0", "is_eval", "is_train", "verbose"),
    *("self.training", "mode == 'train'", "split in ('val', 'test')", "device.type == 'cpu'", "has_gpu", "alpha"),
    *("beta is None", "epoch == 0", "loss > 5", "self.initialized", "score > best_score"),
)
_SIDES: Final = (
    *("step", "k", "j", "loss", "args.total_steps", "max_iters", "self.num_iter", "log_interval", "n_gpu", "mode"),
    *("'train'", "'cuda'", "torch.device('cpu')", "options['train']", "None", "True", "0", "1", "250", "alpha"),
    *("step % 10", "k % every", "len(loader) - 1", "time.time() - start", "best", "len(steps)", "'a'"),
)
_MIRRORED: Final = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "is": "is", "is not": "is not"}
_WITHOUT_MEANING: Final = ("alpha", "beta", "gamma", "width", "colour", "tokens", "owner", "shape", "labels", "weights")

_conditions = st.recursive(
    st.sampled_from(_ATOMS),
    lambda inner: st.one_of(
        inner.map(lambda one: f"not ({one})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}) and ({two[1]})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}) or ({two[1]})"),
    ),
    max_leaves=5,
)


def _says(condition: str) -> Branch:
    """What a condition says, without the text for people."""
    return branch_of(condition, _NAMES)._replace(because="")


@given(_conditions)
def test_double_negation_changes_nothing(condition: str) -> None:
    assert _says(f"not (not ({condition}))") == _says(condition)


@given(_conditions)
def test_negation_turns_the_branches(condition: str) -> None:
    assert _says(f"not ({condition})") == _says(condition).turned


@given(st.sampled_from(["and", "or"]), st.lists(_conditions, min_size=2, max_size=4), st.data())
def test_the_order_of_parts_changes_nothing(word: str, parts: list[str], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(parts))
    write: Callable[[list[str]], str] = lambda some: f" {word} ".join(f"({part})" for part in some)  # noqa: E731 - used twice, here
    assert _says(write(shuffled)) == _says(write(parts))


@given(_conditions, _conditions)
def test_and_is_the_negation_of_or(one: str, other: str) -> None:
    assert _says(f"not (({one}) and ({other}))") == _says(f"not ({one}) or not ({other})")


@settings(max_examples=500)
@given(st.sampled_from(_SIDES), st.sampled_from(sorted(_MIRRORED)), st.sampled_from(_SIDES))
def test_the_order_of_operands_changes_nothing(left: str, operator: str, right: str) -> None:
    assert _says(f"{right} {_MIRRORED[operator]} {left}") == _says(f"{left} {operator} {right}")


@given(_conditions, st.sampled_from(_WITHOUT_MEANING), st.sampled_from(_WITHOUT_MEANING))
def test_other_names_change_nothing(condition: str, first: str, second: str) -> None:
    tree = ast.parse(condition, mode="eval")
    new_names = {"alpha": first, "beta": second, "args": "owner", "score": second, "split": first, "mode": "kind"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = new_names.get(node.id, node.id)
    assert _says(ast.unparse(tree)) == _says(condition)
