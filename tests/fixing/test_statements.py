"""Whole statements and lines come and go; their neighbours stay as they are, byte for byte."""

from __future__ import annotations

import ast

import pytest

from tests.fixing.helpers import edited, read, statement_of
from trainlint.fixing.rewrite import Unfixable, insert_decorator, remove_statement, wrap_in_with
from trainlint.fixing.statements import insert_before

REMOVED = {
    "a()\ngone()\nb()\n": "a()\nb()\n",
    "a()\ngone()  # why\nb()\n": "a()\n# why\nb()\n",
    "a()\ngone();  # why\nb()\n": "a()\n# why\nb()\n",
    "if x:\n    a()\n    gone()  # why\n": "if x:\n    a()\n    # why\n",
    "if x:\n    gone()  # why\n": "if x:\n    pass  # why\n",
    "a()\ngone()  # noqa: F401\nb()\n": "a()\nb()\n",
    "if x:\n    gone()  # type: ignore[misc]\n": "if x:\n    pass\n",
    "a()\r\ngone()\r\nb()\r\n": "a()\r\nb()\r\n",
    "# above\ngone()\n\nb()\n": "# above\n\nb()\n",
    "a()\ngone()": "a()",
    "if x:\n    a()\n\n    gone()\n\n    b()\n": "if x:\n    a()\n\n    b()\n",
    "if x:\n    a()\n\n    gone()\n\nb()\n": "if x:\n    a()\n\nb()\n",
    "if x:\n    a()\n\n    gone()\n    b()\n": "if x:\n    a()\n\n    b()\n",
    "if x:\n    a()\n    gone()\n\n    b()\n": "if x:\n    a()\n\n    b()\n",
    "a()\n\ngone()\n\nb()\n": "a()\n\n\nb()\n",
    "a()\r\ngone()": "a()",
    "a()\ngone(\n    1,\n)  # end\nb()\n": "a()\n# end\nb()\n",
    "if x:\n    gone()\n": "if x:\n    pass\n",
    "if x:\n    gone()  # why\nb()\n": "if x:\n    pass  # why\nb()\n",
    "if x:\n    gone();\nb()\n": "if x:\n    pass\nb()\n",
    "if x: gone()  # about x\n": "if x: pass  # about x\n",
    "if x: gone(); b()\n": "if x: b()\n",
    "if x: a(); gone()\n": "if x: a()\n",
    "a(); gone(); b()  # all\n": "a(); b()  # all\n",
    "gone(); b()\n": "b()\n",
    "a(); gone();  # end\n": "a();  # end\n",
    "a(); \\\n  gone()\nb()\n": "a()\nb()\n",
    "gone();  # end\nb()\n": "# end\nb()\n",
    "a()  # x; y\ngone()\nb()\n": "a()  # x; y\nb()\n",
    "for x in y:\n\ta()\n\tgone()\n": "for x in y:\n\ta()\n",
    "try:\n    gone()\nfinally:\n    b()\n": "try:\n    pass\nfinally:\n    b()\n",
    "match x:\n    case 1:\n        gone()\n": "match x:\n    case 1:\n        pass\n",
    "if x:\n    a()\nelif y:\n    gone()\n": "if x:\n    a()\nelif y:\n    pass\n",
}


@pytest.mark.parametrize("before", REMOVED)
def test_a_removed_statement_leaves_no_trace_but_pass(before: str) -> None:
    source, tree = read(before)
    after = edited(source, remove_statement(source, statement_of(tree, "gone(")))
    assert after == REMOVED[before]
    ast.parse(after)


def test_a_removed_definition_takes_its_decorators_along() -> None:
    source, tree = read("a()\n@one\n@two(\n  1)\ndef f():\n    pass  # f\nb()\n")
    assert edited(source, remove_statement(source, tree.body[1])) == "a()\n# f\nb()\n"


def test_an_elif_is_no_statement_of_its_own() -> None:
    source, tree = read("if x:\n    a()\nelif y:\n    b()\n")
    first = tree.body[0]
    assert isinstance(first, ast.If)
    with pytest.raises(Unfixable, match="elif"):
        remove_statement(source, first.orelse[0])


def test_a_statement_of_another_file_is_refused() -> None:
    source, _ = read("a()\n")
    _, other = read("other()\n")
    with pytest.raises(Unfixable, match="no statement"):
        remove_statement(source, other.body[0])


INSERTED = {
    "a()\nhere()\n": "a()\nnew()\nhere()\n",
    "if x:\r\n\there()\r\n": "if x:\r\n\tnew()\r\n\there()\r\n",
    "if x: here()\n": "if x: new(); here()\n",
    "a(); here()\n": "a(); new(); here()\n",
    "    \nif x:\n    a()\n    # why\n    here()": "    \nif x:\n    a()\n    # why\n    new()\n    here()",
}


@pytest.mark.parametrize("before", INSERTED)
def test_a_line_put_in_is_indented_like_the_statement_below(before: str) -> None:
    source, tree = read(before)
    assert edited(source, insert_before(source, statement_of(tree, "here("), "new()")) == INSERTED[before]


def test_several_lines_are_put_in_above_a_decorator() -> None:
    source, tree = read("class A:\n    @one\n    def f(self): pass\n")
    function = statement_of(tree, "@one")
    after = edited(source, insert_before(source, function, "if x:\n    y = 1\n"))
    assert after == "class A:\n    if x:\n        y = 1\n\n    @one\n    def f(self): pass\n"


def test_a_block_cannot_be_put_into_a_shared_line() -> None:
    source, tree = read("a(); b()\n")
    with pytest.raises(Unfixable):
        insert_before(source, tree.body[1], "if x: y()")


def test_a_decorator_stands_closest_to_the_function() -> None:
    source, tree = read("class A:\r\n\t@staticmethod\r\n\tasync def f(): pass\r\n")
    function = statement_of(tree, "@staticmethod")
    assert isinstance(function, ast.AsyncFunctionDef)
    expected = "class A:\r\n\t@staticmethod\r\n\t@torch.no_grad()\r\n\tasync def f(): pass\r\n"
    assert edited(source, insert_decorator(source, function, "torch.no_grad()")) == expected
    assert edited(source, insert_decorator(source, function, "@torch.no_grad()")) == expected


def test_statements_move_into_a_with_block() -> None:
    source, tree = read("def f():\n  a()  # one\n\n  # two\n  for x in y:\n    b(\n  1)\n  c()\n")
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    after = edited(source, wrap_in_with(source, function.body[:2], "with torch.no_grad():"))
    assert after == (
        "def f():\n  with torch.no_grad():\n    a()  # one\n\n    # two\n    for x in y:\n      b(\n    1)\n  c()\n"
    )
    ast.parse(after)


@pytest.mark.parametrize(
    "text",
    ['a("""x\ny""")\n', 'a(f"""x\n{y}""")\n', "a(); b()\n", "b(); a()\n", 'if x:\n    y = """\n"""\n'],
)
def test_what_is_not_simple_to_indent_is_refused(text: str) -> None:
    source, tree = read(text)
    statement = next(node for node in tree.body if not ast.unparse(node).startswith("b("))
    assert wrap_in_with(source, [statement], "with torch.no_grad():") is None


def test_statements_that_are_no_neighbours_are_refused() -> None:
    source, tree = read("a()\nb()\nc()\n")
    assert wrap_in_with(source, [tree.body[0], tree.body[2]], "with x:") is None


def test_an_elif_chain_of_any_length_has_a_layout() -> None:
    text = "if x:\n    a()\n" + "elif y:\n    b()\n" * 900 + "else:\n    gone()\n"
    source, _ = read(text)
    gone = ast.parse("\n" * (text.count("\n") - 1) + "if 1:\n    pass\n    gone()\n").body[0]
    assert isinstance(gone, ast.If)
    node = gone.body[1]
    node.lineno = node.end_lineno = text.count("\n")
    assert edited(source, remove_statement(source, node)).endswith("else:\n    pass\n")


def test_a_statement_with_a_comment_inside_stays() -> None:
    source, tree = read("a = 1\nb = f(  # why\n    1\n)\n")
    with pytest.raises(Unfixable):
        remove_statement(source, tree.body[1])


def test_much_code_is_not_indented() -> None:
    for lines, moved in ((19, True), (20, False)):
        source, tree = read("if x:\n" + "    a()\n" * lines + "b()\n")
        assert (wrap_in_with(source, [tree.body[0]], "with torch.no_grad():") is not None) is moved
