"""How a simulated machine is named: "simulated", "simulated:a100-80gb", "simulated:h100x8"."""

from __future__ import annotations

import re

from trainlint.planning.hardware import Gpu, gpu_named

DEFAULT = "h100"
MOST = 8


def machine_named(text: str) -> tuple[str, int]:
    """The name of the GPU, and how many there are. "auto" means the default.

    Raises:
        ValueError: there is no such GPU, or not so many fit in one machine; the message is a sentence.
    """
    name = text.partition(":")[2] or DEFAULT
    found = re.fullmatch(r"(.+?)x([0-9]+)", name)
    if gpu_named(name) is None and found is not None:
        name, count = found[1], int(found[2])
    else:
        count = 1
    card_of(name, count)
    return name, count


def card_of(name: str, count: int) -> Gpu:
    """The card of a machine that has so many of it. Raises ValueError likewise."""
    found = gpu_named(name)
    if found is None:
        raise ValueError(
            f"{name} is no GPU that trainlint knows; write one as `trainlint plan --gpu` takes it, such as h100"
        )
    if not 1 <= count <= MOST:
        raise ValueError(f"a simulated machine has 1 to {MOST} GPUs, not {count}")
    return found
