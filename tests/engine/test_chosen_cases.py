"""The files that stand for all others in `make test` exist, and no topic of rules is without one."""

from __future__ import annotations

import re

from tests.chosen_cases import ALL_FILES, CHOSEN, ROOT


def test_each_chosen_file_is_one_of_the_files() -> None:
    assert {ROOT / path for path in CHOSEN} <= set(ALL_FILES)


def test_each_topic_has_a_chosen_file() -> None:
    def topics(paths: list[str]) -> set[str]:
        return {found[1] for path in paths if (found := re.search(r"/TRN(\d)\d\d/", path))}

    assert topics(list(CHOSEN)) == topics([path.as_posix() for path in ALL_FILES])
