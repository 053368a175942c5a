"""The versions of torch in Dockerfiles: what pip installs, and the images of PyTorch that they begin with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainlint.config.torch.requirements import LONGEST, range_of_requirement, range_of_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config.torch_range import TorchRange

_IMAGE = "pytorch/pytorch"
_USE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


def in_dockerfile(text: str) -> Iterator[TorchRange | None]:
    """Each `FROM pytorch/pytorch:2.4.1-cuda12.1-cudnn9-runtime`, and each requirement of torch behind an `install`.

    Defaults of `ARG` and `ENV` are put in.
    """
    joined = text.replace("\\\r\n", " ").replace("\\\n", " ")
    defaults: dict[str, str] = {}
    for line in joined.splitlines():
        if len(line) > LONGEST:
            continue
        words = [_USE.sub(lambda use: defaults.get(use[1] or use[2], ""), word) for word in line.split()]
        match words:
            case [instruction, *given] if instruction.upper() in ("ARG", "ENV"):
                defaults.update(_default(word) for word in given if "=" in word)
            case [instruction, *images] if instruction.upper() == "FROM":
                yield from map(range_of_image, images)
            case [instruction, *rest] if instruction.upper() == "RUN" and "install" in rest:
                yield from (range_of_requirement(word.strip("\"'")) for word in rest)


def _default(word: str) -> tuple[str, str]:
    name, _, value = word.partition("=")
    return name, value.strip("\"'")


def range_of_image(image: str) -> TorchRange | None:
    """The version that the tag of an image of PyTorch begins with; None for other images, and for `latest`."""
    name, _, tag = image.partition(":")
    version = tag.partition("-")[0]
    is_torch = name == _IMAGE or name.endswith(f"/{_IMAGE}")
    return range_of_version(version) if is_torch and version[:1].isdigit() else None
