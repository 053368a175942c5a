"""Functions, classes and models that are handed over, wrapped, decorated and registered."""

from __future__ import annotations

import pytest

from tests.analysis.project.project import check, each_step

LOG = "def log(loss):\n    print(loss)  #= step\n"
UNUSED = "def log(loss):\n    print(loss)  #= unknown\n"
NET = """
    from torch import nn

    class Net(nn.Module):
        def forward(self, x):
            return x.relu()  #= step
"""


def wrapped(line: str) -> dict[str, str]:
    """A training script that wraps its model before it trains it."""
    return {
        "train.py": f"""
            import torch
            from accelerate import Accelerator
            from torch.nn.parallel import DistributedDataParallel as DDP
            from net import Net

            accelerator = Accelerator()
            model = Net()
            {line}
            for batch in train_loader:
                loss = model(batch)
                loss.backward()
        """,
        "net.py": NET,
    }


WRAPPED = {
    "to a device": wrapped("model = model.to(device)"),
    "on the graphics card": wrapped("model.cuda().train()"),
    "in parallel": wrapped("model = DDP(model, device_ids=[rank])"),
    "by its full name": wrapped("model = torch.nn.parallel.DistributedDataParallel(model.cuda())"),
    "compiled": wrapped("model = torch.compile(model)"),
    "compiled in place": wrapped("model.compile()"),
    "compiled where that is asked for": wrapped("model = torch.compile(model) if args.compile else model"),
    "prepared": wrapped("model, optimizer, loader = accelerator.prepare(model, optimizer, loader)"),
    "prepared alone": wrapped("model = accelerator.prepare(model)"),
    "prepared by DeepSpeed": wrapped("model, _, _, _ = deepspeed.initialize(args=args, model=model)"),
    "one after the other": wrapped("model = DDP(torch.compile(model.to(device)))"),
    "in another name": wrapped("net = model\nmodel = net".replace("\n", "; ")),
}


@pytest.mark.parametrize("files", WRAPPED.values(), ids=WRAPPED)
def test_a_wrapped_model_is_still_the_model(files: dict[str, str]) -> None:
    check(files)


PROJECTS: dict[str, dict[str, str]] = {
    "a network that many helpers of another file change and return": {
        "train.py": """
            from build import assemble

            network = assemble(options)
            for batch in train_loader:
                loss = network(batch)
                loss.backward()
        """,
        "build.py": """
            from change import fewer, quantised, smaller, with_adapters
            from net import Tower

            def assemble(options):
                network = Tower()
                if options.quantised:
                    network = quantised(network, options.bits)
                elif options.smaller:
                    network = smaller(network)
                if options.fewer:
                    network = fewer(kept=options.kept, net=network)
                for name in options.adapters:
                    network = with_adapters(network, name)
                return network
        """,
        "change.py": """
            def quantised(net, bits):
                for child in net.children():
                    quantised(child, bits)
                return net

            def smaller(net):
                net.eval()
                return net

            def fewer(net, kept):
                del net.layers[kept:]
                return net

            def with_adapters(net, name):
                setattr(net, name, adapter(net))
                return net
        """,
        "net.py": """
            from torch import nn

            class Tower(nn.Module):
                def forward(self, views):
                    return self.layers(views)  #= step
        """,
    },
    "parameters in a list that goes through a function of another file": {
        "train.py": """
            import helper

            def run(first, second):
                for each in helper.same([first, second]):
                    each()

            def log():
                print(loss)  #= inner

            for batch in train_loader:
                loss = model(batch)
                loss.backward()
                run(log, log)
        """,
        "helper.py": "def same(parts):\n    return parts\n",
    },
    "a model that a function wraps and hands back": {
        "train.py": """
            from build import wrap
            from net import Net

            model = wrap(Net())
            for batch in train_loader:
                loss = model(batch)
                loss.backward()
        """,
        "build.py": """
            from torch.nn.parallel import DistributedDataParallel

            def wrap(model):
                model = DistributedDataParallel(model.cuda())
                return model
        """,
        "net.py": NET,
    },
    "a function as an attribute": {
        "main.py": """
            from loop import Loop
            from logs import log

            Loop(on_loss=log).train(train_loader)
        """,
        "loop.py": """
            class Loop:
                def __init__(self, on_loss=None):
                    self.on_loss = on_loss

                def train(self, train_loader):
                    for batch in train_loader:
                        loss = self.model(batch)
                        loss.backward()
                        self.on_loss(loss)
        """,
        "logs.py": LOG,
    },
    "a bound method as an argument": {
        "main.py": """
            from loop import train
            from notes import Notes

            notes = Notes()
            train(notes.update, train_loader)
        """,
        "loop.py": """
            def train(callback, train_loader):
                for batch in train_loader:
                    loss = model(batch)
                    loss.backward()
                    callback(loss)
        """,
        "notes.py": "class Notes:\n    def update(self, loss):\n        print(loss)  #= step\n",
    },
    "a function with some arguments given": {
        "train.py": each_step(
            "from functools import partial\nfrom logs import log\nnote = partial(log, prefix='a')", "note(loss)"
        ),
        "logs.py": LOG,
    },
    "a class as an argument": {
        "main.py": """
            from loop import train
            from notes import Notes

            train(Notes, train_loader)
        """,
        "loop.py": """
            def train(factory, train_loader):
                notes = factory()
                for batch in train_loader:
                    loss = model(batch)
                    loss.backward()
                    notes.update(loss)
        """,
        "notes.py": "class Notes:\n    def update(self, loss):\n        print(loss)  #= step\n",
    },
    "callbacks in a list": {
        "main.py": """
            from loop import Loop
            from notes import Notes, Other

            Loop([Notes(), Other()]).train(train_loader)
        """,
        "loop.py": """
            class Loop:
                def __init__(self, callbacks):
                    self.callbacks = callbacks

                def train(self, train_loader):
                    for batch in train_loader:
                        loss = self.model(batch)
                        loss.backward()
                        for callback in self.callbacks:
                            callback.note(loss)
        """,
        "notes.py": """
            class Notes:
                def note(self, loss):
                    print(loss)  #= inner

            class Other:
                def note(self, loss):
                    print(loss)  #= inner
        """,
    },
    "a closure of another file": {
        "train.py": each_step("from make import make_log\nlog = make_log('a')", "log(loss)"),
        "make.py": """
            def make_log(prefix):
                def log(loss):
                    print(prefix, loss)  #= step
                return log
        """,
    },
    "a decorator of the project hides no function": {
        "train.py": each_step("from logs import log", "log(loss)"),
        "logs.py": """
            from timing import timed

            @timed
            def log(loss):
                print(loss)  #= step
        """,
        "timing.py": """
            import functools

            def timed(function):
                @functools.wraps(function)
                def wrapper(*args, **kwargs):
                    return function(*args, **kwargs)
                return wrapper
        """,
    },
    "a table of classes": {
        "train.py": each_step("from tables import build\nhelper = build(config)", "helper.update(loss)"),
        "tables.py": """
            from parts import One, Two

            TABLE = {"one": One, "two": Two}

            def build(config):
                return TABLE[config.name]()
        """,
        "parts.py": """
            class One:
                def update(self, loss):
                    print(loss)  #= step

            class Two:
                def update(self, loss):
                    print(loss)  #= step
        """,
    },
    "a table of functions in another file": {
        "train.py": each_step("from tables import LOSSES", "LOSSES[config.loss](loss)"),
        "tables.py": "from logs import log\n\nLOSSES = {'log': log}\n",
        "logs.py": LOG,
    },
    "one of two by a test": {
        "train.py": each_step(
            "from parts import One, Two\nhelper = One() if config.one else Two()", "helper.update(loss)"
        ),
        "parts.py": """
            class One:
                def update(self, loss):
                    print(loss)  #= step

            class Two:
                def update(self, loss):
                    print(loss)  #= step
        """,
    },
    "a function whose name is only mentioned": {
        "train.py": each_step("import logs\nprint(logs.log)"),
        "logs.py": UNUSED,
    },
}


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_functions_are_found_on_the_ways_they_are_handed(files: dict[str, str]) -> None:
    check(files)


def tower(name: str, heat: str) -> str:
    """A class of models."""
    return f"""
class {name}(nn.Module):
    def forward(self, x):
        return x.relu()  #= {heat}
"""


def handed_through(makes: str, trains: str, *, classes: int, heat: str = "step") -> dict[str, str]:
    """A script whose model is made by one of some classes and handed through functions that change it or return it."""
    return {
        "towers.py": "from torch import nn\n" + "".join(tower(f"Tower{number}", heat) for number in range(classes)),
        "make.py": makes,
        "wrap.py": """
            from torch.nn.parallel import DistributedDataParallel as DDP
            import deepspeed

            def place(args, model):
                if args.ddp:
                    model = DDP(model)
                return model, args.device

            def with_optimizer(args, model):
                optimizer = AdamW(model.parameters())
                if args.deepspeed:
                    model, optimizer, _, _ = deepspeed.initialize(model=model, optimizer=optimizer)
                return model, optimizer

            def freeze(args, model):
                if args.freeze:
                    model = model.requires_grad_(False)
                return model, args

            def cast(args, model):
                if args.half:
                    model = model.half()
                return model, args
        """,
        "train.py": """
            from make import make
            from wrap import cast, freeze, place, with_optimizer
            from loop import train

            def main(args):
                model, args = make(args)
                model, args = freeze(args, model)
                model, args = cast(args, model)
                model, device = place(args, model)
                model, optimizer = with_optimizer(args, model)
                train(model, optimizer, train_loader, device)

            main(args)
        """,
        "loop.py": trains,
    }


BY_TABLE = """
    from towers import Tower0, Tower1, Tower2

    TOWERS = {"a": Tower0, "b": Tower1, "c": Tower2}

    def make(args):
        model = build(args)
        return model, args

    def build(args):
        model = TOWERS[args.name](args.width)
        return model
"""
BY_BRANCH = """
    from towers import Tower0, Tower1, Tower2

    def make(args):
        if args.name == "a":
            model = Tower0(args.width)
        elif args.name == "b":
            model = Tower1(args.width)
        else:
            model = Tower2(args.width)
        return model, args
"""
BY_OTHERS = """
    from torch import nn
    from others import other_tower
    from towers import Tower0, Tower1

    def make(args):
        net = Tower0(args.width) if args.small else other_tower(args)
        return net, args
"""
OTHERS = """
    from towers import Tower1, Tower2

    def other_tower(args):
        return Tower1(args.width) if args.deep else Tower2(args.width)
"""
PLAIN_LOOP = """
    def train(model, optimizer, train_loader, device):
        for batch in train_loader:
            loss = model(batch)
            loss.backward()
            optimizer.step()
"""
LOOP_WITH_HELPER = """
    def train(model, optimizer, train_loader, device):
        for batch in train_loader:
            loss = compute(model, batch, device)
            loss.backward()
            optimizer.step()

    def compute(model, batch, device):
        found = model(batch, device)
        return found["loss"]
"""

HANDED_THROUGH = {
    "a table's class": handed_through(BY_TABLE, LOOP_WITH_HELPER, classes=3),
    "a branch's class": handed_through(BY_BRANCH, PLAIN_LOOP, classes=3),
    "what another file makes": handed_through(BY_OTHERS, LOOP_WITH_HELPER, classes=3) | {"others.py": OTHERS},
}


@pytest.mark.parametrize("files", HANDED_THROUGH.values(), ids=HANDED_THROUGH)
def test_a_model_is_known_however_many_functions_hand_it_on(files: dict[str, str]) -> None:
    check(files)
