"""The JSON Schema of a trainlint.toml, and of [tool.trainlint] in a pyproject.toml, in the form that SchemaStore takes.

docs/generate.py writes it to docs/trainlint.schema.json. It says less than the check of each kind: which words stand
for rules depends on the rule packs that are installed, and no schema knows version specifiers.
"""

from __future__ import annotations

from trainlint.config.settings import Config
from trainlint.config.written import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config.keys import Key


def schema() -> dict[str, object]:
    """The whole schema, as data that JSON can hold."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://json.schemastore.org/trainlint.json",
        "title": "trainlint",
        "description": "Settings of trainlint, which finds what makes PyTorch training slow, wasteful or wrong",
        "type": "object",
        "additionalProperties": False,
        "properties": {key.name: _property(key) for key in sorted(Config.keys, key=lambda key: key.name)},
    }


def _property(key: Key) -> dict[str, object]:
    described: dict[str, object] = {"description": key.help[0].upper() + key.help[1:], **key.kind.schema}
    default = plain(key, key.default)
    if default is not None:
        described["default"] = default
    return described | {"examples": [key.example]}
