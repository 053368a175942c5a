"""What a thing is, where it lies, and how it came to be: the values of the abstract run.

A value never changes after it is made. Two values are the same if their `key` is (`value.py`): a function that is given
values with the same keys is executed once. The way by which a tensor came ("torch.arange at a.py:3, passed by b.py:7")
is kept for messages and is not part of the key.

- `value.py`: the base of all kinds, and `Environment`: names with what they stand for.
- `definitions.py`: `Module`, `Class`, `Function`: what the project defines. They are filled while the run goes on; a
  value holds them by identity.
- `kinds.py`: one class for each kind. `Tensor` has a place (device, host, pinned, unknown), says whether it is a mask,
  whether it may be a structure of tensors (`container`), and what it was made from (`source`). `Plain` is anything of
  the host that is no tensor, perhaps a known constant. `Items`, `Mapping_`, `Stream` and `Loader` hold values.
- `callables.py`: what can be called or has attributes. `Object`, `ClassValue`, `FunctionValue` and `ModuleValue` are
  the project's, `Name` and `Made` a library's, by dotted name. `Choice` is one of several.
- `joining.py`: `join` says what holds where two ways of the program meet. Unknown gives way to what is known; None is
  remembered in `maybe_none`; device with host gives an unknown place; two callables give a `Choice`. `element` is one
  item of a container.

`maybe_none` belongs to each value, so that `x = None` before a loop does not hide what `x` is after it.
"""
