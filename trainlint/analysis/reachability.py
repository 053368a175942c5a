"""Which functions and branches of a file some program runs, by its own text and by what other files say."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from trainlint.analysis.frequency.running_code import running_units
from trainlint.analysis.programs.test_files import is_named_unused

TYPE_CHECKING = False
if TYPE_CHECKING:  # the model asks this module, which so must not import it
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.syntax.blocks import Block, Function


class Reachability:
    """The answers for one file, each worked out when first asked for."""

    def __init__(self, file: SemanticModel) -> None:
        self._file = file

    @cached_property
    def _unreferenced(self) -> frozenset[Function]:
        """The functions that never run; of a file alone, as far as it is a program."""
        keys = self._file.outside.unreferenced
        return self._functions(self._never_run_alone() if keys is None else keys)

    def _functions(self, keys: Collection[str]) -> frozenset[Function]:
        """The functions of the file with some keys."""
        key_of = self._file.keys.function
        return frozenset([item for item in self._file.outline.functions if keys and key_of(item) in keys])

    def _never_run_alone(self) -> tuple[str, ...]:
        return self._never_run_by_top(offers=True) if self._file.lookups.starts else ()

    def _never_run_by_top(self, *, offers: bool) -> tuple[str, ...]:
        """The functions that the file's own top never leads to; none where it finds functions by their names."""
        found = self._file.lookups
        if found.reflects or found.takes_from_modules or found.reflects_near:
            return ()
        running = running_units(
            [self._file.code_units],
            whole=[False],
            started=[True],
            may_mean=lambda _user, _owner, _name: False,
            called=lambda _file, _key: (),
            offers=[offers],
        )
        return tuple([unit.key for unit in self._file.code_units.units if (0, unit.key) not in running])

    def is_unreferenced(self, block: Block) -> bool:
        """Whether a block stands in a function that never runs, since no code that runs names it."""
        function = self._file.outline.enclosing(block)
        return function is not None and function in self._unreferenced

    @cached_property
    def _idle(self) -> frozenset[Function]:
        """The functions that no program runs.

        Those that never run, what a file that is left aside only defines, and what is named as unused and is not named
        anywhere else in the file.
        """
        aside = self._never_run_by_top(offers=False) if self._file.outside.standing.left_aside else ()
        return self._unreferenced | self._functions({*self._file.outside.unused, *aside, *self._named_unused()})

    def _named_unused(self) -> Iterator[str]:
        named = {item.name for item in self._file.outline.functions if is_named_unused(item.name)}
        if named:
            named -= {name for unit in self._file.code_units.units for name in unit.uses}
        for item in self._file.outline.functions if named else ():
            if not named.isdisjoint(item.qualified_name.split(".")):
                yield self._file.keys.function(item)

    def is_idle(self, block: Block) -> bool:
        """Whether a block stands in a function that no program in sight runs, where programs show what is run.

        Nobody gains by a fix there.
        """
        function = self._file.outline.enclosing(block)
        return function is not None and function in self._idle
