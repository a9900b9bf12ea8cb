"""Extracting the program from a response: every way of writing a fence, responses without an answer, and hostile
texts."""

from __future__ import annotations

import ast
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sebench.base.extract import MAX_CHARACTERS, after_thinking, extract

CODE = "import vok\n\ndef solve(a):\n    return vok.mean(a)\n"


def indented(text: str, by: str) -> str:
    return "".join(by + line if line.strip() else line for line in text.splitlines(keepends=True))


FORMS = {
    "python": f"```python\n{CODE}```",
    "py": f"```py\n{CODE}```\n",
    "Python": f"```Python\n{CODE}```",
    "python3": f"```python3\n{CODE}```",
    "no word": f"```\n{CODE}```",
    "space before the word": f"``` python\n{CODE}```",
    "waves": f"~~~python\n{CODE}~~~",
    "bare waves": f"~~~\n{CODE}~~~\nDone.",
    "four ticks": f"````python\n{CODE}````",
    "attributes": f'```python title="solution.py" linenums=1\n{CODE}```',
    "the mark of an answer mentioned": f"```python\n{CODE}```\nI put it into <answer> tags, as `<answer>` asks.",
    "an answer that is no code": f"```python\n{CODE}```\n<answer>see above</answer>",
    "thinking behind it": f"```python\n{CODE}```\n<think>Was that right? Yes.</think>",
    "a shell": "```python\n" + ">>> import vok\n>>>\n>>> def solve(a):\n...     return vok.mean(a)\n...\n" + "```",
    "quoted twice": "".join(f"> > {line}\n" for line in f"```python\n{CODE}```".split("\n")),
    "what nobody sees": f"```python\n\u200b{CODE}```",
    "a stub behind": f"```python\n{CODE}```\nThe signature again:\n```python\ndef solve(a): ...\n```",
    "a stub that raises behind": f"```python\n{CODE}```\n```python\ndef solve(a):\n    raise NotImplementedError\n```",
    "the end of a turn behind": f"```python\n{CODE}```<|im_end|>\n",
    "padding behind": CODE.rstrip() + "</s>" * 40_000,
    "bare, the end of a turn behind": f"{CODE.rstrip()}</s><|endoftext|>",
    "output behind": f"```python\n{CODE}```\n```text\nsolve = [1, 2]\n```",
    "another library behind": f"```python\n{CODE}```\nIn NumPy:\n```python\nimport numpy as np\ndef solve(a):\n    "
    "return np.mean(a)\n```",
    "braces": f"```{{.python .numberLines}}\n{CODE}```",
    "word and braces": f"```python {{cmd=true}}\n{CODE}```",
    "trailing blanks": f"```python  \n{CODE}```   \n",
    "prose around": f"Let me explain.\n\n```python\n{CODE}```\n\nThis works, because it's simple.",
    "prose before on the line": f"Here it is: ```python\n{CODE}```",
    "prose glued before": f"Answer:```python\n{CODE}```",
    "prose behind the closing fence": f"```python\n{CODE}``` That's all, folks.",
    "indented": "1. Do this:\n\n" + indented(f"```python\n{CODE}```\n", "   ") + "\n2. Done.",
    "indented by tabs": indented(f"```python\n{CODE}```\n", "\t"),
    "indented code only": f"```python\n{indented(CODE, '    ')}```",
    "CRLF": f"Hi.\n```python\n{CODE}```\nBye.".replace("\n", "\r\n"),
    "CR": f"```python\n{CODE}```".replace("\n", "\r"),
    "no newline before the closing fence": f"```python\n{CODE.rstrip()}```",
    "glued, and prose": f"```python\n{CODE.rstrip()}```\nThat's it.",
    "no closing fence": f"Sure:\n```python\n{CODE}",
    "no closing fence, no final newline": f"```python\n{CODE.rstrip()}",
    "no closing fence, prose behind": f"```python\n{CODE}\nThis function doesn't loop.\nIt is fast.",
    "code on the fence": f"```{CODE}```",
    "byte order mark": f"\ufeff```python\n{CODE}```",
    "bare": CODE,
    "bare, no final newline": CODE.rstrip(),
    "bare, prose around": f"Here's what I'd write:\n\n{CODE}\nIt's the mean of the numbers.\n",
    "bare, after a word that parses": f"Sure,\n{CODE}",
    "bare, indented": indented(CODE, "    "),
    "bare, one blank line first": "\n\n" + CODE,
    "inline mention of a fence": f"I use a ```python block:\n```python\n{CODE}```",
    "inline code before": f"Call ```vok.mean``` once.\n```python\n{CODE}```\nNot ```vok.sum```!",
    "nested fences": f"````markdown\nExplanation\n```python\n{CODE}```\n````",
    "stray fence": f"```\nSome output\n```python\n{CODE}```",
    "fence never closed before the next": f"```python\nx = (\n```python\n{CODE}```",
    "thinking": f"<think>\n```python\ndef solve(a):\n    return 0\n```\n</think>\n```python\n{CODE}```",
    "Thinking": f"<THINKING>it's\n```python\ndef solve(a): return 0</THINKING>```python\n{CODE}```",
    "thinking without a start": f"```python\ndef solve(a):\n    return 0\n```\n</think>\n\n```python\n{CODE}```",
    "two thoughts": f"<think>a</think>\n```\ndef solve(a): return 0\n```\n<think>b</think>\n```python\n{CODE}```",
    "thinking, then bare": f"<think>hm</think>\n{CODE}",
    "a word about thinking": f"No `<think>` here.\n```python\n{CODE}```",
    "usage behind": f"```python\n{CODE}```\nUse it:\n```python\nprint(solve([1, 2]))\n```\nOutput:\n```\n1.5\n```",
    "shell before": f"```bash\npip install 'vok'\necho don't\n```\n```python\n{CODE}```",
    "first draft before": f"```python\ndef solve(a):\n    return 0\n```\nBetter:\n```python\n{CODE}```",
    "another function behind": f"```python\n{CODE}```\n```python\ndef test():\n    assert solve([1]) == 1\n```",
    "broken block behind": f"```python\n{CODE}```\n```python\ndef solve(a:\n```",
    "bare with a fenced example": f"{CODE}\nExample:\n```\nsolve([1, 2])\n```",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_way_of_writing_it(form: str) -> None:
    found = extract(FORMS[form], "solve", frozenset({"numpy"}))
    assert not found.reason
    assert found.code.strip() == CODE.strip()
    assert found.tree is not None and ast.unparse(found.tree) == ast.unparse(ast.parse(CODE))


STRINGS = {
    "docstring": 'def solve(a):\n    """Mean.\n    ```\n    solve([1,2])\n    ```\n    """\n    return a\n',
    "docstring with a program": 'def solve(a):\n    """\n    ```python\n    def solve(a): return 1\n    ```\n    """\n'
    "    return a\n",
    "fence at the margin": 'def solve(a):\n    """It\'s\n```python\nx\n```\n"""\n    return a\n',
    "single quotes": "def solve(a):\n    '''\n    ```\n    \"\"\"\n    ```\n    '''\n    return a\n",
    "one line": 'def solve(a):\n    fence = "```"\n    return a, fence\n',
    "in a comment": "def solve(a):\n    # ```\n    # don't\n    # ```\n    return a\n",
    "escaped quotes": 'def solve(a):\n    s = "\\"```"\n    t = """\\"""\n```\n"""\n    return a\n',
    "a text below": 'def solve(a):\n    return a\n\nDOC = """\n```text\nhello\n```\n"""\n',
}


@pytest.mark.parametrize("name", STRINGS)
@pytest.mark.parametrize(
    "wrap", ["```python\n{}```", "Text.\n```py\n{}```\nIt's done.\n```\n1.5\n```", "```\n{}", "{}"]
)
def test_fences_inside_strings_and_comments_of_the_code(name: str, wrap: str) -> None:
    assert extract(wrap.format(STRINGS[name]), "solve").code.strip() == STRINGS[name].strip()


@pytest.mark.parametrize(
    "code",
    [
        "solve = lambda a: a",
        "import vok\nsolve = vok.mean",
        "solve: object = len",
        "helper, solve = len, sum",
        "class solve:\n    def __new__(cls, a): return a",
        "async def solve(a):\n    return a",
        "try:\n    import vok\n    def solve(a): return a\nexcept ImportError:\n    pass",
        "if True:\n    def solve(a): return a",
        "try:\n    x = 1\nexcept ImportError:\n    def solve(a): return a",
        "from vok import mean as solve",
        "@print\ndef solve(a): return a",
    ],
)
def test_every_way_of_defining_it(code: str) -> None:
    answer = f"```python\n{code}\n```\nA test:\n```python\ndef test_solve():\n    solve([1])\n```"
    assert extract(answer, "solve").code.strip() == code


def test_a_mark_of_thinking_in_the_code_is_code() -> None:
    code = f"# <think> twice\n{CODE}"
    assert extract(f"Here:\n```python\n{code}```\n", "solve").code == code


def test_a_future_import_stays_first_when_blocks_are_joined() -> None:
    found = extract(
        "```python\nimport vok\n```\n```python\nfrom __future__ import annotations\n\ndef solve(a):\n    return "
        "vok.f(a)\n```",
        "solve",
    )
    assert found.code.startswith("from __future__ import annotations\nimport vok\n")


def test_a_name_bound_inside_another_function_is_no_definition() -> None:
    inner = "```python\ndef other(a):\n    def solve(b): return b\n    return solve(a)\n```"
    assert "first" in extract(f"```\ndef solve(a): return 'first'\n```\n{inner}", "solve").code


def test_without_the_entry_point_the_last_function_is_taken() -> None:
    answer = "```python\ndef one(a): return 1\n```\n```python\ndef two(a): return 2\n```\n```\nprint(two(1))\n```"
    assert extract(answer, "solve").code.strip() == "def two(a): return 2"
    assert extract("def one(a):\n    return 1\n", "solve").code.strip() == "def one(a):\n    return 1"
    assert extract("import vok\nprint(vok)\n", "solve").code.strip() == "import vok\nprint(vok)"


@pytest.mark.parametrize("code", ["def solve(a:\n    return a", 'print "hello"', "def solve(a):\n    return vok.mean("])
def test_what_does_not_parse_is_taken_as_it_is(code: str) -> None:
    for answer in (f"```python\n{code}\n```", f"```python\n{code}"):
        found = extract(answer, "solve")
        assert found.code.strip() == code and found.tree is None
    if code.startswith("def"):
        assert extract(code, "solve").code.strip() == code


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ("", "the response is empty"),
        (" \n\r\n", "the response is empty"),
        ("I do not know.", "no code"),
        ("No", "no code"),
        ("The mean of a = b is c.", "no code"),
        (f"<think>\n```python\n{CODE}```\n", "ends before its thinking does"),
        (f"<think>a</think>\n<thinking>```python\n{CODE}```\n", "ends before its thinking does"),
        (f"<think>\n```python\n{CODE}```\n</think>\n", "nothing follows the thinking"),
        ("<think>on one line</think>", "nothing follows the thinking"),
        (f"<think>\n```python\n{CODE}```\n</think>\nI give up.", "no code"),
        ("```python\n```", "no code"),
        ("x" * (MAX_CHARACTERS + 1), "200,001 characters"),
    ],
)
def test_no_code_has_a_reason(response: str, reason: str) -> None:
    found = extract(response, "solve")
    assert not found.code and reason in found.reason


@pytest.mark.parametrize("odd", ["\x00", "\ud800", "\udfff", "\u2028", "\x0c", "\x1b[0m", "\u202e"])
def test_odd_characters_do_not_crash(odd: str) -> None:
    for text in (odd, f"```python\n{odd}{CODE}```", f"{odd}\n```python\n{CODE}```\n{odd}", f"```{odd}\n{CODE}{odd}"):
        extract(text, "solve")
    assert extract(f"{odd} prose\n```python\n{CODE}```\n{odd}", "solve").code.strip() == CODE.strip()


HOSTILE = {
    "backticks": "`" * MAX_CHARACTERS,
    "waves": "~" * MAX_CHARACTERS,
    "fences": "```\n" * (MAX_CHARACTERS // 4),
    "opened fences": "```python\n" * (MAX_CHARACTERS // 10),
    "fences in one line": "``` " * (MAX_CHARACTERS // 4),
    "fence and quotes": "```\n'''\n" * (MAX_CHARACTERS // 8),
    "fence and more quotes": '```\n\\"""\n' * (MAX_CHARACTERS // 9),
    "escaped quotes": "```\nx\n```\n" + '\\"""' * (MAX_CHARACTERS // 4 - 4),
    "broken programs": "```python\ndef solve(a:\n" * (MAX_CHARACTERS // 24),
    "inline programs": "```def solve(a): 1```" * (MAX_CHARACTERS // 21),
    "inline lines": "```def solve(a): 1```\n" * (MAX_CHARACTERS // 22),
    "growing fences": "".join("`" * n + "\nsolve=1\n" for n in range(3, 600)),
    "thoughts": "<think>" * (MAX_CHARACTERS // 7),
    "ended thoughts": "</think>" * (MAX_CHARACTERS // 8),
    "half a thought": ("</think" + " " * 90) * (MAX_CHARACTERS // 97),
    "blanks": "a:" + " " * (MAX_CHARACTERS - 2),
    "blank lines": "\n" * MAX_CHARACTERS,
    "code-like prose": "x = don't\n" * (MAX_CHARACTERS // 10),
    "minus": "```\nsolve = " + "-" * (MAX_CHARACTERS - 20) + "1\n```",
    "attributes": "```\nsolve = a" + ".a" * (MAX_CHARACTERS // 2 - 20) + "\n```",
    "parentheses": "solve = " + "(" * (MAX_CHARACTERS - 20),
    "a word": "a" * MAX_CHARACTERS,
    "info": "```" + "a=b " * (MAX_CHARACTERS // 4 - 1),
    "quotes": "```\n" + '"' * (MAX_CHARACTERS - 10) + "\n```",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_do_not_take_long(name: str) -> None:
    assert seconds(name) < 20.0  # usually a tenth of one; a pattern that looks back takes hours


def seconds(name: str) -> float:
    """The CPU time that a hostile text takes."""
    start = time.process_time()
    extract(HOSTILE[name], "solve")
    return time.process_time() - start


pieces = st.sampled_from(
    [
        "```",
        "```python",
        "~~~",
        "````",
        "\n",
        "\n\n",
        "'''",
        '"""',
        "'",
        '"',
        "#",
        "\\",
        "<think>",
        "</think>",
        " ",
        "    ",
    ]
    + [
        "def solve(a):",
        "return a",
        "x = 1",
        "import vok",
        "It's prose.",
        "```python\n" + CODE + "```",
        "\r\n",
        "\x00",
        "\ud800",
    ]
)


@given(st.lists(pieces, max_size=30).map("".join))
def test_no_text_makes_it_raise(text: str) -> None:
    found = extract(text, "solve")
    assert bool(found.code) != bool(found.reason)


@given(st.lists(pieces, max_size=12).map("".join))
def test_a_clean_block_at_the_end_is_found_whatever_was_thought(text: str) -> None:
    answer = text.replace("</think>", "")
    assert extract(f"<think>{answer}</think>\nSo:\n```python\n{CODE}```\n", "solve").code.strip() == CODE.strip()


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ("It sorts.", "It sorts."),
        ("<think>Hm. </think>It sorts.", "It sorts."),
        ("Hm. </thinking>It sorts.", "It sorts."),
        ("<think>Hm, it sorts", ""),
        ("Put it in `<think>` marks.", "Put it in `<think>` marks."),
    ],
)
def test_what_follows_the_thinking_is_the_reply(response: str, said: str) -> None:
    assert after_thinking(response) == said
