"""Replay: general conversations mixed into the training rows, to reduce forgetting.

A file has one conversation per line, `{"messages": [{"role": ..., "content": ...}, ...]}`, ending with the assistant's
turn. Only that turn carries loss; the earlier turns are its prompt. Lines are drawn with the seed, and none is drawn
twice before all have been drawn once.
"""

from __future__ import annotations

import json
import random
from importlib import import_module
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.wording import counted
from sebench.models.model import Chat
from sebench.train.data.tokens import TokenRow, TrainingRow, answer_ids, templated_answer
from sebench.world.prompts import CLOSED, Prompt


def token_rows(
    file: Path, count: int, tokenizer: Any, limit: int, chat: Chat | None = None, seed: int = 0
) -> list[TokenRow]:
    """Return `count` token rows from a file of conversations."""
    options = (chat or Chat()).template_options
    return [_row(where, messages, tokenizer, limit, options) for where, messages in _draw(file, count, seed)]


def text_rows(file: Path, count: int, seed: int = 0) -> list[TrainingRow]:
    """Return the conversations that `token_rows` draws, but in the form of text rows, for the guard (`guard.py`)."""
    rows = []
    for where, messages in _draw(file, count, seed):
        *before, last = (str(message["content"]) for message in messages)
        rows.append(TrainingRow(where, Prompt("\n\n".join(before), "", CLOSED), last))
    return rows


def rows_for_share(rows: int, share: float) -> int:
    """Return how many replay rows make up this share of all rows."""
    return round(rows * share / (1 - share))


def _draw(file: Path, count: int, seed: int) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return `count` conversations, each with its location in the file."""
    try:  # only a line feed ends a line: JSON may contain other separators
        lines = [(n, line) for n, line in enumerate(file.read_text("utf-8").split("\n"), 1) if line.strip()]
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"replay = {file}: the file cannot be read: {error}") from None
    if not lines:
        raise ConfigError(f'replay = {file}: the file is empty; write one conversation per line, {{"messages": [...]}}')
    numbers: list[int] = []
    while len(numbers) < count:
        order = list(range(len(lines)))
        random.Random(f"replay:{seed}:{len(numbers)}").shuffle(order)
        numbers += order[: count - len(numbers)]
    places = [(f"{file}:{lines[n][0]}", lines[n][1]) for n in numbers]
    return [(where, _messages(where, line)) for where, line in places]


def _messages(where: str, line: str) -> list[dict[str, Any]]:
    try:
        messages: list[dict[str, Any]] = json.loads(line)["messages"]
        role = [(message["role"], message["content"]) for message in messages][-1][0]
    except (ValueError, KeyError, IndexError, TypeError):
        raise ConfigError(
            f'{where}: not a conversation; a line must be {{"messages": [{{"role", "content"}}, ...]}}'
        ) from None
    if role != "assistant" or len(messages) < 2:
        raise ConfigError(
            f"{where}: a conversation must have at least two turns, the last one by the assistant; this one has "
            f"{counted(len(messages), 'turn')} and ends with '{role}'"
        )
    return messages


def _row(where: str, messages: list[dict[str, Any]], tokenizer: Any, limit: int, options: dict[str, bool]) -> TokenRow:
    content = str(messages[-1]["content"])
    try:
        text = tokenizer.apply_chat_template(messages[:-1], tokenize=False, add_generation_prompt=True, **options)
        answer = templated_answer(messages[:-1], text, content, tokenizer, options)
    except import_module("jinja2").TemplateError as error:
        raise ConfigError(
            f"{where}: the model's chat template rejects this conversation ({error}); remove the conversation"
        ) from None
    prompt = list(tokenizer(text, add_special_tokens=False)["input_ids"])
    ids = (*prompt, *answer_ids(answer, tokenizer))
    if len(ids) > limit:
        raise ConfigError(
            f"{where}: this conversation has {len(ids):,} tokens, but the model takes at most {limit:,}; remove it"
        )
    return TokenRow(where, ids, len(prompt))
