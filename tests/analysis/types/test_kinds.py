"""What is this value? Marks say kind, and for tensors where it lives."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model, marked, value_of
from trainlint.analysis.types.values import Kind, Value

SNIPPETS = {
    "whether a module trains": """
        class Tower(torch.nn.Module):
            def forward(self, captions, train):
                mode = self.training  #= number
                other = train.training  #= number
    """,
    "a wrapper in an attribute": """
        class Engine:
            def __init__(self, loader, files):
                self.bar = None
                self.loader = DataLoader(loader)
                self.pairs = zip(self.loader, files)
                self.files = enumerate(files)
                self.rounds = enumerate(self.loader)
                self.rounds = files.rounds

            def begin(self):
                self.rows = enumerate(self.loader)
                self.bar = enumerate(self.loader)
                if self.shown:
                    self.bar = tqdm(self.bar, total=9)

            def epoch(self, other):
                for number, images in self.rows:
                    first = images  #= tensor host
                    count = number  #= number
                for number, (images, labels) in self.bar:
                    first = images[0]  #= tensor host
                for images, file in self.pairs:
                    first = images  #= tensor host
                for number, file in self.files:
                    first = file  #= unknown
                for number, item in other.rows:
                    first = item  #= unknown
                for number, item in self.rounds:
                    first = item  #= unknown

            def steps(self):
                for self.number, self.batch in self.bar:
                    self.step()

            def step(self):
                whole = self.batch  #= tensor host
                count = self.number  #= number
    """,
    "a wrapper that a condition chooses": """
        loader = DataLoader(pages)
        bar = tqdm(enumerate(loader), total=9) if shown else enumerate(loader)
        for number, (images, labels) in bar:
            first = images  #= tensor host
            count = number  #= number
        for number, images in enumerate(loader) if counted else zip(range(9), loader):
            first = images  #= tensor host
        rows = enumerate(loader) if shown else pages.rows
        for place, row in rows:
            first = row  #= unknown
        if shown:
            each = enumerate(tqdm(loader))
        else:
            each = enumerate(loader)
        for number, images in each:
            first = images  #= tensor host
    """,
    "a number in an attribute to which tensors are added": """
        class Engine:
            def __init__(self):
                self.seen = 0
                self.steps = 0

            def step(self, labels):
                first = self.seen  #= number
                labels = labels.cuda()
                self.steps += len(labels)
                count = self.steps  #= number
                self.seen += (labels >= 0).sum()
                total = self.seen  #= tensor device
                if self.shown:
                    shown = self.seen  #= tensor device
                self.seen = 0
                again = self.seen  #= number
                if self.counts:
                    self.seen += labels.sum()
                maybe = self.seen  #= number
    """,
    "numbers and arrays of NumPy": """
        import numpy as np
        count = len(files)
        order = np.random.permutation(count)
        first = order[0]  #= number
        half = order[:4]  #= array
        for k in np.arange(8):
            place = k + 1  #= number
        for row in np.random.permutation(table):
            kept = row  #= array
        mean = np.mean(rows)  #= number
        columns = np.mean(rows, axis=0)  #= array
        best = np.asarray(rows).argmax()  #= number
        each = np.asarray(rows).max(1)  #= array
        drawn = np.random.randint(0, count)  #= number
        many = np.random.randint(0, count, (4,))  #= array
        codes, counts = np.unique(rows, return_counts=True)
        kept = counts  #= array
        whole = np.arange(8).astype(float)[2]  #= number
        square = np.arange(16).reshape(4, 4)[2]  #= array
    """,
    "an attribute that the function has assigned": """
        for images, masks in train_loader:
            output = model(images.cuda())
            output.head.scale = masks.std(axis=[1, 2]).mean().item()
            scale = output.head.scale  #= number
            if masks.any():
                output.head.scale = output.sum()
            scale = output.head.scale  #= tensor device
            output.tail.scale = float(scale)
            output = model(images.cuda())
            scale = output.tail.scale  #= tensor device
            output.tail.scale, spare = 3, 4
            scale = output.tail.scale  #= tensor device
            output.loss.backward()
        """,
    "numbers of graphs": """
        for graph in train_loader:
            graph = graph.to("cuda")
            rows = graph.number_of_dst_nodes("user")  #= number
            rows = graph.num_nodes()  #= number
            rows = graph.num_graphs  #= number
            degrees = graph.in_degrees()  #= tensor device
            model(graph).backward()
        """,
    "a number that indexes what has no name is no key": """
        for i in range(4):
            kept = i  #= number
            row = table(3)[i]
        for key in batch:
            kept = key  #= string
            row = batch[key]
    """,
    "a batch, before and after its copy": """
        device = torch.device("cuda")
        for images, labels in train_loader:
            raw = images  #= tensor host
            images = images.to(device)
            moved = images  #= tensor device
            n = images.size(0)  #= number
            back = images.cpu()  #= tensor host
            array = back.numpy()  #= array
    """,
    "outputs, losses and what becomes of them": """
        import torch.nn as nn
        model = nn.Linear(4, 2).cuda()
        criterion = nn.CrossEntropyLoss()
        for x, y in loader:
            loss = criterion(model(x.cuda()), y.cuda())
            kept = loss  #= tensor device
            mean = loss.detach().mean()  #= tensor device
            number = loss.item()  #= number
            scaled = number * 2  #= number
            text = f"{loss}"  #= string
            close = loss < 3  #= tensor device
            given = loss is None  #= number
    """,
    "bound in each branch of an if": """
        import torch
        for images in train_loader:
            rows = []
            for image in images:
                rows.append(image)
            if len(rows) == 0:
                rows = images[:0]
            else:
                rows = torch.cat(rows)
            after = rows  #= tensor host
    """,
    "bound in each branch of an if with an elif": """
        import torch
        chosen = 3
        if kind == "a":
            chosen = torch.zeros(2)
        elif kind == "b":
            with guard():
                chosen = torch.ones(2)
        else:
            chosen = torch.rand(2)
        after = chosen  #= tensor host
    """,
    "bound in one branch only": """
        import torch
        chosen = []
        if kind == "a":
            chosen = "a"
        elif kind == "b":
            chosen = "b"
        after = chosen  #= container
    """,
    "bound in each branch, but deeper in one": """
        import torch
        chosen = []
        if kind == "a":
            chosen = "a"
        else:
            if other:
                chosen = "b"
        after = chosen  #= container
    """,
    "a guess by a name does not move what is known to be on the host": """
        import torch
        device = torch.device("cuda")
        for boxes in train_loader:
            rows = (boxes - self.feature_offsets) * 2  #= tensor host
            moved = boxes.to(device) - self.feature_offsets  #= tensor device
    """,
    "settings and objects that are named after tensors": """
        size = self.image_size  #= unknown
        config = self.target_cfg  #= unknown
        worker = self.target_assigner  #= unknown
        tensor = self.image_tensor  #= tensor host
    """,
    "what is named after a module and is none": """
        torch.zeros(3).cuda()
        def f(model_b, net_g, model_inputs, model_output, net_params, model_config, model_name):
            first = model_b  #= module
            second = net_g  #= module
            third = model_inputs  #= tensor device
            fourth = model_output  #= tensor device
            device = net_params["device"]  #= device
            other = model_config["width"]  #= unknown
            text = model_name  #= unknown
    """,
    "running values": """
        total = 0.0
        for x in loader:
            loss = model(x.cuda())
            total += loss.item()
        mean = total / len(loader)  #= number
    """,
    "running tensors": """
        total = 0.0
        for x in loader:
            loss = model(x.cuda())
            total += loss
            seen = total  #= tensor device
    """,
    "factories": """
        import torch
        device = "cuda"
        a = torch.zeros(3)  #= tensor host
        b = torch.zeros(3, device=device)  #= tensor device
        c = torch.zeros_like(b)  #= tensor device
        d = b.new_zeros(3)  #= tensor device
        e = b.shape  #= shape
        height, width = b.shape[2:]
        e = height  #= number
        f = torch.float16  #= dtype
        g = torch.ones(2, device="cpu")  #= tensor host
    """,
    "sizes of anything": """
        import torch
        from layers import made
        table = made()
        a = table.shape  #= shape
        b = table.shape[-1]  #= number
    """,
    "the parts of a version": """
        import torch
        a = torch.__version__.split("+")  #= string
        b = torch.version.cuda.split(".")[0]  #= unknown
    """,
    "what was moved to the device and is computed with": """
        import torch
        places = scheduler.places.to("cuda")
        a = places  #= unknown
        b = places == 3  #= tensor device
        c = 2 * places  #= tensor device
    """,
    "a module that is called where it is made": """
        import torch
        for x in train_loader:
            x = x.cuda()
            y = torch.nn.Softmax(dim=1)(x)  #= tensor device
    """,
    "attributes of self": """
        import torch
        from torch.utils.data import DataLoader

        class Trainer:
            def __init__(self, net, data):
                self.net = net.cuda()
                self.loader = DataLoader(data)
                self.criterion = torch.nn.MSELoss()

            def train(self):
                loader = self.loader  #= loader
                for x in self.loader:
                    loss = self.criterion(self.net(x), x)  #= tensor device
                    loss.backward()
    """,
    "returned by a function of the file": """
        def compute(model, x):
            return model(x.cuda()).mean()

        def number(model, x):
            return compute(model, x).item()

        for x in loader:
            loss = compute(model, x)  #= tensor device
            value = number(model, x)  #= number
    """,
    "unpacking and iterating": """
        for step, (x, y) in enumerate(train_loader):
            i = step  #= number
            first = x[0]  #= tensor host
            x, y = x.cuda(), y.cuda()
            moved = y  #= tensor device
            parts = [t.cuda() for t in batch]  #= container
        for name, parameter in model.named_parameters():
            n = name  #= string
            p = parameter.grad  #= tensor device
    """,
    "numpy, math and time": """
        import math, time
        import numpy as np
        cuda = True
        a = np.zeros(3)  #= array
        b = math.sqrt(2)  #= number
        c = time.time()  #= number
        d = a.mean()  #= number
    """,
    "annotations": """
        import torch

        def f(t: torch.Tensor, n: int, m: "torch.nn.Module", x=None):
            a = t.cuda()  #= tensor device
            b = n  #= number
            c = m  #= module
    """,
    "a file without devices keeps its tensors on the host": """
        model = build()
        for x in loader:
            loss = model(x)  #= tensor host
            loss.backward()
    """,
    "prepared loaders yield device tensors": """
        accelerator = Accelerator()
        model, optimizer, train_dataloader = accelerator.prepare(model, optimizer, train_dataloader)
        for batch in train_dataloader:
            x = batch  #= tensor device
    """,
    "limits of data types are no tensors": """
        import torch
        a = torch.finfo(x.dtype).min  #= unknown
    """,
    "what ranks bring together lies where the program computes": """
        counts = accelerator.gather(number_of(rows))
        a = counts.sum()  #= tensor device
        b = accelerator.gather_for_metrics(torch.zeros(3))  #= tensor device
        c = queue.gather(rows)  #= unknown
    """,
    "values that feed on themselves end": """
        a = first_value
        for x in loader:
            a, b = b, a
            b = a + b
            c = a  #= unknown
    """,
}


def words(value: Value) -> str:
    return f"tensor {value.home.name.lower()}" if value.kind is Kind.TENSOR else value.kind.name.lower()


@pytest.mark.parametrize("code", SNIPPETS.values(), ids=SNIPPETS.keys())
def test_kinds(code: str) -> None:
    model = file_model(code)
    found = [(item.lineno, words(model.kinds.of(value_of(item), block))) for item, block, _ in marked(model)]
    assert found == [(statement.lineno, said) for statement, _, said in marked(model)]


def test_graphs() -> None:
    model = file_model("""
        import torch
        model = torch.nn.Linear(2, 2).cuda()
        for x in loader:
            loss = model(x.cuda())  #= True
            kept = loss.detach()  #= False
            with torch.no_grad():
                score = model(x.cuda())  #= False
    """)
    found = [model.kinds.of(value_of(item), block).attached for item, block, _ in marked(model)]
    assert [str(flag) for flag in found] == [said for _, _, said in marked(model)]


def test_arithmetic_with_something_unknown_may_carry_its_graph() -> None:
    model = file_model("""
        import torch
        import torch.nn.functional as F

        def contrast(pictures, captions, labels):
            with torch.no_grad():
                everyone = F.normalize(captions)
            scores = pictures @ everyone.t()  #= None
            loss = F.cross_entropy(scores, labels)  #= True
            fixed = everyone * 2  #= False
    """)
    found = [model.kinds.of(value_of(item), block).attached for item, block, _ in marked(model)]
    assert [str(flag) for flag in found] == [said for _, _, said in marked(model)]


def test_a_plot_is_no_device() -> None:
    model = file_model("""
        for x in loader:
            loss = model(x)  #= tensor host
            loss.backward()
        plt.xlabel("step")
        plt.title("fabrics")
    """)
    assert [words(model.kinds.of(value_of(item), block)) for item, block, _ in marked(model)] == ["tensor host"]
