"""What is known of data loaders: their options, their datasets, which batches are theirs and where those go."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model, marked, value_of
from trainlint.analysis.effects.creations import Content, creation
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import argument
from trainlint.analysis.types.loaders import Loader
from trainlint_rules.data.idioms.datasets import Items, items_of
from trainlint_rules.sync.idioms.copies import Memory, memory_of

IMPORTS = """
import torch
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset
from torchvision import datasets

"""


def only_loader(code: str) -> tuple[SemanticModel, Loader]:
    model = file_model(IMPORTS + code)
    (loader,) = model.loaders.built.values()
    return model, loader


OPTIONS = {
    "DataLoader(rows, 8)": "left out",
    "DataLoader(rows, num_workers=4)": "4",
    "DataLoader(rows, 8, True, None, None, 2)": "2",
    "DataLoader(*parts)": "out of sight",
    "DataLoader(rows, **options)": "out of sight",
    "options = dict(batch_size=8)\nDataLoader(rows, **options)": "left out",
    "options = {'num_workers': 3}\nDataLoader(rows, **options)": "3",
    "common = {'num_workers': 3}\nDataLoader(rows, **dict(common, shuffle=True))": "3",
    "common = {'num_workers': 3}\noptions = {**common, 'shuffle': True}\nDataLoader(rows, **options)": "3",
    "options = {}\nif fast:\n    options['num_workers'] = 6\nDataLoader(rows, **options)": "6",
    "options = {}\nif fast:\n    options.update(num_workers=6)\nDataLoader(rows, **options)": "6",
    "options = {}\nmore = {'num_workers': 6}\noptions.update(more)\nDataLoader(rows, **options)": "6",
    "options = {}\nfill(options)\nDataLoader(rows, **options)": "out of sight",
    "options = {}\nprint(options['batch_size'])\nDataLoader(rows, **options)": "left out",
    "options = {}\noptions.update(shuffle=True)\nDataLoader(rows, **options)": "left out",
    "options = {}\noptions.setdefault('num_workers', 2)\nDataLoader(rows, **options)": "out of sight",
    "options = {}\nif 'shuffle' in options:\n    pass\nDataLoader(rows, **options)": "left out",
    "options = {name: 1 for name in names}\nDataLoader(rows, **options)": "out of sight",
}


@pytest.mark.parametrize("code", OPTIONS)
def test_options_are_read_where_the_file_writes_them_out(code: str) -> None:
    model, loader = only_loader(code)
    option = model.loaders.option(loader, "num_workers")
    written = ast.unparse(option.value) if option.value is not None else None
    assert (written or ("out of sight" if option.given else "left out")) == OPTIONS[code]


@pytest.mark.parametrize(
    "statement",
    ["from torch_geometric.loader import DataLoader", "from data import DataLoader", "class DataLoader: ...", "pass"],
)
def test_another_class_of_that_name_is_no_loader_of_pytorch(statement: str) -> None:
    assert not file_model(f"{statement}\nDataLoader(rows)").loaders.built


ITEM = """
class Rows(Dataset):
    def __getitem__(self, i):
        return {}

rows = Rows()
"""
ROUNDS = """
class Rows(IterableDataset):
    def __iter__(self):
        {}

rows = Rows()
"""
ITEMS = {
    "rows = TensorDataset(x, y)": Items.MEMORY,
    "rows = [1, 2, 3]": Items.MEMORY,
    "rows = TensorDataset(x.to('cuda'), y.cuda())": Items.DEVICE,
    "rows = datasets.MNIST('data')": Items.WORK,
    "rows = Subset(datasets.MNIST('data'), range(10))": Items.WORK,
    "rows, rest = torch.utils.data.random_split(datasets.MNIST('data'), [9, 1])": Items.WORK,
    "rows = table.map(tokenize)['train']": Items.TABLE,
    "rows = replay_buffer": Items.MEMORY,
    "rows = Played(agent.buffer, 200)": Items.MEMORY,
    "rows = WikiText2()": Items.MEMORY,
    "rows = Builder(MockDataset, [100]).build()[0]": Items.MEMORY,
    "rows = Images(root, RandomCrop(32))": Items.UNKNOWN,
    ROUNDS.format("yield torch.randn(8)"): Items.MEMORY,
    ROUNDS.format("yield from open(self.name)"): Items.UNKNOWN,
    ROUNDS.format("yield from self.rows"): Items.UNKNOWN,
    "rows = elsewhere(args)": Items.UNKNOWN,
    ITEM.format("open(self.names[i]).read()"): Items.WORK,
    ITEM.format("self.x[i], self.y[i]"): Items.MEMORY,
    ITEM.format("torch.as_tensor(self.x[i]).to(device)"): Items.DEVICE,
}


@pytest.mark.parametrize("code", ITEMS)
def test_what_an_item_costs_shows_in_how_its_dataset_is_made(code: str) -> None:
    model, loader = only_loader(f"{code}\nDataLoader(rows)")
    dataset = argument(loader.call, "dataset", 0)
    assert dataset is not None
    assert items_of(model, dataset, loader.block) is ITEMS[code]


SOURCES = """
import torch
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, loader):
        self.loader = loader

    def fit(self):
        for step, (inputs, targets) in enumerate(tqdm(self.loader)):
            parts = [part for part in inputs]  #= pinned
            first = targets[0]  #= pinned


def evaluate(loader):
    for batch in loader:
        moved = {name: value for name, value in batch.items()}  #= pageable


def build():
    pinned = DataLoader(rows, pin_memory=True)
    plain = DataLoader(rows)
    return pinned, plain


def main(others):
    pinned, plain = build()
    Trainer(pinned).fit()
    evaluate(plain)
    item = next(iter(plain))  #= pageable
    for batch in others:
        batch = batch.float()  #= unknown
"""


def test_a_batch_is_followed_to_the_loader_that_it_comes_from() -> None:
    model = file_model(SOURCES)
    for statement, block, said in marked(model):
        value = value_of(statement)
        if isinstance(value, ast.ListComp | ast.DictComp):
            block = model.outline.loop_blocks[value.generators[0]]
            value = value.elt if isinstance(value, ast.ListComp) else value.value
        site = Site(model, Place(value, block, statement))
        assert memory_of(site, value) is Memory[said.upper()], ast.unparse(statement)


def test_a_framework_that_prepares_a_loader_moves_its_batches() -> None:
    model, loader = only_loader("loader = DataLoader(rows)\nmodel, loader = accelerator.prepare(model, loader)\n")
    assert model.batches.prepared(loader)
    model, loader = only_loader("loader = DataLoader(rows)\nprepare_plots(loader)\n")
    assert not model.batches.prepared(loader)


CREATIONS = {
    "torch.zeros(3).unsqueeze(0)": (Content.EXACT, True),
    "torch.arange(n)": (Content.EXACT, True),
    "torch.arange(0, 1, 0.1)": (Content.ROUNDED, True),
    "torch.triu(torch.ones(n, n), 1)": (Content.EXACT, True),
    "torch.ones(n).cumsum(0)": (Content.EXACT, False),
    "torch.full((n,), 7.0).long()": (Content.EXACT, True),
    "torch.full((n,), float('nan')).long()": (Content.EXACT, False),
    "torch.full((n,), 1e20).int()": (Content.EXACT, False),
    "torch.zeros(n).fill_(value).long()": (Content.EXACT, False),
    "torch.linspace(0, 9, n).long()": (Content.ROUNDED, False),
    "torch.empty(n).normal_()": (Content.RANDOM, False),
    "torch.tensor([[1.0, -2.0]])": (Content.CONSTANT, True),
    "torch.tensor(lengths)": (Content.DATA, True),
    "torch.randn(n)": (Content.RANDOM, True),
    "torch.randn(n, generator=g)": None,
    "torch.zeros(n, device='cuda')": None,
    "torch.zeros(n, requires_grad=True)": None,
    "torch.zeros(*shape)": (Content.EXACT, True),
    "make.zeros(n)": None,
}


@pytest.mark.parametrize("code", CREATIONS)
def test_what_a_factory_makes_and_whether_it_is_the_same_on_every_device(code: str) -> None:
    model = file_model(f"import torch\n{code}\n")
    made = creation(model, ast.parse(code, mode="eval").body, model.outline.module)
    assert ((made.content, made.exact_after) if made else None) == CREATIONS[code]


def test_a_number_of_devices_is_no_step_counter() -> None:
    model = file_model("""
        for batch in train_loader:
            if n_gpu == 1:
                batch = batch.cuda()  #= step
            model(batch).backward()
            if step == 1:
                show(batch)  #= rare
    """)
    for statement, block, said in marked(model):
        assert model.heats.of(block).heat.value == said, ast.unparse(statement)
