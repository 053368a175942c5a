"""What do loops over a project's own generators and iterator classes bind, in the file itself and in others?"""

from __future__ import annotations

import pytest

from tests.analysis.project.project import check

LOADERS = """
    from torch.utils.data import DataLoader, IterableDataset

    class OnDevice:
        def __init__(self, loader, device):
            self.loader = loader
            self.device = device

        def __iter__(self):
            for batch in self.loader:
                for key in batch:
                    batch[key] = batch[key].to(self.device)
                yield batch

    class Counting:
        def __init__(self, inner):
            self.inner = inner

        def __iter__(self):
            self.rest = iter(self.inner)
            return self

        def __next__(self):
            return next(self.rest)

    class Rows(IterableDataset):
        def __iter__(self):
            yield from (1, 2)

    def groups(source, size):
        found = []
        for batch in source:
            found.append(batch)
            if len(found) == size:
                yield found, size
                found = []

    def build(rows, workers):
        if not workers:
            return Rows()
        return OnDevice(DataLoader(rows, num_workers=workers), "cuda")
"""

PROJECTS: dict[str, dict[str, str]] = {
    "generators of the file": {
        "train.py": """
            import contextlib
            import torch

            def endless(source):
                while True:
                    yield from source

            def moved(source):
                for things in source:
                    yield things.cuda()

            @contextlib.contextmanager
            def opened():
                yield torch.zeros(3)

            rows = torch.utils.data.DataLoader(data)
            for things in endless(rows):
                a = things  #= tensor host
            for things in moved(rows):
                b = things  #= tensor device
            c = next(moved(rows))  #= tensor device
            d = opened()  #= anything
        """,
    },
    "batches under a name that a loader might have": {
        "train.py": """
            import torch

            def use(batches):
                for things in batches:
                    a = things  #= tensor device

            use([row.cuda() for row in torch.utils.data.DataLoader(data)])
        """,
    },
    "an object that yields something else is no loader": {
        "names.py": """
            class Names:
                def __init__(self, names):
                    self.names = names

                def __iter__(self):
                    return iter(self.names)
        """,
        "train.py": """
            from names import Names
            import torch

            torch.zeros(1).cuda()
            a = Names(["x", "y"])  #= anything
            for name in a:
                b = name  #= anything
        """,
    },
}


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_items_of_iterators_are_known(files: dict[str, str]) -> None:
    check(files)
