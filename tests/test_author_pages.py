"""Pages are parsed and written again without changes; examples by models may run only allowed code, and must print what
they say."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

import pytest

from sebench.author import page_form, sessions
from sebench.author.page_form import MalformedPage
from sebench.author.sessions import Sessions
from sebench.forge.translate.translate import Translator
from sebench.world.world import World
from tests.page_writer import reworded

# ---- the form of a page ---------------------------------------------------------------------------------------


def test_every_offline_page_is_read_and_written_as_it_is(small: World) -> None:
    for page in small.pages:
        form = page_form.read(page.text)
        lines = [line for line in page.text.partition("## See also\n\n")[2].strip().split("\n") if line]
        assert page_form.render(form, lines) == page.text
        assert (form.steps, form.signature, form.summary) == (page.examples, page.signature, page.summary)


def test_an_odd_escape_in_an_example_warns_nobody(small: World) -> None:
    with warnings.catch_warnings(action="error"):
        text = re.sub(r"(?m)^>>> .*$", r">>> '\\d'", small.pages[0].text, count=1)
        assert page_form.read(text).steps[0].code == r"'\d'"
        assert sessions.forbidden([r"'\d'"], small.names) == "" and sessions.strings([r"'\d'"]) == ["\\d"]
        assert Translator(small.names).code(r"'\d'") == r"'\d'"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: "I cannot do that.", "there is no page"),
        (lambda text: text.replace("## Returns", "## Result"), "unknown section '## Result'"),
        (lambda text: text.replace("## Examples", "Hello.\n\n## Examples\n\nLook:", 1), "one code block"),
        (lambda text: text.replace("## Param", "```\nx\n```\n\n## Param", 1), "only have paragraphs and lists"),
        (lambda text: text.replace("## Returns", "### More\n\n## Returns", 1), "unknown section '## More'"),
        (lambda text: text.replace("## Param", "A <b>bold</b> word.\n\n## Param", 1), "only have paragraphs and lists"),
        (lambda text: re.sub(r"(?m)^>>> .*$", ">>> f(1", text, count=1), "is not a Python program"),
        (lambda text: re.sub(r"(?m)^- (`.*?): .*$", r"- \1", text, count=1), "has no label"),
    ],
)
def test_what_is_not_a_page_is_refused_with_the_reason(tiny: World, change: Callable[[str], str], why: str) -> None:
    with pytest.raises(MalformedPage, match=why):
        page_form.read(page_form.extract_page(change(reworded(tiny.pages[0].text)), tiny.pages[0].text))


def test_an_entry_is_one_paragraph_however_it_was_broken(tiny: World) -> None:
    text = reworded(tiny.pages[0].text)
    label = page_form.read(text).parameters[0].label
    broken = text.replace(f"- {label}: ", f"- {label}: One,\ntwo.\n\n    - 'a': three\n  and four.\n- {label}: ", 1)
    assert page_form.read(broken).parameters[0].text == "One, two.\n  - 'a': three and four."


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "<think>Hm.\n# x\n</think>\n{}",
        "Here it is:\n\n{}",
        "````markdown\n{}````",
        "```markdown\n{}```",
        "Here it is:\n```md\n{}```\nI hope that this helps.",
        "{}\nI hope that this helps.\n\n## See also\n\n- nothing\n",
    ],
)
def test_a_page_is_found_in_a_response(tiny: World, around: str) -> None:
    page = reworded(tiny.pages[0].text)
    assert page_form.extract_page(around.format(page), tiny.pages[0].text) == page


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("## ", "### "),
        lambda text: text.replace("## ", "# "),
        lambda text: re.sub(r"(?m)^## (.*)$", r"**\1:**", text),
        lambda text: re.sub(r"(?m)^`.*`$\n\n", "", text, count=1),  # no signature
        lambda text: re.sub(r"(?m)^# .*$", "# Summary", text, count=1),
        lambda text: re.sub(r"(?m)^# .*\n\n`.*`$\n\n", "", text, count=1),  # neither title nor signature
        lambda text: re.sub(r"(?m)^(`.*`)\n", r"\1\n\n## Summary", text, count=1),
        lambda text: re.sub(r"(?m)^- ", "* ", text),
        lambda text: text.replace("## ", "---\n\n## "),
        lambda text: text.replace("```python", "```Pycon"),
    ],
)
def test_what_must_stay_anyway_need_not_be_written(tiny: World, change: Callable[[str], str]) -> None:
    page = reworded(tiny.pages[0].text)
    assert change(page) != page
    assert page_form.read(page_form.extract_page(change(page), tiny.pages[0].text)) == page_form.read(page)


def test_another_function_s_title_or_signature_is_not_replaced(tiny: World) -> None:
    page = reworded(tiny.pages[0].text)
    for changed in (page.replace("# ", "# other.", 1), re.sub(r"(?m)^`(.*)`$", r"`other.\1`", page, count=1)):
        assert page_form.extract_page(changed, tiny.pages[0].text) == changed


def test_an_endless_response_has_no_page(tiny: World) -> None:
    """Many beginnings of a page and no end: whatever is done with it must not take longer and longer."""
    assert page_form.extract_page("```markdown\n# x\n" * 12_000, tiny.pages[0].text).startswith("# ")
    assert page_form.extract_page("```markdown\n# x\n" * 1_000_000, tiny.pages[0].text) == ""


# ---- examples -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "step",
    [
        "import os",
        "import math as {package}",
        "from {package} import x",
        "open('x')",
        "{package}.__dict__",
        "{package}._core",
        "().__class__",
        "(lambda: 0).__globals__",
        "'{{0.__class__}}'.format(1)",
        "f'{{1}}'",
        "getattr({package}, 'x')",
        "eval('1')",
        "x = __builtins__",
        "{package} = 1",
        "[{package} for {package} in [1]]",
        "while True: pass",
        "try:\n    1\nexcept Exception:\n    2",
        "(x := 1)",
        "def f(): pass",
        "1 +",
    ],
)
def test_an_example_reaches_nothing_but_the_library(tiny: World, step: str) -> None:
    package = tiny.names.package
    assert sessions.forbidden([f"import {package}", step.format(package=package)], tiny.names)


def test_every_offline_example_is_allowed_and_prints_what_its_page_says(small: World) -> None:
    with Sessions(small.package_folder, small.names.package) as running:
        for page in small.pages:
            steps = [example.code for example in page.examples]
            assert sessions.forbidden(steps, small.names) == ""
            assert running.run(steps) == sessions.SessionOutcome(tuple(example.output for example in page.examples), "")


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("sum(range(10**12))", "too much time or memory"),
        ("10**10**10", "too much time or memory"),
        ("[0] * 10**12", "MemoryError"),
        ("'x' * 10**7", "prints more than"),
        ("[1][2]", "IndexError"),
    ],
)
def test_an_example_that_is_endless_ends(tiny: World, step: str, why: str) -> None:
    package = tiny.names.package
    with Sessions(tiny.package_folder, package, cpu_limit_s=1) as running:
        outcome = running.run([f"import {package}", step])
        assert outcome.printed == ("",) and why in outcome.failed
        assert running.run(["1 + 1"]) == sessions.SessionOutcome(("2",), "")  # the next one runs


def test_examples_do_not_see_those_of_other_pages(tiny: World) -> None:
    with Sessions(tiny.package_folder, tiny.names.package) as running:
        running.run(["x = 1"])
        assert "NameError" in running.run(["x"]).failed
