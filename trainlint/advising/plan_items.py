"""Things to do from a plan that `trainlint plan --output-format json` wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainlint.advising.item import Basis, Gain, Item
from trainlint.advising.published import prerequisites


class BadPlan(ValueError):
    """A file that holds no plan. The message is the end of a sentence."""


def items_of_plan(plan: object, listed: frozenset[str]) -> tuple[Item, ...]:
    """What the plan recommends. Raises BadPlan for JSON that is no plan."""
    if not isinstance(plan, Mapping) or plan.get("schema_version") != 1:
        raise BadPlan("is no plan: write one with `trainlint plan ... --output-format json --output-file plan.json`")
    try:
        return tuple(_items(plan, listed))
    except (KeyError, TypeError) as error:
        raise BadPlan(f"is no whole plan ({error}); write it again with `trainlint plan`") from error


def _items(plan: Mapping[str, object], listed: frozenset[str]) -> Iterator[Item]:
    strategies = {item["strategy"]: item for item in _objects(plan["strategies"])}
    cluster, training = _object(plan["cluster"]), _object(plan["training"])
    memory = float(str(cluster["memory"]))
    chosen = plan["recommended"]
    if chosen is None:
        yield _item(
            "plan:strategy", "make the training fit", str(plan["recommendation"]), "nothing fits as planned", listed
        )
        return
    best = strategies[chosen]
    held = float(str(_object(best["memory"])["total"]))
    if chosen not in ("single", "ddp"):
        needed = "the states do not fit under DDP" if not strategies.get("ddp", best)["fits"] else "it is the fastest"
        yield _item("plan:strategy", f"shard with {best['title']}", str(plan["recommendation"]), needed, listed)
    largest, batch = best["largest_batch"], training["batch"]
    if isinstance(largest, int) and isinstance(batch, int) and largest >= 2 * batch and held < memory / 2:
        words = f"{held / memory:.0%} of the memory is used: up to {largest} samples fit where {batch} are planned"
        help_ = "raise the micro-batch and lower accumulation by as much; keep or tune the learning rate"
        yield _item("plan:batch", "raise the micro-batch", help_, words, listed)


def _item(key: str, title: str, help_: str, words: str, listed: frozenset[str]) -> Item:
    return Item(
        key,
        title,
        help_,
        (),
        Gain(Basis.PLANNED, words),
        wrong=False,
        effort="by hand",
        command=None,
        changes="the order of sums and random numbers; with another batch the training itself",
        check="`torch.cuda.max_memory_allocated()` after a few steps, against the plan",
        after=prerequisites(key, listed),
    )


def _object(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise TypeError(f"an object was expected, not {value!r}")
    return value


def _objects(value: object) -> Iterator[Mapping[str, object]]:
    if not isinstance(value, list):
        raise TypeError(f"a list was expected, not {value!r}")
    return map(_object, value)
