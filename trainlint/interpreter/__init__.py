"""An abstract run of a program: values, frequency and calls in one pass, from the program's entries forward.

The run executes each module's top level and then what frameworks or nobody in sight calls. A statement is executed with
an environment of abstract values; a test says how often its branches run; a call is executed, and that is the edge of
the call graph. Where an operation makes the host wait or copies memory, the run tells its listener, with the chain of
calls.

Concepts:

- A value (`values`) is a tensor with its place, a container, a function, a constant, or unknown.
- How often code runs (`Heat` in `machine.run`): cold, in each training step, or elsewhere (evaluation, now and then, in
  workers, switched off). What is elsewhere stays there, with all that it calls.
- A loop whose body trains is a training loop. Its body is executed once to see that, and once more as a step
  (`execution.loops`). Nothing else makes code hot but hooks of frameworks and presumed entries (`entries`).
- A context is a function with how often it runs and the kinds of its arguments. Its body is executed once for each
  context, and what that gave is remembered (`execution.bodies`).

The one way through: `evaluation.run_project` → `execution.definitions.execute_module` → `Run.block` → a function of
`execution` for the kind of statement → `Run.value` → one for the kind of expression → `calls.dispatch.call` →
`execution.bodies.execute` → `Run.block` of the called function. `evaluation.PARTS` is the table of these functions.

Packages, each of which may import only those after it:

- `evaluation`: puts the parts together and runs a project; `entries`: what is executed that nobody in sight calls
- `calls`: what a call does, by what is called
- `execution`: what statements and expressions do
- `machine`: the state of a run, what it tells, what it leaves out
- `branches`: reads tests; `libraries`: what libraries do, as data; `project`: files and imports
- `values`: kinds of values, how they are joined; modules, classes and functions
- `bounds`: all limits, with their reasons; `text`: the code of a node

No part knows a rule, a format or the command line. Of the rest of the product only `analysis.tables` is imported.
"""
