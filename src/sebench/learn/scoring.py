"""Log-probabilities of given answers: how likely a model finds each of many candidates after each of many prompts.

    Scorer(torch, model).matrix(prompts, candidates)[i, j]     log p(candidates[j] | prompts[i]), summed over the candidate's tokens

Covered: every prompt is read once, and its keys and values serve all its candidates; candidates of one length go together, so that none is
padded; prompts are padded on the left and the padding is masked; a token budget bounds every batch. The result does not depend on the
budget, but for rounding. The model's mode (train or eval) is what it was before.
Not covered: caches that cannot be repeated for several rows (linear attention), several devices.

The arithmetic is that of the model's weights. With float32 weights a GPU multiplies in TF32, since bf16 would leave ties between logits;
a CPU with instructions for bf16 uses them unless `autocast` is False (several times as fast; a log-probability is then good to about 0.05).
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sebench.errors import ConfigError
from sebench.rollout.transformers import fast_bf16

TOKENS = {"cpu": 16_384, "cuda": 131_072}  # by kind of device, where no budget is given


@dataclass(frozen=True)
class Forced:
    """What a model thinks of an answer that it is given token by token."""

    logp: float  # summed
    tokens: int
    exact: bool  # whether every token is the likeliest one: greedy decoding would write this answer


class Scorer:
    """Scores answers with one model. `tokens`: of a batch, with padding and with what is kept of prompts; 0 chooses by device."""

    def __init__(self, torch: Any, model: Any, tokens: int = 0, autocast: bool | None = None) -> None:
        self.torch, self.model = torch, model
        self.device = next(model.parameters()).device
        self.tokens = tokens or TOKENS.get(self.device.type, TOKENS["cpu"])
        on_cpu = self.device.type == "cpu"
        self.autocast = on_cpu and fast_bf16("cpu") if autocast is None else autocast

    def matrix(self, prompts: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]]) -> Any:
        """A row for each prompt, a column for each candidate; float64, on the CPU."""
        _not_empty(prompts, candidates)
        scores = self.torch.zeros(len(prompts), len(candidates), dtype=self.torch.float64)
        by_length: dict[int, list[int]] = defaultdict(list)
        for column, candidate in enumerate(candidates):
            by_length[len(candidate)].append(column)
        with self._running():
            for rows in self._batches([len(p) for p in prompts], room=max(by_length)):
                read = _Prompts(self, [prompts[row] for row in rows])
                for length, columns in sorted(by_length.items()):
                    most = max(1, self.tokens // (len(rows) * (read.length + length)))
                    for at in range(0, len(columns), most):
                        chosen = columns[at : at + most]
                        found = read.scores([candidates[column] for column in chosen])
                        scores[self.torch.tensor(rows)[:, None], self.torch.tensor(chosen)] = found
        return scores

    def forced(self, prompts: Sequence[Sequence[int]], answers: Sequence[Sequence[int]]) -> list[Forced]:
        """One answer for each prompt. Padded on the right: with causal attention nothing sees it."""
        _not_empty(prompts, answers)
        torch, found = self.torch, dict[int, Forced]()
        wholes = [[*prompt, *answer] for prompt, answer in zip(prompts, answers, strict=True)]
        with self._running():
            for rows in self._batches([len(ids) for ids in wholes]):
                longest = max(len(wholes[row]) for row in rows)
                ids = torch.tensor([_padded(wholes[row], longest) for row in rows], device=self.device)
                logits = self.model(input_ids=ids, use_cache=False).logits
                for place, row in enumerate(rows):
                    begin, end = len(prompts[row]), len(wholes[row])
                    wanted, predicted = ids[place, begin:end], logits[place, begin - 1 : end - 1]
                    logp = float(self._logp(predicted, wanted).double().sum())
                    found[row] = Forced(logp, end - begin, bool((predicted.argmax(-1) == wanted).all()))
        return [found[row] for row in range(len(wholes))]

    def _batches(self, lengths: Sequence[int], room: int = 0) -> Iterator[list[int]]:
        """Rows of similar length, as many as the budget holds with `room` more tokens each, but at least one."""
        batch: list[int] = []
        for row in sorted(range(len(lengths)), key=lambda row: (-lengths[row], row)):
            if batch and (lengths[batch[0]] + room) * (len(batch) + 1) > self.tokens:
                yield batch
                batch = []
            batch.append(row)
        if batch:
            yield batch

    def _logp(self, logits: Any, wanted: Any) -> Any:
        """The log-probability of the wanted token at each position."""
        logits = logits.float()
        return logits.gather(-1, wanted[..., None])[..., 0] - logits.logsumexp(-1)

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Eval mode without gradients, and afterwards everything as it was. No random number is drawn."""
        torch, training = self.torch, self.model.training
        precision = torch.get_float32_matmul_precision()
        self.model.eval()
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
        try:
            # not inference_mode: what a model keeps for itself (rotary tables) must stay usable in training
            with torch.no_grad(), torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.autocast):
                yield
        except torch.OutOfMemoryError:
            raise ConfigError(
                f"too little memory for probes in batches of {self.tokens:,} tokens; lower them"
            ) from None
        finally:
            torch.set_float32_matmul_precision(precision)
            self.model.train(training)


class _Prompts:
    """A batch of prompts that was read: what follows them is scored without reading them again."""

    def __init__(self, scorer: Scorer, prompts: Sequence[Sequence[int]]) -> None:
        torch, device = scorer.torch, scorer.device
        self.scorer, self.length = scorer, max(len(prompt) for prompt in prompts)
        ids = torch.tensor([_padded(prompt, self.length, left=True) for prompt in prompts], device=device)
        self.lengths = torch.tensor([len(prompt) for prompt in prompts], device=device)
        before = torch.arange(self.length, device=device) - (self.length - self.lengths)[:, None]
        self.mask = (before >= 0).long()
        out = scorer.model(
            input_ids=ids,
            attention_mask=self.mask,
            position_ids=before.clamp(min=0),
            use_cache=True,
            logits_to_keep=1,
        )
        self.cache, self.next = out.past_key_values, out.logits[:, -1].float().log_softmax(-1)

    def scores(self, candidates: Sequence[Sequence[int]]) -> Any:
        """Candidates of one length after each prompt: (prompts, candidates), float64, on the CPU."""
        torch, device, count = self.scorer.torch, self.scorer.device, len(self.lengths)
        wanted = torch.tensor([list(candidate) for candidate in candidates], device=device)
        scores = self.next[:, wanted[:, 0]].double()
        steps = wanted.shape[1] - 1
        if steps:  # the first token follows from the prompt alone, and nothing follows the last
            cache = copy.deepcopy(self.cache)  # it grows in place
            cache.batch_repeat_interleave(len(candidates))
            lengths = self.lengths.repeat_interleave(len(candidates))
            shown = torch.ones(len(lengths), steps, dtype=self.mask.dtype, device=device)
            logits = self.scorer.model(
                input_ids=wanted[:, :-1].repeat(count, 1),
                attention_mask=torch.cat([self.mask.repeat_interleave(len(candidates), 0), shown], 1),
                position_ids=lengths[:, None] + torch.arange(steps, device=device),
                past_key_values=cache,
                use_cache=True,
            ).logits
            for at in range(steps):  # position by position: float copies of all logits would need twice the memory
                logp = self.scorer._logp(logits[:, at], wanted[:, at + 1].repeat(count))
                scores += logp.view(count, -1).double()
        return scores.cpu()


def _padded(ids: Sequence[int], length: int, left: bool = False) -> list[int]:
    padding = [0] * (length - len(ids))
    return [*padding, *ids] if left else [*ids, *padding]


def _not_empty(prompts: Sequence[Sequence[int]], answers: Sequence[Sequence[int]]) -> None:
    if not all(prompts) or not all(answers) or not answers:
        raise ValueError("every prompt and every answer has at least one token")
