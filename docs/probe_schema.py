"""Write the JSON schemas of what the probe's commands give, made from the dataclasses that their documents hold.

python docs/probe_schema.py            write them
python docs/probe_schema.py --check    write nothing; exit with 1 where one is stale
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import sys
import textwrap
import types
import typing
from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from trainlint.finding import Safety
from trainlint_probe.judging import document as judging
from trainlint_probe.report import document as probing

FOLDER = Path(__file__).resolve().parent.parent / "runtime_probe/trainlint_probe/report/schema"


class Documented(NamedTuple):
    """A command and its document."""

    kind: type
    format_version: int


DOCUMENTS = {
    "probe": Documented(probing.Document, probing.FORMAT_VERSION),
    "judge": Documented(judging.Document, judging.FORMAT_VERSION),
}
"""By the name of the command."""

_PLAIN: Mapping[Any, Any] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    float: {"$ref": "#/$defs/Number"},
}


def schema(command: str) -> dict[str, Any]:
    """The schema of a command's document."""
    definitions = _Definitions()
    documented = DOCUMENTS[command]
    whole = definitions.of_dataclass(documented.kind)
    whole["properties"]["format_version"]["const"] = documented.format_version
    title = f"trainlint {command} --output-format json"
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return {**head, **whole, "$defs": dict(sorted(definitions.written.items()))}


def text(command: str) -> str:
    """The schema as it is written to its file."""
    return json.dumps(schema(command), indent=2) + "\n"


def file(command: str) -> Path:
    """Where it is written to."""
    return FOLDER / f"{command}.schema.json"


class _Definitions:
    """The schemas of classes that were met so far, by their names."""

    def __init__(self) -> None:
        number = "Null stands for what is no finite number, as the loss of a training that diverged."
        self.written: dict[str, Any] = {"Number": {"description": number, "type": ["number", "null"]}}
        self._kinds: dict[str, type] = {}

    def of(self, kind: Any) -> dict[str, Any]:
        """The schema of an annotation."""
        if kind in _PLAIN:
            return dict(_PLAIN[kind])
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if origin in (typing.Union, types.UnionType):
            return {"anyOf": [self.of(argument) for argument in arguments]}
        if origin is tuple and arguments[1:] == (...,):
            return {"type": "array", "items": self.of(arguments[0])}
        if origin is tuple:
            items = [self.of(argument) for argument in arguments]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        if origin is not None and issubclass(origin, Mapping):
            keys, values = map(self.of, arguments)
            return {"type": "object", "propertyNames": keys, "additionalProperties": values}
        return self._of_class(kind)

    def _of_class(self, kind: type) -> dict[str, Any]:
        name = kind.__name__
        if name not in self._kinds:
            self._kinds[name] = kind  # at once: a class may hold itself
            self.written[name] = _of_enum(kind) if issubclass(kind, Enum) else self.of_dataclass(kind)
        assert self._kinds[name] is kind, f"two classes are named {name}"
        return {"$ref": f"#/$defs/{name}"}

    def of_dataclass(self, kind: Any) -> dict[str, Any]:
        """The schema of an object with a dataclass's fields."""
        about, of_fields = _docstrings(kind)
        hints = typing.get_type_hints(kind)
        properties = {}
        for name in (field.name for field in fields(kind)):
            described = {"description": of_fields[name]} if name in of_fields else {}
            properties[name] = {**described, **self.of(hints[name])}
        return {"description": about, "type": "object", "required": list(properties), "properties": properties}


def _of_enum(kind: type[Enum]) -> dict[str, Any]:
    about, _ = _docstrings(kind)
    values = [member.label for member in Safety] if kind is Safety else [member.value for member in kind]
    return {"description": about, "enum": values}


def _docstrings(kind: type) -> tuple[str, dict[str, str]]:
    """What a class says of itself, and of each field in the text below it."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)
    of_fields = {}
    for statement, below in zip(tree.body, tree.body[1:], strict=False):
        match statement, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(said))):
                of_fields[name] = inspect.cleandoc(said).replace("\n", " ")
    return inspect.cleandoc(ast.get_docstring(tree) or "").replace("\n", " "), of_fields


def main() -> int:
    """Write the schemas, or say which are stale."""
    parser = argparse.ArgumentParser(description="Write the JSON schemas of what the probe's commands give.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 where one is stale")
    check = parser.parse_args().check
    stale = [command for command in DOCUMENTS if not _is_fresh(command)]
    for command in stale:
        if check:
            print(f"{file(command).name} is stale: run `python docs/probe_schema.py`", file=sys.stderr)
        else:
            file(command).write_text(text(command), encoding="utf-8")
            print(f"wrote {file(command).name}")
    return 1 if check and stale else 0


def _is_fresh(command: str) -> bool:
    return file(command).is_file() and file(command).read_text(encoding="utf-8") == text(command)


if __name__ == "__main__":
    raise SystemExit(main())
