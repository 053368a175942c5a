"""Which loops of other files go through a loader, and do they do so again and again?"""

from __future__ import annotations

import textwrap

import pytest

from tests.analysis.project.project import project
from trainlint.analysis.programs.loader_uses import LoaderUse
from trainlint.analysis.programs.steps import LoopKind
from trainlint.finding import Heat

BUILDER = """
    from torch.utils.data import DataLoader

    def build_feed(cfg):
        return DataLoader(cfg.data, batch_size=cfg.batch)
"""
ENGINE = """
    class Engine:
        def __init__(self, feed):
            self.feed = feed

        def epoch(self):
            for views in self.feed:
                loss = self.net(views.cuda())
                loss.backward()

        def fit(self):
            for _ in range(9):
                self.epoch()
"""

WAYS: dict[str, dict[str, str]] = {
    "as an argument of the constructor": {
        "engine.py": ENGINE,
        "main.py": "from data import build_feed\nfrom engine import Engine\nEngine(build_feed(cfg)).fit()\n",
    },
    "as an attribute that a function of the other file builds": {
        "engine.py": "    from data import build_feed\n"
        + ENGINE.replace("(self, feed)", "(self, cfg)").replace("= feed\n", "= build_feed(cfg)\n").lstrip("\n"),
        "main.py": "from engine import Engine\nEngine(cfg).fit()\n",
    },
    "in a tuple": {
        "engine.py": ENGINE,
        "main.py": """
            from engine import Engine
            from feeds import both

            feed, other = both(cfg)
            Engine(feed).fit()
        """,
        "feeds.py": """
            from data import build_feed

            def both(cfg):
                return build_feed(cfg), None
        """,
    },
    "in a dict": {
        "engine.py": ENGINE,
        "main.py": """
            from data import build_feed
            from engine import Engine

            feeds = {"fit": build_feed(cfg)}
            Engine(feeds["fit"]).fit()
        """,
    },
    "in a dict of loaders, one for each phase": {
        "engine.py": ENGINE.replace("self.feed = feed", "self.loaders = feed").replace(
            "self.feed:", 'self.loaders["train"]:'
        ),
        "main.py": """
            from data import build_feed
            from engine import Engine

            feeds = {}
            for phase in ("train", "val"):
                feeds[phase] = build_feed(cfg)
            Engine(feeds).fit()
        """,
    },
    "prepared by a framework": {
        "engine.py": ENGINE,
        "main.py": """
            from data import build_feed
            from engine import Engine

            feed = accelerator.prepare(build_feed(cfg))
            Engine(feed).fit()
        """,
    },
}


@pytest.mark.parametrize("files", WAYS.values(), ids=WAYS)
def test_a_loop_of_another_file_is_known_where_the_loader_is_built(files: dict[str, str]) -> None:
    told = project({"data.py": BUILDER, **files}).facts_by_file["data.py"].loader_uses
    (uses,) = told.values()
    lines = textwrap.dedent(files["engine.py"]).split("\n")
    (line,) = [number for number, text in enumerate(lines, 1) if text.startswith("        for views in ")]
    expected = LoaderUse("engine.py", line, LoopKind.STEP, Heat.STEP, again=True, copies=True, function="epoch")
    assert uses == (expected,)


COPYING: dict[str, str] = {
    "a method that keeps parts of the batch": """
        class Net:
            def take(self, batch):
                views = batch["views"]
                self.views = views.to(self.device)
    """,
    "a method that hands the batch to a function": """
        def on_device(batch, device):
            return {name: part.to(device) for name, part in batch.items()}

        class Net:
            def take(self, batch):
                self.batch = on_device(batch, self.device)
    """,
}
KEEPING: dict[str, str] = {
    "a method that copies something else": """
        class Net:
            def take(self, batch):
                self.net = self.net.to(self.device)
    """,
    "a method that changes the type": """
        import torch

        class Net:
            def take(self, batch):
                self.views = batch["views"].to(torch.float32)
    """,
}
LOOP = """
    from data import build_feed
    from net import Net

    net, feed = Net(), build_feed(cfg)
    for epoch in range(9):
        for views in feed:
            net.take(views)
            net.loss().backward()
"""


@pytest.mark.parametrize(
    ("net", "copies"),
    [(net, copies) for ways, copies in ((COPYING, True), (KEEPING, False)) for net in ways.values()],
    ids=[*COPYING, *KEEPING],
)
def test_batches_are_copied_where_a_function_that_is_handed_them_does_so(net: str, copies: bool) -> None:
    loop = textwrap.dedent(LOOP)
    told = project({"data.py": BUILDER, "net.py": net, "main.py": loop}).facts_by_file["data.py"].loader_uses
    assert [use.copies for uses in told.values() for use in uses] == [copies]


def test_a_single_pass_is_not_repeated() -> None:
    loop = "from data import build_feed\nfor views in build_feed(cfg):\n    net(views).backward()\n"
    (uses,) = project({"data.py": BUILDER, "main.py": loop}).facts_by_file["data.py"].loader_uses.values()
    assert [use.again for use in uses] == [False]


def test_a_loader_that_each_epoch_builds_anew_is_not_gone_through_again() -> None:
    loop = """
        from data import build_feed

        for epoch in range(9):
            for views in build_feed(cfg):
                net(views).backward()
    """
    (uses,) = project({"data.py": BUILDER, "main.py": loop}).facts_by_file["data.py"].loader_uses.values()
    assert [use.again for use in uses] == [False]


def test_loops_over_other_things_of_the_file_are_no_uses() -> None:
    files = {
        "data.py": BUILDER + "\n    def names():\n        return ['a']\n",
        "main.py": "from data import names\nfor x in names():\n    print(x)\n",
    }
    assert project(files).facts_by_file["data.py"].loader_uses == {}


SYSTEM = """
    import pytorch_lightning as pl

    class System(pl.LightningModule):
        def __init__(self, net, feed, checks=None):
            super().__init__()
            self.net = net
            self.feed = feed
            self.checks = checks

        def training_step(self, views, number):
            return self.net(views)

        def train_dataloader(self):
            return self.feed

        def val_dataloader(self):
            return self.checks
"""
LIGHTNING: dict[str, tuple[dict[str, str], LoopKind]] = {
    "as the loader of the training": (
        {"main.py": "from data import build_feed\nfrom system import System\nfit(System(net, build_feed(cfg)))\n"},
        LoopKind.STEP,
    ),
    "as the loader of the evaluation": (
        {"main.py": "from data import build_feed\nfrom system import System\nSystem(net, 0, checks=build_feed(cfg))\n"},
        LoopKind.EVAL,
    ),
    "to a class that derives from the module in another file": (
        {
            "main.py": "from data import build_feed\nfrom own import Own\nfit(Own(net, build_feed(cfg)))\n",
            "own.py": """
                from system import System

                class Own(System):
                    def training_step(self, views, number):
                        return self.net(views).sum()
            """,
        },
        LoopKind.STEP,
    ),
    "by a function that builds the module": (
        {
            "main.py": "from data import build_feed\nfrom make import make\nfit(make(cfg, build_feed(cfg)))\n",
            "make.py": """
                from system import System

                def make(cfg, loader):
                    return System(cfg.net, feed=loader)
            """,
        },
        LoopKind.STEP,
    ),
}


@pytest.mark.parametrize(("files", "kind"), LIGHTNING.values(), ids=LIGHTNING)
def test_lightning_goes_through_what_a_hook_of_another_file_returns(files: dict[str, str], kind: LoopKind) -> None:
    told = project({"data.py": BUILDER, "system.py": SYSTEM, **files}).facts_by_file["data.py"].loader_uses
    (uses,) = told.values()
    assert {(use.path, use.kind, use.again, use.copies, use.framework) for use in uses} == {
        ("system.py", kind, True, True, "Lightning")
    }


def test_the_hook_of_a_class_that_is_not_of_lightning_is_no_use() -> None:
    plain = SYSTEM.replace("pl.LightningModule", "Base").replace(
        "import pytorch_lightning as pl", "from mine import Base"
    )
    main = "from data import build_feed\nfrom system import System\nfit(System(net, build_feed(cfg)))\n"
    assert project({"data.py": BUILDER, "system.py": plain, "main.py": main}).facts_by_file["data.py"].loader_uses == {}


def test_each_of_many_scripts_gives_the_same_loop_its_own_loader() -> None:
    script = """
        from torch.utils.data import DataLoader
        from engine import Engine

        Engine(DataLoader(images, batch_size=8)).fit()
    """
    scripts = {f"train_{number}.py": script for number in range(30)}
    told = project({"engine.py": ENGINE, **scripts}).facts_by_file
    assert all(len(told[name].loader_uses) == 1 for name in scripts)
