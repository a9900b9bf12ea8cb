"""Playbooks, rules and what models write about them: operations have the effect that they should, and nothing malformed
gets in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sebench.memory import playbook
from sebench.memory.methods import replies, texts
from sebench.memory.playbook import Bullet, Operation, OperationOutcome, Playbook
from sebench.memory.rule_list import Rule, RuleList, RuleOperation

TEMPLATES = Path(replies.__file__).parent / "templates"
KOCITO = "`vok.kocito(a)`: the sum"
MIRZA = "`vok.mirza(a)`: the sum"


def fits(text: str) -> bool:
    return True


def added(*bullets: str, section: str = "pitfalls") -> Playbook:
    playbook = Playbook()
    for text in bullets:
        playbook, outcome = playbook.apply(Operation("ADD", section, text), fits)
        assert outcome == OperationOutcome.APPLIED
    return playbook


def test_bullets_stand_in_their_sections_and_unknown_sections_are_others() -> None:
    playbook = added("one", section="parameters")
    playbook, _ = playbook.apply(Operation("ADD", "Names and signatures", "two\n lines"), fits)
    playbook, _ = playbook.apply(Operation("ADD", "dreams", "three"), fits)
    assert playbook.text() == (
        "## Names and signatures\n- [nam-00002] two lines\n\n## Parameters\n- [par-00001] one\n\n## Others\n- "
        "[oth-00003] three"
    )


def test_counters_are_for_the_curator_alone() -> None:
    playbook = added("one").with_tags({"pit-00001": "helpful", "pit-99999": "harmful"})
    assert playbook.text() == added("one").text()
    assert "(helpful 1, harmful 0)" in playbook.text(counters=True)


def test_an_id_is_never_given_twice() -> None:
    playbook, _ = added("one", "two").apply(Operation("REMOVE", ids=("pit-00002",)), fits)
    playbook, _ = playbook.apply(Operation("ADD", "pitfalls", "three"), fits)
    assert [bullet.id for bullet in playbook.bullets] == ["pit-00001", "pit-00003"]


def test_update_and_merge_keep_ids_and_merge_adds_up_counters() -> None:
    playbook = added("one", "two", "three").with_tags({"pit-00001": "helpful", "pit-00003": "helpful"})
    playbook, _ = playbook.apply(Operation("UPDATE", text="second", ids=("pit-00002",)), fits)
    playbook, outcome = playbook.apply(Operation("MERGE", text="both", ids=("pit-00003", "pit-00001")), fits)
    assert outcome == OperationOutcome.APPLIED
    assert playbook.bullets == (Bullet("pit-00001", "both", helpful=2), Bullet("pit-00002", "second"))


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (Operation("ADD", "pitfalls", "one"), OperationOutcome.DUPLICATE),
        (Operation("UPDATE", text="two", ids=("pit-00001",)), OperationOutcome.DUPLICATE),
        (Operation("UPDATE", text="new", ids=("pit-00009",)), OperationOutcome.UNKNOWN_ID),
        (Operation("MERGE", text="new", ids=("pit-00001", "pit-00009")), OperationOutcome.UNKNOWN_ID),
        (Operation("REMOVE", ids=("nam-00001",)), OperationOutcome.UNKNOWN_ID),
        (Operation("ADD", "pitfalls", "far too long"), OperationOutcome.OVER_BUDGET),
        (Operation("UPDATE", text="far too long", ids=("pit-00001",)), OperationOutcome.OVER_BUDGET),
    ],
)
def test_what_cannot_be_applied_changes_nothing(operation: Operation, why: OperationOutcome) -> None:
    playbook = added("one", "two")
    assert playbook.apply(operation, lambda text: "far" not in text) == (playbook, why)


def test_a_full_playbook_can_still_be_emptied() -> None:
    assert (
        added("one").apply(Operation("REMOVE", ids=("pit-00001",)), lambda text: False)[1] == OperationOutcome.APPLIED
    )


def test_where_add_alone_is_enabled_other_operations_are_counted_and_left() -> None:
    playbook = added("one")
    removal = Operation("REMOVE", ids=("pit-00001",))
    assert playbook.apply(removal, fits, enabled=("ADD",)) == (playbook, OperationOutcome.NOT_ENABLED)


def test_bullets_that_name_different_things_are_never_the_same() -> None:
    long = (
        "{} takes a list and gives one number, whatever the order of its elements may be, and nothing for an empty one"
    )
    playbook = added(long.format("`vok.kocito`"), long.format("`vok.mirza`"), long.format("`vok.kocito`") + " .")
    left, gone = playbook.with_tags({"pit-00003": "helpful"}).without_duplicates()
    assert gone == 1 and [(bullet.id, bullet.helpful) for bullet in left.bullets] == [
        ("pit-00001", 1),
        ("pit-00002", 0),
    ]


# ---- rules


def ruled(*rules: tuple[str, int]) -> RuleList:
    return RuleList(tuple(Rule(text, votes) for text, votes in rules))


def test_operations_of_one_reply_are_applied_in_their_order_to_the_list_that_was_seen() -> None:
    before = ruled(("a", 3), ("b", 2), ("c", 1))
    told = [
        RuleOperation("ADD", text="d"),
        RuleOperation("EDIT", 2, "b2"),
        RuleOperation("AGREE", 2),
        RuleOperation("REMOVE", 3),  # the last vote of c
    ]
    after, outcomes = before.apply(told, fits, most=20)
    assert after == ruled(("b2", 4), ("a", 3), ("d", 2)) and set(outcomes) == {OperationOutcome.APPLIED}


def test_a_rule_that_was_removed_cannot_be_agreed_with_in_the_same_reply() -> None:
    after, outcomes = ruled(("a", 1)).apply([RuleOperation("AGREE", 1), RuleOperation("REMOVE", 1)], fits, most=20)
    assert after == RuleList() and outcomes == [OperationOutcome.UNKNOWN_ID, OperationOutcome.APPLIED]


def test_an_edit_that_equals_a_rule_is_a_vote_for_that_rule() -> None:
    assert ruled(("a", 2), ("b", 2)).apply([RuleOperation("EDIT", 2, "a")], fits, 20)[0] == ruled(("a", 3), ("b", 2))


def test_a_rule_that_holds_another_one_is_not_added() -> None:
    rules = ruled(("name the axis", 2))
    assert rules.apply([RuleOperation("ADD", text="always name the axis")], fits, 20) == (
        rules,
        [OperationOutcome.DUPLICATE],
    )


def test_a_list_has_an_end_and_removing_is_stronger_there() -> None:
    full = ruled(*((f"rule {number}.", 4) for number in range(7)))
    after, outcomes = full.apply([RuleOperation("ADD", text="one more"), RuleOperation("REMOVE", 1)], fits, most=2)
    assert outcomes == [OperationOutcome.OVER_BUDGET, OperationOutcome.APPLIED] and after.rules[-1] == Rule(
        "rule 0.", 1
    )
    assert ruled(("a", 4)).apply([RuleOperation("REMOVE", 1)], fits, most=2)[0] == ruled(("a", 3))


def test_rules_keep_the_budget() -> None:
    told = [
        RuleOperation("ADD", text="far too long"),
        RuleOperation("EDIT", 1, "far too long"),
        RuleOperation("EDIT", 9, "x"),
    ]
    after, outcomes = ruled(("short", 2)).apply(told, lambda text: "far" not in text, most=20)
    assert after == ruled(("short", 2)) and outcomes == [
        OperationOutcome.OVER_BUDGET,
        OperationOutcome.OVER_BUDGET,
        OperationOutcome.UNKNOWN_ID,
    ]


# ---- replies


def test_rules_with_code_colons_and_code_words_are_read() -> None:
    said = (
        f"<think>ADD: not this</think>\nADD: {KOCITO} and: EDIT nothing\n- AGREE 2\nREMOVE 3: it is wrong\nEDIT 1: "
        f"x = {{}}"
    )
    assert replies.rule_operations(said) == replies.Read(
        [
            RuleOperation("ADD", 0, f"{KOCITO} and: EDIT nothing"),
            RuleOperation("AGREE", 2),
            RuleOperation("REMOVE", 3),
            RuleOperation("EDIT", 1, "x = {}"),
        ]
    )


def test_lines_that_are_no_operations_and_those_beyond_four_are_counted() -> None:
    said = "Sure!\nADD:\nEDIT: which?\nAGREE\nadds: x\n" + "\n".join(f"ADD: rule {number}" for number in range(6))
    read = replies.rule_operations(said)
    assert [one.text for one in read.items] == ["rule 0", "rule 1", "rule 2", "rule 3"] and read.malformed == 5 + 2


@pytest.mark.parametrize("template", sorted(one.name for one in TEMPLATES.glob("*.md")))
def test_what_a_model_copies_from_a_form_never_becomes_a_rule_a_bullet_or_a_reflection(template: str) -> None:
    """Every blank of every template, with and without its brackets, and half of it."""
    for blank in re.findall(r"<[^<>\n]+>", (TEMPLATES / template).read_text("utf-8")):
        words = blank.strip("<>").split()
        for said in (blank, " ".join(words), " ".join(words[(len(words) - 1) // 2 :]).capitalize()):
            assert texts.is_copied(said)
            assert replies.rule_operations(f"ADD: {said}\nEDIT 1: {said}") == replies.Read([], 2)
            assert not replies.operations(f"ADD pitfalls: {said}\nUPDATE pit-00001: {said}").items
            read = replies.reflection(f"CAUSE: {said}\nINSIGHT: {said}")
            assert read.malformed == 2 and read.items[0].text() == ""
            assert replies.notes(f"```notes\n{said}\n```") is None and replies.one_line_reflection(said) == ""


def test_the_form_itself_is_no_reply() -> None:
    for form in ("expel_forms_all", "expel_forms_add"):
        assert not replies.rule_operations(texts.fill(form)).items
    for form in ("ace_forms_all", "ace_forms_add"):
        assert not replies.operations(texts.fill(form)).items
    assert replies.cited_bullets(texts.fill("ace_cite")) == ()
    assert replies.one_line_reflection("Say in one short paragraph why the attempt failed.") == ""


def test_every_form_has_blanks_and_text_of_ones_own_is_never_a_copy() -> None:
    forms = ("ace_forms_add", "ace_forms_all", "ace_reflect", "ace_tag", "expel_forms_add", "expel_forms_all")
    for form in (*forms, "notes_append", "notes_rewrite"):
        assert "<" in (TEMPLATES / f"{form}.md").read_text("utf-8")
    for said in ("", "none", "nothing went wrong", f"{KOCITO} takes the rule in better words", "`vok.why` gives an id"):
        assert not texts.is_copied(said)


def test_votes_for_and_against_one_rule_are_none() -> None:
    """A model that repeated the whole form wrote 1 for the number."""
    said = "AGREE 1\nREMOVE 1\nAGREE 2\nEDIT 1: the rule in better words\nADD: a new rule"
    assert replies.rule_operations(said) == replies.Read([RuleOperation("AGREE", 2)], 4)


@pytest.mark.parametrize("decorate", ["1. {}", "2) {}", "• {}", "* {}", "**{}**", "`{}`", "- 1. {}"])
def test_what_decorates_a_line_does_not_matter(decorate: str) -> None:
    """Larger models number their lines, or set keywords in bold."""
    assert replies.operations(decorate.format("REMOVE pit-00003")).items == [Operation("REMOVE", ids=("pit-00003",))]
    assert replies.operations(decorate.format("NONE")) == replies.Read([])
    assert replies.rule_operations(decorate.format("AGREE 3")).items == [RuleOperation("AGREE", 3)]
    assert replies.reflection(decorate.format("INSIGHT: a b")).items == [replies.Reflection(insight="a b")]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("**ADD pitfalls:** no axis", Operation("ADD", "pitfalls", "no axis")),
        ("Add [pitfall]: no axis", Operation("ADD", "[pitfall]", "no axis")),
        (f"ADD pitfalls: <{KOCITO} has no axis>", Operation("ADD", "pitfalls", f"{KOCITO} has no axis")),
        ("MERGE pit-00001 and pit-00002: x", Operation("MERGE", text="x", ids=("pit-00001", "pit-00002"))),
        ("REMOVE pit-00003 (a duplicate)", Operation("REMOVE", ids=("pit-00003",))),
        ("REMOVE pit-00003.", Operation("REMOVE", ids=("pit-00003",))),
    ],
)
def test_operations_are_read_as_models_write_them(said: str, read: Operation) -> None:
    assert replies.operations(said) == replies.Read([read])


@pytest.mark.parametrize("said", ["EDIT #3: x", "Edit rule 3: x", "EDIT 3: <x: y>", "**EDIT 3:** x", "EDIT: 3: x"])
def test_rules_are_read_as_models_write_them(said: str) -> None:
    (one,) = replies.rule_operations(said).items
    assert (one.kind, one.number, one.text[0]) == ("EDIT", 3, "x")


def test_sections_are_found_in_the_singular_and_between_signs() -> None:
    for name in ("pitfalls", "Pitfall", "<pitfalls>", '"pitfalls"', "pit", "PITFALLS"):
        assert playbook.section_of(name) == "pit"
    assert playbook.section_of("return value") == "ret" and playbook.section_of("pitfall list") == "oth"


def test_operations_are_read_from_lines() -> None:
    said = (
        f"```\nADD names and signatures: {KOCITO}: no axis\n- UPDATE [pit-00001]: x\nMERGE pit-00001, pit-00002: y\n"
        "REMOVE pit-00003\nREMOVE\nMERGE pit-00001: z\n```"
    )
    read = [
        Operation("ADD", "names and signatures", f"{KOCITO}: no axis"),
        Operation("UPDATE", text="x", ids=("pit-00001",)),
        Operation("MERGE", text="y", ids=("pit-00001", "pit-00002")),
        Operation("REMOVE", ids=("pit-00003",)),
    ]
    assert replies.operations(said) == replies.Read(read, 2)
    assert replies.operations("NONE") == replies.Read([])


@pytest.mark.parametrize(
    "said",
    [
        "",
        "no operation",
        "NONE\nNONE",
        "<think>ADD pitfalls: x",
        "adding pitfalls: x",
        '{"operations": [{"type": "ADD", "section": "pitfalls", "text": "x"}]}',
        "[" * 100_000,
    ],
)
def test_a_reply_without_operations_is_one_malformed_reply(said: str) -> None:
    assert replies.operations(said) == replies.Read([], 1)


@pytest.mark.parametrize(
    "operation",
    [
        "ADD",
        "Here:",
        "DESTROY pitfalls: x",
        "ADD pitfalls:",
        f"ADD pitfalls: {'x' * 3_000}",
        "ADD pitfalls: half a pair \ud83d",  # no later request could send it
        "UPDATE: x",
        "UPDATE pit-00001, pit-00002: x",
        "UPDATE pit-00001",
        "MERGE pit-00001: x",
        "MERGE pit-00001, pit-00001: x",
        "REMOVE",
    ],
)
def test_a_malformed_operation_is_left_out_and_the_others_stay(operation: str) -> None:
    read = replies.operations(f"```\n{operation}\nADD pitfalls:  {KOCITO}\n```")
    assert read == replies.Read([Operation("ADD", "pitfalls", KOCITO)], 1)


def test_a_reflection_keeps_its_form_or_is_malformed() -> None:
    for reply in ("INSIGHT: half a pair \ud83d", f"CAUSE: {'x' * 3_000}", '{"insight": "a"}', "", "It failed."):
        assert replies.reflection(reply) == replies.Read([], 1)
    assert replies.Reflection().text() == "" and replies.Reflection("e", "c", "a", "i").text().count("\n") == 3


def test_a_reflection_is_read_from_lines() -> None:
    said = (
        'Sure!\nERROR: NameError: name "nan"\nCause: it means "not a number"\nINSIGHT: a\nINSIGHT: b\n'
        "TAG pit-00001: helpful\nTAG [pit-00002]: great\nTAG pit-00003: helpful, harmful or neutral"
    )
    reflected = replies.Reflection(
        'NameError: name "nan"', 'it means "not a number"', insight="a", tags={"pit-00001": "helpful"}
    )
    assert replies.reflection(said) == replies.Read([reflected], 3)


def test_a_field_goes_on_below_and_one_that_says_none_is_empty() -> None:
    said = "**ERROR:** None\nCAUSE: n/a\nINSIGHT:\n- it sorts\n- it is quick\nTAG pit-00001: helpful (it was used)"
    read = replies.reflection(said)
    assert read.items == [replies.Reflection(insight="it sorts it is quick", tags={"pit-00001": "helpful"})]
    assert replies.reflection("ERROR: None\nINSIGHT: nothing").items[0].text() == "" and not read.malformed
    long = replies.reflection(f"ERROR: e\nCAUSE: {'x' * 3_000}")
    assert long == replies.Read([replies.Reflection("e")], 1)


def test_only_lines_that_say_used_cite() -> None:
    said = "as nam-00009 says\n```python\nx\n```\n**Used**: nam-00001, `pit-00007`, nam-00001, nothing-1\n"
    assert replies.cited_bullets(said) == ("nam-00001", "pit-00007") and replies.cited_bullets("used: none") == ()
    assert replies.cited_bullets("# Notes used: nam-00001") == ("nam-00001",)
    assert replies.cited_bullets("\n" * 100_000) == ()  # in linear time


def test_an_answer_is_shown_without_its_thoughts() -> None:
    assert replies.without_thinking("<think>long</think>\n```python\nx\n```\n") == "```python\nx\n```"
    assert replies.without_thinking("<think>never ends") == replies.without_thinking("") == "(nothing)"


def test_notes_are_one_block_with_something_in_it() -> None:
    assert replies.notes("Well:\n```notes\n- a\n\n- b\n```\n") == "- a\n\n- b"
    for said in ("- a", "```notes\n\n```", "```\n- a\n```", "```notes\na\n```\n```notes\nb\n```", "```notes\n- a"):
        assert replies.notes(said) is None


def test_notes_may_hold_examples_in_fences_and_lose_what_is_copied_or_repeated() -> None:
    inner = "- `vok.a` sorts\n```python\nvok.a([2, 1])\n```\n- `vok.b` adds"
    assert replies.notes(f"```notes\n{inner}\n```\nDone.") == inner
    assert replies.notes(f"````notes\n{inner}\n````") == inner
    cut = "```notes\n- `vok.a` sorts\n```python\nvok.a([2, 1])\nvok."
    assert replies.notes(cut, cut=True) == "- `vok.a` sorts\n```python\nvok.a([2, 1])\n```"
    said = "```notes\n<what is to be added>\n(nothing)\n- `vok.a` sorts\n- `vok.a` sorts\n- `vok.b` adds\n```"
    assert replies.notes(said) == "- `vok.a` sorts\n- `vok.b` adds"
    assert replies.notes("```notes\n(nothing)\n```") is None


def test_notes_that_are_cut_off_keep_their_complete_lines_where_that_loses_nothing() -> None:
    said = "```notes\n- a\n- b\n- half a li"
    assert replies.notes(said) is None and replies.notes(said, cut=True) == "- a\n- b"
    for said in ("```notes\n- half", "- a\n- b", "```\n- a\n- b"):
        assert replies.notes(said, cut=True) is None


@given(st.text())
def test_no_text_breaks_a_reader(said: str) -> None:
    for read in (
        replies.operations,
        replies.reflection,
        replies.rule_operations,
        replies.cited_bullets,
        replies.notes,
        replies.one_line_reflection,
    ):
        read(said)
