"""Files of any length, each with much of one thing: twice as much of it should be twice the work, and no more."""

from __future__ import annotations

from collections.abc import Callable

HEAD = """\
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda")

"""

Growing = Callable[[int], str]


def _lines(line: str, count: int) -> str:
    """A line, or several, for each number up to `count`; `@` is the number, `<` the one before."""
    numbered = (line.replace("@", str(number)).replace("<", str(number - 1)) for number in range(1, count + 1))
    return "".join(text if text.endswith("\n") else text + "\n" for text in numbered)


def functions(count: int) -> str:
    body = """\
def f@(x, y=None):
    z = x * 2 + torch.ones(3)
    if y is not None:
        z = z + y
    return z.item()

"""
    return HEAD + _lines(body, count)


def calls_in_a_row(count: int) -> str:
    body = "def f@(x):\n    y = f<(x)\n    return y + 1\n\n"
    return f"{HEAD}def f0(x):\n    return x\n\n{_lines(body, count)}for batch in loader:\n    f{count}(batch).item()\n"


def calls_in_a_circle(count: int) -> str:
    body = "def f@(x):\n    f<(x)\n    g(x)\n    return x.item()\n\n"
    end = "def g(x):\n    f0(x)\n\nfor b in loader:\n    g(b)\n"
    return f"{HEAD}def f0(x):\n    f{count}(x)\n\n{_lines(body, count)}{end}"


def calls_in_a_loop(count: int) -> str:
    body = "        v@ = model.part@(x, scale=@)\n        print(v@.item())\n"
    return f"{HEAD}def train(model, loader):\n    for x in loader:\n        x = x.to(device)\n{_lines(body, count)}"


def calls_of_one_function(count: int) -> str:
    start = "def helper(x, k=None):\n    return x.mean().item()\n\ndef train(loader):\n    for x in loader:\n"
    return HEAD + start + _lines("        v@ = helper(x, @)\n", count)


def classes(count: int) -> str:
    body = """\
class M@(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 4)
        self.b = nn.Conv2d(4, 4, 3)
        self.c = nn.BatchNorm2d(4)

    def forward(self, x):
        return self.c(self.b(self.a(x))).cpu()

"""
    return HEAD + _lines(body, count)


def derived_classes(count: int) -> str:
    start = """\
class M0(nn.Module):
    def forward(self, x):
        return self.step(x)

    def step(self, x):
        return x

"""
    return (
        HEAD + start + _lines("class M@(M<):\n    def step(self, x):\n        return super().step(x).item()\n\n", count)
    )


def one_long_class(count: int) -> str:
    start = "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    layers = _lines("        self.l@ = nn.Linear(3, 3)\n", count)
    method = "\n    def m@(self, x):\n        y = self.l@(x)\n        return self.m<(y) if y.sum() > 0 else y\n"
    return f"{HEAD}{start}{layers}\n    def m0(self, x):\n        return x\n{_lines(method, count)}"


def attributes(count: int) -> str:
    made = _lines("        self.v@ = model.v@\n", count)
    used = _lines("            self.v@ = self.v@ + self.model(b).item()\n", count)
    start = "class T:\n    def __init__(self, model):\n        self.model = model\n"
    return f"{HEAD}{start}{made}    def run(self):\n        for b in self.loader:\n{used}"


def loops(count: int) -> str:
    body = """\
    for i@, b in enumerate(loader):
        loss = model(b)
        loss.backward()
        total = loss.item()
"""
    return f"{HEAD}def train(model, loader):\n{_lines(body, count)}"


def training_functions(count: int) -> str:
    body = """\
def main@(model, loader):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        print(loss.item())

"""
    return HEAD + _lines(body, count)


def long_if_chain(count: int) -> str:
    start = "def pick(name, x):\n    if name == 'a':\n        y = x.cpu()\n"
    return HEAD + start + _lines("    elif name == 'n@':\n        y = x.to('cuda')\n", count) + "    return y\n"


def early_returns(count: int) -> str:
    body = "    if name == 'n@':\n        return x.to(device)\n"
    return f"{HEAD}def pick(name, x):\n{_lines(body, count)}    return x.item()\n"


def branches_that_add(count: int) -> str:
    body = "    if name == 'n@':\n        y = y + x.to(device)\n"
    return f"{HEAD}def pick(name, x):\n    y = x\n{_lines(body, count)}    return y.item()\n"


def guarded_prints(count: int) -> str:
    body = "        if args.flag@ and args.step % (@ + 1) == 0:\n            print(b.item())\n"
    return f"{HEAD}def f(args, loader):\n    for b in loader:\n{_lines(body, count)}"


def assignments_to_one_name(count: int) -> str:
    body = "        y = model(y)\n        y = y + @\n"
    return f"{HEAD}def f(model, loader):\n    for x in loader:\n        y = x\n{_lines(body, count)}        y.item()\n"


def unpackings(count: int) -> str:
    sums = " + ".join(f"a{number}" for number in range(1, count + 1))
    return f"{HEAD}def f(x):\n{_lines('    a@, b@ = x.split(@)', count)}    return {sums}\n"


def parameters(count: int) -> str:
    names = [f"p{number}" for number in range(1, count + 1)]
    body = _lines("    if p@ is not None:\n        print(p@.item())\n", count)
    taken, given = (", ".join(f"{name}={value}" for name in names) for value in ("None", "b"))
    return f"{HEAD}def f({taken}):\n{body}for b in loader:\n    f({given})\n"


def long_dict(count: int) -> str:
    body = _lines("    'key@': nn.Linear(3, @),\n", count)
    return f"{HEAD}TABLE = {{\n{body}}}\nfor b in loader:\n    for key in TABLE:\n        TABLE[key](b).item()\n"


def long_list(count: int) -> str:
    return f"{HEAD}layers = [\n{_lines('    nn.Linear(@, 3, bias=True),', count)}]\nmodel = nn.Sequential(*layers)\n"


def long_sequential(count: int) -> str:
    body = _lines("    nn.Conv2d(3, 3, 3), nn.BatchNorm2d(3), nn.ReLU(),\n", count)
    return f"{HEAD}model = nn.Sequential(\n{body})\n"


def long_sum(count: int) -> str:
    return f"{HEAD}def f(x):\n    return " + " + ".join(f"x{number}.item()" for number in range(count)) + "\n"


def long_method_chain(count: int) -> str:
    return f"{HEAD}def f(x):\n    return x{'.relu()' * count}\n"


def deep_calls(count: int) -> str:
    return f"{HEAD}y = {'f(' * count}x{')' * count}\n"


def deep_blocks(count: int) -> str:
    body = "".join(f"{'    ' * number}if x > {number}:\n" for number in range(1, count + 1))
    return f"{HEAD}def f(x):\n{body}{'    ' * (count + 1)}print(x.item())\n"


def module_values(count: int) -> str:
    made = _lines("v@ = torch.ones(@).to(device)\n", count)
    return HEAD + made + _lines("print(v@.item())\n", count)


def imports(count: int) -> str:
    return HEAD + _lines("from torch.nn import Linear as L@\n", count) + _lines("m@ = L@(3, 4)\n", count)


def evaluations(count: int) -> str:
    body = "    with torch.no_grad():\n        for x in loader:\n            model(x).cpu()\n"
    return f"{HEAD}def f(model, loader):\n{_lines(body, count)}"


def handlers(count: int) -> str:
    body = "    try:\n        a = model(loader)\n    except ValueError:\n        a = None\n"
    return f"{HEAD}def f(model, loader):\n{_lines(body, count)}    return a.item()\n"


def lambdas(count: int) -> str:
    return f"{HEAD}{_lines('g@ = lambda x: x.item()', count)}for b in loader:\n{_lines('    g@(b)', count)}"


def methods_of_one_name(count: int) -> str:
    made = _lines("class C@:\n    def step(self, x):\n        return x.item()\n\n", count)
    return f"{HEAD}{made}def run(o, loader):\n    for b in loader:\n{_lines('        o.step(b)', count)}"


def texts(count: int) -> str:
    return f"{HEAD}def f(x):\n" + _lines("    print('@ %s' % x, f'{x} @')\n", count)


def ignored_lines(count: int) -> str:
    return f"{HEAD}for x in loader:\n" + _lines("    model(x).item()  # trainlint: ignore[TRN201]\n", count)


_STEP = f"{HEAD}for b in loader:\n    loss = model(b)\n    loss.backward()\n"


def reads_in_a_step(count: int) -> str:
    return _STEP + _lines("    x@ = loss.item()", count)


def reads_in_a_list(count: int) -> str:
    return f"{_STEP}    values = [{', '.join(['loss.item()'] * count)}]\n"


def reads_in_a_test(count: int) -> str:
    return f"{_STEP}    if {' or '.join(f'loss.item() > {number}' for number in range(count))}:\n        pass\n"


def losses_of_evaluations(count: int) -> str:
    body = """\
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        total += loss.item()
"""
    return f"{HEAD}def evaluate(model, loader):\n    model.eval()\n{_lines(body, count)}"


GROWING: tuple[Growing, ...] = (
    functions,
    calls_in_a_row,
    calls_in_a_circle,
    calls_in_a_loop,
    calls_of_one_function,
    classes,
    derived_classes,
    one_long_class,
    attributes,
    loops,
    training_functions,
    long_if_chain,
    early_returns,
    branches_that_add,
    guarded_prints,
    assignments_to_one_name,
    unpackings,
    parameters,
    long_dict,
    long_list,
    long_sequential,
    long_sum,
    long_method_chain,
    deep_calls,
    deep_blocks,
    module_values,
    imports,
    evaluations,
    handlers,
    lambdas,
    methods_of_one_name,
    texts,
    ignored_lines,
    reads_in_a_step,
    reads_in_a_list,
    reads_in_a_test,
    losses_of_evaluations,
)
