"""Training rows, as text and as token ids in the model's own chat template. A row is the prompt used for the update,
and the answer, whose tokens carry the loss.

Open-SFT and Closed-SFT use the same examples in the same order, and differ only in `book` (which documentation the
prompt shows).

Training uses the same tokens as sampling: the prompt's ids are exactly those that `sebench run` sends to the model,
followed by the answer's ids up to and including the end of the turn. A row longer than the context is an error that
names the task; no row is truncated or dropped.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sebench.base.errors import ConfigError
from sebench.models.model import Chat, opening
from sebench.train.data.examples import TrainingExample
from sebench.world.prompts import Prompt, Prompter


@dataclass(frozen=True)
class TrainingRow:
    """A prompt and the answer to learn."""

    id: str  # id of the task, or of the page that the row comes from
    prompt: Prompt | None  # None for plain text, such as a page: all of it carries loss, without a chat template
    answer: str


@dataclass(frozen=True)
class TokenRow:
    """One training sequence."""

    id: str
    ids: tuple[int, ...]
    answer_from: int  # position of the answer's first token, from which on tokens carry loss

    @property
    def first(self) -> int:
        """Position of the first learnt token. It is at least 1, since nothing predicts the first token of a
        sequence."""
        return max(self.answer_from, 1)

    @property
    def learnt(self) -> int:
        """The number of tokens that carry loss."""
        return len(self.ids) - self.first


def text_rows(prompter: Prompter, examples: Sequence[TrainingExample], book: str) -> list[TrainingRow]:
    """Return one row per example, in the same order. `book` says which documentation the update prompts show."""
    return [TrainingRow(one.task.id, prompter.prompt(one.task, book), one.answer) for one in examples]


def tokenise(rows: Iterable[TrainingRow], tokenizer: Any, limit: int, chat: Chat | None = None) -> list[TokenRow]:
    """Return the rows as token ids, for a model with a context of `limit` tokens."""
    chat, token_rows = chat or Chat(), []
    for row in rows:
        prompt, answer = prompt_ids(row, tokenizer, chat), row.answer
        if row.prompt and tokenizer.chat_template is not None:
            text = chat.apply_template(tokenizer, row.prompt)
            answer = templated_answer(chat.messages(row.prompt), text, answer, tokenizer, chat.template_options)
        ids = (*prompt, *answer_ids(answer, tokenizer))
        check_length(row.id, len(ids), limit)
        token_rows.append(TokenRow(row.id, ids, len(prompt)))
    return token_rows


def check_length(name: str, count: int, limit: int) -> None:
    """Raise an error if a sequence is longer than the model's context: nothing is silently truncated or dropped."""
    if count > limit:
        raise ConfigError(
            f"row '{name}' has {count:,} tokens with its answer, but the model takes at most {limit:,}; show fewer "
            "--pages or --distractors in the update prompt, or use a model with a longer context"
        )


def prompt_ids(row: TrainingRow, tokenizer: Any, chat: Chat) -> list[int]:
    """Return the token ids of a prompt."""
    if row.prompt is None:
        return []
    text = chat.apply_template(tokenizer, row.prompt)
    return list(tokenizer(text, add_special_tokens=tokenizer.chat_template is None)["input_ids"])


def sampling_ids(prompt: Prompt, tokenizer: Any, chat: Chat, limit: int, max_tokens: int) -> list[int]:
    """Return the token ids of a prompt. Raise an error if the context leaves no room for an answer of `max_tokens`
    tokens."""
    ids = prompt_ids(TrainingRow(prompt.task_id, prompt, ""), tokenizer, chat)
    check_length(prompt.task_id, len(ids) + max_tokens, limit)
    return ids


def templated_answer(
    messages: Sequence[Mapping[str, str]], prompt: str, answer: str, tokenizer: Any, options: Mapping[str, bool]
) -> str:
    """Return the answer as the chat template writes it after these messages, whose rendered prompt is `prompt`.

    Templates of thinking models add a thought, possibly empty, in their own format, as the model itself would write it.
    If the prompt already contains a closed empty thought (thinking is off), the thought in the answer is dropped.
    """

    def render(answer: str) -> str:
        conversation = [*messages, {"role": "assistant", "content": answer}]
        return str(tokenizer.apply_chat_template(conversation, tokenize=False, **options))

    whole = render(answer)
    if not whole.startswith(prompt) and "</think>" in answer:
        answer = answer.rpartition("</think>")[2].lstrip()
        whole = render(answer)
    rest = whole.removeprefix(prompt)
    end = rest.rfind(tokenizer.eos_token) if whole.startswith(prompt) and tokenizer.eos_token else -1
    return rest[:end] if end >= 0 else answer


def answer_ids(answer: str, tokenizer: Any) -> list[int]:
    """Return the ids of an answer, including the token that ends the turn."""
    ids = list(tokenizer(answer, add_special_tokens=False)["input_ids"])
    if tokenizer.eos_token_id is None:
        raise ConfigError(
            "the tokenizer has no end-of-text token, so the model could not learn to end an answer; use another "
            "tokenizer"
        )
    return [*ids, tokenizer.eos_token_id]


def response(tokenizer: Any, prompt: Sequence[int], answer: Sequence[int]) -> str:
    """Return the response to a prompt as `sebench run` writes it, including a thought that the chat template opened."""
    begun = opening(tokenizer.decode(prompt[-16:]))
    return begun + str(tokenizer.decode(answer, skip_special_tokens=True))


def digest(rows: Sequence[TokenRow]) -> str:
    """Return a hash of all rows, their order and their loss positions."""
    hashed = sha256()
    for row in rows:
        hashed.update(array("q", [len(row.ids), row.answer_from, *row.ids]).tobytes())
    return hashed.hexdigest()[:16]


def token_counts(rows: Sequence[TokenRow]) -> dict[str, int]:
    """Return the counts of rows and tokens for the manifest."""
    return {
        "rows": len(rows),
        "tokens": sum(len(row.ids) for row in rows),
        "learnt_tokens": sum(row.learnt for row in rows),
        "longest": max((len(row.ids) for row in rows), default=0),
    }
