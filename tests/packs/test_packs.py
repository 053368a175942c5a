"""Rule packs are found by entry point, ours and visitors' alike, from real distributions in a real Python."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from trainlint import installed

REPOSITORY = Path(__file__).resolve().parents[2]

RULE = '''
from trainlint.finding import Severity
from trainlint.rule import Rule, Triggers


class {class_name}(Rule):
    """A slow call

    ## Why
    It costs.

    ## Example
    None.

    ## Use instead
    None.

    ## Confirmed by
    Nothing.

    ## References
    None.
    """

    code = "{code}"
    name = "{name}"
    severity = Severity.WARNING
    triggers = Triggers(calls=frozenset({{"slow"}}))

    def check(self, site):
        yield from ()
'''


def rule(code: str = "ACME001", name: str = "slow-call", class_name: str = "SlowCall") -> str:
    return RULE.format(code=code, name=name, class_name=class_name)


def install(
    site: Path, package: str, files: dict[str, str], *, target: str | None = None, entry: str | None = None
) -> None:
    """What an installer leaves behind: the package's modules, and the metadata that names the entry point."""
    for name, text in files.items():
        path = site / package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    info = site / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        f"[console_scripts]\nacme = {package}:main\n\n"
        f"# rules\n[trainlint.rules]\n{entry or package} = {target or package}\n",
        encoding="utf-8",
    )


def loaded(site: Path, *more: Path, program: str = "") -> str:
    """What `load_rules` finds, or its error, in a Python that sees this site and trainlint's core alone."""
    program = program or textwrap.dedent(
        """
        from trainlint.packs import PackError, load_rules

        try:
            for rule in load_rules():
                print(rule.code, rule.name, rule.__module__)
        except PackError as error:
            print(error)
        """
    )
    path = [str(entry) for entry in (site, *more, REPOSITORY)]
    run = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {path!r}\n{program}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=site,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_a_visitors_pack_is_found_like_our_own(tmp_path: Path) -> None:
    install(
        tmp_path,
        "acme_rules",
        {
            "__init__.py": "",
            "io/__init__.py": "",
            "io/later.py": rule("ACME002", "slow-read", "SlowRead"),
            "first.py": rule(),
        },
    )
    assert loaded(tmp_path).splitlines() == [
        "ACME001 slow-call acme_rules.first",
        "ACME002 slow-read acme_rules.io.later",
    ]


def test_a_single_module_is_a_pack_too(tmp_path: Path) -> None:
    install(tmp_path, "acme_rules", {"__init__.py": rule()})
    assert loaded(tmp_path) == "ACME001 slow-call acme_rules"


def test_bases_and_imported_rules_are_no_rules_of_a_module(tmp_path: Path) -> None:
    base = "class Base(Rule, base=True):\n    def check(self, site):\n        yield from ()\n\n\n"
    abstract = "class Abstract(Rule):\n    pass\n"
    install(
        tmp_path,
        "acme_rules",
        {
            "__init__.py": "from acme_rules.slow import SlowCall\n",
            "base.py": "from trainlint.rule import Rule\n\n\n" + base + abstract,
            "slow.py": rule() + "\n\nAlias = SlowCall\n",
        },
    )
    assert loaded(tmp_path) == "ACME001 slow-call acme_rules.slow"


@pytest.mark.parametrize(
    ("second", "shared"), [("ACME001 other-call", "code ACME001"), ("ACME002 slow-call", "name slow-call")]
)
def test_two_rules_of_one_code_or_name_are_an_error_that_names_both(tmp_path: Path, second: str, shared: str) -> None:
    code, name = second.split()
    install(tmp_path / "one", "acme_rules", {"__init__.py": "", "a.py": rule()})
    install(tmp_path / "two", "other_rules", {"__init__.py": "", "b.py": rule(code, name, "Other")})
    assert loaded(tmp_path / "one", tmp_path / "two") == (
        f"two rules have the {shared}: acme_rules.a.SlowCall of pack 'acme_rules' and "
        "other_rules.b.Other of pack 'other_rules'; rename one of them or uninstall a pack"
    )


def test_two_packs_under_one_entry_point_name_are_both_loaded(tmp_path: Path) -> None:
    install(tmp_path / "one", "acme_rules", {"__init__.py": rule()}, entry="rules")
    install(tmp_path / "two", "other_rules", {"__init__.py": rule("OTHER001", "other-call")}, entry="rules")
    assert loaded(tmp_path / "one", tmp_path / "two").splitlines() == [
        "ACME001 slow-call acme_rules",
        "OTHER001 other-call other_rules",
    ]


def test_everything_that_is_wrong_is_named_at_once(tmp_path: Path) -> None:
    install(
        tmp_path,
        "acme_rules",
        {
            "__init__.py": "",
            "broken.py": "import acme_is_not_installed\n",
            "exits.py": "raise SystemExit\n",
            "good.py": rule(),
            "wrong.py": rule(code="acme-1"),
        },
    )
    assert loaded(tmp_path).splitlines() == [
        "rule pack 'acme_rules': module acme_rules.broken does not import "
        "(ModuleNotFoundError: No module named 'acme_is_not_installed'); mend or uninstall the pack",
        "rule pack 'acme_rules': module acme_rules.exits does not import (SystemExit); mend or uninstall the pack",
        "rule pack 'acme_rules', module acme_rules.wrong: rule acme_rules.wrong.SlowCall: "
        "its code is not a prefix and three digits, as in TRN201",
    ]


def test_a_folder_that_python_does_not_see_is_not_passed_over(tmp_path: Path) -> None:
    install(tmp_path, "acme_rules", {"__init__.py": "", "a.py": rule(), "io/b.py": rule("ACME002", "slow-read")})
    lost = tmp_path / "acme_rules" / "io"
    assert loaded(tmp_path) == (
        f"rule pack 'acme_rules': {lost} holds modules but no __init__.py, so its rules are lost; add one"
    )


def test_an_entry_point_that_does_not_load_names_the_pack(tmp_path: Path) -> None:
    install(tmp_path, "acme_rules", {"__init__.py": ""}, target="gone_rules")
    assert loaded(tmp_path) == (
        "rule pack 'acme_rules': module gone_rules does not import "
        "(ModuleNotFoundError: No module named 'gone_rules'); mend or uninstall the pack"
    )


def test_an_entry_point_must_name_a_package_alone(tmp_path: Path) -> None:
    install(tmp_path, "acme_rules", {"__init__.py": ""}, target="acme_rules:RULES")
    assert loaded(tmp_path) == (
        "rule pack 'acme_rules' does not load: its entry point 'acme_rules:RULES' must name a package alone"
    )


def test_a_pack_without_rules_is_an_error(tmp_path: Path) -> None:
    install(tmp_path, "acme_rules", {"__init__.py": ""})
    assert loaded(tmp_path) == "rule pack 'acme_rules' (acme_rules) holds no rule; uninstall it or give it one"


def test_no_pack_at_all_is_an_error(tmp_path: Path) -> None:
    assert loaded(tmp_path) == (
        "no rule pack is installed: no distribution declares an entry point in the group 'trainlint.rules'; "
        "install trainlint again"
    )


def test_a_pack_in_a_zip_archive_is_found_too(tmp_path: Path) -> None:
    import shutil

    install(tmp_path / "site", "acme_rules", {"__init__.py": "", "a.py": rule()})
    archive = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "site"))
    assert loaded(archive.parent, archive) == "ACME001 slow-call acme_rules.a"


def test_packs_are_found_without_the_slow_import(tmp_path: Path) -> None:
    install(tmp_path, "acme_rules", {"__init__.py": rule()})
    program = "from trainlint.packs import load_rules\nload_rules()\nprint('importlib.metadata' in sys.modules)"
    assert loaded(tmp_path, program=program) == "False"


@pytest.mark.parametrize("group", ["console_scripts", "pytest11", "distutils.commands", "no.such.group"])
def test_what_is_read_by_hand_is_what_the_standard_library_reads(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "GROUP", group)
    assert sorted(installed.find_packs()) == sorted((entry.name, entry.value) for entry in entry_points(group=group))
