"""From a configuration file's raw values to a checked Config."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.config.settings import REMOVED, Config
from trainlint.naming import did_you_mean
from trainlint.paths import absolute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.catalogue import InstalledRule
    from trainlint.config.raw import RawConfig


def config_from(raw: RawConfig, rules: Sequence[InstalledRule]) -> Config:
    """Check every key and value of a file. Raises ConfigError at the first that is wrong."""
    known = {key.name: key for key in Config.keys}
    for name in raw.values:
        if name not in known:
            where = "[tool.trainlint]" if raw.table else raw.path.name
            raise raw.error((name,), f'unknown key "{name}" in {where}{_hint(raw, name)}')
    values = {
        key.field: key.kind.check(raw, (name,), raw.values[name], rules)
        for name, key in known.items()
        if name in raw.values
    }
    place = absolute(raw.path)
    return Config(root=str(place.parent), source=str(place), **values)


def _hint(raw: RawConfig, name: str) -> str:
    """What to write instead of an unknown key, as the end of a sentence."""
    if name in REMOVED:
        return f"; {REMOVED[name]}"
    if name == "tool" and not raw.table:
        return "; in trainlint.toml the keys stand at the top, without [tool.trainlint]"
    names = [key.name for key in Config.keys]
    return did_you_mean(name, names) or f"; known are {', '.join(names)}"
