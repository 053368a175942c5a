"""Edited texts in the place of files: in a real Python process each, on real files that must not change."""

import importlib.util
import py_compile
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from trainlint_probe.compared import edited

INSTALL = """
import sys
from pathlib import Path
from trainlint_probe.compared import edited
opened = edited.install({path: Path(text).read_bytes() for path, text in zip(sys.argv[1::2], sys.argv[2::2])})
sys.path.insert(0, ".")
"""


def python(program: str, directory: Path, edits: dict[str, str]) -> list[str]:
    """The lines that a program prints, with other texts in the place of some files of a directory."""
    words = []
    for number, (name, text) in enumerate(edits.items()):
        new = directory.parent / f"new{number}"
        new.write_text(text, encoding="utf-8")
        words += [str((directory / name).resolve()), str(new)]
    before = {path: path.read_bytes() for path in directory.rglob("*.py")}
    whole = INSTALL + textwrap.dedent(program)
    ended = subprocess.run(
        [sys.executable, "-c", whole, *words], cwd=directory, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert {path: path.read_bytes() for path in directory.rglob("*.py")} == before
    return ended.stdout.splitlines()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    (directory / "parts").mkdir(parents=True)
    (directory / "parts" / "__init__.py").write_text("WHAT = 'old package'\n")
    (directory / "parts" / "data.py").write_text("from pathlib import Path\nWHAT = 'old data'\n")
    (directory / "data.py").write_text("WHAT = 'another data'\n")
    return directory


NEW_DATA = "from pathlib import Path\n# one line more\nWHAT = 'new data'\nHERE = Path(__file__).parent.name\n"


def test_a_module_runs_from_the_edited_text_under_its_own_name(project: Path) -> None:
    lines = python("import parts.data as data; print(data.WHAT, data.HERE)", project, {"parts/data.py": NEW_DATA})
    assert lines == ["new data parts"]


def test_a_package_is_edited_as_well(project: Path) -> None:
    lines = python("import parts; print(parts.WHAT)", project, {"parts/__init__.py": "WHAT = 'new package'"})
    assert lines == ["new package"]


def test_another_file_of_the_same_name_is_left_alone(project: Path) -> None:
    lines = python("import data; print(data.WHAT, *opened)", project, {"parts/data.py": NEW_DATA})
    assert lines == ["another data"]


def test_what_was_loaded_is_told(project: Path) -> None:
    lines = python("import parts.data; print(*opened)", project, {"parts/data.py": NEW_DATA})
    assert lines == [str(project / "parts" / "data.py")]


def test_bytecode_of_the_old_text_is_neither_read_nor_replaced(project: Path) -> None:
    kept = Path(importlib.util.cache_from_source(str(project / "parts" / "data.py")))
    py_compile.compile(str(project / "parts" / "data.py"), doraise=True)
    old = kept.read_bytes()
    lines = python("import parts.data; print(parts.data.WHAT)", project, {"parts/data.py": NEW_DATA})
    assert lines == ["new data"]
    assert kept.read_bytes() == old


def test_no_bytecode_of_the_new_text_is_left_behind(project: Path) -> None:
    python("import parts.data", project, {"parts/data.py": NEW_DATA})
    assert not list(project.rglob("data*.pyc"))


def test_a_module_that_is_loaded_by_its_path_is_edited_as_well(project: Path) -> None:
    program = """
    import importlib.util
    spec = importlib.util.spec_from_file_location("anything", "parts/data.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    print(module.WHAT)
    """
    assert python(program, project, {"parts/data.py": NEW_DATA}) == ["new data"]


def test_a_path_through_a_link_leads_to_the_same_file(project: Path) -> None:
    (project / "linked").symlink_to(project / "parts", target_is_directory=True)
    lines = python("import linked.data; print(linked.data.WHAT)", project, {"parts/data.py": NEW_DATA})
    assert lines == ["new data"]


def test_tracebacks_and_inspect_show_the_text_that_runs(project: Path) -> None:
    new = "import inspect\n\n\n\n\ndef fails():\n    raise ValueError('edited')\n"
    program = """
    import inspect, traceback, parts.data
    print(inspect.getsource(parts.data.fails).splitlines()[0])
    try:
        parts.data.fails()
    except ValueError:
        print([frame.line for frame in traceback.extract_tb(sys.exc_info()[2])][-1])
    """
    lines = python(program, project, {"parts/data.py": new})
    assert lines == ["def fails():", "raise ValueError('edited')"]


SCRIPT = """
import multiprocessing
import sys
from parts import data

def work(number):
    return (number, "old script", data.WHAT)

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(*pool.map(work, [1])[0], work(0)[1])
"""


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_worker_processes_run_the_edited_texts_too(project: Path, way: str) -> None:
    (project / "train.py").write_text(SCRIPT)
    program = f"""
    from trainlint_probe import script
    script.run(script.find("train.py", module=False), ["{way}"])
    """
    edits = {"train.py": SCRIPT.replace("old script", "new script"), "parts/data.py": NEW_DATA}
    assert python(program, project, edits) == ["1 new script new data new script"]


def test_a_module_that_is_run_by_its_name_is_edited_as_well(project: Path) -> None:
    (project / "parts" / "train.py").write_text("from . import data\nprint('old script', data.WHAT, __name__)\n")
    program = """
    from trainlint_probe import script
    script.run(script.find("parts.train", module=True), [])
    """
    edits = {"parts/train.py": "from . import data\nprint('new script', data.WHAT, __name__)\n"}
    assert python(program, project, edits) == ["new script old data __main__"]


def test_a_path_below_one_directory_is_found_below_the_other(tmp_path: Path) -> None:
    project, other = str(tmp_path), str(tmp_path / "before")
    assert edited.below(f"{project}/src", project, other) == f"{other}/src"
    assert edited.below(f"{other}/src", project, other) == f"{other}/src"
    assert edited.below("/usr/lib", project, other) == "/usr/lib"
