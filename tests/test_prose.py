"""What the documentation writer says must be true in the world, complete, and free of the source library."""

from __future__ import annotations

import re
from types import ModuleType

import pytest

from sebench.forge.catalog import catalog
from sebench.forge.docs import markup, numpydoc, pages
from sebench.forge.docs.examples import ExampleBuilder
from sebench.forge.docs.pages import without_functions
from sebench.forge.docs.prose import PageSubject, ProseRewriter
from sebench.forge.names import leaks, naming
from sebench.forge.translate.translate import Translator
from sebench.world.world import World

NAMES = naming.draw(7, catalog.seeded(), "vok")
PROSE = ProseRewriter(
    Translator(NAMES),
    PageSubject(
        path="linalg.slogdet",
        aliases=frozenset({"linalg.slogdet"}),
        parameters=frozenset({"a", "axis", "copy"}),
        missing=frozenset({"where", "order"}),
        fields={"sign": NAMES.fields["sign"]},
    ),
)


def said(raw: str) -> str:
    return PROSE.sentences(raw)


def test_functions_are_named_by_their_forged_path() -> None:
    for mention in ("`mean`", "`np.mean`", "`numpy.mean`", ":func:`mean`", ":func:`~numpy.mean`", "``np.mean``"):
        assert said(f"It is the {mention} of all.") == f"It is the `{NAMES.forged('mean')}` of all."


def test_a_function_of_the_same_module_is_meant_first() -> None:
    assert said("Use `solve` or `cross`.") == f"Use `{NAMES.forged('linalg.solve')}` or `{NAMES.forged('cross')}`."


def test_code_in_prose_is_translated() -> None:
    assert said("Equal to ``np.sum(a.ravel())``.") == f"Equal to `{NAMES.forged('sum')}({NAMES.forged('ravel')}(a))`."


def test_parameters_and_fields_come_before_functions() -> None:
    assert said("A `copy` of `sign`.") == f"A `copy` of `{NAMES.fields['sign']}`."


@pytest.mark.parametrize(
    "sentence",
    [
        "This is how NumPy does it.",
        "See `nditer` for it.",
        "The data is C-contiguous in memory.",
        "Added in version 1.20.",
        "Subclasses of ndarray are passed through.",
        "If ``where=True``, all are used.",
        "The `order` argument is ignored.",
        "See the notes below.",
        "It calls LAPACK.",
        "As in Matlab.",
        "Use ``np.einsum_path`` first.",
        "See :ref:`ufuncs-output-type` for more details.",
    ],
)
def test_what_a_world_does_not_know_is_not_said(sentence: str) -> None:
    assert said(f"First things first. {sentence}") == "First things first."


def test_a_sentence_that_refers_to_a_dropped_one_goes_too() -> None:
    assert said("Fine. NumPy does that. This is why. Unrelated truth.") == "Fine. Unrelated truth."


def test_a_list_goes_with_the_sentence_that_announced_it() -> None:
    assert PROSE.paragraphs("Good.\n\nNumPy has these modes:\n\n* one thing\n* another thing") == ["Good."]


def test_an_announcement_goes_with_what_it_announced() -> None:
    raw = "Good. It is given by:\n\n.. math:: \\int_0^1 \\hat{f}\n\nwhere f is smooth.\n\nMore."
    assert PROSE.paragraphs(raw) == ["Good.", "More."]


def test_a_formula_completes_its_sentence() -> None:
    raw = "It is defined as\n\n.. math:: y = \\frac{a + b}{2}\n\nwhere b is the end."
    assert PROSE.paragraphs(raw) == ["It is defined as y = (a + b)/2, where b is the end."]


def test_slices_survive() -> None:
    assert said("Equal to ``a[::-1, ...]``.") == "Equal to `a[::-1, ...]`."


def test_markup_is_gone() -> None:
    raw = "*One* or **two** [1]_, a `link <http://x.y>`_ and :math:`x^2`."
    assert said(raw) == "One or two, a link and x^2."


@pytest.mark.parametrize(
    ("numpys", "ours"),
    [
        ("An array of the same data-type and dimension.", "An array of the same kind and axis."),
        ("Insert a dimension of a 2D array.", "Insert an axis of a 2-D array."),
        ("It is broadcasted to all dimensions.", "It is stretched to all axes."),
        ("Axis over which to compute the inverse DFT.", "Axis over which to compute the inverse transform."),
        ("Equivalent to `x1` + `x2` in terms of array broadcasting.", "Equivalent to `x1 + x2`."),
        ("The sums. If `out` is specified, that array is returned instead.", "The sums."),
    ],
)
def test_one_thing_has_one_word(numpys: str, ours: str) -> None:
    assert said(numpys) == ours


@pytest.mark.parametrize(
    ("numpys", "ours"),
    [
        ("array_like", "array or nested list"),
        ("int, optional", "int"),
        ("(..., M, M) array_like", "array or nested list, shape (..., M, M)"),
        ("{(M,), (..., M, K)}, array_like", "array or nested list, shape (M,) or (..., M, K)"),
        ("{'left', 'right'}, optional", "one of 'left', 'right'"),
        ("{int, tuple of int, None}, optional", "int, tuple of ints or None"),
        ("None or int", "int or None"),
        ("callable", "function"),
        ("array_like of bool, optional", "array or nested list of bools"),
    ],
)
def test_types_are_in_the_worlds_words(numpys: str, ours: str) -> None:
    assert PROSE.kind(numpys) == ours


def test_a_result_is_of_the_worlds_array_type() -> None:
    assert PROSE.kind("ndarray", result=True) == NAMES.array


@pytest.mark.parametrize("path", sorted(catalog.entries()))
def test_no_text_of_numpy_leaks_or_breaks_off(path: str) -> None:
    """Every sentence of every docstring, whatever a page later takes from it."""
    from sebench.forge.catalog import backend

    doc = numpydoc.parse(backend.get(path).__doc__ or "")
    texts = [doc.extended, doc.notes, *(i.text for i in (*doc.parameters, *doc.returns))]
    for paragraph in (p for text in texts for p in PROSE.paragraphs(text)):
        signature = f"`vok.f({', '.join(sorted(PROSE.subject.parameters))})`\n"
        assert leaks.find(signature + paragraph, NAMES) == []
        assert paragraph.count("`") % 2 == 0
        assert paragraph[-1] in ".:!?)"


@pytest.mark.parametrize("tex", [r"\hat{f}", r"\int x", r"\begin{matrix} a", r"{x"])
def test_a_formula_that_needs_typesetting_is_refused(tex: str) -> None:
    assert markup.plain_formula(tex) is None


def test_sections_steps_and_neighbours_are_read() -> None:
    doc = numpydoc.parse(
        """f(a, /)

        Do it.

        More of it.

        Parameters
        ----------
        a, b : int
            Both.
        *rest : float, optional

        Returns
        -------
        out: ndarray
            The result.

        See Also
        --------
        numpy.mean : Average.
        sum, prod

        Examples
        --------
        >>> for i in x:
        ...     print(i)
        1
        """
    )
    assert (doc.summary, doc.extended) == ("Do it.", "More of it.")
    assert [(i.names, i.kind, i.text) for i in doc.parameters] == [
        (("a", "b"), "int", "Both."),
        (("rest",), "float, optional", ""),
    ]
    assert doc.returns[0].names == ("out",)
    assert doc.see_also == ("mean", "sum", "prod")
    assert doc.steps == (numpydoc.DoctestStep("for i in x:\n    print(i)", "1"),)


def test_summaries_are_one_sentence_and_tell_functions_apart(world: World) -> None:
    summaries = [page.summary for page in world.pages]
    assert [s for s in summaries if pages.first_clause(s) + "." != s] == []
    assert len(set(summaries)) == len(summaries)


def test_pages_keep_to_one_word_for_one_thing(world: World) -> None:
    other = re.compile(r"broadcast|\b[FD]FT\b|\bdata[- ]type|\bdimensions?\b|\bscalars?\b|\breference to\b")
    for page in world.pages:
        prose = re.sub(r"```.*?```|`[^`]*`", "", page.text, flags=re.DOTALL)
        assert other.search(prose) is None, page.path


def test_every_step_of_an_own_example_is_shown(world: World) -> None:
    originals = {forged: path for path, forged in world.names.functions.items()}
    for page in world.pages:
        entry = catalog.entries()[originals[page.path]]
        steps = [e for e in page.examples if not e.code.startswith("import ")]
        assert not entry.example or len(steps) == len(entry.example), entry.path


def test_a_parameter_in_an_example_is_no_leak_and_a_line_shows_one_result(world: World, library: ModuleType) -> None:
    examples = ExampleBuilder(Translator(world.names), library)
    steps = ["x = np.array([1, 2])", "np.isin(x, [2], invert=True)", "np.isin(x, [1]); np.isin(x, [2])"]
    shown = examples.session("isin", steps)
    assert [e.output for e in shown if e.output] == [f"{world.names.array}([True, False])"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("For steps such as 0.1, {np.gone} is better. Use it.", "Use it."),
        ("Indices that sort `a`, typically from {np.gone}.", "Indices that sort `a`."),
        ("Functions along an axis, like {np.gone}, give indices.", "Functions along an axis give indices."),
        ("`a` must be square; otherwise use {np.gone}.", "`a` must be square."),
        (
            "It undoes {np.gone}: the sum is 1/n. The order is that of that function. It is 0.5 here.",
            "The sum is 1/n. It is 0.5 here.",
        ),
        ("(array) What {np.gone} returns.", "(array) What another function returns."),
        ("Kept, with {np.here} and 1.5 in it.", "Kept, with {np.here} and 1.5 in it."),
    ],
)
def test_a_text_that_names_a_function_outside_the_slice_is_still_a_text(text: str, left: str) -> None:
    assert without_functions(text, {"gone"}) == left


def test_no_text_of_the_catalog_is_cut_in_a_sentence_or_to_nothing() -> None:
    for entry in catalog.seeded():
        for text in (entry.summary, entry.returns, *map(str, entry.parameters.values())):
            missing = set(re.findall(r"\{np\.([\w.]+)\}", text))
            for left in (without_functions(text, {name}) for name in missing):
                assert left.strip(), f"{entry.path}: {text}"
                assert re.search(r"[.:|`)\]\w]\s*$", left), f"{entry.path}: {left}"
                assert not re.search(r"such as \d+\.\s*$|[,;]\s*$", left, re.MULTILINE), f"{entry.path}: {left}"
