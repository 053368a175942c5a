"""docs/configuration.md, made from the configuration table."""

from __future__ import annotations

from trainlint.config.settings import Config
from trainlint.config.written import plain, toml, toml_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config.keys import Key

_INTRODUCTION = """\
# Configuration

Settings stand in the table `[tool.trainlint]` of a `pyproject.toml`, or at the top of a `trainlint.toml`:

```toml
[tool.trainlint]
ignore = ["TRN204"]
exclude = ["third_party"]

[tool.trainlint.severity]
TRN101 = "advice"
```

- For each file, the nearest configuration file counts: that of its own directory, or of the first directory above it
  that has one. The settings of two files are never merged. In one directory, `trainlint.toml` wins; a `pyproject.toml`
  without `[tool.trainlint]` is passed over.
- `--config FILE` reads that file instead, and `--isolated` reads none.
- An option of the command line replaces the value of the file or adds to it, as each section below says. What
  `--select` names is run even if the file ignores it in the same words, and what `--ignore` names stays off even if the
  file selects it.
- An unknown key or a wrong value is an error that names the file, the line and the key. The files that such a
  configuration holds for are not judged, and the exit code is 2.
- `trainlint check --show-settings [PATH ...]` prints each setting with its value and where it comes from: a line of a
  file, the command line, or the default.
- A repository's configuration cannot make trainlint run code or write files: it names no plugins and no directory for
  the cache.

[trainlint.schema.json](trainlint.schema.json) describes the keys for editors. Those that use Taplo complete and check a
`trainlint.toml` that begins with the line `#:schema ADDRESS`, where ADDRESS is a path or URL of the schema.
"""


def page() -> str:
    """The whole page as Markdown, with one line feed at its end."""
    rows = ["| key | value | default |", "| --- | --- | --- |"]
    rows += [f"| [`{key.name}`](#{key.name}) | {key.kind.words} | {_default(key)} |" for key in Config.keys]
    return "\n".join([_INTRODUCTION, *rows, "", "\n\n".join(map(_section, Config.keys)), ""])


def _section(key: Key) -> str:
    facts = [
        f"- Value: {key.kind.words}",
        f"- Default: {_default(key)}",
        f"- Command line: {_command_line(key)}",
        f"- Cached results of a file that a change makes stale: {key.invalidates.value} ([cache](cache.md))",
    ]
    parts = [f"## {key.name}", f"{key.help[0].upper()}{key.help[1:]}.", "\n".join(facts)]
    parts += [key.details] if key.details else []
    return "\n\n".join([*parts, f"```toml\n{example(key)}\n```"])


def example(key: Key, table: str = "tool.trainlint") -> str:
    """The key's example as lines of a pyproject.toml; with an empty `table`, of a trainlint.toml."""
    if isinstance(key.example, dict):
        header = f"[{table}.{key.name}]" if table else f"[{key.name}]"
        return "\n".join([header, *(f"{toml_key(name)} = {toml(value)}" for name, value in key.example.items())])
    line = f"{key.name} = {toml(key.example)}"
    return f"[{table}]\n{line}" if table else line


def _default(key: Key) -> str:
    value = plain(key, key.default)
    return "none" if value is None else f"`{toml(value)}`"


def _command_line(key: Key) -> str:
    option = key.option
    if option is None:
        return "none"
    typed = f"`{key.flag} {option.metavar}`" if option.metavar else f"`{key.flag}`"
    words = f"{typed}, which {'adds to the value of the file' if option.adds else 'replaces the value of the file'}"
    return words + option.also_help
