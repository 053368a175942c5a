"""TRN001 unreadable-file."""

from trainlint.finding import Severity
from trainlint.rule import EngineRule


class UnreadableFile(EngineRule):
    """A file that cannot be read as Python

    It has a syntax error, an encoding that cannot be told, bytes that do not fit its encoding, or it is nested too
    deeply.

    ## Why
    Nothing in such a file could be judged. It is reported as a failure, which makes the exit code 2 and cannot be
    silenced in the file: without it a run would look clean, though any line may slow training down. All other files
    are judged as usual.

    ## Example
    ```python
    for batch in loader
        train_step(batch)
    ```

    ## Use instead
    ```python
    for batch in loader:
        train_step(batch)
    ```

    ## Stays silent
    Files that the configuration excludes: `exclude = ["vendored/"]` is the way to keep a file that is no Python, or
    that needs a newer Python than the one that runs trainlint.

    ## Confirmed by
    Python itself: `python -m py_compile FILE` fails on the same line.

    ## References
    - [Python: lexical analysis, encoding declarations](https://docs.python.org/3/reference/lexical_analysis.html#encoding-declarations)
    - [PEP 263: defining Python source code encodings](https://peps.python.org/pep-0263/)
    """

    code = "TRN001"
    name = "unreadable-file"
    severity = Severity.ERROR
