"""The fast decoder says what transformers' own generation says."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from sebench.models.decoding import BUCKET, Decoder, end_tokens, fits, greedy, sampler  # noqa: E402
from tests import toy  # noqa: E402

PROMPTS = [[7 + (3 * i + j) % 80 for j in range(length)] for i, length in enumerate((3, 17, 40, 5, BUCKET - 4))]


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
    rooms = [12, 30, 1, 25, 20]  # the last one crosses the border of a bucket
    said = Decoder(torch, model, bf16=False).generate(PROMPTS, rooms, set())
    assert said == [reference(model, prompt, room, set()) for prompt, room in zip(PROMPTS, rooms, strict=True)]
    assert len({tuple(row) for row in said}) > 3


def test_a_row_that_has_no_room_left_waits_for_the_others(model: Any) -> None:
    prompts, rooms = (
        [PROMPTS[4], PROMPTS[0]],
        [2, 40],
    )  # the first fills its cache line, and is read on beside the second
    said = Decoder(torch, model, bf16=False).generate(prompts, rooms, set())
    assert said == [reference(model, prompt, room, set()) for prompt, room in zip(prompts, rooms, strict=True)]


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
        return decoder.generate(PROMPTS[:2], [10, 10], set(), sampler(torch, 1.0, seed, "cpu"), copies=4)

    assert sample(1) == sample(1) != sample(2)
    with torch.inference_mode():
        likely = model(input_ids=torch.tensor([PROMPTS[0]])).logits[0, -1].softmax(-1)
    first = decoder.generate(PROMPTS[:1], [1], set(), sampler(torch, 1.0, 5, "cpu"), copies=4000)
    counts = torch.bincount(torch.tensor([row[0] for row in first]), minlength=len(likely)) / 4000
    assert float((counts - likely).abs().max()) < 0.04


@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_a_model_that_changes_its_logits_behind_the_output_layer_is_left_to_its_own_generation(scale: float) -> None:
    from transformers import GraniteConfig, GraniteForCausalLM

    width = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4}
    made = GraniteForCausalLM(GraniteConfig(vocab_size=90, logits_scaling=scale, **width)).train()
    assert fits(made) == (scale == 1.0) and made.training


def test_the_model_is_left_as_it_was(model: Any) -> None:
    before = model.config._attn_implementation
    Decoder(torch, model, bf16=False).generate(PROMPTS[:1], [2], set(), greedy)
    assert model.config._attn_implementation == before and not model.training
