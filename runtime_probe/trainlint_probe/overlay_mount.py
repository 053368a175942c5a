"""`python overlay_mount.py [--over DIRECTORY LAYER]... -- [COMMAND]`: runs a command that writes to layers of its own.

Over each DIRECTORY lies an overlay file system: it shows what the directory holds, and what the command and all that it
starts write there goes to LAYER. It exists for these processes alone, and is gone with the last of them.

Linux gives such a view to whoever may mount: root in a mount namespace; everybody else in a user namespace as well,
where they stay who they are. Unmapped there are all other users, whom files then seem to belong to as "nobody".

The program stands alone, so that little is imported before it becomes the command.
"""

import ctypes
import errno
import os
import sys

CANNOT = 78
"""The exit code where there can be no such view; stderr says why."""

# From linux/sched.h and linux/mount.h.
_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000
_RECURSIVE, _PRIVATE = 0x4000, 0x40000

_OBSTACLES = {
    ("unshare", errno.EPERM): "this user may not have mounts of their own here",
    ("mount", errno.EPERM): "this user may not mount here",
    # So say containers, whose own files lie on an overlay already.
    ("mount", errno.EINVAL): "the file system of the temporary directory cannot hold a layer; set TMPDIR to another",
    ("mount", errno.ENODEV): "this Linux has no overlay file systems",
}


def main(words: list[str]) -> None:
    """Mount, and become the command. Without a command, try whether a file can be written, and end."""
    split = words.index("--")
    named, command = words[:split], words[split + 1 :]
    layers = dict(zip(named[1::3], named[2::3], strict=True))
    here = os.getcwd()  # noqa: PTH109 - pathlib need not be loaded
    try:
        enter(layers)
        os.chdir(here)  # the same path, seen through the overlay
        if not command:
            for directory, layer in layers.items():
                _try(directory, layer)
            return
    except OSError as error:
        sys.stderr.write(f"{error.strerror or error}\n")
        sys.exit(CANNOT)
    os.execvp(command[0], command)  # noqa: S606 - to become the command is what this is for


def enter(layers: dict[str, str]) -> None:
    """Let this process see each directory through a layer. Raises OSError where that is not allowed."""
    user, group = os.geteuid(), os.getegid()
    _call("unshare", _NEW_MOUNTS | (_NEW_USER if user else 0))
    if user:
        _write("/proc/self/setgroups", "deny")  # asked for before a group may be named
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    _call("mount", None, b"/", None, _RECURSIVE | _PRIVATE, None)
    for directory, layer in layers.items():
        for part in ("written", "work"):
            os.makedirs(f"{layer}/{part}", exist_ok=True)  # noqa: PTH103 - as above
        options = f"lowerdir={directory},upperdir={layer}/written,workdir={layer}/work"
        # Where one is not root, marks go to attributes that users may set.
        options += ",userxattr" if user else ""
        _call("mount", b"trainlint", os.fsencode(directory), b"overlay", 0, os.fsencode(options))


def _try(directory: str, layer: str) -> None:
    """Whether what is written to a directory goes to its layer, and can be removed again."""
    name = f".trainlint.{os.getpid()}"
    _write(f"{directory}/{name}", "", new=True)
    reached = os.path.exists(f"{layer}/written/{name}")  # noqa: PTH110 - as above
    os.unlink(f"{directory}/{name}")  # noqa: PTH108 - as above
    if not reached:
        raise OSError("what is written does not reach the layer")


def _call(name: str, *arguments: "int | bytes | None") -> None:
    """Call a function of the C library, and raise what it says."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments):
        number = ctypes.get_errno()
        raise OSError(number, _OBSTACLES.get((name, number), f"{name}: {os.strerror(number)}"))


def _write(path: str, text: str, *, new: bool = False) -> None:
    with open(path, "x" if new else "w", encoding="ascii") as file:  # noqa: PTH123 - as above
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
