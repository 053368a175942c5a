"""The fingerprint changes with whatever trainlint's answers depend on, and with nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environments import REPOSITORY, new_environment, python_of
from trainlint.installation import fingerprint as module
from trainlint.installation.distributions import homes
from trainlint.installation.fingerprint import fingerprint, stats_below


def installed(site: Path, name: str, version: str = "1.0", entry_points: str = "") -> Path:
    """The metadata that an installer leaves behind."""
    info = site / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    if entry_points:
        (info / "entry_points.txt").write_text(entry_points)
    return info


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Installed packages: a rule pack, LibCST, and one that has nothing to do with trainlint."""
    site = new_environment(tmp_path / "environment", REPOSITORY)
    installed(site, "acme_rules", entry_points="[trainlint.rules]\nacme = acme_rules\n")
    installed(site, "libcst", "1.9.0")
    installed(site, "flask")
    (site / "acme_rules/io").mkdir(parents=True)
    (site / "acme_rules/__init__.py").write_text("")
    (site / "acme_rules/io/__init__.py").write_text("")
    (site / "acme_rules/io/slow.py").write_text("VALUE = 1\n")
    return site


def of(site: Path, *before: str) -> str:
    """The fingerprint in a Python that sees this site and trainlint's core alone, and what that imports."""
    program = (
        "import sys\nfrom trainlint.installation.fingerprint import fingerprint\n"
        "print(fingerprint(), 'acme_rules' in sys.modules)"
    )
    done = subprocess.run(
        [python_of(site), "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=site,
    )
    assert done.returncode == 0, done.stderr
    found, imported = done.stdout.split()
    assert imported == "False"
    return found


def test_it_is_the_same_in_every_process(site: Path) -> None:
    assert of(site) == of(site)
    assert len(of(site)) == 16


def test_a_module_of_a_pack_that_changes_changes_it(site: Path) -> None:
    before = of(site)
    slow = site / "acme_rules/io/slow.py"
    times = slow.stat().st_atime_ns, slow.stat().st_mtime_ns
    slow.write_text("VALUE = 2\n")
    os.utime(slow, ns=(times[0], times[1] + 1))
    assert of(site) != before


def test_a_module_that_comes_or_goes_changes_it(site: Path) -> None:
    seen = {of(site)}
    (site / "acme_rules/fast.py").write_text("")
    seen.add(of(site))
    (site / "acme_rules/io/slow.py").unlink()
    seen.add(of(site))
    assert len(seen) == 3


@pytest.mark.parametrize(
    ("name", "counts"), [("libcst", True), ("pyyaml", True), ("other_rules", False), ("flask_login", False)]
)
def test_a_distribution_counts_where_it_reads_files_or_brings_rules(site: Path, name: str, counts: bool) -> None:
    before = of(site)
    for old in site.glob(f"{name}-*"):
        old.rename(site / f"{name}-2.0.dist-info")
    if not (site / f"{name}-2.0.dist-info").exists():
        installed(site, name, "2.0")
    assert (of(site) != before) is counts


def test_another_pack_changes_it(site: Path) -> None:
    before = of(site)
    installed(site, "more_rules", entry_points="[trainlint.rules]\nmore = more_rules\n")
    assert of(site) != before


def test_bytecode_and_other_files_do_not_count(site: Path) -> None:
    before = of(site)
    (site / "acme_rules/__pycache__").mkdir()
    (site / "acme_rules/__pycache__/slow.py").write_text("")
    (site / "acme_rules/notes.md").write_text("")
    assert of(site) == before


def test_every_module_of_trainlint_counts() -> None:
    seen = {line.rsplit(" ", 2)[0] for line in stats_below(module.folders()[:1])}
    assert seen == {str(path) for path in (REPOSITORY / "trainlint").rglob("*.py")}


def test_an_archive_is_as_old_as_its_file(tmp_path: Path) -> None:
    archive = tmp_path / "packed.zip"
    archive.write_bytes(b"PK")
    [line] = stats_below([str(archive / "acme_rules")])
    assert line == f"{archive} 2 {archive.stat().st_mtime_ns}"


def test_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    [line] = stats_below([str(tmp_path / "gone")])
    assert line.startswith(str(tmp_path / "gone"))


def test_a_package_is_found_without_being_imported(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(site)
    assert homes("acme_rules.io") == (str(site / "acme_rules/io"),)
    assert homes("acme_rules.io.slow") == (str(site / "acme_rules/io/slow.py"),)
    assert homes("acme_rules.none") == homes("acme_none") == homes("acme_rules.io.slow.deeper") == ()
    assert "acme_rules" not in sys.modules


def test_it_is_worked_out_once_a_process() -> None:
    assert fingerprint() == module.fingerprint()
    assert fingerprint.cache_info().misses <= 1
