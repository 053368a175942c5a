"""Where the value of each setting comes from: the command line, a line of a file, or a default."""

from __future__ import annotations

from pathlib import Path

from trainlint.config.raw import parse_config, read_bytes
from trainlint.config.settings import Config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config.settings import Overrides

DEFAULT = "default"


def origins(config: Config, overrides: Overrides, *, named: bool) -> dict[str, tuple[str, ...]]:
    """For each key, by its field, what its value was made from, as people read it.

    `named` says whether the user named the configuration file. The file is read again, since only this asks for its
    lines. Raises ConfigError if that cannot be read any more.
    """
    lines = _lines(config, named=named)
    found: dict[str, tuple[str, ...]] = {}
    for key in Config.keys:
        sources = [lines[key.name]] if key.name in lines else []
        if key.field in overrides:
            kept = sources if key.option is not None and key.option.adds else []
            sources = [*kept, key.flag]
        elif key.field == "extend_select" and "select" in overrides:
            sources = ["--select"]  # it drops what the file selects besides
        elif not sources and key.field == "target_torch" and config.target_torch is not None:
            sources = [config.target_torch.where]
        found[key.field] = tuple(sources) or (DEFAULT,)
    return found


def _lines(config: Config, *, named: bool) -> dict[str, str]:
    """For each key that the file sets, the place as in "trainlint.toml:3"."""
    if config.source is None:
        return {}
    path = Path(config.source)
    data = read_bytes(path, named=named)
    raw = None if data is None else parse_config(path, data)
    return {} if raw is None else {name: raw.place(name) for name in raw.values}
