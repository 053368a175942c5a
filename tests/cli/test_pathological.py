"""Files that nobody writes by hand: each is judged wholly or named as a failure, and none is waited for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

HEAD = "import torch\n"
LOOP = "for batch in loader:\n"


def lines(text: str, times: int) -> str:
    return "".join(text.format(i=index, j=index + 1) for index in range(times))


PYTHON = {
    "one line of a hundred thousand numbers": f"x = [{'1, ' * 100_000}]\n",
    "one line of statements": lines("y{i} = torch.zeros({i}).cuda(); ", 600) + "\n",
    "one text of a megabyte": f"x = '{'a' * 1_000_000}'\n",
    "an endless sum": f"x = {'+'.join(['a'] * 100_000)}\n",
    "tables": "TABLE = {\n" + lines("    'key{i}': [{i}, {j}],\n", 5_000) + "}\n",
    "functions that call each other": lines("def f{i}(x):\n    y = f{j}(x)\n    return torch.add(x, y)\n", 600),
    "classes": lines(
        "class M{i}(torch.nn.Module):\n    def forward(self, x):\n        return M{j}()(x).relu().item()\n", 200
    ),
    "one class that inherits from the last": "class M0: pass\n"
    + lines("class M{j}(M{i}):\n    def m{j}(self, x):\n        return self.m{i}(x)\n", 200),
    "a long step": LOOP + lines("    x = model(batch) + {i}\n    v{i} = x.item()\n", 300),
    "many loops": lines(LOOP + "    loss{i} = model(batch)\n    loss{i}.backward()\n    opt.step()\n", 100),
    "one name": LOOP + "    x = batch.cuda()\n" + "    x = x + model(x)\n" * 500 + "    x.item()\n",
    "a long ladder": "def f(k, x):\n    if k == 0:\n        return x\n"
    + lines("    elif k == {j}:\n        return x.cuda().item()\n", 200),
    "a ladder too long for Python": "if k == 0:\n    x = 1\n" + lines("elif k == {j}:\n    x = {j}\n", 5000),
    "functions within functions": "".join(f"{' ' * depth}def f{depth}(x):\n" for depth in range(90)) + " " * 90 + "x\n",
    "calls within calls": f"x = {'f(' * 90}torch.zeros(1){')' * 90}.item()\n",
    "calls in a chain": f"x = torch.zeros(1){'.add(1)' * 150}.item()\n",
    "calls in a chain too long for Python": f"x = torch.zeros(1){'.add(1)' * 5000}.item()\n",
    "attributes of attributes": f"x = torch{'.a' * 400}.item()\n",
    "brackets in brackets": f"x = {'[' * 150}torch{']' * 150}\n",
    "comments that silence nothing": "# trainlint: ignore[TRN201]\n" * 1000,
    "empty lines": "\n" * 300_000,
    "minified": lines("def a{i}(b,c):\n e=b if c else{{}};f=[g for g in e];return torch.cat(f).cuda()\n", 400),
    "formatted texts": lines("x{i} = f'{{a}} {{torch.zeros({i}).item():.3f}} {{b!r}}'\n", 500),
    "names from everywhere": lines("from torch.m{i} import n{i}\n", 1000) + lines("n{i}(1)\n", 1000),
    "NUL": "x = 1\n\0\0\0\n",
}


def test_each_is_judged_or_named(program: Program, write: Write) -> None:
    write("trainlint.toml", "file-time-limit = 1\n")
    for index, text in enumerate(PYTHON.values()):
        write(f"file{index:02}.py", HEAD + text)
    write("noise.py", HEAD.encode() + bytes(range(256)) * 1000)
    write("wide.py", HEAD.encode("utf-16"))
    write("train.py", HEAD + LOOP + "    loss = model(batch)\n    loss.backward()\n")
    one = program("check", "--output-format", "json", "--jobs", "1", "--exit-zero")
    report = json.loads(one.out)
    # Of what takes too many steps to execute, the rest is not executed: the file is named, and judged all the same.
    cut_short = {failure["path"] for failure in report["failures"] if "is not wholly known" in failure["reason"]}
    failed = {failure["path"] for failure in report["failures"]} - cut_short
    assert report["counts"]["files"] == len(PYTHON) + 3 - len(failed)
    assert {"noise.py", "wide.py"} <= failed
    assert "train.py" not in failed
    assert (one.code, one.err) == (2, "")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_endless_work_is_given_up_and_says_in_which_rule(toys: Program, write: Write, jobs: str) -> None:
    write("trainlint.toml", "file-time-limit = 0.2\n")
    write("a.py", "spin()  # torch\n")
    write("b.py", "import torch\nsafe()\n")
    result = toys("check", "--jobs", jobs, "--output-format", "json")
    report = json.loads(result.out)
    assert result.code == 2
    (failure,) = report["failures"]
    assert (failure["path"], failure["reason"]) == (
        "a.py",
        "it took more than 0.2 s of processor time (last in the rule TOY201) and was given up; exclude it, or raise "
        "`file-time-limit`",
    )
    assert [finding["path"] for finding in report["findings"]] == ["b.py"]
    assert report["counts"]["files"] == 1


def test_so_is_a_text_on_standard_input(toys: Program, write: Write) -> None:
    write("trainlint.toml", "file-time-limit = 0.2\n")
    result = toys("check", "-", "--stdin-filename", "a.py", stdin=b"spin()  # torch\n")
    assert result.code == 2
    assert "a.py: it took more than 0.2 s" in result.out


def test_native_code_that_does_not_come_back_costs_its_file(toys: Program, write: Write) -> None:
    write("trainlint.toml", "file-time-limit = 0.2\n")
    write("a.py", "sink()  # torch\n")
    write("b.py", "import torch\nsafe()\n")
    result = toys("check", "--jobs", "2", "--output-format", "concise")
    assert result.code == 2
    assert "a.py: it took longer than `file-time-limit` allows" in result.out
    assert "b.py:2:1" in result.out


TRAINER = "per_device_train_batch_size: 8\n"
BOMB = (
    TRAINER
    + "a: &a [x, x, x, x]\n"
    + "".join(
        f"{name}: &{name} [{', '.join([f'*{last}'] * 9)}]\n" for last, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
)
SETTINGS = {
    "bomb.yaml": (BOMB, "aliases stand for more than"),
    "itself.yaml": (TRAINER + "a: &a [*a, *a]\n", "nested too deeply"),
    "deep.yaml": (TRAINER + f"a: {'[' * 3000}{']' * 3000}\n", "nested too deeply"),
    "deep.json": ('{"zero_optimization": ' + "[" * 5000 + "]" * 5000 + "}", "nested too deeply"),
    "large.yaml": (TRAINER + lines("key{i}: 1\n", 20_000), "larger than 100 kB"),
    "large.json": ('{"zero_optimization": {}, "x": [' + "1, " * 2_000_000 + "1]}", "larger than 100 kB"),
}


@pytest.mark.parametrize(("name", "text", "why"), [(name, *case) for name, case in SETTINGS.items()], ids=SETTINGS)
def test_settings_that_nobody_wrote_are_named(program: Program, write: Write, name: str, text: str, why: str) -> None:
    write(name, text)
    result = program("check", name, "--output-format", "concise")
    assert result.code == 2
    assert result.out.startswith(f"could not judge {name}: it")
    assert why in result.out


def test_data_that_is_no_settings_is_nobody_s_failure(program: Program, write: Write) -> None:
    write("config.json", '{"x": [' + "1, " * 2_000_000 + "1]}")
    write("train.py")
    assert program("check", "config.json", "train.py").code == 0
