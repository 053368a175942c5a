"""However large or tangled a project is, linking does a bounded amount of work. Work is counted, not timed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from tests.analysis.project.project import Project, alone, linked, project
from trainlint.analysis.project import hierarchy
from trainlint.analysis.project.following import Follower
from trainlint.analysis.project.hierarchy import Hierarchy
from trainlint.analysis.project.summarise import summarise

LOOP = "for batch in train_loader:\n    loss = model(batch)\n    loss.backward()\n"


class Work:
    """How often the parts of linking that all others wait for were run."""

    def __init__(self) -> None:
        """Nothing was run yet."""
        self.followed = 0
        self.given = 0


@contextmanager
def counted() -> Iterator[Work]:
    """Count looks at access paths."""
    work = Work()
    start, value = Follower._follow, Follower.value

    def count_pointer(*given: Any) -> Any:
        work.followed += 1
        return start(*given)

    def count_value(*given: Any) -> Any:
        work.given += 1
        return value(*given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Follower, "_follow", count_pointer)
        patch.setattr(Follower, "value", count_value)
        yield work


def count_linking(files: Mapping[str, str]) -> tuple[Project, Work]:
    """Link a project, and count the work of linking alone: not that of summarising the files or judging them."""
    models = alone(files)
    summaries = {path: summarise(model) for path, model in models.items()}
    texts = {path: model.source.text for path, model in models.items()}
    with counted() as work:
        outsides = linked(summaries, texts)
    told = {path: model.with_context(outsides[path]) for path, model in models.items()}
    return Project(told, summaries, outsides), work


@pytest.mark.nightly
@pytest.mark.slow
def test_three_thousand_functions_in_circles_over_thirty_files() -> None:
    count, files = 3000, 30
    home = [number % files for number in range(count)]
    lines: list[list[str]] = [[f"import m{other}" for other in range(files)] for _ in range(files)]
    for number in range(count):
        calls = [(number * factor + 1) % count for factor in (1, 7, 13)]
        lines[home[number]].append(f"def f{number}(x):")
        lines[home[number]] += [f"    m{home[called]}.f{called}(x)" for called in calls]
    sources = {f"m{number}.py": "\n".join(text) + "\n" for number, text in enumerate(lines)}
    sources["train.py"] = "import m0\n" + LOOP + "    m0.f0(loss)\n"
    _, work = count_linking(sources)
    assert work.followed < 40 * count


@pytest.mark.nightly
@pytest.mark.slow
def test_one_file_of_ten_thousand_functions() -> None:
    count = 10_000
    many = "\n".join(f"def f{number}(x):\n    return f{number + 1}(x)" for number in range(count))
    _, work = count_linking(
        {
            "many.py": f"{many}\ndef f{count}(x):\n    return x\n",
            "train.py": "from many import f0, f9\n" + LOOP + "    f0(loss)\n    f9(loss)\n",
        }
    )
    assert work.followed < 20 * count


@pytest.mark.nightly
@pytest.mark.slow
def test_star_imports_in_a_circle() -> None:
    count = 30
    sources = {
        f"m{number}.py": f"from m{(number + 1) % count} import *\nfrom m{(number * 7 + 3) % count} import *\n"
        for number in range(count)
    }
    sources["m17.py"] += "def log(loss):\n    print(loss)\n"
    calls = "".join(f"    log(loss)\n    missing{number}(loss)\n" for number in range(50))
    _, work = count_linking(sources | {"train.py": "from m0 import *\n" + LOOP + calls})
    assert work.followed < 1000 * count


def test_a_deep_hierarchy_of_classes() -> None:
    count = 200
    sources = {"c0.py": "class C0:\n    def work(self):\n        self.part()\n\n    def part(self):\n        pass\n"}
    for number in range(1, count):
        above = number - 1
        body = f"    def part(self):\n        super().part()\n        self.a{number} = {number}\n"
        sources[f"c{number}.py"] = f"from c{above} import C{above}\nclass C{number}(C{above}):\n{body}"
    last = count - 1
    sources["train.py"] = f"from c{last} import C{last}\nthing = C{last}()\n" + LOOP + "    thing.work()\n"
    found, work = count_linking(sources)
    assert len(found.facts_by_file[f"c{last}.py"].bases[f"C{last}"]) == last
    assert work.followed < 100 * count


@pytest.mark.nightly
@pytest.mark.slow
def test_a_helper_that_is_called_twenty_thousand_times() -> None:
    count = 20_000
    sources = {"helper.py": "def helper(x):\n    return x\n"}
    for number in range(10):
        calls = "    helper(x)\n" * (count // 10)
        sources[f"m{number}.py"] = f"from helper import helper\ndef f(x):\n{calls}"
    sources["train.py"] = "from helper import helper\n" + LOOP + "    helper(loss)\n"
    found, work = count_linking(sources)
    assert not found.facts_by_file["helper.py"].arguments
    assert work.followed < 10 * count


def test_results_that_grow_with_each_function() -> None:
    count = 60
    lines = ["def f0():", "    return 1, 2"]
    for number in range(1, count):
        lines += [f"def f{number}():", f"    return f{number - 1}(), (f{number - 1}(), f{number - 1}())"]
    inside = "\n".join(lines) + "\n"
    sources = {"many.py": inside, "use.py": f"from many import f{count - 1}\na, b = f{count - 1}()\n"}
    for number in range(1, count):
        other = f"g{number - 1}"
        sources[f"g{number}.py"] = (
            f"from {other} import {other}\ndef g{number}():\n    return {other}(), ({other}(), 1)\n"
        )
    sources["g0.py"] = "def g0():\n    return g0(), 1\n"
    sources["more.py"] = f"from g{count - 1} import g{count - 1}\nx, y = g{count - 1}()\n"
    found, work = count_linking(sources)
    assert work.followed < 1000 * count
    assert max(len(repr(outside)) for outside in found.facts_by_file.values()) < 200_000


def test_functions_that_hand_each_other_on() -> None:
    count = 200
    sources = {
        f"h{number}.py": f"import h{(number + 1) % count}\ndef h(f, g):\n    h{(number + 1) % count}.h(g, f)\n    f()\n"
        for number in range(count)
    }
    sources["train.py"] = "import h0\ndef one():\n    pass\n\ndef two():\n    pass\n\n" + LOOP + "    h0.h(one, two)\n"
    _, work = count_linking(sources)
    assert work.followed < 200 * count


@pytest.mark.parametrize("circle", [False, True], ids=["in a row", "in a circle"])
def test_a_function_that_is_handed_on_a_thousand_times(circle: bool) -> None:
    count = 1000
    lines = [f"def f{number}(g):\n    g()\n    f{number + 1}(g)\n" for number in range(count)]
    lines.append(f"def f{count}(g):\n    g()\n    {'f0(g)' if circle else ''}\n")
    train = "from many import f0\n\ndef log():\n    print()\n\n" + LOOP + "    f0(log)\n"
    _, work = count_linking({"many.py": "".join(lines), "train.py": train})
    assert work.given < 10 * count


def test_a_class_from_which_a_thousand_derive() -> None:
    count, calls = 1000, 200
    base = "class Base:\n    def work(self):\n        return self(self.size)\n"
    base += "".join(f"    def f{number}(self):\n        return self(self.work()).size\n" for number in range(calls))
    many = "from base import Base\n" + "".join(
        f"class C{number}(Base):\n    def forward(self, x):\n        self.size = {number}\n        return self.f0()\n"
        for number in range(count)
    )
    train = "from many import C7\nmodel = C7()\n" + LOOP + "    model.work()\n"
    _, work = count_linking({"base.py": base, "many.py": many, "train.py": train})
    assert work.followed < 20 * (count + calls)


def test_a_file_that_imports_itself() -> None:
    found = project({"me.py": "import me\nfrom me import *\nfrom me import f as g\ndef f(x):\n    me.f(g(x))\n"})
    assert found.facts_by_file["me.py"].gradients_off.keys() <= {"f"}


def test_a_chain_of_classes_is_linked_in_time_linear_in_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    bases = Hierarchy.bases

    def counting(*given: Any) -> Any:
        nonlocal asked
        asked += 1
        return bases(*given)

    monkeypatch.setattr(hierarchy, "_MOST_ANCESTORS", 5)
    monkeypatch.setattr(Hierarchy, "bases", counting)
    chain = "".join(f"class C{number + 1}(C{number}): pass\n" for number in range(300))
    count_linking({"train.py": LOOP + chain})
    assert asked < 300 * 10
