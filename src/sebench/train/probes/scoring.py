"""Computes log-probabilities of given answers: how likely each of many candidates is after each of many prompts.

    Scorer(torch, model).score_matrix(prompts, candidates)[i, j]
    # log p(candidates[j] | prompts[i]), summed over the candidate's tokens

A sequence is a prompt followed by a tree of candidates: shared prefixes are processed only once, and a mask lets every
token attend only to the prompt and its ancestors in the tree. So a prompt with 300 names is one sequence of a few
hundred tokens.

Covered: prompts and candidates of any length; a token budget limits every batch, and changes results only by rounding.
The model's mode (train or eval) is restored afterwards.
Not covered: models whose attention takes no custom mask (FlashAttention, linear attention), attention windows shorter
than a probe (refused), and several devices.

Precision follows the model's weights. With float32 weights a GPU multiplies in TF32, since bf16 would cause ties
between logits; a CPU with bf16 instructions uses them unless `autocast` is False. That is twice as fast, but less
accurate: with untrained SmolLM2, log-probabilities of names (about -30) moved by up to 0.3, and a third of the ranks
(among 24 names) changed by one place or more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sebench.base.errors import ConfigError, OutOfMemory
from sebench.models.transformers import fast_bf16

TOKENS = {"cpu": 2_048, "cuda": 16_384}  # default budget by device; most of the memory is for logits
NODES = 512  # maximum per tree: attention cost grows quadratically, but the prompt is processed again for each tree


@dataclass(frozen=True)
class ForcedAnswer:
    """The score of an answer under teacher forcing."""

    logp: float  # summed
    tokens: int
    exact: bool  # whether every token is the most likely one: greedy decoding would write this answer


class Scorer:
    """Scores answers with one model. `tokens` is the budget per batch, including padding; 0 chooses it by device."""

    def __init__(self, torch: Any, model: Any, tokens: int = 0, autocast: bool | None = None) -> None:
        self.torch, self.model = torch, model
        self.device = next(model.parameters()).device
        self.tokens = tokens or TOKENS.get(self.device.type, TOKENS["cpu"])
        on_cpu = self.device.type == "cpu"
        self.autocast = on_cpu and fast_bf16("cpu") if autocast is None else autocast

    def score_matrix(self, prompts: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]]) -> Any:
        """Return the scores as a float64 tensor on the CPU, with one row per prompt and one column per candidate."""
        longest = max(len(prompt) for prompt in prompts)
        self._check_window(longest + max(len(candidate) for candidate in candidates))
        trees = list(_trees(candidates, min(NODES, self.tokens - longest)))
        scores = self.torch.zeros(len(prompts), len(candidates), dtype=self.torch.float64)
        with self._inference_mode():
            for tree in trees:
                columns, seen = self.torch.tensor(tree.columns), tree.ancestors(self.torch).to(self.device)
                for rows in self._batches([len(p) for p in prompts], extra=len(tree.ids)):
                    batch_scores = self._tree_scores([prompts[row] for row in rows], tree, seen)
                    scores[self.torch.tensor(rows)[:, None], columns] = batch_scores
        return scores

    def score_answers(self, prompts: Sequence[Sequence[int]], answers: Sequence[Sequence[int]]) -> list[ForcedAnswer]:
        """Score one answer per prompt. Padding is on the right, where causal attention does not see it."""
        torch, scored = self.torch, dict[int, ForcedAnswer]()
        wholes = [[*prompt, *answer] for prompt, answer in zip(prompts, answers, strict=True)]
        with self._inference_mode():
            for rows in self._batches([len(ids) for ids in wholes]):
                longest = max(len(wholes[row]) for row in rows)
                ids = torch.tensor([_pad(wholes[row], longest) for row in rows], device=self.device)
                logits = self.model(input_ids=ids, use_cache=False).logits
                for place, row in enumerate(rows):
                    begin, end = len(prompts[row]), len(wholes[row])
                    targets, predicted = ids[place, begin:end], logits[place, begin - 1 : end - 1]
                    logp = float(self._logp(predicted, targets).double().sum())
                    scored[row] = ForcedAnswer(logp, end - begin, bool((predicted.argmax(-1) == targets).all()))
        return [scored[row] for row in range(len(wholes))]

    def _tree_scores(self, prompts: Sequence[Sequence[int]], tree: _Tree, ancestors: Any) -> Any:
        """Return the scores of the tree's candidates after each prompt, as a float64 tensor of shape (prompts,
        candidates) on the CPU."""
        torch, device, nodes = self.torch, self.device, len(tree.ids)
        longest = max(len(prompt) for prompt in prompts)
        ids = torch.tensor([[*_pad(prompt, longest, left=True), *tree.ids] for prompt in prompts], device=device)
        lengths = torch.tensor([len(prompt) for prompt in prompts], device=device)[:, None]
        # Positions of a prompt's tokens; negative for padding.
        before = torch.arange(longest, device=device) - longest + lengths
        after = lengths + torch.tensor(tree.depths(), dtype=torch.long, device=device)
        seen = torch.zeros(len(prompts), longest + nodes, longest + nodes, dtype=torch.bool, device=device)
        seen[:, :, :longest] = (before >= 0)[:, None]
        seen[:, :longest] &= torch.ones_like(seen[0]).tril()[:longest]
        seen[:, longest:, longest:] = ancestors
        # Padding attends to itself, since a softmax over nothing is nan.
        seen |= torch.eye(longest + nodes, dtype=torch.bool, device=device)
        dtype = self.model.dtype
        hidden = torch.zeros(seen.shape, dtype=dtype, device=device).masked_fill_(~seen, torch.finfo(dtype).min)
        logits = self.model(
            input_ids=ids,
            attention_mask=hidden[:, None],
            position_ids=torch.cat([before.clamp(min=0), after], 1),
            use_cache=False,
            logits_to_keep=nodes + 1,
        ).logits
        places, where, targets = (torch.tensor(list(column), device=device) for column in zip(*tree.edges, strict=True))
        scores = torch.zeros(len(prompts), len(tree.columns), dtype=torch.float64, device=device)
        # One prompt at a time: the sums need as much memory as the logits.
        for row, of_prompt in zip(scores, logits, strict=True):
            of_prompt = of_prompt.float()
            logp = of_prompt[where + 1, targets] - of_prompt.logsumexp(-1)[where + 1]
            row.index_add_(0, places, logp.double())
        return scores.cpu()

    def _check_window(self, longest: int) -> None:
        """Raise an error for sequences longer than the model's attention window, because our mask replaces the model's
        own."""
        window = getattr(self.model.config.get_text_config(), "sliding_window", None)
        if window and longest > window:
            raise ConfigError(
                f"the model's attention window is {window:,} tokens, but a probe has {longest:,}; probe another model"
            )

    def _batches(self, lengths: Sequence[int], extra: int = 0) -> Iterator[list[int]]:
        """Yield batches of rows with similar lengths. A batch has as many rows as fit in the token budget with `extra`
        more tokens each, but at least one."""
        batch: list[int] = []
        for row in sorted(range(len(lengths)), key=lambda row: (-lengths[row], row)):
            if batch and (lengths[batch[0]] + extra) * (len(batch) + 1) > self.tokens:
                yield batch
                batch = []
            batch.append(row)
        if batch:
            yield batch

    def _logp(self, logits: Any, targets: Any) -> Any:
        """Return the log-probability of the target token at each position."""
        logits = logits.float()
        return logits.gather(-1, targets[..., None])[..., 0] - logits.logsumexp(-1)

    @contextmanager
    def _inference_mode(self) -> Iterator[None]:
        """Use eval mode without gradients in the block, and restore everything afterwards. No random numbers are
        drawn."""
        torch, training = self.torch, self.model.training
        precision = torch.get_float32_matmul_precision()
        self.model.eval()
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
        bf16 = torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.autocast)
        try:
            # Not inference_mode, because tensors that the model caches (rotary tables) must stay usable in training.
            # Eager, because layers compiled for training would be recompiled for every shape of a probe.
            with torch.no_grad(), torch.compiler.set_stance("force_eager"), bf16:
                yield
        except torch.OutOfMemoryError:
            raise OutOfMemory(
                f"out of memory while scoring probes in batches of {self.tokens:,} tokens; free some memory, use "
                "--device cpu, or train with --probe-every -1 (without probes)"
            ) from None
        finally:
            torch.set_float32_matmul_precision(precision)
            self.model.train(training)


@dataclass(frozen=True)
class _Tree:
    """Candidates as a prefix tree of tokens. Their last tokens are only predicted, never used as input."""

    columns: list[int] = field(default_factory=list)  # the candidates in the tree
    ids: list[int] = field(default_factory=list)  # a node's token
    parents: list[int] = field(default_factory=list)  # a node's parent, -1 for the prompt
    # (index in columns, node or -1 for the prompt, token that must follow it)
    edges: list[tuple[int, int, int]] = field(default_factory=list)

    def depths(self) -> list[int]:
        depths: list[int] = []
        for parent in self.parents:
            depths.append(0 if parent < 0 else depths[parent] + 1)
        return depths

    def ancestors(self, torch: Any) -> Any:
        """Return a (node, node) mask that is true where the second node is the first or one of its ancestors."""
        seen = torch.eye(len(self.ids), dtype=torch.bool)
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                seen[node] |= seen[parent]
        return seen


def _trees(candidates: Sequence[Sequence[int]], max_nodes: int) -> Iterator[_Tree]:
    """Yield trees of at most `max_nodes` nodes; a tree with a single candidate may have more. Sorting puts candidates
    with shared prefixes next to each other."""
    tree, path = _Tree(), list[int]()  # path: the nodes of the last candidate
    for column in sorted(range(len(candidates)), key=lambda column: (list(candidates[column]), column)):
        read = list(candidates[column])[:-1]
        shared = shared_prefix([tree.ids[node] for node in path], read)
        if tree.columns and len(tree.ids) + len(read) - shared > max_nodes:
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
    """Return the length of the common prefix of two sequences."""
    pairs = zip(one, other, strict=False)
    return next((count for count, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _pad(ids: Sequence[int], length: int, left: bool = False) -> list[int]:
    padding = [0] * (length - len(ids))
    return [*padding, *ids] if left else [*ids, *padding]
