"""What Fixit finds, too: CompareSingletonPrimitivesByIs and UseAssertIsNotNone."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from trainlint.contract.cst_rule import CstRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Safety

NONE = m.Name("None")


class ComparedWithNone(CstRule):
    """A comparison with None by `==`

    ## Why
    A class may define `==`.

    ## Example
    ```python
    import torch

    if torch.version.cuda == None or None != torch.version.hip:
        print("no CUDA")
    ```

    ## Use instead
    ```python
    import torch

    if torch.version.cuda is None or None != torch.version.hip:
        print("no CUDA")
    ```

    ## Fix safety
    A class may define `==`.

    ## Confirmed by
    Nothing.

    ## References
    Fixit, CompareSingletonPrimitivesByIs.
    """

    code = "PEER501"
    name = "peer-compared-with-none"
    pattern = m.Comparison(comparisons=[m.ComparisonTarget(m.Equal() | m.NotEqual(), NONE)])
    message = "`{text}` asks a method of the class"
    help = "compare by `is`"
    fix_title = "Compare by identity"
    fix_safety = Safety.UNSAFE

    def replacement(self, node: cst.Comparison, match: Match) -> cst.Comparison:
        """The same with another operator."""
        target = node.comparisons[0]
        by_identity = cst.Is() if isinstance(target.operator, cst.Equal) else cst.IsNot()
        return node.with_changes(comparisons=[target.with_changes(operator=by_identity)])


class AssertTrueOfNone(CstRule):
    """`assertTrue` of a comparison with None

    ## Why
    Its failure does not show the value.

    ## Example
    ```python
    class TestModel(torch.testing.TestCase):
        def test_gradients(self):
            self.assertTrue(self.parameter.grad is not None)
    ```

    ## Use instead
    ```python
    class TestModel(torch.testing.TestCase):
        def test_gradients(self):
            self.assertIsNotNone(self.parameter.grad)
    ```

    ## Confirmed by
    Nothing.

    ## References
    Fixit, UseAssertIsNotNone.
    """

    code = "PEER502"
    name = "peer-assert-true-of-none"
    compared = m.Comparison(m.SaveMatchedNode(m.DoNotCare(), "value"), [m.ComparisonTarget(m.IsNot(), NONE)])
    pattern = m.Call(m.Attribute(m.Name("self"), m.Name("assertTrue")), [m.Arg(compared)])
    in_tests = True
    message = "a failure does not show `{value}`"
    help = "use `assertIsNotNone`"
    fix_title = "Use assertIsNotNone"
    fix_safety = Safety.SAFE

    def replacement(self, node: cst.Call, match: Match) -> cst.Call:
        """The assertion of the value alone."""
        named = cst.ensure_type(node.func, cst.Attribute).with_changes(attr=cst.Name("assertIsNotNone"))
        return cst.Call(named, [cst.Arg(match["value"].node)])
