"""What statements and expressions do: one function for each kind of node.

All have one form: `for_(run, node, frame)`. Those of statements return whether the block ends there (`return`,
`raise`), those of expressions a value. `evaluation.PARTS` says which function executes which node; nodes without one do
nothing, or give `UNKNOWN`.

- `statements.py`, `branching.py`, `loops.py`, `definitions.py`: statements. Branches are executed in copies of the
  names, which are merged afterwards. If one of two branches ends the block, the rest of it runs as often as the other.
  A loop's body is executed twice: the first time tells nothing and shows what the body does.
- `expressions.py`, `names.py`, `attributes.py`, `subscripts.py`, `operators.py`, `tests.py`: expressions. `truth` (in
  `tests.py`) asks `branches.read` and tells a wait where a test needs a tensor's value.
- `assignment.py`, `iteration.py`: what is assigned to any target, and what a loop over a value gives. Attributes are
  kept by class and name, joined with all that was assigned before.
- `arguments.py`, `bodies.py`: a function of the project is called. `execute` looks for the context among those that are
  remembered; else it executes the body, unless a limit forbids or the function has called itself already. Then it gives
  what is known of its results.

What is evaluated twice (loops, tests in tests) is counted in the statements of its file, and ends at `bounds`.
"""
