"""Starts a new rule: `python rules/new_rule.py TRN299 some-new-pattern --topic sync`.

Writes the rule with a page to fill in, and cases for it. They fail their tests until the rule is written.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from trainlint.packs import PackError, load_rules

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "rules" / "trainlint_rules"
CASES = ROOT / "tests" / "cases"

RULE = '''\
"""{code} {name}."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.finding import Severity


class {class_name}(CallRule):
    """What is wrong, in a few words that start no sentence and end in no full stop

    ## Why
    What it costs and when, with a figure and where it was measured, or the words "not measured here".

    ## Example
    ```python
    for batch in loader:
        loss = model(batch)
        loss.backward()
        {function}(loss)
    ```

    ## Use instead
    ```python
    for batch in loader:
        loss = model(batch)
        loss.backward()
    ```

    ## Confirmed by
    What a short run on a device would show where this is so; "Nothing." where nothing would.

    ## Gain
    What is to be gained, with its source (a measurement, a paper, an issue), and what makes it nothing.

    ## References
    - The page of the PyTorch documentation that says so, with its address.
    """

    code = "{code}"
    name = "{name}"
    severity = Severity.WARNING  # or ADVICE, or ERROR for what computes something wrong
    preview = True  # until findings on real code were read
    on = ("{function}",)
    when = EACH_STEP
    message = "`{{text}}` is slow{{often}}"
    help = "remove it"

    def found(self, site: Site) -> Match | None:
        """What is wrong here; None for what only looks like it."""
        raise NotImplementedError("{code} waits to be written: ask the model, return a Match, and remove this line")
        return Match(site)
'''

CASE = '''\
"""A defect as it stands in real code."""

import torch


def train(model, loader, optimizer):
    for batch in loader:
        loss = model(batch.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {function}(loss)  #! {code}
'''

NEAR_MISSES = '''\
"""Look-alikes, which must stay silent."""

import torch


def train(model, loader, optimizer):
    for step, batch in enumerate(loader):
        loss = model(batch.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            {function}(loss)
'''


class RefusedError(Exception):
    """The rule cannot be started. The message is a sentence for people."""


@dataclass(frozen=True, slots=True)
class NewRule:
    """What the command line asks for."""

    code: str
    name: str
    topic: str

    @property
    def function(self) -> str:
        """The name as Python writes it; the template's page calls a function of this name."""
        return self.name.replace("-", "_")

    @property
    def files(self) -> dict[Path, str]:
        """What to write where."""
        words = {
            "code": self.code,
            "name": self.name,
            "function": self.function,
            "class_name": "".join(word.capitalize() for word in self.name.split("-")),
        }
        return {
            RULES / self.topic / f"{self.function}.py": RULE.format(**words),
            CASES / self.code / "first_case.py": CASE.format(**words),
            CASES / self.code / "near_misses.py": NEAR_MISSES.format(**words),
        }


def require_free(rule: NewRule) -> None:
    """Raise RefusedError where the code, the name or the topic cannot be used."""
    if not re.fullmatch(r"TRN\d{3}", rule.code):
        raise RefusedError(f"{rule.code} is no code of ours: write TRN and three digits, as in TRN201.")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", rule.name):
        raise RefusedError(f"{rule.name} is no pattern's name: write words with hyphens, as in item-in-training-step.")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", rule.topic):
        raise RefusedError(f"{rule.topic} is no topic: write one word, such as sync or memory.")
    for other in load_rules():
        if other.code == rule.code:
            raise RefusedError(f"{rule.code} is taken by {other.name}: choose the next free number.")
        if other.name == rule.name:
            raise RefusedError(f"{rule.name} is taken by {other.code}: a name says one pattern.")
    for path in rule.files:
        if path.exists():
            raise RefusedError(f"{path.relative_to(ROOT)} exists already.")


def write(rule: NewRule) -> None:
    """Write the rule and its cases."""
    marker = RULES / rule.topic / "__init__.py"
    if not marker.exists():
        marker.parent.mkdir(exist_ok=True)
        marker.write_text(f'"""Rules on the topic {rule.topic}."""\n', encoding="utf-8")
    for path, text in rule.files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    print("Fill them in, run `make test`, then `make docs`. CONTRIBUTING.md walks through it.")


def main(argv: list[str] | None = None) -> int:
    """Exit code 0 where the rule was started, 2 where it was refused."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("code", help="TRN and three digits, not yet taken")
    parser.add_argument("name", help="the pattern, not the cure, with hyphens: reads as `allow NAME`")
    parser.add_argument("--topic", required=True, help="the folder below rules/trainlint_rules, such as sync")
    arguments = parser.parse_args(argv)
    rule = NewRule(arguments.code, arguments.name, arguments.topic)
    try:
        require_free(rule)
    except (RefusedError, PackError) as error:
        print(error, file=sys.stderr)
        return 2
    write(rule)
    return 0


if __name__ == "__main__":
    sys.exit(main())
