"""The files of a project in one process, and which of them an import means.

`Project` takes paths with their trees in any order and keeps them by dotted name, in the order of their paths: the
order in which files are given changes nothing.

`absolute` answers what `import a.b` means in a file. Any directory above the file may be on the import path, so `a.b`
is looked for below each of them, the nearest first. If there is none, a file counts whose dotted name ends so; of
several the one that shares most packages with the importing file, and tests last. Everything else is a library.
`relative` answers for `from ..a import b`.

What a file defines (`Module`, `Class`, `Function`) is in `values.definitions`, because values refer to it. Imports are
executed by `execution.definitions`.
"""
