"""What tests around a place are about, by the names and strings in them."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model, marked
from trainlint.analysis.conditions.subjects import Subject, asks_about


@pytest.mark.parametrize(
    ("test", "subject"),
    [
        ("device.type == 'cuda'", Subject.DEVICE),
        ("args.clear_cache", Subject.MEMORY),
        ("dist.get_rank() == 0", Subject.RANK),
        ("make(num_replicas=2)", Subject.SHARES),
    ],
)
def test_subjects_of_tests(test: str, subject: Subject) -> None:
    model = file_model(f"if {test}:\n    def run():\n        act()  #= inside\nact()  #= outside\n")
    (_, inside, _), (_, outside, _) = marked(model)
    assert asks_about(inside, subject)
    assert not asks_about(outside, subject)


def test_other_tests_are_about_none() -> None:
    _, block, _ = marked(file_model("if step % 100 == 0:\n    act()  #= here\n"))[0]
    assert not asks_about(block, *Subject)
