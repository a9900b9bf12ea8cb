"""Log-probabilities of given answers: how likely a model finds each of many candidates after each of many prompts.

    Scorer(torch, model).score_matrix(prompts, candidates)[i, j]     log p(candidates[j] | prompts[i]), summed over the candidate's tokens

A sequence is a prompt followed by a tree of candidates: what candidates share is read once, and a mask lets every token see the prompt
and what stands above it in the tree, nothing else. So a prompt with 300 names is one sequence of some hundred tokens.

Covered: prompts and candidates of any length; a token budget bounds every batch. The result does not depend on the budget, but for
rounding. The model's mode (train or eval) is what it was before.
Not covered: models whose attention takes no mask of ours (FlashAttention, linear attention), windows of attention that are shorter than
a probe (refused), several devices.

The arithmetic is that of the model's weights. With float32 weights a GPU multiplies in TF32, since bf16 would leave ties between logits;
a CPU with instructions for bf16 uses them unless `autocast` is False. That is twice as fast, and coarse: with SmolLM2 untrained,
log-probabilities of names (about -30) moved by up to 0.3, and a third of the ranks among 24 by a place or more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sebench.base.errors import ConfigError, OutOfMemory
from sebench.models.transformers import fast_bf16

TOKENS = {"cpu": 2_048, "cuda": 16_384}  # by kind of device, where no budget is given; most of the memory is for logits
NODES = 512  # of a tree: attention grows with the square, and a prompt is read once for each tree


@dataclass(frozen=True)
class ForcedAnswer:
    """What a model thinks of an answer that it is given token by token."""

    logp: float  # summed
    tokens: int
    exact: bool  # whether every token is the likeliest one: greedy decoding would write this answer


class Scorer:
    """Scores answers with one model. `tokens`: of a batch, with padding; 0 chooses by device."""

    def __init__(self, torch: Any, model: Any, tokens: int = 0, autocast: bool | None = None) -> None:
        self.torch, self.model = torch, model
        self.device = next(model.parameters()).device
        self.tokens = tokens or TOKENS.get(self.device.type, TOKENS["cpu"])
        on_cpu = self.device.type == "cpu"
        self.autocast = on_cpu and fast_bf16("cpu") if autocast is None else autocast

    def score_matrix(self, prompts: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]]) -> Any:
        """A row for each prompt, a column for each candidate; float64, on the CPU."""
        _check_not_empty(prompts, candidates)
        longest = max(len(prompt) for prompt in prompts)
        self._check_window(longest + max(len(candidate) for candidate in candidates))
        trees = list(_trees(candidates, min(NODES, self.tokens - longest)))
        scores = self.torch.zeros(len(prompts), len(candidates), dtype=self.torch.float64)
        with self._inference_mode():
            for tree in trees:
                columns, seen = self.torch.tensor(tree.columns), tree.ancestors(self.torch).to(self.device)
                for rows in self._batches([len(p) for p in prompts], room=len(tree.ids)):
                    found = self._tree_scores([prompts[row] for row in rows], tree, seen)
                    scores[self.torch.tensor(rows)[:, None], columns] = found
        return scores

    def score_answers(self, prompts: Sequence[Sequence[int]], answers: Sequence[Sequence[int]]) -> list[ForcedAnswer]:
        """One answer for each prompt. Padded on the right: with causal attention nothing sees it."""
        _check_not_empty(prompts, answers)
        torch, found = self.torch, dict[int, ForcedAnswer]()
        wholes = [[*prompt, *answer] for prompt, answer in zip(prompts, answers, strict=True)]
        with self._inference_mode():
            for rows in self._batches([len(ids) for ids in wholes]):
                longest = max(len(wholes[row]) for row in rows)
                ids = torch.tensor([_pad(wholes[row], longest) for row in rows], device=self.device)
                logits = self.model(input_ids=ids, use_cache=False).logits
                for place, row in enumerate(rows):
                    begin, end = len(prompts[row]), len(wholes[row])
                    wanted, predicted = ids[place, begin:end], logits[place, begin - 1 : end - 1]
                    logp = float(self._logp(predicted, wanted).double().sum())
                    found[row] = ForcedAnswer(logp, end - begin, bool((predicted.argmax(-1) == wanted).all()))
        return [found[row] for row in range(len(wholes))]

    def _tree_scores(self, prompts: Sequence[Sequence[int]], tree: _Tree, ancestors: Any) -> Any:
        """The tree's candidates after each prompt: (prompts, columns), float64, on the CPU."""
        torch, device, nodes = self.torch, self.device, len(tree.ids)
        longest = max(len(prompt) for prompt in prompts)
        ids = torch.tensor([[*_pad(prompt, longest, left=True), *tree.ids] for prompt in prompts], device=device)
        lengths = torch.tensor([len(prompt) for prompt in prompts], device=device)[:, None]
        before = (
            torch.arange(longest, device=device) - longest + lengths
        )  # positions of a prompt's tokens; less than 0 for padding
        after = lengths + torch.tensor(tree.depths(), dtype=torch.long, device=device)
        seen = torch.zeros(len(prompts), longest + nodes, longest + nodes, dtype=torch.bool, device=device)
        seen[:, :, :longest] = (before >= 0)[:, None]
        seen[:, :longest] &= torch.ones_like(seen[0]).tril()[:longest]
        seen[:, longest:, longest:] = ancestors
        seen |= torch.eye(
            longest + nodes, dtype=torch.bool, device=device
        )  # padding sees itself: a softmax over nothing is nan
        dtype = self.model.dtype
        hidden = torch.zeros(seen.shape, dtype=dtype, device=device).masked_fill_(~seen, torch.finfo(dtype).min)
        logits = self.model(
            input_ids=ids,
            attention_mask=hidden[:, None],
            position_ids=torch.cat([before.clamp(min=0), after], 1),
            use_cache=False,
            logits_to_keep=nodes + 1,
        ).logits
        places, where, wanted = (torch.tensor(list(column), device=device) for column in zip(*tree.edges, strict=True))
        scores = torch.zeros(len(prompts), len(tree.columns), dtype=torch.float64, device=device)
        for row, of_prompt in zip(
            scores, logits, strict=True
        ):  # one by one: the sums need as much memory as the logits
            of_prompt = of_prompt.float()
            logp = of_prompt[where + 1, wanted] - of_prompt.logsumexp(-1)[where + 1]
            row.index_add_(0, places, logp.double())
        return scores.cpu()

    def _check_window(self, longest: int) -> None:
        """Our mask takes the place of the model's own, which must not hide anything of a sequence."""
        window = getattr(self.model.config.get_text_config(), "sliding_window", None)
        if window and longest > window:
            raise ConfigError(
                f"the model's attention reaches over {window:,} tokens and a probe has {longest:,}; probe another model"
            )

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
    def _inference_mode(self) -> Iterator[None]:
        """Eval mode without gradients, and afterwards everything as it was. No random number is drawn."""
        torch, training = self.torch, self.model.training
        precision = torch.get_float32_matmul_precision()
        self.model.eval()
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
        bf16 = torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.autocast)
        try:
            # Not inference_mode: what a model keeps for itself (rotary tables) must stay usable in training. Eager: layers that were
            # compiled for training would be compiled again for every shape of a probe.
            with torch.no_grad(), torch.compiler.set_stance("force_eager"), bf16:
                yield
        except torch.OutOfMemoryError:
            raise OutOfMemory(
                f"too little memory for probes in batches of {self.tokens:,} tokens; lower --tokens of 'sebench probe', "
                "or train with --probe-every -1"
            ) from None
        finally:
            torch.set_float32_matmul_precision(precision)
            self.model.train(training)


@dataclass(frozen=True)
class _Tree:
    """Candidates as a tree of tokens: what several begin with is there once. Their last tokens are predicted, never read."""

    columns: list[int] = field(default_factory=list)  # the candidates that it holds
    ids: list[int] = field(default_factory=list)  # a node's token
    parents: list[int] = field(default_factory=list)  # a node's parent, -1 for the prompt
    edges: list[tuple[int, int, int]] = field(
        default_factory=list
    )  # (place in columns, node or -1 for the prompt, token that must follow it)

    def depths(self) -> list[int]:
        depths: list[int] = []
        for parent in self.parents:
            depths.append(0 if parent < 0 else depths[parent] + 1)
        return depths

    def ancestors(self, torch: Any) -> Any:
        """(node, node): whether the first sees the second, which is itself or stands above it."""
        seen = torch.eye(len(self.ids), dtype=torch.bool)
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                seen[node] |= seen[parent]
        return seen


def _trees(candidates: Sequence[Sequence[int]], most: int) -> Iterator[_Tree]:
    """Trees of at most so many nodes, or of one candidate. In sorted order, what is shared is shared with the neighbour."""
    tree, path = _Tree(), list[int]()  # path: the nodes of the last candidate
    for column in sorted(range(len(candidates)), key=lambda column: (list(candidates[column]), column)):
        read = list(candidates[column])[:-1]
        shared = shared_prefix([tree.ids[node] for node in path], read)
        if tree.columns and len(tree.ids) + len(read) - shared > most:
            yield tree
            tree, path, shared = _Tree(), [], 0
        path = path[:shared]
        for token in read[shared:]:
            tree.parents.append(path[-1] if path else -1)
            path.append(len(tree.ids))
            tree.ids.append(token)
        place = len(tree.columns)
        tree.columns.append(column)
        tree.edges.extend((place, node, token) for node, token in zip([-1, *path], candidates[column], strict=True))
    yield tree


def shared_prefix(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two sequences begin with in common."""
    pairs = zip(one, other, strict=False)
    return next((count for count, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _pad(ids: Sequence[int], length: int, left: bool = False) -> list[int]:
    padding = [0] * (length - len(ids))
    return [*padding, *ids] if left else [*ids, *padding]


def _check_not_empty(prompts: Sequence[Sequence[int]], answers: Sequence[Sequence[int]]) -> None:
    if not all(prompts) or not all(answers) or not answers:
        raise ValueError("every prompt and every answer has at least one token")
