"""The versions of torch that a README names: commands that install it, images that hold it, and sentences.

A sentence such as "tested with PyTorch 1.8" names the oldest version that is known to matter, and rules out no newer
one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainlint.config.torch.images import range_of_image
from trainlint.config.torch.requirements import LONGEST, range_of_requirement, range_of_specifier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config.torch_range import TorchRange

_WORD = re.compile(r"[^\s`\"'|]+")
_PINNED = re.compile(r"(?:py)?torch[=<>~!]|torch(?:vision|audio)[=<>~!]", re.IGNORECASE)
_SENTENCE = re.compile(
    r"(?<![\w./-])(?:py)?torch\]?(?:\([^()\s]{0,200}\))?[\s*`_(:]{0,4}(?:versions?\s{0,2})?"
    r"(?P<operator>==|=|>=|≥|>|~=|<=|<)?[\s*`]{0,3}v?(?P<release>[0-2]\.\d{1,2})(?:\.\d{1,3})?(?![\w.-]*\d)",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(r"\b(?:if|when|whether|for|since|before|until)\b[^.;]{0,40}$", re.IGNORECASE)
"""Before a version: "if you have PyTorch 2.0" says what a part of the code needs."""


def in_readme(text: str) -> Iterator[TorchRange | None]:
    """What is installed (`torch==1.6.0`, `pytorch/pytorch:1.2-devel`), and what sentences name ("PyTorch >= 1.5").

    Where something is installed, sentences do not count.
    """
    lines = [line for line in text.splitlines() if len(line) <= LONGEST and "torch" in line.lower()]
    installed = [found for line in lines for found in _installed(line) if found is not None]
    yield from installed
    if not installed:
        for line in lines:
            yield from _ranges_in_line(line)


def _installed(line: str) -> Iterator[TorchRange | None]:
    for word in _WORD.findall(line):
        if _PINNED.match(word):
            name = word.lower().rstrip(",.;:)\\").removeprefix("py")
            # Conda's `pytorch=1.4` is no requirement as pip reads them.
            yield range_of_requirement(re.sub(r"(?<=[a-z])=(?=\d)", "==", name))
        elif "pytorch/pytorch:" in word:
            yield range_of_image(word)


def _ranges_in_line(line: str) -> Iterator[TorchRange | None]:
    for match in _SENTENCE.finditer(line):
        if not _CONDITIONAL.search(line[: match.start()]):
            operator = match["operator"] or ">="
            yield range_of_specifier(f"{operator if operator.startswith('<') else '>='}{match['release']}")
