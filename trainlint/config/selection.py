"""Which rules run: on the whole, and on one file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trainlint.config.raw import ConfigError
from trainlint.naming import exactness, is_known, names_one_rule, rules_called, unknown_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from trainlint.catalogue import AnyRule, InstalledRule
    from trainlint.config.settings import Config
    from trainlint.finding import Severity


def select(rules: Sequence[InstalledRule], config: Config) -> tuple[InstalledRule, ...]:
    """The rules that the configuration turns on, in the order given.

    Where several words meet one rule, the most exact decides, and `ignore` on a tie: `ignore = ["TRN2"]` with
    `select = ["TRN201"]` runs TRN201. A preview rule runs under `preview`, or when it is selected by its full code
    or name. What only a run shows is left out: the probe finds it. Raises ConfigError for a word that stands for no
    rule, and where nothing is chosen but what only a run shows.
    """
    chosen = _chosen(rules, config)
    if chosen and all(rule.of_run for rule in chosen):
        named = " and ".join(dict.fromkeys((*config.select, *config.extend_select)))
        raise ConfigError(f"select: {named}: only a run shows this, and `trainlint probe` finds it; select other rules")
    return tuple(rule for rule in chosen if not rule.of_run)


def select_of_run(rules: Sequence[InstalledRule], config: Config) -> tuple[InstalledRule, ...]:
    """Of the rules that `select` leaves out because only a run shows what they say: those that are turned on.

    Raises ConfigError for a word that stands for no rule.
    """
    return tuple(rule for rule in _chosen(rules, config) if rule.of_run)


def _chosen(rules: Sequence[InstalledRule], config: Config) -> list[InstalledRule]:
    """All rules that the configuration turns on, whoever asks them."""
    selected = (*config.select, *config.extend_select)
    check_words(selected, rules, where="select")
    check_words(config.ignore, rules, where="ignore")
    exact = tuple(word for word in selected if names_one_rule(word))
    wanted = _exactness_by_code(selected, [rule for rule in rules if config.preview or not rule.preview])
    wanted |= _exactness_by_code(exact, rules)
    unwanted = _exactness_by_code(_of_today(config.ignore), rules)
    return [rule for rule in rules if wanted.get(rule.code, -1) > unwanted.get(rule.code, -1)]


def without_fixes(rules: Sequence[InstalledRule], config: Config) -> frozenset[str]:
    """The codes of the rules whose findings are not to be fixed. Raises ConfigError for a word that stands for none."""
    check_words(config.fixable, rules, where="fixable")
    check_words(config.unfixable, rules, where="unfixable")
    wanted = _exactness_by_code(config.fixable, rules)
    unwanted = _exactness_by_code(_of_today(config.unfixable), rules)
    return frozenset(rule.code for rule in rules if wanted.get(rule.code, -1) <= unwanted.get(rule.code, -1))


def rules_for(
    path: str | os.PathLike[str], rules: Sequence[InstalledRule], config: Config
) -> tuple[InstalledRule, ...]:
    """Of the selected rules, those that `per-file-ignores` leaves on for one file."""
    ignored = _of_today(config.ignored_codes_for(path))
    if not ignored:
        return tuple(rules)
    off = {rule.code for word in ignored for rule in rules_called(word, rules)}
    return tuple(rule for rule in rules if rule.code not in off)


def severity_for(rule: AnyRule, config: Config) -> Severity | None:
    """The severity that the user gave a rule; None where the rule's own holds."""
    return dict(config.severity).get(rule.code)


def check_words(words: Iterable[str], rules: Sequence[InstalledRule], *, where: str) -> None:
    """Raise ConfigError, saying where it stands, for a word that stands for no rule."""
    for word in words:
        if not is_known(word, rules):
            raise ConfigError(f"{where}: {unknown_rule(word, rules)}")


def _of_today(words: Sequence[str]) -> tuple[str, ...]:
    """The words without those of retired rules: a setting turns off no rule that it does not name.

    The rules that tell now what a retired rule told find far more than that.
    """
    if not words:
        return ()
    from trainlint.retired import retired_code  # most runs ignore no rule

    return tuple(word for word in words if retired_code(word) is None)


def _exactness_by_code(words: tuple[str, ...], rules: Sequence[InstalledRule]) -> dict[str, int]:
    """For each rule that some word stands for, how exact the most exact of these words is."""
    found: dict[str, int] = {}
    for word in words:
        for rule in rules_called(word, rules):
            found[rule.code] = max(exactness(word), found.get(rule.code, -1))
    return found
