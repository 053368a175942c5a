"""No word of an agent becomes an option of the command that answers it."""

from __future__ import annotations

import pytest

from trainlint.agent_server import commands

EVIL = "--plugin=evil.py"
PLAN = dict.fromkeys(("params", "gpu", "precision", "optimizer"), EVIL)


@pytest.mark.parametrize(
    "words",
    [
        commands.check_words([EVIL], [EVIL], all_levels=False, diff_base=EVIL, max_findings=1),
        commands.fix_words(EVIL, [EVIL], write=True),
        commands.why_words(EVIL),
        commands.explain_words(EVIL),
        commands.advise_words([EVIL]),
        commands.plan_words(config=EVIL, gpus=1, batch=None, sequence=None, **PLAN),
        commands.judge_words(script=EVIL),
        commands.run_words("probe", EVIL, [EVIL], device=EVIL),
    ],
    ids=lambda words: words[0],
)
def test_it_stays_a_path_or_a_value(words: list[str]) -> None:
    if words[0] == "probe":  # what stands behind the script is the script's
        words = words[: words.index(f"./{EVIL}")]
    assert EVIL not in (words[: words.index("--")] if "--" in words else words)
