"""What calls do: of the project's functions, of libraries' functions, of methods by the kind of their object.

`dispatch.py` is the way in. `call` chooses by the kind of value that is called, `method` by the kind of the object;
each answer is a function of one of the other modules:

- `objects.py`: objects and classes of the project. Its functions are executed by `execution.bodies`.
- `library_functions.py`: by dotted name: `builtins.py`, `host_libraries.py` (NumPy, logging), `torch_objects.py`
  (modules, wrappers, collectives) and `torch_functions.py` (what makes, combines and asks tensors), `loaders.py`.
- `distributions.py`: `torch.distributions`, whose objects check values on the host.
- `tensor_methods.py`, `containers.py`, `made_objects.py` (objects of libraries), and `unknown_methods.py`, which judges
  by the name of the method and by what the code calls its object.
- `transfers.py`: copies between host and device; all of them, by whatever call, end in `moved`, which alone decides
  what a copy is. `places.py` reads devices, dtypes and `non_blocking` among arguments.
- `number_arguments.py`: tensors that functions of torch are given for numbers.
- `options.py`: `add_argument`; `isinstance.py`: where its answer is known.

A module answers what a call returns, and tells what it does (`run.tell`, `run.reads`) and its effects (`run.effects`:
trains, optimizes, takes batches). Names of libraries stand in `libraries`, not here. A new function that does what
others do is a word there; one that does something else is a small function and a row in the table of its module
(`_HANDLERS`).
"""
