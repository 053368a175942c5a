"""Which configuration and which rules hold for each file, each looked up once for however many files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from trainlint.config import Config, ConfigError, Overrides, resolve, rules_for, select, severity_for, without_fixes
from trainlint.config.globs import matches_any
from trainlint.config.stated_torch import is_read
from trainlint.naming import ALL
from trainlint.paths import is_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.catalogue import InstalledRule
    from trainlint.finding import Severity

_SETTLING = frozenset({".git", "trainlint.toml"})
"""Names that can make the configuration of a directory another one than that of the directory above it, besides the
files that may name versions of torch."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A configuration, and what it means for the rules at hand."""

    config: Config
    rules: tuple[InstalledRule, ...]
    severities: tuple[tuple[str, Severity], ...]
    """By code, where the user gave a rule another severity than its own."""
    without_fixes: frozenset[str] = frozenset()
    """The codes of the rules whose findings the user does not want to be fixed."""
    known: tuple[InstalledRule, ...] = ()
    """Every installed rule, whether it runs or not."""


class Misconfigured(Exception):
    """The files of a directory cannot be judged. The message is a sentence for people."""

    def __init__(self, directory: Path, error: ConfigError) -> None:
        super().__init__(str(error))
        self.directory = directory
        """Where the configuration that is wrong begins to hold."""


class Configurations:
    """The configuration of each directory, by the nearest file and by what the command line sets."""

    def __init__(
        self,
        rules: Sequence[InstalledRule],
        overrides: Overrides | None = None,
        *,
        config_file: Path | None = None,
        isolated: bool = False,
        left_out: tuple[str, ...] = (),
    ) -> None:
        """Check what the command line sets. Raises ConfigError where it names an unknown rule or no usable file.

        `left_out` are patterns, relative to the working directory, of paths that are excluded whatever files say.
        """
        self._rules = rules
        self._overrides = overrides or Overrides()
        self._file = config_file
        self._isolated = isolated
        self._left_out = left_out
        self._here = os.getcwd()
        self._by_directory: dict[Path, Selection | Misconfigured] = {}
        self._by_path: dict[str, Config] = {}
        self._by_config: dict[Config, Selection] = {}
        resolve(Path.cwd(), self._overrides, rules, config_file=config_file, isolated=config_file is None)

    def untracked_copy(self) -> Configurations:
        """The same once more, for questions that `sources` and `rules_that_ran` are to know nothing of."""
        return Configurations(
            self._rules,
            self._overrides,
            config_file=self._file,
            isolated=self._isolated,
            left_out=self._left_out,
        )

    def of(self, directory: Path) -> Selection:
        """What holds for the files of an absolute directory. Raises Misconfigured."""
        found = self._by_directory.get(directory)
        if found is None:
            if directory.parent == directory or _settles(directory):
                found = self._read(directory)
            else:
                found = self._inherited(directory)
            self._by_directory[directory] = found
        if isinstance(found, Misconfigured):
            raise found.with_traceback(None)
        return found

    def rules_for(self, path: Path) -> tuple[InstalledRule, ...]:
        """The rules to ask about one file. Raises Misconfigured."""
        selection = self.of(path.parent)
        return rules_for(path, selection.rules, selection.config)

    def forces_exclude(self, path: Path) -> bool:
        """Whether the configuration around an absolute path holds excludes against paths that are named, too."""
        config = self._config_around(os.fspath(path) if is_directory(path) else os.path.dirname(path))
        return config is not None and config.force_exclude

    def excludes(self, path: Path) -> bool:
        """Whether the command line, or the configuration that holds around a path, excludes that very path."""
        config = self._config_around(os.path.dirname(path))
        patterns = (*self._left_out, *(config.exclude if config is not None else ()))
        if not patterns:
            return False
        is_folder = any(pattern.endswith("/") for pattern in patterns) and is_directory(path)
        if config is not None and config.is_excluded(path, is_directory=is_folder):
            return True
        directory = os.path.dirname(path)  # a pattern without a slash also counts outside of the working directory
        roots = ((pattern, self._here if "/" in pattern.rstrip("/") else directory) for pattern in self._left_out)
        return any(matches_any((pattern,), root, path, is_directory=is_folder) for pattern, root in roots)

    def names_baseline(self, paths: Iterable[Path]) -> bool:
        """Whether the configuration of any of these absolute paths names a baseline."""
        directories = dict.fromkeys(os.path.dirname(path) for path in paths)
        found = (self._config_around(directory) for directory in directories)
        return any(config is not None and config.baseline is not None for config in found)

    def sources(self) -> tuple[str | None, ...]:
        """The configuration files that were used so far; None stands for files that none holds for."""
        return tuple(dict.fromkeys(config.source for config in self._by_config))

    def origins(self, config: Config) -> dict[str, tuple[str, ...]]:
        """Where each setting of a configuration comes from, by the fields of `Config`. Raises ConfigError."""
        from trainlint.config.origins import origins  # only --show-settings asks

        return origins(config, self._overrides, named=self._file is not None)

    def notes(self) -> tuple[str, ...]:
        """What was not read on the way to the settings used so far, and why: sentences for people."""
        return tuple(dict.fromkeys(note for config in self._by_config for note in config.notes))

    def retired(self) -> tuple[str, ...]:
        """What the settings used so far say of rules that are retired: sentences for people."""
        found: list[str] = []
        for config in self._by_config:
            found += (*config.select, *config.extend_select, *config.ignore, *config.fixable, *config.unfixable)
            found += (word for _, words in config.per_file_ignores for word in words)
        if set(found) <= {ALL}:
            return ()
        from trainlint.retired import retired_notes  # most runs name no rule

        return retired_notes(found)

    def rules_that_ran(self) -> tuple[InstalledRule, ...]:
        """The rules that some configuration selected so far, in the order of their codes."""
        codes = {rule.code for selection in self._by_config.values() for rule in selection.rules}
        return tuple(rule for rule in self._rules if rule.code in codes)

    def _config_around(self, directory: str) -> Config | None:
        """The configuration that holds in an absolute directory; None where it is wrong.

        A wrong configuration excludes nothing. The files that it is for fail when they are judged.
        """
        config = self._by_path.get(directory)
        if config is None:
            try:
                config = self._by_path[directory] = self.of(Path(directory)).config
            except Misconfigured:
                return None
        return config

    def _inherited(self, directory: Path) -> Selection | Misconfigured:
        try:
            return self.of(directory.parent)
        except Misconfigured as error:
            return error

    def _read(self, directory: Path) -> Selection | Misconfigured:
        try:
            config = resolve(directory, self._overrides, self._rules, config_file=self._file, isolated=self._isolated)
            return self._by_config.get(config) or self._selected(config)
        except ConfigError as error:
            return Misconfigured(directory, error)

    def _selected(self, config: Config) -> Selection:
        rules = select(self._rules, config)
        if not rules:
            where = f"{config.source}: " if config.source else ""
            raise ConfigError(f"{where}no rule is left to run, so nothing can be judged; select some, or ignore fewer")
        given = ((rule.code, severity_for(rule, config)) for rule in rules)
        severities = tuple((code, severity) for code, severity in given if severity)
        unfixed = without_fixes(self._rules, config)
        selection = self._by_config[config] = Selection(config, rules, severities, unfixed, tuple(self._rules))
        return selection


def _settles(directory: Path) -> bool:
    """Whether a directory may have a configuration of its own."""
    try:
        with os.scandir(directory) as entries:
            return any(entry.name in _SETTLING or is_read(entry.name) for entry in entries)
    except OSError:
        return True
