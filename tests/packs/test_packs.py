"""Rule packs are found by entry point, ours and visitors' alike, from real distributions in a real Python."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.environments import REPOSITORY, new_environment, python_of
from trainlint.installation import distributions

SAY = """\
from trainlint.packs import PackError, load_rules
try:
    for rule in load_rules():
        print(rule.code, rule.name, rule.__module__)
except PackError as error:
    print(error)
"""

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


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The site-packages of an environment with trainlint's core alone."""
    return new_environment(tmp_path / "environment", REPOSITORY)


def loaded(site: Path, program: str = SAY) -> str:
    """What `load_rules` finds, or its error, in the environment of this site."""
    run = subprocess.run(
        [python_of(site), "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=site,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_a_visitors_pack_is_found_like_our_own(site: Path) -> None:
    install(
        site,
        "acme_rules",
        {
            "__init__.py": "",
            "io/__init__.py": "",
            "io/later.py": rule("ACME002", "slow-read", "SlowRead"),
            "first.py": rule(),
        },
    )
    assert loaded(site).splitlines() == [
        "ACME001 slow-call acme_rules.first",
        "ACME002 slow-read acme_rules.io.later",
    ]


def test_a_single_module_is_a_pack_too(site: Path) -> None:
    install(site, "acme_rules", {"__init__.py": rule()})
    assert loaded(site) == "ACME001 slow-call acme_rules"


def test_bases_and_imported_rules_are_no_rules_of_a_module(site: Path) -> None:
    base = "class Base(Rule, base=True):\n    def check(self, site):\n        yield from ()\n\n\n"
    abstract = "class Abstract(Rule):\n    pass\n"
    install(
        site,
        "acme_rules",
        {
            "__init__.py": "from acme_rules.slow import SlowCall\n",
            "base.py": "from trainlint.rule import Rule\n\n\n" + base + abstract,
            "slow.py": rule() + "\n\nAlias = SlowCall\n",
        },
    )
    assert loaded(site) == "ACME001 slow-call acme_rules.slow"


@pytest.mark.parametrize(
    ("second", "shared"), [("ACME001 other-call", "code ACME001"), ("ACME002 slow-call", "name slow-call")]
)
def test_two_rules_of_one_code_or_name_are_an_error_that_names_both(site: Path, second: str, shared: str) -> None:
    code, name = second.split()
    install(site, "acme_rules", {"__init__.py": "", "a.py": rule()})
    install(site, "other_rules", {"__init__.py": "", "b.py": rule(code, name, "Other")})
    assert loaded(site) == (
        f"two rules have the {shared}: acme_rules.a.SlowCall of pack 'acme_rules' and "
        "other_rules.b.Other of pack 'other_rules'; rename one of them or uninstall a pack"
    )


def test_two_packs_under_one_entry_point_name_are_both_loaded(site: Path) -> None:
    install(site, "acme_rules", {"__init__.py": rule()}, entry="rules")
    install(site, "other_rules", {"__init__.py": rule("OTHER001", "other-call")}, entry="rules")
    assert loaded(site).splitlines() == [
        "ACME001 slow-call acme_rules",
        "OTHER001 other-call other_rules",
    ]


def test_everything_that_is_wrong_is_named_at_once(site: Path) -> None:
    install(
        site,
        "acme_rules",
        {
            "__init__.py": "",
            "broken.py": "import acme_is_not_installed\n",
            "exits.py": "raise SystemExit\n",
            "good.py": rule(),
            "wrong.py": rule(code="acme-1"),
        },
    )
    assert loaded(site).splitlines() == [
        "rule pack 'acme_rules': module acme_rules.broken does not import "
        "(ModuleNotFoundError: No module named 'acme_is_not_installed'); mend or uninstall the pack",
        "rule pack 'acme_rules': module acme_rules.exits does not import (SystemExit); mend or uninstall the pack",
        "rule pack 'acme_rules', module acme_rules.wrong: rule acme_rules.wrong.SlowCall: "
        "its code is not a prefix and three digits, as in TRN201",
    ]


def test_a_folder_that_python_does_not_see_is_not_passed_over(site: Path) -> None:
    install(site, "acme_rules", {"__init__.py": "", "a.py": rule(), "io/b.py": rule("ACME002", "slow-read")})
    lost = site / "acme_rules" / "io"
    assert loaded(site) == (
        f"rule pack 'acme_rules': {lost} holds modules but no __init__.py, so its rules are lost; add one"
    )


def test_an_entry_point_that_does_not_load_names_the_pack(site: Path) -> None:
    install(site, "acme_rules", {"__init__.py": ""}, target="gone_rules")
    assert loaded(site) == (
        "rule pack 'acme_rules': module gone_rules does not import "
        "(ModuleNotFoundError: No module named 'gone_rules'); mend or uninstall the pack"
    )


def test_an_entry_point_must_name_a_package_alone(site: Path) -> None:
    install(site, "acme_rules", {"__init__.py": ""}, target="acme_rules:RULES")
    assert loaded(site) == (
        "rule pack 'acme_rules' does not load: its entry point 'acme_rules:RULES' must name a package alone"
    )


def test_a_pack_without_rules_is_an_error(site: Path) -> None:
    install(site, "acme_rules", {"__init__.py": ""})
    assert loaded(site) == "rule pack 'acme_rules' (acme_rules) holds no rule; uninstall it or give it one"


def test_no_pack_at_all_is_an_error(site: Path) -> None:
    assert loaded(site) == (
        "no rule pack is installed: no distribution declares an entry point in the group 'trainlint.rules'; "
        "install trainlint again"
    )


def test_a_pack_that_no_installer_put_there_is_not_believed(site: Path, tmp_path: Path) -> None:
    """In a folder of PYTHONPATH, a checkout's own metadata, or an archive."""
    import shutil

    install(site, "acme_rules", {"__init__.py": rule()})
    install(tmp_path / "other", "evil_rules", {"__init__.py": rule("EVIL001", "evil-call")})
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "other")
    for evil in (str(tmp_path / "other"), archive):
        program = f"import sys\nsys.path.insert(0, {evil!r})\n{SAY}"
        assert loaded(site, program=program) == "ACME001 slow-call acme_rules"


def test_packs_are_found_without_the_slow_import(site: Path) -> None:
    install(site, "acme_rules", {"__init__.py": rule()})
    program = (
        "import sys\nfrom trainlint.packs import load_rules\nload_rules()\nprint('importlib.metadata' in sys.modules)"
    )
    assert loaded(site, program=program) == "False"


@pytest.mark.parametrize("group", ["console_scripts", "pytest11", "distutils.commands", "no.such.group"])
def test_what_is_read_by_hand_is_what_the_standard_library_reads(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributions, "GROUP", group)
    # Once setuptools is imported, as by another test, its own copies of packages are on the path as well.
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if Path(entry).name != "_vendor"])
    declared = sorted((entry.name, entry.value) for entry in entry_points(group=group))
    assert sorted(distributions.find_packs()) == declared
