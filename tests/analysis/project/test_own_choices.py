"""Which code runs only if somebody chooses otherwise than the project itself does: by an option, by a name?"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import pytest

from tests.analysis.project.project import project

MAIN = """
    import argparse
    import torch
    from work import *

    def main():
        parser = argparse.ArgumentParser()
        parser.add_argument("--sampler", default="uniform")
        parser.add_argument("--weigh", action="store_true")
        args = parser.parse_args()
        model = torch.nn.Linear(3, 3)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        kept = start(args, model)
        for step, batch in enumerate(train_loader):
            loss = model(batch).sum()
            loss.backward()
            optimizer.step()
            each_step(args, kept, step, loss)

    if __name__ == "__main__":
        main()
"""
SAMPLERS = """
    class Sampler:
        def draw(self):
            pass
    class Uniform(Sampler):
        def __init__(self, model):
            pass
    class Aware(Sampler):
        def update(self, loss):
            loss.item()
    class SecondMoment(Aware):
        def __init__(self, model):
            pass
    def named(name, model):
        if name == "uniform":
            return Uniform(model)
        elif name == "loss-second-moment":
            return SecondMoment(model)
        raise ValueError(name)
    def start(args, model):
        return named(args.sampler, model)
    def each_step(args, kept, step, loss):
        if isinstance(kept, Aware):
            kept.update(loss)
        kept.draw()
"""
CONDITIONAL = """
    class Aware:
        def __init__(self, model):
            pass
        def update(self, loss):
            loss.item()
    def start(args, model):
        return Aware(model) if args.sampler == "loss-aware" else None
    def each_step(args, kept, step, loss):
        if kept is not None:
            kept.update(loss)
"""
TABLE = """
    class Small:
        def draw(self):
            pass
    class Large:
        def grow(self):
            pass
    KINDS = {{"uniform": Small, "large": Large}}
    def start(args, model):
        if args.sampler not in KINDS:
            raise ValueError(", ".join(KINDS))
        return {read}()
    def each_step(args, kept, step, loss):
        kept.draw()
        kept.grow()
"""
WEIGHED = """
    def start(args, model):
        pass
    def each_step(args, kept, step, loss):
        if {test}:
            reweigh(loss)
    def due(step, every):
        return step % every == 0
    def reweigh(loss):
        loss.item()
"""
LOADERS = """
    def start(args, model):
        return load(args.path{given})
    def load(path, in_order=False):
        if in_order:
            loader = as_listed(path)
        else:
            loader = shuffled(path)
        return loader
    def as_listed(path):
        return path
    def shuffled(path):
        return path
    def each_step(args, kept, step, loss):
        {more}
"""
REGISTRY = """
    NETS = Registry("nets")
    class Layer:
        def forward(self, x):
            return x
    @NETS.register()
    class Small:
        def __init__(self, width):
            pass
    @NETS.register("large")
    class Large:
        def __init__(self, width):
            self.layer = Layer()
        def grow(self):
            pass
    def start(args, model):
        return NETS.get(args.net)(3)
    def each_step(args, kept, step, loss):
        kept.grow()
"""
PROGRAMS = """
    def start(args, model):
        if args.weigh:
            fit(model)
    def fit(model):
        for batch in train_loader:
            spread(model(batch).sum()).backward()
    def spread(loss):
        return loss
    def each_step(args, kept, step, loss):
        pass
"""
CONFIGURED = """
    from detectron2.config import configurable
    class Layer:
        def __init__(self, before=False):
            self.before = before
        def start(self, x):
            if self.before:
                return self.first(x)
            return self.last(x)
        def first(self, x):
            return x
        def last(self, x):
            return x
    class Tower:
        @configurable
        def __init__(self, width, *, pre_norm: bool, head):
            self.layer = Layer(before=pre_norm)
            self.head = head
        @classmethod
        def from_config(cls, cfg, width):
            found = {}
            found["pre_norm"] = cfg.MODEL.PRE_NORM
            found["head"] = Head()
            return found
        def start(self, x):
            return self.head.score(self.layer.start(x))
    class Head:
        def score(self, x):
            return x
    def start(cfg, model):
        cfg.MODEL.PRE_NORM = False
        return Tower(cfg, 3).start(model)
    def each_step(args, kept, step, loss):
        pass
"""
UNPACKED = """
    class Tower:
        def __init__(self, kind="plain"):
            self.kind = kind
        def grow(self, x):
            if self.kind == "cape":
                further(x)
    def further(x):
        pass
    def start(args, model):
        return Tower(**args.tower)
    def each_step(args, kept, step, loss):
        kept.grow(loss)
"""
DECLARED_BY_DICT = """
    import argparse
    def add_dict(parser, values):
        for name, value in values.items():
            parser.add_argument(f"--{name}", default=value)
    def options():
        values = dict(kind="uniform", rate=0.1)
        parser = argparse.ArgumentParser()
        add_dict(parser, values)
        return parser.parse_args()
    def start(args, model):
        args = options()
        if args.kind == "other":
            further(model)
    def further(model):
        pass
    def each_step(args, kept, step, loss):
        pass
"""
OPTIMIZERS = """
    from torch.optim import SGD, Optimizer
    class Slow(Optimizer):
        def __init__(self, params):
            super().__init__(params, {})
        def step(self):
            for group in self.param_groups:
                for p in group["params"]:
                    p.data.add_(p.grad, alpha=-0.1)
    def start(args, model):
        if args.sampler == "slow":
            return Slow(model.parameters())
        return SGD(model.parameters(), 0.1)
    def each_step(args, kept, step, loss):
        kept.zero_grad()
        loss.backward()
        kept.step()
"""
LEFT: dict[str, tuple[str, dict[str, str], set[str]]] = {
    "a class that only an option builds": (
        SAMPLERS,
        {},
        {"Aware.update", "SecondMoment.__init__"},
    ),
    "an optimizer that only an option builds": (OPTIMIZERS, {}, {"Slow.__init__", "Slow.step"}),
    "a class that only a conditional expression builds": (
        CONDITIONAL,
        {},
        {"Aware.__init__", "Aware.update"},
    ),
    "an entry of a table that an option does not choose": (
        TABLE.format(read="KINDS[args.sampler]"),
        {},
        {"Large.grow"},
    ),
    "an entry of a table that is written out where it is read": (
        TABLE.format(read='{"uniform": Small, "large": Large}[args.sampler]').replace(
            'KINDS = {"uniform": Small, "large": Large}', 'KINDS = ["uniform", "large"]'
        ),
        {},
        {"Large.grow"},
    ),
    "what is called behind an option that is off": (
        WEIGHED.replace("{test}", "args.weigh"),
        {},
        {"reweigh"},
    ),
    "a branch for which no call asks": (
        LOADERS.replace("{given}", "").replace("{more}", "pass"),
        {},
        {"as_listed"},
    ),
    "a branch that all calls leave out": (
        LOADERS.replace("{given}", ", True").replace("{more}", "pass"),
        {},
        {"shuffled"},
    ),
    "a class of a registry that no configuration names": (
        REGISTRY,
        {"conf/small.yaml": "net: Small\n"},
        {"Large.__init__", "Large.grow", "Layer.forward"},
    ),
    "what a class is not configured for": (CONFIGURED, {}, {"Layer.first"}),
    "what a dict of options that a call unpacks does not ask for": (
        UNPACKED,
        {"conf/tower.yaml": "tower:\n  kind: sine\n"},
        {"further"},
    ),
    "an option that a dict declares": (DECLARED_BY_DICT, {}, {"further"}),
    "an option that is read with what it is otherwise": (
        WEIGHED.replace("{test}", "args.get('decay', 0) > 0"),
        {},
        {"reweigh"},
    ),
}
RUN: dict[str, tuple[str, dict[str, str]]] = {
    "a class that a launch script asks for": (SAMPLERS, {"run.sh": "python main.py --sampler loss-second-moment\n"}),
    "an entry of a table that a launch script chooses": (
        TABLE.format(read="KINDS[args.sampler]"),
        {"run.sh": "python main.py --sampler large\n"},
    ),
    "entries of a table that the code goes through": (
        TABLE.format(read="[each() for each in KINDS.values()], KINDS[args.sampler]"),
        {},
    ),
    "what a dict of options that a call unpacks asks for": (UNPACKED, {"conf/tower.yaml": "tower:\n  kind: cape\n"}),
    "what an unknown dict that a call unpacks may ask for": (UNPACKED, {}),
    "entries of a table that the run chooses among": (TABLE.format(read="KINDS[model.kind]"), {}),
    "what runs where a call passes what may be None": (
        LOADERS.replace("{given}", ", args.order")
        .replace("if in_order:", "if in_order is None:")
        .replace("{more}", "pass"),
        {},
    ),
    "what happens now and then as well": (WEIGHED.replace("{test}", "args.weigh or step % 100 == 0"), {}),
    "what a helper answers now and then": (WEIGHED.replace("{test}", "due(step, 100)"), {}),
    "what an unknown option decides": (WEIGHED.replace("{test}", "args.unknown"), {}),
    "an option of the machine": (WEIGHED.replace("{test}", "args.use_amp"), {}),
    "a branch for which a call asks in another place": (
        LOADERS.replace("{given}", "").replace("{more}", "load(args.path, in_order=True)"),
        {},
    ),
    "a branch of a function whose calls are not all known": (
        LOADERS.replace("{given}", "").replace("{more}", "kept.load(args.path, in_order=True)"),
        {},
    ),
    "a branch of a function that is handed over": (
        LOADERS.replace("{given}", "").replace("{more}", "kept.run(load)"),
        {},
    ),
    "classes of a registry, where no configuration names any": (REGISTRY, {"conf/small.yaml": "width: 3\n"}),
    "classes of a registry that configurations name": (
        REGISTRY,
        {"conf/small.yaml": "net: Small\n", "conf/large.yaml": "net: large\n"},
    ),
    "a training of its own": (PROGRAMS, {}),
}


def unchosen(code: str, shipped: Mapping[str, str], main: str = MAIN) -> set[str]:
    """The functions of `work.py` that run, but not by what the project chooses."""
    files = {"main.py": textwrap.dedent(main), "work.py": textwrap.dedent(code)}
    found = project(files, shipped)
    model = found.models["work.py"]
    dead = {item.qualified_name for item in model.outline.functions if model.reachability.is_unreferenced(item.body)}
    return {key for key in found.facts_by_file["work.py"].unchosen if "?" not in key} - dead


@pytest.mark.parametrize(("code", "shipped", "expected"), LEFT.values(), ids=LEFT)
def test_what_a_project_does_not_choose(code: str, shipped: dict[str, str], expected: set[str]) -> None:
    assert unchosen(code, shipped) == expected


@pytest.mark.parametrize(("code", "shipped"), RUN.values(), ids=RUN)
def test_what_a_project_may_choose(code: str, shipped: dict[str, str]) -> None:
    assert unchosen(code, shipped) - {"shuffled"} == set()


def test_options_of_configargparse_are_options() -> None:
    left = unchosen(SAMPLERS, {}, main=MAIN.replace("parser.add_argument", "parser.add"))
    assert left == {"Aware.update", "SecondMoment.__init__"}


def test_nothing_is_known_where_no_program_is_in_sight() -> None:
    assert unchosen(SAMPLERS, {}, main=MAIN.replace('if __name__ == "__main__":', "if False:")) == set()


def test_classes_that_configurations_name_by_their_paths_are_chosen() -> None:
    main = MAIN.replace("start(args, model)", "instantiate(args.net)").replace(
        "import torch", "import torch\n    from hydra.utils import instantiate"
    )
    code = SAMPLERS.replace("return named(args.sampler, model)", "pass")
    left = unchosen(code, {"conf/net.yaml": "_target_: kit.parts.of.a.package.with.a.long.name.SecondMoment\n"}, main)
    assert "SecondMoment.__init__" not in left
    assert "Uniform.__init__" in left


def test_what_stands_in_such_a_branch() -> None:
    code = WEIGHED.replace("{test}", "args.weigh")
    files = {"main.py": textwrap.dedent(MAIN), "work.py": textwrap.dedent(code)}
    model = project(files).models["work.py"]
    branches = [block for block in model.outline.blocks if block.test is not None]
    assert [model.reachability.is_unchosen(block) for block in branches] == [True]
    functions = {item.name: model.reachability.is_unchosen(item.body) for item in model.outline.functions}
    assert functions == {"start": False, "each_step": False, "due": True, "reweigh": True}


def test_what_makes_the_arguments_of_a_constructor_runs_without_being_named() -> None:
    """detectron2 calls it, and with it runs all that it builds."""
    code = textwrap.dedent(CONFIGURED)
    without = code.replace("    @configurable\n", "")
    for text, expected in ((code, set()), (without, {"Tower.from_config", "Head.score"})):
        model = project({"main.py": textwrap.dedent(MAIN), "work.py": text}, {}).models["work.py"]
        dead = {
            item.qualified_name for item in model.outline.functions if model.reachability.is_unreferenced(item.body)
        }
        assert dead == expected
