"""`trainlint probe` and `trainlint doctor`, as they are typed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Write, installed_toys, program, write
from tests.probe.run.running import SCRIPTS, Runner, line_of, runner
from tests.probe.traces.builder import TraceBuilder
from trainlint.cli import main
from trainlint.cli.console import UsageError
from trainlint.evidence.run import Environment
from trainlint_probe import doctor
from trainlint_probe.options import read_options

__all__ = ["installed_toys", "program", "runner", "write"]  # pytest finds fixtures by their names


def starved(tmp_path: Path, name: str = "trace.json.gz") -> Path:
    """A trace of a training that waits 40 of 100 ms for its batch and reads a value at train.py:4."""
    trace = TraceBuilder().on("NVIDIA A100-SXM4-80GB")
    trace.steps(100, 3)
    for start in (0, 100, 200):
        trace.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", start, start + 40)
        trace.kernel(start + 41, start + 69, launched=start + 40.5)
        trace.operator("TL|item|train.py:4", start + 41, start + 70)
        trace.copy("DtoH (Device -> Pageable)", (start + 41.1, start + 69.05), (start + 69, start + 69.01))
        trace.kernel(start + 75, start + 99, launched=start + 71)
    return trace.write(tmp_path / name)


@pytest.mark.parametrize(
    ("words", "script", "arguments"),
    [
        (["train.py"], "train.py", ()),
        (["train.py", "--steps", "7"], "train.py", ("--steps", "7")),
        (["train.py", "--", "--lr", "3"], "train.py", ("--lr", "3")),
        (["--", "train.py", "--lr", "3"], "train.py", ("--lr", "3")),
        (["--steps", "5", "train.py", "a", "--", "b"], "train.py", ("a", "--", "b")),
        (["-m", "package.train", "-m"], "package.train", ("-m",)),
    ],
)
def test_what_follows_the_script_is_the_script_s(words: Sequence[str], script: str, arguments: tuple[str, ...]) -> None:
    options = read_options(words)
    assert (options.script, options.arguments) == (script, arguments)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "name the script that trains, as in `trainlint probe train.py`, or a trace with --trace"),
        (["--trace", "t.json", "-m", "train"], "leave out -m"),
    ],
)
def test_what_makes_no_sense_is_refused(words: Sequence[str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        read_options(words)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("probe --stesp 5 train.py", "--steps"),
        ("probe --output-format jsn train.py", "json"),
        ("probe --color nevr train.py", "never"),
        ("prove --fixes item-in-traning-step train.py", "item-in-training-step"),
        ("doctor --output-frmat json", "--output-format"),
        ("doctor --color alway", "always"),
        ("plan --gqus 2", "--gpus"),
        ("plan --params 7b --strategy hybird", "hybrid"),
        ("plan --params 7b --precision autocat", "autocast"),
        ("plan --params 7b --optimizer adanw", "adamw"),
        ("plan --params 7b --gpu h10", "h100"),
    ],
)
def test_what_is_misspelt_is_answered_with_the_nearest(
    words: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text("raise SystemExit('it ran')\n")
    try:
        code = main(words.split())
    except SystemExit as end:
        code = end.code  # type: ignore[assignment]  # argparse ends with a number
    said = capsys.readouterr().err
    assert (code, said.count("\n")) == (2, 1)
    assert f'did you mean "{meant}"?' in said


class TestTraces:
    def test_without_steps_nothing_is_of_a_step(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        trace = TraceBuilder().on("NVIDIA A100-SXM4-80GB")
        trace.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 40)
        trace.kernel(41, 69, launched=40.5)
        trace.operator("TL|item|train.py:4", 41, 70)
        trace.copy("DtoH (Device -> Pageable)", (41.1, 69.05), (69, 69.01))
        trace.kernel(75, 99, launched=71)
        trace.write(tmp_path / "trace.json")
        Path("train.py").write_text("import torch\n\n\nprint(loss.item())\n")
        main(["probe", "--trace", "trace.json", "--verbose", "train.py"])
        said = " ".join(capsys.readouterr().out.split())
        assert "99 ms in all (no steps are marked in trace.json" in said
        assert "The training waits 40 of 99 ms in all" in said
        of_steps = re.findall(r".{0,30}\b(?:a|each|the|mean) step\b(?! when you profile)", said)
        assert of_steps == [], of_steps

    def test_a_trace_is_judged_with_its_numbers(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["probe", "--trace", str(starved(tmp_path))]) == 1
        shown = " ".join(capsys.readouterr().out.split())
        assert "100 ms a step (2 steps of" in shown
        assert "TRNP101 loader-starvation" in shown
        assert "waits 40 of 100 ms a step (40.0%)" in shown

    def test_findings_in_named_files_meet_the_trace_at_their_lines(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("train.py").write_text(
            "def train(model, criterion, train_loader, optimizer):\n"
            "    for x, y in train_loader:\n"
            "        loss = criterion(model(x.cuda()), y.cuda())\n"
            "        print(loss.item())\n"
            "        optimizer.zero_grad()\n"
            "        loss.backward()\n"
            "        optimizer.step()\n"
        )
        main(["probe", "--trace", str(starved(tmp_path)), "--output-format", "json", "train.py"])
        document = json.loads(capsys.readouterr().out)
        (verdict,) = [item for item in document["verdicts"] if item["code"] == "TRN201"]
        assert verdict["at"] == {"path": "train.py", "line": 4}
        assert verdict["basis"] == "trace"
        assert verdict["cost"] is not None

    def test_what_could_not_be_judged_is_told_and_decides_the_exit_code(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        trace = starved(tmp_path).name
        Path("train.py").write_text("import torch\ndef train(:\n")
        sentence = "could not judge train.py: line 2: syntax error in Python"
        assert main(["probe", "--trace", trace, "train.py"]) == 2
        shown = " ".join(capsys.readouterr().out.split())
        assert "confirmed trace.json.gz TRNP101 loader-starvation" in shown
        assert f"error: {sentence}" in shown
        assert main(["probe", "--trace", trace, "--output-format", "json", "-o", "evidence.json", "train.py"]) == 2
        assert f"error: {sentence}" in capsys.readouterr().err
        document = json.loads(Path("evidence.json").read_text())
        (failure,) = document["failures"]
        assert (failure["path"], failure["rule"]) == ("train.py", "TRN001")
        assert document["judged"]["digests"] == {}

    def test_lines_of_files_that_were_not_named_are_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("other.py").write_text("import torch\n")
        assert main(["probe", "--trace", str(starved(tmp_path)), "other.py"]) == 1
        shown = " ".join(capsys.readouterr().out.split())
        assert "note: not judged: train.py (the trace has lines of it, and it was not named)" in shown

    def test_a_comment_at_the_line_silences_what_the_trace_shows_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        trace = str(starved(tmp_path))
        read = "\n\n\nprint(loss.item())"
        Path("train.py").write_text(f"{read}\n")
        main(["probe", "--trace", trace, "train.py"])
        assert "TRNP201 host-sync" in capsys.readouterr().out
        Path("train.py").write_text(f"{read}  # trainlint: ignore[TRNP201]  it is read to be shown\n")
        main(["probe", "--trace", trace, "train.py"])
        shown = capsys.readouterr().out
        assert "TRNP201" not in shown
        assert "note: ignored: 1 finding by comments" in shown

    def test_a_file_that_is_no_trace_is_named(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "notes.json"
        path.write_text("no trace")
        assert main(["probe", "--trace", str(path)]) == 2
        assert "notes.json" in capsys.readouterr().err

    def test_a_directory_holds_the_ranks(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        starved(tmp_path, "rank0.json.gz")
        starved(tmp_path, "rank1.json.gz")
        assert main(["probe", "--trace", str(tmp_path)]) == 1
        assert "loader-starvation" in capsys.readouterr().out

    def test_a_rank_whose_trace_is_broken_is_an_error(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        starved(tmp_path, "rank0.json.gz")
        (tmp_path / "rank1.json").write_text('{"traceEvents": [')
        assert main(["probe", "--trace", str(tmp_path)]) == 2
        shown = "".join(capsys.readouterr().out.split())  # long paths are broken where the line ends
        assert "couldnotjudge" in shown
        assert "rank1.json" in shown
        assert "thisrankismissingfromallthatissaidhere" in shown
        assert "loader-starvation" in shown  # and hides nothing of the others

    def test_reports_go_where_the_user_wants_them(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        trace, page, report = starved(tmp_path), tmp_path / "page.html", tmp_path / "report.txt"
        assert main(["probe", "--trace", str(trace), "--page", str(page), "-o", str(report)]) == 1
        assert "loader-starvation" in report.read_text(encoding="utf-8")
        assert "loader-starvation" in page.read_text(encoding="utf-8")
        assert capsys.readouterr().out == ""

    def test_torch_is_not_imported(self, tmp_path: Path) -> None:
        code = (
            "import sys; from trainlint.cli import main\n"
            f"main(['probe', '--trace', {str(starved(tmp_path))!r}])\n"
            "sys.exit('torch' in sys.modules)"
        )
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.slow
class TestRuns:
    def test_a_plain_training_is_judged_line_by_line(self, runner: Runner, capfd: pytest.CaptureFixture[str]) -> None:
        script = runner.project / "plain.py"
        script.write_text((SCRIPTS / "plain.py").read_text())
        words = [
            "probe",
            "--device",
            "cpu",
            "--no-deep",
            "--steps",
            "8",
            "--warmup",
            "3",
            "--output-format",
            "json",
            "plain.py",
        ]
        assert main(words) in (0, 1)  # whether workers would surely help depends on what else the machine does
        document = json.loads(capfd.readouterr().out)
        states = {(item["code"], item["at"]["line"]): item["state"] for item in document["verdicts"]}
        loader, read = line_of("plain", "DataLoader(Slow()"), line_of("plain", "loss.item()")
        assert states["TRNP101", loader] in ("confirmed", "inconclusive")
        assert states["TRN201", read] in ("executed, unmeasured", "not observed")  # a CPU tells no waits
        assert "checkpoint.pt" not in runner.files()

    def test_what_the_script_prints_goes_to_stderr_wherever_the_report_goes(
        self, runner: Runner, capfd: pytest.CaptureFixture[str]
    ) -> None:
        (runner.project / "talks.py").write_text("print('said by the script')\n")
        assert main(["probe", "--device", "cpu", "--no-deep", "-o", "report.txt", "talks.py"]) == 3
        out, err = capfd.readouterr()
        assert (out, "said by the script" in err) == ("", True)
        main(["probe", "--device", "cpu", "--no-deep", "talks.py"])
        assert "said by the script" in capfd.readouterr().err

    def test_a_report_says_what_ended_the_script(self, runner: Runner, capfd: pytest.CaptureFixture[str]) -> None:
        (runner.project / "fails.py").write_text(
            "import torch\nclass Odd(Exception):\n    pass\ndef train():\n    raise Odd\ntrain()\n"
        )
        words = ["probe", "--device", "cpu", "--no-deep", "--page", "page.html", "fails.py"]
        assert main(words) == 4
        said = "the script failed by its own fault: Odd (fails.py:5)."
        assert f"No step was measured: {said}\n" in capfd.readouterr().out
        assert said in (runner.project / "page.html").read_text(encoding="utf-8")
        main(["probe", "--device", "cpu", "--no-deep", "--output-format", "json", "fails.py"])
        assert json.loads(capfd.readouterr().out)["runs"][0]["failure"] == "Odd (fails.py:5)"
        (runner.project / "fails.py").write_text("import not_installed_here\n")
        main(["probe", "--no-deep", "fails.py"])
        assert f"The script ran with {sys.executable}. Install" in " ".join(capfd.readouterr().out.split())
        (runner.project / "fails.py").write_text("import sys\nsys.exit('no data in ./data')\n")
        assert main(["probe", "--device", "cpu", "--no-deep", "fails.py"]) == 4
        said = " ".join(capfd.readouterr().out.split())  # lines are as wide as the terminal
        assert "its own fault: it ended with: no data in ./data." in said

    def test_a_script_that_fails_is_told_apart_from_findings(
        self, runner: Runner, capfd: pytest.CaptureFixture[str]
    ) -> None:
        (runner.project / "broken.py").write_text("import torch\nraise SystemExit(3)\n")
        assert main(["probe", "--device", "cpu", "--no-deep", "broken.py"]) == 4

    def test_a_script_without_steps_proves_nothing(self, runner: Runner) -> None:
        (runner.project / "idle.py").write_text("import torch\n")
        assert main(["probe", "--device", "cpu", "--no-deep", "idle.py"]) == 3

    def test_a_script_that_ends_early_has_measured_its_steps(
        self, runner: Runner, capfd: pytest.CaptureFixture[str]
    ) -> None:
        step = "loss = (w * w).sum()\n    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n"
        (runner.project / "early.py").write_text(
            "import torch\nw = torch.ones(3, requires_grad=True)\noptimizer = torch.optim.SGD([w], 0.1)\n"
            f"for _ in range(9):\n    {step}"
        )
        assert main(["probe", "--device", "cpu", "--no-deep", "early.py"]) == 0
        assert "the script ended too early" in " ".join(capfd.readouterr().out.split())

    def test_nothing_of_a_run_is_clean_by_accident(self, installed_toys: Program, write: Write) -> None:
        """Gradients are asked for in three modules: one is excluded, one goes away meanwhile, a rule fails on one."""
        write("trainlint.toml", 'exclude = ["vendored.py"]')
        read = (
            "import torch\ndef read(loss):\n    weight = torch.ones(1, requires_grad=True)\n"
            "    return torch.autograd.grad(weight.sum(), weight)\n"
        )
        write("vendored.py", read)
        write("gone.py", f"import os\nos.remove(__file__)\n{read}")
        write("guest.py", f"import torch\nif not torch:\n    crash()\n{read}")
        write(
            "train.py",
            "import torch\n"
            "import gone, guest, vendored\n"
            "model = torch.nn.Linear(2, 1)\n"
            "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
            "for _ in range(60):\n"
            "    loss = model(torch.ones(1, 2)).square().sum()\n"
            "    loss.backward()\n"
            "    optimizer.step()\n"
            "    optimizer.zero_grad()\n"
            "    values = [module.read(loss) for module in (gone, guest, vendored)]\n",
        )
        short = ("--no-deep", "--no-overlay", "--steps", "5", "--warmup", "3")
        ran = installed_toys("probe", "--device", "cpu", *short, "--output-format", "json", "train.py")
        assert ran.code == 2, ran
        document = json.loads(ran.out)
        assert document["left_out"] == {"vendored.py": "the configuration excludes it"}
        assert [(failure["path"], failure["rule"]) for failure in document["failures"]] == [
            ("gone.py", None),
            ("guest.py", "TOY201"),
        ]
        assert set(document["judged"]["digests"]) == {"train.py", "guest.py"}
        write("gone.py", read)
        shown = " ".join(installed_toys("probe", "--device", "cpu", *short, "train.py").out.split())
        assert "error: could not judge guest.py: the rule TOY201 (trainlint_toys.calls) failed on this file" in shown
        assert "There is no finding to judge; not everything could be judged." in shown
        assert "note: not judged: vendored.py (the configuration excludes it)" in shown

    def test_a_script_that_is_not_there_is_named(self, runner: Runner, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["probe", "nowhere.py"]) == 2
        assert "there is no script nowhere.py" in capsys.readouterr().err


def test_an_option_behind_the_script_is_pointed_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("parser.add_argument('--steps')\n")
    read_options(["train.py", "--steps", "3"])
    read_options(["train.py", "--", "--device", "cpu"])
    assert capsys.readouterr().err == ""
    read_options(["train.py", "--steps", "3", "--device=cpu"])
    assert capsys.readouterr().err == (
        "note: train.py gets --device, which stands behind it. If trainlint is meant, write "
        "`trainlint probe --device ... train.py`.\n"
    )
    read_options(["train.py", "--help", "-h"])
    assert capsys.readouterr().err == ""
    read_options(["train.py", "-v"])
    assert capsys.readouterr().err == (
        "note: train.py gets -v, which stands behind it. If trainlint is meant, write "
        "`trainlint probe -v ... train.py`.\n"
    )
    (tmp_path / "train.py").write_text("parser.add_argument('-v')\n")
    read_options(["train.py", "-v"])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", ["probe", "prove"])
def test_the_help_says_whose_options_follow_the_script(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert "Options behind SCRIPT go to the script." in " ".join(capsys.readouterr().out.split())


def test_several_processes_need_torch_of_this_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("trainlint_probe.launch.find_spec", lambda name: None)
    (tmp_path / "train.py").write_text("")
    assert main(["probe", "--device", "cpu", "--nproc-per-node", "2", "train.py"]) == 2
    assert f"{sys.executable} has no torch" in capsys.readouterr().err


def test_the_doctor_tells_of_torch(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--output-format", "json"]) in (0, 1)
    facts = json.loads(capsys.readouterr().out)["facts"]
    assert facts["torch"].startswith("2.")
    assert main(["doctor"]) in (0, 1)
    assert facts["torch"] in capsys.readouterr().out


def test_the_doctor_says_that_there_is_no_torch(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "_asked", lambda: Environment({"Python": "3.12"}, ()))
    assert main(["doctor"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert f"off: PyTorch is not installed for {sys.executable}: install trainlint in the environment" in said
