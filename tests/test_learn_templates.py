"""Training learns exactly what the chat template writes, including templates of models that think, and replayed
conversations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers")

from sebench.base.errors import ConfigError
from sebench.models.model import Chat
from sebench.train.data import replay
from sebench.train.data.tokens import TrainingRow, prompt_ids, response, tokenise
from sebench.world.prompts import Prompt
from tests import toy

# As in Qwen3: the last answer always shows its thought, and a prompt with thinking off has closed an empty one.
THINKING = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}{{ '\n' }}"
    "{% if m['role'] == 'assistant' and loop.last %}"
    "{% set parts = m['content'].split('</think>') %}"
    "{% set thought = parts[0].split('<think>')[-1].strip('\n') if parts | length > 1 else '' %}"
    "{{ '<think>\n' + thought + '\n</think>\n\n' + parts[-1].lstrip('\n') }}"
    "{% else %}{{ m['content'] }}{% endif %}<|im_end|>{{ '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant{{ '\n' }}"
    "{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\n\n</think>\n\n' }}{% endif %}{% "
    "endif %}"
)
# As in models that only think: the prompt has opened the thought.
OPENED = THINKING.replace(
    "{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\n\n</think>\n\n' }}{% endif %}",
    "{{ '<think>\n' }}",
)
ASKED = "<|im_start|>user\nadd<|im_end|>\n<|im_start|>assistant\n"


def tokenizer(template: str) -> Any:
    made = toy.tokenizer()
    made.chat_template = template
    return made


def learnt(template: str, answer: str, thinking: str) -> tuple[str, str]:
    """The prompt and the learnt part of a row, as text."""
    tokens = tokenizer(template)
    row = TrainingRow("t", Prompt("add", "t", "closed"), answer)
    (made,) = tokenise([row], tokens, 1000, Chat(thinking=thinking))
    return tokens.decode(made.ids[: made.answer_from]), tokens.decode(made.ids[made.answer_from :])


@pytest.mark.parametrize(
    ("template", "thinking", "answer", "prompt", "wanted"),
    [
        (toy.TEMPLATE, "", "x = 1", ASKED, "x = 1"),
        (THINKING, "off", "x = 1", f"{ASKED}<think>\n\n</think>\n\n", "x = 1"),
        (THINKING, "on", "x = 1", ASKED, "<think>\n\n</think>\n\nx = 1"),
        (THINKING, "", "x = 1", ASKED, "<think>\n\n</think>\n\nx = 1"),
        (THINKING, "on", "<think>\nwell\n</think>\n\nx = 1", ASKED, "<think>\nwell\n</think>\n\nx = 1"),
        (THINKING, "off", "<think>\nwell\n</think>\n\nx = 1", f"{ASKED}<think>\n\n</think>\n\n", "x = 1"),
        (OPENED, "on", "<think>\nwell\n</think>\n\nx = 1", f"{ASKED}<think>\n", "well\n</think>\n\nx = 1"),
        (OPENED, "on", "x = 1", f"{ASKED}<think>\n", "\n</think>\n\nx = 1"),
    ],
)
def test_prompt_and_answer_are_what_the_template_writes(
    template: str, thinking: str, answer: str, prompt: str, wanted: str
) -> None:
    assert learnt(template, answer, thinking) == (prompt, f"{wanted}<|im_end|>")


def test_a_row_is_the_templates_own_conversation() -> None:
    tokens, chat = tokenizer(THINKING), Chat(thinking="off")
    whole = tokens.apply_chat_template(
        [{"role": "user", "content": "add"}, {"role": "assistant", "content": "x = 1"}], tokenize=False
    )
    row = TrainingRow("t", Prompt("add", "t", "closed"), "x = 1")
    (made,) = tokenise([row], tokens, 1000, chat)
    assert tokens.decode(made.ids) == whole.rstrip("\n")


def test_a_template_that_trims_is_followed() -> None:
    trimmed = toy.TEMPLATE.replace("m['content']", "m['content'] | trim")
    assert learnt(trimmed, "x = 1\n", "")[1] == "x = 1<|im_end|>"


def test_a_thought_that_the_template_has_opened_belongs_to_the_response() -> None:
    tokens = tokenizer(OPENED)
    row = TrainingRow("t", Prompt("add", "t", "closed"), "")
    said = tokens("well, ```python", add_special_tokens=False)["input_ids"]
    assert response(tokens, prompt_ids(row, tokens, Chat(thinking="on")), said) == "<think>well, ```python"
    plain = tokenizer(THINKING)
    assert response(plain, prompt_ids(row, plain, Chat(thinking="off")), said) == "well, ```python"


def conversations(folder: Path, *lines: Any) -> Path:
    file = folder / "general.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return file


def said(*turns: str) -> dict[str, Any]:
    roles = ("user", "assistant")
    return {"messages": [{"role": roles[n % 2], "content": text} for n, text in enumerate(turns)]}


def test_replay_learns_the_last_turn_and_uses_every_line_before_one_twice(tmp_path: Path) -> None:
    file = conversations(tmp_path, *(said("hi", "yes", f"and {n}", f"so {n}") for n in range(4)))
    tokens = toy.tokenizer()
    made = replay.token_rows(file, 6, tokens, 1000, seed=1)
    assert {tokens.decode(row.ids[row.answer_from :]) for row in made[:4]} == {f"so {n}<|im_end|>" for n in range(4)}
    assert "yes<|im_end|>" in tokens.decode(made[0].ids[: made[0].answer_from])
    assert made == replay.token_rows(file, 6, tokens, 1000, seed=1) != replay.token_rows(file, 6, tokens, 1000, seed=2)


def test_the_share_of_replay_is_of_all_rows() -> None:
    assert (
        replay.rows_for_share(90, 0.1) == 10
        and replay.rows_for_share(5, 0.0) == 0
        and replay.rows_for_share(3, 0.5) == 3
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (said("hi"), "at least two turns, the last one by the assistant; this one has 1 turn"),
        ({"messages": []}, "not a conversation"),
        ({"text": "hi"}, "not a conversation"),
        (said("hi", "x" * 2000), "the model takes at most 1,000; remove it"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: Any, why: str) -> None:
    file = conversations(tmp_path, line)
    with pytest.raises(ConfigError, match=why) as caught:
        replay.token_rows(file, 1, toy.tokenizer(), 1000)
    assert "general.jsonl:1" in str(caught.value)


def test_a_template_that_refuses_a_conversation_is_told_with_its_line(tmp_path: Path) -> None:
    file, tokens = conversations(tmp_path, said("hi", "yes")), toy.tokenizer()
    file.write_text("\n" + file.read_text("utf-8"), "utf-8")
    tokens.chat_template = "{{ raise_exception('no such role') }}"
    with pytest.raises(
        ConfigError, match=r"general\.jsonl:2: the model's chat template rejects this conversation \(no such role"
    ):
        replay.token_rows(file, 1, tokens, 1000)


def test_a_conversation_may_hold_any_separator_of_lines(tmp_path: Path) -> None:
    file = tmp_path / "general.jsonl"
    file.write_text(json.dumps(said("one\u2028two\x85", "yes"), ensure_ascii=False) + "\n", "utf-8")
    assert len(replay.token_rows(file, 1, toy.tokenizer(), 1000)) == 1


def test_a_missing_or_empty_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nothing\.jsonl: the file cannot be read"):
        replay.token_rows(tmp_path / "nothing.jsonl", 1, toy.tokenizer(), 1000)
    with pytest.raises(ConfigError, match="the file is empty"):
        replay.token_rows(conversations(tmp_path), 1, toy.tokenizer(), 1000)
