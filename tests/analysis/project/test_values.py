"""What is a value that another file made? What files tell each other of arguments, results and attributes."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import marked, value_of
from tests.analysis.project.project import check, project
from trainlint.analysis.project.following import MOST_CALLERS
from trainlint.analysis.types.values import Home, Kind, Origin

PROJECTS: dict[str, dict[str, str]] = {
    "an argument": {
        "train.py": """
            import torch
            from work import use

            use(torch.zeros(3, device="cuda"), 3)
        """,
        "work.py": """
            def use(first, second):
                a = first  #= tensor device
                b = second  #= number
        """,
    },
    "a part of a batch that a method of another file takes out": {
        "train.py": """
            import torch
            from work import Work

            torch.nn.Linear(2, 2).cuda()
            for batch in torch.utils.data.DataLoader(data):
                Work().step(batch)
        """,
        "base.py": """
            class Base:
                def parts(self, data):
                    images = data["image"]
                    return images, data["label"], data["box_num"]
        """,
        "work.py": """
            from base import Base

            class Work(Base):
                def step(self, batch):
                    images, labels, count = self.parts(batch)
                    a = images  #= tensor host
                    b = labels  #= tensor host
                    c = count  #= anything
        """,
    },
    "a part of a batch that may be moved before it is handed on": {
        "train.py": """
            import torch
            from work import step

            for batch in torch.utils.data.DataLoader(data):
                step(batch)
        """,
        "model.py": """
            def forward(images):
                a = images  #= tensor chosen
        """,
        "work.py": """
            from model import forward

            def step(batch):
                images = batch["image"]
                if use_gpu:
                    images = images.cuda()
                forward(images)
        """,
    },
    "a sum over the values of a dict that a method of a module returns": {
        "net.py": """
            import torch

            class Net(torch.nn.Module):
                def losses(self, logits):
                    return {"fit": logits.mean(), "size": logits.pow(2).mean()}
        """,
        "train.py": """
            from meters import note
            from net import Net

            model = Net().cuda()
            for batch in train_loader:
                losses = model.losses(batch.cuda())
                note(sum(losses.values()), losses["fit"])
        """,
        "meters.py": """
            def note(total, part):
                a = total  #= tensor device
                b = part  #= tensor device
        """,
    },
    "a batch where scripts that show results make up something like one": {
        "train.py": """
            from torch.utils.data import DataLoader
            from work import use

            for batch in DataLoader(data):
                use(batch)
        """,
        "show.py": "import cv2\nfrom work import use\nimage = read(path)\nuse({'image': image.cuda()})\n",
        "demo.py": "from work import use\nuse({'image': image})\n",
        "work.py": """
            def use(batch):
                image = batch["image"]  #= tensor host
        """,
    },
    "a batch whose parts a function moves as far as they can be": {
        "move.py": """
            def on_device(batch, device):
                output = {}
                for key, value in batch.items():
                    try:
                        output[key] = value.to(device)
                    except AttributeError:
                        output[key] = value
                return output
        """,
        "train.py": """
            import torch
            from move import on_device
            from work import use

            device = torch.device("cuda")
            for batch in torch.utils.data.DataLoader(data):
                batch = on_device(batch, device)
                use(batch["prompt"])
        """,
        "work.py": """
            def use(prompts):
                a = prompts  #= tensor chosen
        """,
    },
    "a tensor that a function of another file copies to the host": {
        "copies.py": """
            def to_cpu(outputs):
                return outputs.detach().cpu()
        """,
        "train.py": """
            import torch
            from copies import to_cpu

            model = torch.nn.Linear(3, 3).cuda()
            for batch in train_loader:
                loss = model(batch.cuda()).sum()
                shown = to_cpu(loss)
                a = shown  #= tensor host
        """,
    },
    "arguments by keyword, with a default, after a star": {
        "train.py": """
            import torch
            from work import use

            use(*things, second=torch.zeros(3))
        """,
        "work.py": """
            def use(first, second, third=None):
                a = first  #= anything
                b = second  #= tensor
        """,
    },
    "arguments of methods": {
        "train.py": """
            import torch
            from work import Work

            work = Work(torch.zeros(3, device="cuda"))
            work.use(7)
            Work.make(torch.zeros(1))
            Work.note(torch.zeros(1))
        """,
        "work.py": """
            class Work:
                def __init__(self, start):
                    self.start = start  #= tensor device

                def use(self, size):
                    a = size  #= number
                    b = self.start  #= tensor device

                @classmethod
                def make(cls, given):
                    c = given  #= tensor

                @staticmethod
                def note(given):
                    d = given  #= tensor
        """,
    },
    "what most callers give": {
        "one.py": "import torch\nfrom work import use\nuse(torch.nn.Linear(2, 2))\n",
        "two.py": "import torch\nfrom work import use\nuse(torch.zeros(3))\nuse(torch.ones(3))\nuse(None)\n",
        "work.py": """
            def use(given):
                a = given  #= tensor host
        """,
    },
    "callers here and there": {
        "one.py": "import torch\nfrom work import use\nuse(torch.zeros(3, device='cuda'))\n",
        "work.py": """
            import torch

            def use(given):
                a = given  #= tensor unknown

            use(torch.zeros(3, device="cpu"))
        """,
    },
    "an argument that is handed on": {
        "train.py": "import torch\nfrom middle import middle\nmiddle(torch.zeros(3, device='cuda'))\n",
        "middle.py": "from work import use\ndef middle(given):\n    use(given)\n",
        "work.py": """
            def use(given):
                a = given  #= tensor device
        """,
    },
    "a result": {
        "train.py": """
            from work import made, count

            a = made()  #= tensor device
            b = count(a)  #= number
        """,
        "work.py": """
            import torch

            def made():
                return torch.zeros(3, device="cuda")

            def count(given):
                return len(given)
        """,
    },
    "a module that shows itself on the host, and that another file uses on the device": {
        "train.py": """
            import torch
            from work import Network

            network = Network().cuda()
            for images, labels in torch.utils.data.DataLoader(data):
                found = network(images.cuda())  #= tensor device
                _, best = found.max(1)
                a = best  #= tensor device
                b = network(torch.zeros(2))  #= tensor host
        """,
        "work.py": """
            import torch
            from torch import nn

            class Block(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layer = nn.Linear(2, 2)

                def forward(self, x):
                    return torch.relu(self.layer(x))

            class Network(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.first = Block()
                    self.last = nn.Linear(2, 2)

                def forward(self, x):
                    return self.last(self.first(x))

            def show():
                print(Network()(torch.randn(1, 2)).shape)
        """,
    },
    "a module of another file that is given what is made on the host": {
        "agent.py": """
            import torch
            from work import Network

            network = Network()
            near = network(torch.FloatTensor([1.0, 2.0]))  #= tensor host
            far = network(torch.zeros(2, device="cuda"))  #= tensor device
        """,
        "work.py": """
            import torch
            from torch import nn

            class Network(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.inner = nn.Linear(2, 2)

                def forward(self, x):
                    return torch.relu(self.inner(x))
        """,
    },
    "results by their places": {
        "train.py": """
            from work import both

            first, second = both()
            a = first  #= tensor device
            b = second  #= number
            c = both()[1]  #= number
        """,
        "work.py": """
            import torch

            def both():
                return torch.zeros(3, device="cuda"), 3
        """,
    },
    "results within results": {
        "train.py": """
            from work import both

            (first, second), third = both()
            a = first  #= tensor device
            b = second  #= number
            c = third  #= tensor host
        """,
        "work.py": """
            import torch

            def both():
                return (torch.zeros(3, device="cuda"), 3), torch.zeros(3)
        """,
    },
    "results that other files know, by their places": {
        "train.py": """
            from one import both

            first, (second, third) = both()
            a = first  #= tensor device
            b = second  #= number
            c = third  #= tensor host
        """,
        "one.py": "from two import inner, more\ndef both():\n    return inner(), (3, more())\n",
        "two.py": """
            import torch

            def inner():
                return torch.zeros(3, device="cuda")

            def more():
                return torch.zeros(3)
        """,
    },
    "one result, or two": {
        "train.py": """
            from work import received

            first, second = received(True)
            a = first  #= tensor device
            b = second  #= anything
            only = received(False)
            c = only  #= tensor device
        """,
        "work.py": """
            import torch

            def received(more):
                first = torch.zeros(3, device="cuda")
                if more:
                    return first, Handles()
                return first
        """,
    },
    "one result, or two, of yet another file": {
        "train.py": """
            from work import received

            first, second = received(True)
            a = first  #= tensor device
            b = second  #= anything
        """,
        "work.py": """
            from buffers import fresh

            def received(more):
                first = fresh()
                if more:
                    return first, Handles()
                return first
        """,
        "buffers.py": "import torch\ndef fresh():\n    return torch.zeros(3, device='cuda')\n",
    },
    "a result of a result": {
        "train.py": "from one import outer\na = outer()  #= tensor device\n",
        "one.py": "from two import inner\ndef outer():\n    return inner()\n",
        "two.py": "import torch\ndef inner():\n    return torch.zeros(3, device='cuda')\n",
    },
    "what a function hands back is what this very call gave it": {
        "train.py": """
            import torch
            from work import same

            a = same(torch.zeros(3, device="cuda"))  #= tensor device
            b = same(torch.zeros(3))  #= tensor host
            c = same(7)  #= number
        """,
        "work.py": """
            def same(given):
                print(given)
                return given
        """,
    },
    "a method's result": {
        "train.py": """
            from work import Work

            work = Work()
            a = work.made()  #= tensor device
            b = Work().made()  #= tensor device
        """,
        "work.py": """
            import torch

            class Work:
                def made(self):
                    return torch.zeros(3, device="cuda")
        """,
    },
    "an attribute of a base class": {
        "mine.py": """
            from base import Base

            class Mine(Base):
                def use(self):
                    a = self.start  #= tensor device
                    b = self.size  #= number
        """,
        "base.py": """
            import torch

            class Base:
                size = 3

                def __init__(self):
                    self.start = torch.zeros(3, device="cuda")
        """,
    },
    "a result of a base class's method": {
        "mine.py": """
            from base import Base

            class Mine(Base):
                def use(self):
                    a = self.made()  #= tensor device
                    b = super().made()  #= tensor device
        """,
        "base.py": """
            import torch

            class Base:
                def made(self):
                    return torch.zeros(3, device="cuda")
        """,
    },
    "a module from a factory": {
        "train.py": """
            from nets import build

            thing = build("resnet")
            a = thing  #= module
        """,
        "nets.py": """
            from torch import nn

            class Net(nn.Module):
                pass

            def build(name):
                return Net()
        """,
    },
    "a loader from a factory": {
        "train.py": """
            from data import build

            for images, labels in build("train"):
                a = images  #= tensor host
        """,
        "data.py": """
            from torch.utils.data import DataLoader

            def build(split):
                return DataLoader(split, pin_memory=True)
        """,
    },
    "a generator's call is none of what it yields, but something to iterate": {
        "train.py": "from work import numbers\na = numbers()  #= container\nfor b in a:\n    b  #= number\n",
        "work.py": "def numbers():\n    yield 1\n",
    },
    "what a function computes of arguments that it was given before": {
        "train.py": """
            import torch
            from functools import partial
            from work import shifted

            compute = partial(shifted, torch.zeros(3, device="cuda"))
            y = compute()
            y  #= anything
        """,
        "work.py": """
            import torch

            def shifted(x):
                return torch.zeros(3) + x
        """,
    },
    "a helper that computes what the caller gave it": {
        "train.py": """
            import torch
            from work import accuracy

            for batch in train_loader:
                score = accuracy(model(batch.cuda()), batch.cuda())
                a = score  #= tensor device
        """,
        "work.py": """
            def accuracy(output, target):
                return (output.argmax(1) == target).float().mean()
        """,
    },
}


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_values_are_known_across_files(files: dict[str, str]) -> None:
    check(files)


def test_files_that_work_together_share_a_device() -> None:
    together = {
        "train.py": "from net import forward\nmodel.cuda()\n",
        "net.py": "for batch in train_loader:\n    a = model(batch)  #= tensor device\n",
    }
    check(together)
    apart = {
        "train.py": "model.cuda()\n",
        "net.py": "for batch in train_loader:\n    a = model(batch)  #= tensor host\n",
    }
    check(apart)


@pytest.mark.parametrize(("calls", "expected"), [(MOST_CALLERS, "number"), (MOST_CALLERS + 1, "anything")])
def test_a_helper_that_everybody_calls_is_left_alone(calls: int, expected: str) -> None:
    check(
        {
            "train.py": "from work import use\n" + "use(3)\n" * calls,
            "work.py": f"def use(given):\n    a = given  #= {expected}\n",
        }
    )


def test_tests_tell_nothing_of_the_values_they_pass() -> None:
    check(
        {
            "tests/test_work.py": "import torch\nfrom mine.work import use\nuse(torch.zeros(3))\n",
            "mine/__init__.py": "",
            "mine/work.py": "def use(given):\n    a = given  #= anything\n",
        }
    )


def test_what_is_told_holds_no_pointers() -> None:
    found = project(
        {
            "train.py": "from work import pair, use\nfirst, second = pair(thing)\nuse((first, [second]))\n",
            "work.py": (
                "import torch\ndef pair(x):\n    return [x], (torch.zeros(2), x)\ndef use(given):\n    return given\n"
            ),
        }
    )
    told = [
        value
        for outside in found.facts_by_file.values()
        for facts in (outside.arguments, outside.returned, outside.attributes)
        for value in facts.values()
    ]
    assert told
    assert all("AccessPath" not in repr(value) for value in told)


READER = "def read(given):\n    print(given.mean())\n"
EXPORT = "import torch\nfrom work import read\nread(torch.zeros(3))\n"
TRAIN = "from work import read\nfor batch in train_loader:\n    read(batch)\n"
BY_HELPER = """
from work import read

def step(given):
    read(given)

for batch in train_loader:
    step(batch)
"""
PARTS = "from work import read\nfor number, (batch, target) in enumerate(train_loader):\n    read(batch)\n"
MAJORITIES = {
    "two loops and an export": ({"a.py": TRAIN, "b.py": TRAIN, "export.py": EXPORT}, Origin.BATCH),
    "handed on by a helper": ({"a.py": BY_HELPER, "b.py": TRAIN, "export.py": EXPORT}, Origin.BATCH),
    "a part of a batch": ({"a.py": PARTS, "b.py": TRAIN, "export.py": EXPORT}, Origin.BATCH),
    "as many examples as batches": ({"a.py": TRAIN, "export.py": EXPORT}, Origin.OTHER),
    "more examples than batches": ({"a.py": TRAIN, "export.py": EXPORT, "again.py": EXPORT}, Origin.OTHER),
}


@pytest.mark.parametrize(("callers", "origin"), MAJORITIES.values(), ids=MAJORITIES)
def test_a_parameter_is_a_batch_where_most_callers_pass_one(callers: dict[str, str], origin: Origin) -> None:
    model = project(callers | {"work.py": READER}).models["work.py"]
    place = model.outline.calls["mean"][0]
    assert isinstance(place.node, ast.Call)
    assert isinstance(place.node.func, ast.Attribute)
    found = model.kinds.of(place.node.func.value, place.block)
    assert (found.kind, found.home, found.origin) == (Kind.TENSOR, Home.HOST, origin)


READING = {
    "train.py": """
        from norms import norm_of

        norm = norm_of([], 2)  #= known
    """,
    "norms.py": """
        from work import made

        def norm_of(rows, kind):
            total = made()
            if kind == 2:
                {}
            return total
    """,
    "work.py": """
        import torch

        def made():
            return torch.zeros(3, device="cuda")
    """,
}


@pytest.mark.parametrize(
    ("step", "sure"), [("total = total.item()", False), ("total = float(total)", False), ("total = total * 2", True)]
)
def test_what_a_file_made_a_number_is_no_sure_tensor(step: str, sure: bool) -> None:
    files = {path: code.replace("{}", step) for path, code in READING.items()}
    model = project(files).models["train.py"]
    ((statement, block, _),) = marked(model)
    value = model.kinds.of(value_of(statement), block)
    assert (value.is_tensor and value.confidence > 0.5) is sure
