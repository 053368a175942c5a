"""Do all ranks come to a line? Marks say `all` or `some`; what no call in the file reaches is `some`, too."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model, marked
from trainlint.analysis.conditions.rank_ways import all_ranks_come_here

SNIPPETS = {
    "tests": """
        def main(args, rank, epochs):
            start()  #= all
            ready = rank == 0
            args.keep = rank == 0
            for epoch in range(epochs):
                if epoch % 2 == 0:
                    odd()  #= all
                if ready:
                    named()  #= some
                if args.keep:
                    stored()  #= some
                if args.gpu == 0:
                    first()  #= some
            if rank != 0:
                return
            end()  #= some

        if __name__ == "__main__":
            main(None, 1, 2)
    """,
    "callers": """
        def uncalled():
            alone()  #= some

        def by_one():
            one()  #= some

        def by_all():
            every()  #= all

        @main_process_only
        def decorated():
            one()  #= some

        def main(rank):
            decorated()
            if rank == 0:
                by_one()
                by_all()
            by_all()

        spawn(main)
    """,
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_who_comes_to_a_line(name: str) -> None:
    model = file_model(SNIPPETS[name])
    found = marked(model)
    said = {node.lineno: "all" if all_ranks_come_here(model, block) else "some" for node, block, _ in found}
    assert said == {node.lineno: mark for node, _, mark in found}
