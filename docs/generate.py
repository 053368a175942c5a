"""Write the pages that are made from code: those of the rules (docs/rules/*.md, rules/README.md, all-rules.md) and
that of the configuration with its JSON Schema.

python docs/generate.py            write them, and remove pages of rules that are gone
python docs/generate.py --check    write nothing; name what is stale, missing or orphaned, and exit with 1
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from trainlint.config.page import page
from trainlint.config.schema import schema
from trainlint.handbook import by_topic, fix_label, page_markdown, rules_table, state_label, topic
from trainlint.packs import PackError, load_rules
from trainlint.rule import Rule

REPOSITORY = Path(__file__).resolve().parent.parent
OWN_PACK = "trainlint_rules"
_ABOUT = (
    "Probe: whether `trainlint probe` can confirm the rule's findings by measuring. Of the others it says "
    '"not observed" or "unmeasured"; their pages say what confirms them instead.\n'
)
_ABOUT_ALL = """\
# All rules

On: "yes" means by default, "preview" with `--preview`, "probe" only in `trainlint probe`. Fix: its level at \
best (a place may make it unsafe), or none. \
Right on first contact: of the rule's findings in repositories that trainlint had never seen, the share that two \
readers both called right ([how it was measured](accuracy.md#first-contact-rounds)); empty where none was read. \
Few were read of most rules, so a share of few findings says little.

<div id="rule-filter" class="rule-filter"></div>
"""
NOTICE = "<!-- Written by docs/generate.py from the rules themselves. Change the rule, then run it. -->\n\n"


def pages(rules: Iterable[type[Rule]]) -> dict[str, str]:
    """The text of each generated file, by its path below the repository."""
    ordered = sorted(rules, key=lambda rule: rule.code)
    files = {f"docs/rules/{rule.name}.md": NOTICE + page_markdown(rule) for rule in ordered}
    index = [f"{NOTICE}# All rules, by topic\n\n{_ABOUT}"]
    for title, members in by_topic(ordered).items():
        index.append(f"## {title}\n\n{rules_table(members, pages='.')}")
    files["docs/rules/README.md"] = "\n".join(index)
    return files


def all_rules(rules: Iterable[type[Rule]], precision: Callable[[str], str]) -> dict[str, str]:
    """The one table of all rules, by its path below the repository. `precision` gives a rule's cell by its code."""
    rows = ["| code | name | flags | topic | severity | on | fix | right on first contact |", "| --- " * 8 + "|"]
    for rule in sorted(rules, key=lambda rule: rule.code):
        link = f"[{rule.name}](rules/{rule.name}.md)"
        state = state_label(rule) or "yes"
        cells = (rule.code, link, rule.summary, topic(rule), rule.severity.label, state, fix_label(rule))
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in (*cells, precision(rule.code))) + " |")
    return {"docs/all-rules.md": f"{NOTICE}{_ABOUT_ALL}\n" + "\n".join(rows) + "\n"}


def first_contact() -> Callable[[str], str]:
    """What readers of all first-contact rounds said of a rule, as in "0.94 (17/18)"; empty where nothing was read."""
    sys.path.insert(0, str(REPOSITORY))
    from benchmarks.accuracy.rounds.pooled import readings_of, rows_of
    from benchmarks.accuracy.rounds.record import ROUNDS, read_rounds

    rows = rows_of(read_rounds(ROUNDS))

    def cell(code: str) -> str:
        found = readings_of(code, rows)
        return f"{found.right / found.read:.2f} ({found.right}/{found.read})" if found.read else ""

    return cell


def configuration() -> dict[str, str]:
    """The text of each file that is made from the configuration table, by its path below the repository."""
    notice = "<!-- Written by docs/generate.py from trainlint/config/settings.py. Change that, then run it. -->\n\n"
    return {
        "docs/configuration.md": notice + page(),
        "docs/trainlint.schema.json": json.dumps(schema(), indent=2, ensure_ascii=False) + "\n",
    }


def differences(repository: Path, files: dict[str, str]) -> list[str]:
    """A sentence for each generated file that is missing, stale or orphaned."""
    problems = []
    for name, text in files.items():
        path = repository / name
        if not path.is_file():
            problems.append(f"{name} is missing")
        elif path.read_text(encoding="utf-8") != text:
            problems.append(f"{name} is stale")
    return problems + [f"{name} is orphaned: no rule has this name" for name in orphans(repository, files)]


def orphans(repository: Path, files: dict[str, str]) -> list[str]:
    """Pages below docs/rules that no rule stands behind."""
    found = (path.relative_to(repository).as_posix() for path in sorted((repository / "docs/rules").glob("*.md")))
    return [name for name in found if name not in files]


def write(repository: Path, files: dict[str, str]) -> list[str]:
    """Make the repository hold these files. Returns a line for each one that changed."""
    changes = []
    for name, text in files.items():
        path = repository / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            changes.append(f"wrote {name}")
    for name in orphans(repository, files):
        (repository / name).unlink()
        changes.append(f"removed {name}")
    return changes


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check. Returns the exit code: 0 all fresh, 1 something is not, 2 the rules do not load."""
    parser = argparse.ArgumentParser(description="Write the pages that are made from code.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 where a page is not fresh")
    options = parser.parse_args(arguments)
    try:
        # Other packs may be installed here too; their pages are their own.
        own = [rule for rule in load_rules() if rule.__module__.startswith(f"{OWN_PACK}.")]
    except PackError as error:
        print(error, file=sys.stderr)
        return 2
    if not own:
        print(f"{OWN_PACK} holds no rule: install this checkout with `pip install -e .`", file=sys.stderr)
        return 2
    files = pages(own) | all_rules(own, first_contact()) | configuration()
    lines = differences(REPOSITORY, files) if options.check else write(REPOSITORY, files)
    if not lines:
        print(f"All {len(files)} pages are fresh.")
        return 0
    print("\n".join(lines))
    if options.check:
        print("Run `python docs/generate.py`.")
    return 1 if options.check else 0


if __name__ == "__main__":
    sys.exit(main())
