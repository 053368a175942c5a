"""Which files verdicts are about, so that a reader notices that one has changed; and which look judged and are not."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from trainlint.evidence.places import Line
from trainlint.evidence.verdicts import Judged
from trainlint_probe.judgement.static import Static, configured, judge_at_work, judge_files, with_lines_elsewhere

TEXT = b"import torch\r\n"
DIGEST = hashlib.sha256(TEXT).hexdigest()


@pytest.fixture
def training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a script and a helper."""
    directory = tmp_path / "project" / "training"
    (directory / "parts").mkdir(parents=True)
    for name in ("train.py", "parts/helper.py"):
        (directory / name).write_bytes(TEXT)
    monkeypatch.chdir(directory)
    return directory


def test_files_are_named_as_verdicts_name_them_with_the_digests_of_their_bytes(training: Path) -> None:
    found = judge_files([Path("train.py"), Path("parts")], configured()).judged
    assert found == Judged(None, {"train.py": DIGEST, "parts/helper.py": DIGEST})


def test_in_a_repository_the_working_directory_is_told_from_its_root(training: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=training.parent, check=True)
    assert judge_files([Path("train.py")], configured()).judged.directory == "training"


def test_where_nothing_is_judged_no_file_is_named(training: Path) -> None:
    assert judge_files([], configured()).judged == Judged()


def test_a_file_that_is_gone_is_not_named(training: Path) -> None:
    assert judge_files([Path("train.py"), Path("gone.py")], configured()).judged.digests == {"train.py": DIGEST}


def failures(found: Static) -> list[str]:
    """What could not be judged, and why."""
    return [f"{failure.path}: {failure.reason}" for failure in found.report.failures]


def at_work(*paths: str, script: str | None = "train.py") -> Static:
    """What is judged where something was seen in these files."""
    return judge_at_work(Path(script) if script else None, [Line(path, 1) for path in paths], configured())


class TestAtWork:
    def test_the_script_and_what_was_seen_is_judged(self, training: Path) -> None:
        found = at_work("parts/helper.py", "train.py")
        assert set(found.judged.digests) == {"train.py", "parts/helper.py"}
        assert (failures(found), found.left_out) == ([], {})

    def test_a_file_with_a_syntax_error_is_a_failure_and_not_judged(self, training: Path) -> None:
        (training / "parts/helper.py").write_text("import torch\ndef f(:\n")
        found = at_work("parts/helper.py")
        assert set(found.judged.digests) == {"train.py"}
        (failure,) = failures(found)
        assert failure.startswith("parts/helper.py: line 2: syntax error in Python 3.")
        assert "(invalid syntax)" in failure

    def test_a_file_that_the_run_removed_is_a_failure(self, training: Path) -> None:
        (training / "parts/helper.py").unlink()
        found = at_work("parts/helper.py")
        assert failures(found)[0].startswith("parts/helper.py: the run used it, and it is gone since")
        assert set(found.judged.digests) == {"train.py"}

    def test_a_file_that_may_not_be_read_is_a_failure(self, training: Path, permissions: None) -> None:
        (training / "parts/helper.py").chmod(0)
        found = at_work("parts/helper.py")
        assert failures(found)[0].startswith("parts/helper.py: it cannot be read")
        assert set(found.judged.digests) == {"train.py"}

    def test_bytes_that_are_no_text_are_a_failure(self, training: Path) -> None:
        (training / "parts/helper.py").write_bytes(b"import torch\nname = '\xff'\n")
        found = at_work("parts/helper.py")
        assert failures(found)[0].startswith("parts/helper.py: ")
        assert set(found.judged.digests) == {"train.py"}

    @pytest.mark.parametrize("pattern", ["parts/", "helper.py", "parts/helper.py"])
    def test_what_the_configuration_excludes_is_left_out_and_told(self, training: Path, pattern: str) -> None:
        (training / "trainlint.toml").write_text(f'exclude = ["{pattern}"]')
        found = at_work("parts/helper.py")
        assert found.left_out == {"parts/helper.py": "the configuration excludes it"}
        assert set(found.judged.digests) == {"train.py"}

    def test_the_script_was_named_and_is_judged_whatever_is_excluded(self, training: Path) -> None:
        (training / "trainlint.toml").write_text('exclude = ["train.py"]')
        found = at_work("train.py")
        assert (set(found.judged.digests), found.left_out) == ({"train.py"}, {})
        by_its_whole_name = at_work("train.py", script=str(training / "train.py"))
        assert (set(by_its_whole_name.judged.digests), by_its_whole_name.left_out) == ({"train.py"}, {})

    def test_directories_that_check_skips_are_skipped_and_told(self, training: Path) -> None:
        (training / "build").mkdir()
        (training / "build/made.py").write_bytes(TEXT)
        assert at_work("build/made.py").left_out == {"build/made.py": "it is in build, which trainlint skips"}

    def test_what_lies_outside_of_the_project_is_left_out_and_told(self, training: Path, tmp_path: Path) -> None:
        other = tmp_path / "library" / "loops.py"
        other.parent.mkdir()
        other.write_bytes(TEXT)
        found = at_work(str(other))
        assert found.left_out[str(other)].startswith("it lies neither below the directory where you started")
        assert set(found.judged.digests) == {"train.py"}

    def test_what_lies_beside_the_script_is_of_the_project_wherever_that_is(
        self, training: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        script, helper = str(training / "train.py"), str(training / "parts/helper.py")
        found = at_work(script, helper, script=script)
        assert (set(found.judged.digests), found.left_out) == ({script, helper}, {})

    def test_code_that_was_made_while_the_script_ran_is_told(self, training: Path) -> None:
        assert at_work("model_of_config").left_out == {
            "model_of_config": "it is no file: its code was made while the script ran"
        }

    def test_files_below_a_configuration_that_is_wrong_are_not_judged(self, training: Path) -> None:
        (training / "parts/trainlint.toml").write_text("selekt = []")
        found = at_work("parts/helper.py")
        assert 'unknown key "selekt"' in failures(found)[0]
        assert set(found.judged.digests) == {"train.py"}

    def test_where_the_configuration_is_wrong_nothing_is_judged(self, training: Path) -> None:
        (training / "trainlint.toml").write_text("selekt = []")
        found = at_work("parts/helper.py")
        (failure,) = failures(found)
        assert 'unknown key "selekt"' in failure
        assert found.judged.digests == {}


def test_other_files_of_which_nothing_is_said_are_told(training: Path) -> None:
    (training / "parts/broken.py").write_text("import torch\ndef f(:\n")
    judged = judge_files([Path("train.py"), Path("parts")], configured())
    lines = [Line(path, 3) for path in ("train.py", "parts/broken.py", "/cluster/job/train.py")]
    found = with_lines_elsewhere(judged, lines, "it was not named")
    assert found.left_out == {"/cluster/job/train.py": "it was not named"}
    assert with_lines_elsewhere(found, lines, "for another reason").left_out == found.left_out
