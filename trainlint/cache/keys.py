"""Names of what is kept: a digest of everything that it depends on."""

from __future__ import annotations

try:
    from _blake2 import blake2b  # what `hashlib` calls by this name, without OpenSSL, which takes 3 ms to import
except ImportError:
    from hashlib import blake2b


def digest(data: bytes) -> bytes:
    """What stands for some bytes: others have another one."""
    return blake2b(data, digest_size=32).digest()


def key(sort: str, *facts: str | bytes) -> bytes:
    """The name of one thing of a sort that depends on these facts and on no others."""
    return blake2b(b"".join(map(_framed, (sort, *facts))), digest_size=32).digest()


def _framed(fact: str | bytes) -> bytes:
    """A fact with its length, so that no two rows of facts look alike."""
    data = fact if isinstance(fact, bytes) else fact.encode("utf-8", "surrogatepass")
    return b"%d:%b" % (len(data), data)
