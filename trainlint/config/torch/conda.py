"""The requirements of PyTorch in a conda environment file, such as environment.yml."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.config.torch.companions import COMPANIONS, range_by_companion
from trainlint.config.torch.requirements import LONGEST, range_of_requirement, range_of_specifier
from trainlint.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from trainlint.config.torch_range import TorchRange

_MATCH = lazy(
    r"(?P<name>pytorch(?:-[cg]pu)?|torchvision|torchaudio)(?![\w-])\s*(?:(?P<operator>[<>=!~]+)\s*)?"
    r"(?P<release>\d[\w.*]*)(?P<more>,[^=\s\[]\S*)?"
)
"""A name, a version and perhaps more bounds; what follows, such as a build, is of no concern."""


def in_conda(text: str) -> Iterator[TorchRange | None]:
    """Entries under `dependencies`, and under its `pip`. Nothing where the text is no YAML.

    Nodes are read as they stand and no values are made of them, so that aliases of aliases cost nothing.
    """
    import yaml

    try:
        document = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return
    for entry in _items(_value(document, "dependencies")):
        if isinstance(entry, yaml.ScalarNode):
            yield _range_of_match(entry.value)
        else:
            for requirement in _items(_value(entry, "pip")):
                if isinstance(requirement, yaml.ScalarNode):
                    yield range_of_requirement(requirement.value)


def _range_of_match(text: str) -> TorchRange | None:
    """What a match specification such as "pytorch=2.1" or "conda-forge::pytorch >=2.1,<3" lets in."""
    match = _MATCH.match(text.strip().rpartition("::")[2]) if len(text) <= LONGEST else None
    if match is None:
        return None
    operator, release = match["operator"] or "", match["release"]
    if operator in ("", "="):
        # Conda compares as far as it is told: "=2.1" is any 2.1, and "=2" is any 2.
        found = range_of_specifier(f"=={release}" if "." in release else f"=={release}.*")
    else:
        found = range_of_specifier(operator + release + (match["more"] or ""))
    name = match["name"].lower()
    return range_by_companion(name, found) if found is not None and name in COMPANIONS else found


def _value(node: Any, name: str) -> Any:
    """The node under a key of a mapping; None where there is none."""
    import yaml

    pairs = node.value if isinstance(node, yaml.MappingNode) else ()
    return next((value for key, value in pairs if isinstance(key, yaml.ScalarNode) and key.value == name), None)


def _items(node: Any) -> list[Any]:
    import yaml

    return list(node.value) if isinstance(node, yaml.SequenceNode) else []
