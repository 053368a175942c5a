"""The version of torch in lock files: those of uv, Poetry and PDM, and Pipfile.lock."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.config.torch.requirements import range_of_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config.torch_range import TorchRange


def in_lock(text: str) -> Iterator[TorchRange | None]:
    """The versions in a lock file of `[[package]]` tables.

    Tools write these files, one key a line. They may have megabytes, over which a TOML parser takes seconds.
    """
    for table in f"\n{text}".split("\n[[package]]")[1:]:
        keys = table.partition("\n[")[0].splitlines()
        if 'name = "torch"' in keys:
            yield from (range_of_version(key[11:-1]) for key in keys if key.startswith('version = "'))


def in_pipfile_lock(text: str) -> Iterator[TorchRange | None]:
    """The versions in a Pipfile.lock, which is JSON."""
    import json

    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return
    for group in values.values() if isinstance(values, dict) else ():
        package = group.get("torch") if isinstance(group, dict) else None
        version = package.get("version") if isinstance(package, dict) else None
        if isinstance(version, str):
            yield range_of_version(version.removeprefix("=="))
