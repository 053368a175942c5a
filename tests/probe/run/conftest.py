"""What the tests of the probed process share."""

from tests.probe.run.running import runner

__all__ = ["runner"]
