"""What is wrong with a text of settings for the allocator?"""

from __future__ import annotations

import pytest

from trainlint_rules.memory.idioms.allocator_settings import problem


@pytest.mark.parametrize(
    "settings",
    [
        "",
        "expandable_segments:True",
        "max_split_size_mb:128,garbage_collection_threshold:0.8",
        "roundup_power2_divisions:[256:1,512:2,>:4], backend:native",
        "a_key_that_nobody_knows:1",
        "max_split_size_mb:unlimited",
    ],
)
def test_nothing_is_wrong(settings: str) -> None:
    assert problem(settings) is None


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("expandeable_segments:True", "write `expandable_segments`"),
        ("backend:native,max_split_size:128", "write `max_split_size_mb`"),
        ("max_split_size_mb=128", "a colon separates"),
        ("max_split_size_mb:5", "below 20"),
        ("garbage_collection_threshold:80", "outside of (0, 1)"),
    ],
)
def test_what_is_wrong_is_said(settings: str, said: str) -> None:
    assert said in str(problem(settings))
