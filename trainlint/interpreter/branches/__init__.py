"""The one reader of tests: what an `if` says of how often each of its branches runs.

`read` (in `read.py`) takes a test and a function that gives the abstract value of an expression, and answers with a
`Branch` (in `branch.py`): how the test ends, where that is known, and how cold each branch is ("" says nothing,
`evaluation`, `rare`, `off`), and because of what.

In this order:

1. `not`, `and`, `or` are taken apart; `both` and `either` join the answers in any order, and `turned` negates one.
2. The value, where it decides: a constant, an object, a GPU that is there.
3. A comparison (`comparisons.py`), after the side that is asked was put first: intervals (`step % 100 == 0`), first and
   last steps, phases by name (`mode == "val"`), devices, a best result, time that has passed.
4. The name that the test asks for (`names.py`): `last_name` of `args.log_every` is `log_every`.

`words.py` has all patterns for names. A name that looks like one of them and means something else belongs to
`NO_MEANING`. A wrong answer here is silent and costs a whole program, since coldness stays: a new form needs a line in
`tests/interpreter/branches/conditions.txt`, and the property tests beside it hold for all forms.

Nothing here executes code or knows the run: a test that is stored in a variable is read by `execution.statements`,
which keeps the answer in the value (`Plain.says`).
"""
