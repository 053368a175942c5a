"""What is a value where several statements about it meet? Marks say kind, place and source."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model, marked, value_of
from tests.analysis.types.value_marks import words

RANKED = {
    "an annotation proves the kind, callers tell the place": """
        import torch
        def score(pixels: torch.Tensor):
            kept = pixels  #= tensor host batch
        for pixels, tag in train_loader:
            score(pixels)
        device = "cuda"
    """,
    "callers tell the place of what an annotated dict holds": """
        import torch
        def score(sample: dict[str, torch.Tensor]):
            x = sample["pixels"]  #= tensor host batch
        for sample in train_loader:
            score(sample)
        device = "cuda"
    """,
    "callers that copy each value of a dict": """
        import torch
        from typing import Dict
        def score(sample: Dict[str, torch.Tensor]):
            x = sample["pixels"]  #= tensor device batch
        for sample in train_loader:
            score({k: v.cuda() for k, v in sample.items()})
    """,
    "without callers, tensors are where those of the file are": """
        import torch
        device = torch.device("cuda")
        def score(pixels: torch.Tensor):
            kept = pixels  #= tensor device other
    """,
    "an annotated variable": """
        import torch
        device = torch.device("cuda")
        x: torch.Tensor = fetch()
        kept = x  #= tensor unknown other
    """,
    "a module lies where tensors lie that code makes and gives it": """
        import torch
        from torch import nn
        gpu = torch.device("cuda")
        net = nn.Embedding(10, 4)
        head = build_head()
        words = torch.LongTensor([[1, 2]])
        codes = net(words)  #= tensor host output
        scores = head.forward(codes).mean(-1)  #= tensor host output
        moved = net(words.to(gpu))  #= tensor device output
        mixed = net(words, words.cuda())  #= tensor device output
        for x in train_loader:
            handed = net(x)  #= tensor device output
    """,
    "one class of modules, on the host and on the device": """
        import torch
        from torch import nn
        class Plain(nn.Module):
            def forward(self, x):
                return torch.relu(self.inner(x))
        class Moving(nn.Module):
            def forward(self, x):
                return torch.relu(self.inner(x.to("cuda")))
        plain = Plain()
        moving = Moving()
        near = plain(torch.ones(3))  #= tensor host other
        far = plain(torch.ones(3).cuda())  #= tensor device other
        sent = moving(torch.ones(3))  #= tensor device other
    """,
    "a wrapper moves what it is given": """
        import torch
        from torch import nn
        net = nn.DataParallel(nn.Embedding(10, 4).cuda())
        codes = net(torch.LongTensor([[1, 2]]))  #= tensor device output
    """,
    "a factory that is given a device of which nothing is known": """
        import torch
        place = torch.device("cuda")
        x = torch.zeros(3, device=options["where"])  #= tensor device factory
        y = torch.zeros(3, device="cpu")  #= tensor host factory
        z = torch.zeros(3)  #= tensor host factory
        u = torch.zeros(3, device=None)  #= tensor host factory
    """,
    "an optional import erases nothing": """
        import torch
        try:
            from fancy_kernels import fused
        except ImportError:
            fused = None
        for x in train_loader:
            x = x.cuda()
            if fused is not None:
                y = fused(x)
            else:
                y = torch.relu(x)
            kept = y  #= tensor device other
    """,
    "a recursive call erases nothing": """
        import torch
        def walk(x, depth):
            if depth == 0:
                return x.cuda()
            return walk(x, depth - 1)
        for x in train_loader:
            y = walk(x, 3)  #= tensor device batch
    """,
    "callers that pass something unknown erase nothing": """
        import torch
        device = "cuda"
        def consume(labels):
            kept = labels  #= tensor host batch
        for x, y in train_loader:
            consume(y)
        consume(something_else)
    """,
    "what is assigned wins over a name": """
        import torch
        def f(flag, source, outputs):
            if flag:
                outputs = torch.zeros(3, device="cuda")
            kept = outputs  #= tensor device factory
    """,
}


@pytest.mark.parametrize("code", RANKED.values(), ids=RANKED.keys())
def test_better_evidence_wins_and_unknown_erases_nothing(code: str) -> None:
    model = file_model(code)
    found = [(item.lineno, words(model.kinds.of(value_of(item), block))) for item, block, _ in marked(model)]
    assert found == [(statement.lineno, said) for statement, _, said in marked(model)]
