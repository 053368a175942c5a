"""The state of a run, and the ways by which its parts call one another.

- `run.py`: `Run` holds what is known so far (attributes of classes, options, what each body gave in each context) and
  where the run is (the stack of frames, how often the code runs, what it has done). `Parts` is the table of functions
  that execute nodes and calls. They are passed in, so that a module for loops need not import the one for calls, which
  need not import the one for loops.
- `frame.py`: `Frame` is a function, class body or module that is being executed, with its names; what executing a body
  gave is `Remembered`.
- `events.py`: `Event` is what the run tells its listener: an operation in a training step, with its place, the value
  and the chain of calls. A rule is chosen by `Happening`.
- `left_out.py`: what was not executed because of a limit of `bounds`.

`Run.tell` is the only place that tells, and it does so only in a training step. `Run.reads` tells if the host needs a
value of the device. A body that is not executed again, because its context is known, tells its operations again with
the calls that reach it now (`tell_again`).

`Run.attempt` executes a function or a statement of a module so that code which is nested too deeply for Python's stack
is left out alone. Python's usual limit of 1,000 calls is enough: real programs need some 350.
"""
