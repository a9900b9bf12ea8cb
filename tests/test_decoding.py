"""The fast decoder produces what transformers' own generation produces, regardless of what else is decoded in the
batch."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from sebench.models import batching, decoding  # noqa: E402
from sebench.models.batching import PAGE, DecodeRequest, draw  # noqa: E402
from sebench.models.decoding import Decoder, end_tokens, fits  # noqa: E402
from sebench.models.model import Sampling  # noqa: E402
from tests import toy  # noqa: E402
from tests.conftest import slow  # noqa: E402

PROMPTS = [[7 + (3 * i + j) % 80 for j in range(length)] for i, length in enumerate((3, 17, 40, 5, 3 * PAGE - 4))]
DRAWN = Sampling(1.0)


def reference(model: Any, prompt: list[int], room: int, ends: set[int]) -> list[int]:
    """Greedy decoding with the whole sequence read anew for every token."""
    ids = list(prompt)
    for _ in range(room):
        with torch.inference_mode():
            ids.append(int(model(input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
        if ids[-1] in ends:
            break
    return ids[len(prompt) :]


@pytest.fixture(scope="module")
def model() -> Any:
    made = toy.model(toy.tokenizer())
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(4.0)  # a random model with small weights repeats one token
    return made.eval()


def test_greedy_decoding_is_that_of_the_plain_model(model: Any) -> None:
    rooms = [12, 30, 1, 25, 20]  # the last one crosses the border of a page
    said = Decoder(torch, model, bf16=False).generate(PROMPTS, rooms, set())
    assert said == [reference(model, prompt, room, set()) for prompt, room in zip(PROMPTS, rooms, strict=True)]
    assert len({tuple(row) for row in said}) > 3


@pytest.mark.parametrize("rows", [pytest.param(1, marks=slow), 2, pytest.param(3, marks=slow)])
def test_a_place_that_an_answer_leaves_goes_to_the_next_prompt(model: Any, rows: int) -> None:
    prompts, rooms = PROMPTS * 3, [12, 30, 1, 25, 20, 2, 2, 40, 3, 1, 9, 17, 16, 15, 33]
    said = Decoder(torch, model, bf16=False, rows=rows).generate(prompts, rooms, set())
    assert said == [reference(model, prompt, room, set()) for prompt, room in zip(prompts, rooms, strict=True)]


def test_what_prompts_begin_with_in_common_is_read_once(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    of_model = Decoder.logits

    def counted(self: Any, ids: Any, positions: Any, reading: Any) -> Any:
        read.append(ids.numel() if isinstance(reading, batching.PromptReading) else 0)
        return of_model(self, ids, positions, reading)

    monkeypatch.setattr(Decoder, "logits", counted)
    common = [7 + j * j % 80 for j in range(10 * PAGE)]
    prompts = [[*common, 9, 11], [*common, 12], common, [*common[: 5 * PAGE + 3], 8]]
    said = Decoder(torch, model, bf16=False, rows=2).generate(prompts, [9] * 4, set(), copies=2)
    assert said == [reference(model, prompt, 9, set()) for prompt in prompts for _ in range(2)]
    assert sum(read) == 10 * PAGE + 2 + 2 + 1 + 1 + 2 * PAGE + 2 * 4


def test_a_page_is_not_used_again_while_somebody_needs_it(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that holds hardly more than one row at a time: everything is evicted again and again."""
    monkeypatch.setattr(Decoder, "_open", lambda self, queue, drawing: setattr(
        self, "_batch", batching.DecodeBatch(self, (9, 8), 40, drawing)))  # fmt: skip
    common = [7 + j * j % 80 for j in range(3 * PAGE)]
    prompts = [[*common, 9], PROMPTS[4], [*common[: PAGE + 2], 7], [*common, 9], PROMPTS[0], [*common, 10], PROMPTS[4]]
    rooms = [40, 20, 30, 1, 40, 12, 5]
    said = Decoder(torch, model, bf16=False, rows=4).generate(prompts, rooms, set())
    assert said == [reference(model, prompt, room, set()) for prompt, room in zip(prompts, rooms, strict=True)]


def test_a_request_that_the_cache_cannot_hold_waits_for_a_larger_one(model: Any) -> None:
    long = [7 + j * j % 80 for j in range(20 * PAGE)]
    waiting = deque(
        [
            DecodeRequest(PROMPTS[0], 3),
            DecodeRequest(PROMPTS[1], 9),
            DecodeRequest(long, 6),
            DecodeRequest(PROMPTS[0], 30),
        ]
    )
    said = []
    decoder = Decoder(torch, model, bf16=False, rows=2)
    decoder.stream(  # one at a time: nobody knows what comes
        lambda count: [waiting.popleft()] if waiting and count else [],
        lambda request, tokens: said.append((list(request.prompt), request.max_tokens, tokens)),
        set(),
        Sampling(),
    )
    assert len(said) == 4 and all(reference(model, *asked, set()) == tokens for *asked, tokens in said)


def test_a_request_that_nobody_waits_for_any_more_is_dropped(model: Any) -> None:
    waiting, said = deque(DecodeRequest(PROMPTS[n], 40, tag=n) for n in range(3)), []
    Decoder(torch, model, bf16=False, rows=2).stream(
        lambda count: [waiting.popleft() for _ in range(min(count, len(waiting)))],
        lambda request, tokens: said.append(request.tag),
        set(),
        Sampling(),
        gone=lambda request: request.tag == 1,
    )
    assert sorted(said) == [0, 2]


def test_where_memory_ends_fewer_rows_are_decoded_together(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[int] = []
    of_model = Decoder.logits

    def short_of_memory(self: Any, ids: Any, positions: Any, reading: Any) -> Any:
        count = ids.shape[0]
        rows.append(count)
        if count > 1:
            raise torch.OutOfMemoryError("too much")
        return of_model(self, ids, positions, reading)

    monkeypatch.setattr(Decoder, "logits", short_of_memory)
    decoder = Decoder(torch, model, bf16=False, rows=4)
    said = decoder.generate(PROMPTS, [6, 5, 4, 3, 2], set())
    assert said == [reference(model, *asked, set()) for asked in zip(PROMPTS, [6, 5, 4, 3, 2], strict=True)]
    assert decoder.rows == 1 and max(rows) == 4
    monkeypatch.setattr(Decoder, "logits", lambda *_: (_ for _ in ()).throw(torch.OutOfMemoryError("too much")))
    with pytest.raises(torch.OutOfMemoryError):
        decoder.generate(PROMPTS, [6, 5, 4, 3, 2], set())


def test_on_a_cpu_prompts_are_read_in_parts_and_kept_in_a_cache_that_are_bounded(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = [[7 + (i + j * j) % 80 for j in range(90)] for i in range(12)]
    assert Decoder(torch, model).prefill_tokens == decoding.CPU_PREFILL_TOKENS < decoding.PREFILL_TOKENS
    free = 2 * 40 * PAGE * 2 * 2 * 2 * 8 * 4  # half of it are 40 pages: keys and values, layers, heads, width, bytes
    monkeypatch.setattr(decoding, "memory_left", lambda: free)
    monkeypatch.setattr(decoding, "CPU_PREFILL_TOKENS", 200)
    passes, pages, of_model = list[int](), set[int](), Decoder.logits

    def counted(self: Any, ids: Any, positions: Any, reading: Any) -> Any:
        passes.append(ids.numel())
        pages.add(len(reading.keys[0]) // PAGE)
        return of_model(self, ids, positions, reading)

    monkeypatch.setattr(Decoder, "logits", counted)
    said = Decoder(torch, model, bf16=False, rows=12).generate(prompts, [5] * 12, set())
    assert said == [reference(model, prompt, 5, set()) for prompt in prompts]
    assert max(passes) == 180 and pages == {41}  # two prompts at a time; one page is nobody's
    monkeypatch.setattr(decoding, "memory_left", lambda: 1)  # one row at a time, rather than none
    assert Decoder(torch, model, bf16=False, rows=12).generate(prompts, [5] * 12, set()) == said


def test_a_response_ends_where_the_models_own_generation_does_and_where_answers_are_taught_to() -> None:
    tokens, other = toy.tokenizer(), toy.model(toy.tokenizer())
    for named, wanted in ((None, set()), (7, {7}), ([7, 9], {7, 9})):
        other.generation_config.eos_token_id = named
        assert end_tokens(other, tokens) == {*wanted, tokens.eos_token_id}


def test_a_response_ends_with_its_end(model: Any) -> None:
    whole = reference(model, PROMPTS[1], 30, set())
    ends = {whole[11]}
    (said,) = Decoder(torch, model, bf16=False).generate([PROMPTS[1]], [30], ends)
    assert said == reference(model, PROMPTS[1], 30, ends) == whole[: whole.index(whole[11]) + 1]


def test_copies_of_a_prompt_are_decoded_beside_one_another(model: Any) -> None:
    said = Decoder(torch, model, bf16=False).generate(PROMPTS[:3], [8, 8, 8], set(), copies=3)
    assert said == [reference(model, prompt, 8, set()) for prompt in PROMPTS[:3] for _ in range(3)]


def test_draws_follow_the_seed_and_the_model(model: Any) -> None:
    decoder = Decoder(torch, model, bf16=False)

    def sample(seed: int) -> list[list[int]]:
        return decoder.generate(PROMPTS[:2], [10, 10], set(), DRAWN, seed, copies=4)

    assert sample(1) == sample(1) != sample(2)
    assert len({tuple(row) for row in sample(1)}) == 8
    with torch.inference_mode():
        likely = model(input_ids=torch.tensor([PROMPTS[0]])).logits[0, -1].softmax(-1)
    first = decoder.generate(PROMPTS[:1], [1], set(), DRAWN, 5, copies=4000)
    counts = torch.bincount(torch.tensor([row[0] for row in first]), minlength=len(likely)) / 4000
    assert float((counts - likely).abs().max()) < 0.04


def test_an_answer_does_not_depend_on_what_is_decoded_beside_it(model: Any) -> None:
    """So an interrupted run that continues has the answers that an uninterrupted one has."""
    rooms = [12, 30, 7, 25, 20]
    together = Decoder(torch, model, bf16=False).generate(PROMPTS, rooms, set(), DRAWN, 3, copies=2)
    few = Decoder(torch, model, bf16=False, rows=3).generate(PROMPTS, rooms, set(), DRAWN, 3, copies=2)
    assert few == together
    for number, (prompt, room) in enumerate(zip(PROMPTS, rooms, strict=True)):
        alone = Decoder(torch, model, bf16=False, rows=1).generate([prompt], [room], set(), DRAWN, 3, copies=2)
        assert alone == together[2 * number : 2 * number + 2]


@pytest.mark.parametrize("top_p", [1.0, 0.75])
def test_tokens_are_drawn_by_their_probability(top_p: float) -> None:
    share = torch.tensor([0.1, 0.5, 0.0, 0.1, 0.3])
    uniform = (torch.arange(1000) + 0.5) / 1000
    drawn = draw(torch, share.log().expand(1000, 5), uniform, Sampling(1.0, top_p))
    wanted = share if top_p == 1 else torch.tensor([0, 0.625, 0, 0, 0.375])
    assert torch.allclose(torch.bincount(drawn, minlength=5) / 1000, wanted, atol=0.002)
    assert draw(torch, share[None], torch.ones(1), Sampling(0.0)).tolist() == [1]


def test_weights_are_in_16_bits_only_while_they_are_decoded_with(model: Any) -> None:
    made = toy.model(toy.tokenizer())
    before = {name: p.data_ptr() for name, p in made.named_parameters()}
    made(input_ids=torch.tensor([PROMPTS[1]])).logits.sum().backward()
    (said,) = Decoder(torch, made, bf16=True).generate([PROMPTS[1]], [8], set())
    assert {name: p.data_ptr() for name, p in made.named_parameters()} == before
    assert {p.dtype for p in made.parameters()} == {p.grad.dtype for p in made.parameters()} == {torch.float32}
    assert len(said) == 8
    made(input_ids=torch.tensor([PROMPTS[1]])).logits.sum().backward()


@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_a_model_that_changes_its_logits_behind_the_output_layer_is_left_to_its_own_generation(scale: float) -> None:
    from transformers import GraniteConfig, GraniteForCausalLM

    width = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4}
    made = GraniteForCausalLM(GraniteConfig(vocab_size=90, logits_scaling=scale, **width)).train()
    assert fits(made) == (scale == 1.0) and made.training


def test_the_model_is_left_as_it_was(model: Any) -> None:
    before = model.config._attn_implementation
    Decoder(torch, model, bf16=False).generate(PROMPTS[:1], [2], set())
    assert model.config._attn_implementation == before and not model.training


KERNEL = """
import torch
from sebench.models.decode_kernel import attend
torch.manual_seed(0)
for heads, key_heads, width, rows in ((6, 2, 32, 5), (3, 3, 64, 1), (4, 1, 80, 40)):
    lengths = torch.randint(1, 300, (rows,)); lengths[0] = 1
    table = torch.randperm(rows * 20)[: rows * 20].view(rows, 20).int()
    keys, values = torch.randn(2, rows * 20 * 16, key_heads, width)
    query = torch.randn(rows, heads, width)
    found = attend(query, keys, values, table, lengths.int(), 16, 0.3)
    for row in range(rows):
        places = (table[row].long()[:, None] * 16 + torch.arange(16)).flatten()[: lengths[row]]
        wanted = torch.nn.functional.scaled_dot_product_attention(
            query[row][None, :, None], *(t[places].transpose(0, 1)[None] for t in (keys, values)),
            scale=0.3, enable_gqa=True)
        assert torch.allclose(found[row], wanted[0, :, 0], atol=1e-4), (row, heads)
"""


def test_the_kernel_of_gpus_gives_what_plain_attention_gives() -> None:
    pytest.importorskip("triton")
    subprocess.run([sys.executable, "-c", KERNEL], env={**os.environ, "TRITON_INTERPRET": "1"}, check=True)
