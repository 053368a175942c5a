"""`python -m trainlint`."""

import sys

from trainlint.cli import main

if __name__ == "__main__":
    sys.exit(main())
