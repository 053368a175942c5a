"""An abstract run of a program: values, frequency and calls in one pass, from the program's entries forward.

The run executes each module's top level and then what frameworks or nobody in sight calls (`entries`). A statement is
executed with an environment of abstract values (`values`), a test says how often its branches run (`branches`), a call
is executed, and that is the edge of the call graph (`run`). What libraries do is data (`libraries`). Where an
operation makes the host wait or copies memory, the run tells its listener (`events`), with the chain of calls.

Packages, each of which may import only those after it: `entries`, `run`, `libraries`, `branches`, `project`, `values`.
No part knows a rule, a format or the command line.
"""
