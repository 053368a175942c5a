"""What stands in a repository forges no line, steers no terminal, and gives a CI service no command."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.finding import Edit, Failure, Finding, Fix, Heat, Report, Safety, Severity, Span
from trainlint.report import FORMATS, Settings, Style, render, render_statistics
from trainlint.report.characters import has_commands, quoted, sentence
from trainlint.report.patch import unified_difference
from trainlint.source import source_from_text

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

COMMANDS = (
    "::error file=x::forged",
    "::add-mask::x",
    "\t ::stop-commands::x",
    "##[add-path]x",
    "##vso[task.setvariable variable=x]y",
    "##teamcity[buildStatus status='SUCCESS']",
)
STEERING = "\n|\r|\r\n|\x1b[2J|\x1b]0;x\x07|\x07|\x85|\u2028|\u202e|\u2066|\x9b2J|\udcff".split("|")
HOSTILE = st.lists(
    st.one_of(st.sampled_from((*COMMANDS, *STEERING)), st.text(max_size=5), st.just(" ")), min_size=1, max_size=6
).map(lambda parts: "".join(parts).replace("/", "").replace("\0", "") or "x")
"""Names and words as somebody would choose them who wants to be taken for trainlint."""

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def report(name: str, words: str = "words", code: str = "pass") -> tuple[Report, str]:
    """A finding and a failure of a file with a name, about some code, with some words in all that may quote it."""
    text = f"import torch\n{code}\nsafe()\n"
    start = text.index("safe()")
    finding = Finding(
        code="TRN201",
        name="some-rule",
        path=name,
        span=Span(text.count("\n"), 1, text.count("\n"), 7),
        message=f"it says {words}",
        severity=Severity.WARNING,
        heat=Heat.STEP,
        chain=(f"line 1: {words}",),
        fix=Fix(f"write {words}", (Edit(start, start + 4, "cured"),), Safety.SAFE),
    )
    return Report((finding,), (Failure(name, f"it is {words}"),), 1), text


def rendered(output_format: str, name: str, words: str = "words", code: str = "pass", *, color: bool = False) -> str:
    found, text = report(name, words, code)
    how = Settings(style=Style(width=60, color=color), directory="/project")
    if output_format == "statistics":
        return render_statistics(found, settings=how)
    source = source_from_text(name, text)
    return render(found, output_format, sources=lambda _: source, rules=(), settings=how)


@pytest.mark.parametrize("output_format", [*FORMATS, "statistics"])
@settings(deadline=None)
@given(name=HOSTILE, words=HOSTILE)
def test_no_format_lets_a_line_be_forged(output_format: str, name: str, words: str) -> None:
    out = rendered(output_format, name, words)
    assert CONTROL.findall(out) == []
    if output_format == "github":
        assert all(line.startswith(("::warning file=", "::error file=")) for line in out.splitlines())
    else:
        assert not has_commands(out)
    if output_format != "full":  # which wraps its lines
        assert out.count("\n") == rendered(output_format, "train.py").count("\n")
    if output_format in ("json", "sarif"):
        assert json.loads(out)


@settings(deadline=None)
@given(name=HOSTILE, code=HOSTILE)
def test_neither_does_code_in_a_frame(name: str, code: str) -> None:
    quiet = f"'''{code.replace(chr(39), '').replace(chr(92), '')}'''"
    for color in (False, True):
        out = rendered("full", name, code=quiet, color=color)
        plain = re.sub(r"\x1b\[[0-9;]*m", "", out)
        assert CONTROL.findall(plain) == []
        assert not has_commands(out)
        assert not has_commands(plain)


@settings(deadline=None)
@given(name=HOSTILE)
def test_a_quoted_name_forges_nothing_and_can_be_read_back(name: str) -> None:
    shown = quoted(name)
    assert CONTROL.findall(shown) == []
    assert not has_commands(shown)
    if shown == name:
        return
    escapes = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}
    pieces = re.findall(r"\\([0-7]{3})|\\(.)|([^\\])", shown[1:-1])
    read = (
        bytes([int(octal, 8)]) if octal else (escapes.get(letter) or plain).encode() for octal, letter, plain in pieces
    )
    assert b"".join(read) == b"".join(map(as_bytes, name))


def as_bytes(letter: str) -> bytes:
    """A letter of a name, as the file system has it."""
    return letter.encode("utf-8", "surrogateescape" if "\udc80" <= letter <= "\udcff" else "surrogatepass")


@settings(deadline=None)
@given(words=HOSTILE)
def test_a_sentence_is_one_line(words: str) -> None:
    assert CONTROL.findall(sentence(words, unicode=True)) == []
    assert sentence(words, unicode=False).isascii()


HOSTILE_NAMES = ["::add-mask::x\n::error::##[add-path]b.py", "a\r\n\x1b[2J\u202e##vso[x]y.py"]
MODES = [
    ("check", "--output-format", "full"),
    ("check", "--output-format", "concise"),
    ("check", "--output-format", "json"),
    ("check", "--output-format", "sarif"),
    ("check", "--statistics"),
    ("check", "--show-files"),
    ("check", "--show-settings"),
    ("check", "--verbose"),
    ("check", "--diff", "--verbose"),
    ("check", "--fix", "--verbose"),
    ("check", "--nonsense"),
]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=ascii)
def test_nothing_that_the_program_writes_can_be_forged_by_a_name(toys: Program, name: str) -> None:
    """In CI, where commands are read from both streams."""
    in_ci = type(toys)(toys.directory, {**toys.environment, "GITHUB_ACTIONS": "true"})
    lines: dict[str, list[int]] = {}
    for current in ("harmless.py", name):
        for path in toys.directory.glob("*.py"):
            path.unlink()
        (toys.directory / "trainlint.toml").write_text('exclude = ["old"]\n')
        for mode in MODES:
            (toys.directory / current).write_text("import torch\nsafe()\nunsafe()\ncrash()\n")
            result = in_ci(*mode, "--no-cache", current)
            assert CONTROL.findall(result.out + result.err) == [], mode
            assert not has_commands(result.out), mode
            assert not has_commands(result.err), mode
            lines.setdefault(current, []).append(result.out.count("\n") if "full" not in mode else 0)
            lines[current].append(result.err.count("\n"))
        result = in_ci("why", current)
        assert CONTROL.findall(result.out + result.err) == []
        assert not has_commands(result.out + result.err)
    assert lines["harmless.py"] == lines[name]


def test_settings_of_a_repository_forge_no_line(toys: Program, write: Write) -> None:
    write("train.py", "import torch\n")
    for text in ('"a\\n::error::b" = 1\n', 'select = ["x\\n::error::b"]\n', '"\\u001b[2J##[add-path]x" = 1\n'):
        write("trainlint.toml", text)
        for arguments in (("check",), ("check", "--show-settings"), ("why", "train.py")):
            result = toys(*arguments)
            assert result.code == 2
            assert CONTROL.findall(result.out + result.err) == []
            assert not has_commands(result.out)
            assert not has_commands(result.err)


DOCSTRING = '"""\n   ::stop-commands::x\n##[add-path]x """\n'


@pytest.mark.parametrize("service", ["GITHUB_ACTIONS", "TEAMCITY_VERSION", "TF_BUILD"])
def test_a_patch_that_would_be_a_command_is_kept_from_the_log(toys: Program, write: Write, service: str) -> None:
    write("evil.py", f"import torch\n{DOCSTRING}safe()\n")
    write("good.py", "import torch\nsafe()\n")
    exact = toys("check", "--diff")
    assert exact.code == 1
    assert "\n    ::stop-commands::x\n" in exact.out
    in_ci = type(toys)(toys.directory, {**toys.environment, service: "true"})("check", "--diff")
    assert in_ci.code == 2
    assert not has_commands(in_ci.out)
    assert "+++ b/good.py" in in_ci.out
    assert "could not judge evil.py: its patch is not shown" in in_ci.err
    full = type(toys)(toys.directory, {**toys.environment, service: "true"})("check", "--verbose")
    assert "?#[add-path]x" in full.out
    assert not has_commands(full.out)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=ascii)
def test_git_applies_the_patch_of_a_hostile_name(toys: Program, name: str) -> None:
    path = toys.directory / name
    path.write_text("import torch\nsafe()\n")
    patch = toys("check", "--diff")
    subprocess.run(["git", "apply"], cwd=toys.directory, input=patch.out.encode(), check=True)
    assert path.read_text() == "import torch\ncured()\n"


def test_a_harmless_patch_names_files_as_they_are() -> None:
    assert unified_difference("a b/größe.py", "a\n", "b\n").startswith("--- a/a b/größe.py\t\n+++ b/a b/größe.py\t\n")


class TestClosedStreams:
    """Exit codes mean what they always mean."""

    def run(self, program: Program, command: str) -> tuple[int, str]:
        line = " ".join(f"'{word}'" for word in program.command("check", "--no-cache"))
        done = subprocess.run(
            ["sh", "-c", f"{line} {command}"],
            cwd=program.directory,
            env=dict(program.environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.returncode, done.stderr

    @pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
    def test_a_closed_stream_changes_no_exit_code(self, toys: Program, write: Write, closed: str) -> None:
        train = write("train.py", "import torch\nsafe()\n")
        assert self.run(toys, closed) == (1, "")
        assert self.run(toys, f"-v --jobs 2 {closed}")[0] == 1
        assert train.read_text() == "import torch\nsafe()\n"
        assert self.run(toys, f"--fix {closed}") == (0, "")
        assert train.read_text() == "import torch\ncured()\n"
        write("broken.py", "f(\n")
        assert self.run(toys, closed) == (2, "")
        assert self.run(toys, f"-o report.txt {closed}")[0] == 2
        assert "could not judge broken.py" in Path(toys.directory, "report.txt").read_text()

    def test_code_from_a_closed_stream_is_not_clean(self, toys: Program) -> None:
        assert self.run(toys, "- <&-") == (
            2,
            "trainlint: standard input is closed, so there is no code to judge\n",
        )

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
    def test_help_that_cannot_be_written_is_no_success(self, program: Program) -> None:
        assert self.run(program, "--help >/dev/full")[0] == 2
