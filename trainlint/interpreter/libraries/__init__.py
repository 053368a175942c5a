"""What libraries do, as data: names of functions, methods and classes with what they mean for the run.

- `tensors.py`: attributes and methods of tensors, and functions of torch: what makes masks, what may give several
  tensors, what makes tensors of a size or from data. What waits comes from `analysis.tables.waits.operators`, which is
  held against a simulated GPU.
- `modules.py`: classes by what they mean (modules, autograd functions, loaders, wrappers), and libraries that work on
  the host.
- `frameworks.py`: which methods run in each step, by `analysis.tables.frameworks` or as they are presumed to where
  nobody calls them; names of functions and paths that are for something else than training.
- `guesses.py`: what a name says of a value that is not known otherwise: `loader`, `loss`, `model`.

Only tables and patterns, and functions that ask one of them. A new name of a library is one word here; what is done
with it stands in `calls`.
"""
