"""How fast answers are decoded: tokens a second beside transformers' own generation, and as a share of what the device
allows.

    python benchmarks/decode.py --model FOLDER --lengths 500,1500 --batches 64,256,512
    python benchmarks/decode.py --model FOLDER --world WORLD --samples 8      closed and open prompts of a world
    python benchmarks/decode.py --shape 1.5b                                  random weights of that shape: speed alone

All answers have --new tokens, so that both do the same work, greedily; with --ragged they have between a quarter of
that and all of it, and there are four batches of them. The bound: every step reads the weights and the cache of its
rows once, at --bandwidth; every prompt is read once, at 40 % of --matrix. "same" is the share of answers that are token
for token those of `generate`: in bf16 sums in another order decide ties in another way, and from there on the answers
differ; "until" is how many tokens they have in common on average.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from sebench.models import transformers
from sebench.models.decoding import Decoder
from sebench.models.model import Chat

SHAPES = {  # vocabulary, hidden, intermediate, layers, heads, key heads
    "tiny": (1_000, 64, 128, 2, 4, 2),
    "135m": (49_152, 576, 1_536, 30, 9, 3),  # SmolLM2
    "0.5b": (151_936, 896, 4_864, 24, 14, 2),  # Qwen2.5
    "1.5b": (151_936, 1_536, 8_960, 28, 12, 2),
}
MATRIX_SHARE = 0.4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="", help="folder, Hugging Face name or .gguf file")
    parser.add_argument("--shape", default="", choices=["", *SHAPES], help="random weights instead of a model")
    parser.add_argument("--device", default="")
    parser.add_argument("--world", default="", help="use closed and open prompts of this world")
    parser.add_argument("--lengths", default="500,1500", help="lengths of random prompts, in tokens")
    parser.add_argument("--batches", default="64,256,512")
    parser.add_argument("--samples", type=int, default=1, help="answers per prompt")
    parser.add_argument("--new", type=int, default=256, help="tokens per answer")
    parser.add_argument("--ragged", action="store_true", help="answers of different lengths")
    parser.add_argument("--generate", default="generate", choices=["generate", "continuous", "none"])
    parser.add_argument(
        "--bandwidth", type=float, default=4.3e12, help="memory bandwidth of the device, in bytes per second"
    )
    parser.add_argument("--matrix", type=float, default=790e12, help="matrix operations of the device per second")
    given = parser.parse_args()
    torch, hf = transformers.libraries()
    device = given.device or ("cuda" if torch.cuda.is_available() else "cpu")
    tokenizer, model = load(torch, hf, given, device)
    table = Table(*"prompts tokens rows answers new seconds tokens/s generate ratio bound share same until".split())
    for name, prompts in prompts_of(given, tokenizer, model):
        for batch in (int(b) for b in given.batches.split(",")):
            table.add_row(*measure(torch, hf, model, name, prompts, batch, given))
            Console(width=140).print(table)  # after each row, so that no measurement is lost


def load(torch: Any, hf: Any, given: argparse.Namespace, device: str) -> tuple[Any, Any]:
    dtype = torch.bfloat16 if transformers.fast_bf16(device) else torch.float32
    if not given.shape:
        return transformers.load(torch, hf, given.model, device, dtype)
    names = "vocab_size hidden_size intermediate_size num_hidden_layers num_attention_heads num_key_value_heads".split()
    torch.manual_seed(0)
    config = hf.Qwen2Config(**dict(zip(names, SHAPES[given.shape], strict=True)))
    config.tie_word_embeddings = True
    with torch.device(device):
        return None, hf.AutoModelForCausalLM.from_config(config, dtype=dtype).eval()


def prompts_of(
    given: argparse.Namespace, tokenizer: Any, model: Any
) -> list[tuple[str, Callable[[int], list[list[int]]]]]:
    """Names of kinds of prompts, and so many of each."""
    if not given.world:
        most, lengths = model.config.vocab_size, [int(length) for length in given.lengths.split(",")]

        def randoms(length: int) -> Callable[[int], list[list[int]]]:
            def some(count: int) -> list[list[int]]:
                rng = random.Random(length)
                return [[rng.randrange(most) for _ in range(length)] for _ in range(count)]

            return some

        return [("random", randoms(length)) for length in lengths]
    from sebench.train.config import OpenSftConfig
    from sebench.world.world import World

    world = World.load(Path(given.world))
    prompter, tasks = OpenSftConfig(distractors=0).prompter(world), world.tasks("train")

    def asked(book: str) -> Callable[[int], list[list[int]]]:
        def some(count: int) -> list[list[int]]:
            chosen = [tasks[n % len(tasks)] for n in range(count)]
            texts = [Chat().apply_template(tokenizer, prompter.prompt(task, book)) for task in chosen]
            return [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]

        return some

    return [(book, asked(book)) for book in ("closed", "open")]


def measure(
    torch: Any, hf: Any, model: Any, name: str, prompts: Any, batch: int, given: argparse.Namespace
) -> list[str]:
    """A line of the table."""
    count = batch * (4 if given.ragged else 1) // given.samples
    asked = prompts(count)
    rng = random.Random(0)
    rooms = [rng.randint(given.new // 4, given.new) if given.ragged else given.new for _ in asked]
    decoder = Decoder(torch, model, bf16=False, rows=batch)
    decoder.generate(asked, [2] * len(asked), set(), copies=given.samples)  # kernels are compiled once
    seconds, answers = timed(torch, lambda: decoder.generate(asked, rooms, set(), copies=given.samples))
    tokens = sum(len(answer) for answer in answers)
    theirs, same, until = 0.0, "", ""
    if given.generate != "none":
        make = {"generate": generate, "continuous": continuous}[given.generate]
        make(torch, hf, model, asked[:4], [2] * len(asked[:4]), batch, 1)
        took, others = timed(torch, lambda: make(torch, hf, model, asked, rooms, batch, given.samples))
        theirs = tokens / took
        common = [agreeing(one, other) for one, other in zip(answers, others, strict=True)]
        same = f"{sum(n == len(one) for n, one in zip(common, answers, strict=True)) / len(answers):.0%}"
        until = f"{sum(common) / len(common):.0f}"
    bound = tokens / least_seconds(model, asked, rooms, batch, given)
    length = sum(map(len, asked)) / len(asked)
    figures = [f"{length:,.0f}", f"{batch}", f"{len(answers):,}", f"{given.new}", f"{seconds:.2f}"]
    figures += [f"{tokens / seconds:,.0f}", f"{theirs:,.0f}", f"{tokens / seconds / theirs:.1f}" if theirs else ""]
    return [name, *figures, f"{bound:,.0f}", f"{tokens / seconds / bound:.0%}", same, until]


def timed(torch: Any, work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    result = work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - began, result


def least_seconds(
    model: Any, asked: Sequence[Sequence[int]], rooms: Sequence[int], batch: int, given: argparse.Namespace
) -> float:
    """What reading weights, cache and prompts takes at least."""
    config, size = model.config.get_text_config(), next(model.parameters()).element_size()
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    per_token = 2 * config.num_hidden_layers * config.num_key_value_heads * width * size
    head = model.get_output_embeddings().weight.numel()
    inner = sum(p.numel() for p in model.get_decoder().parameters()) - head  # the embedding has the head's size
    steps = sum(rooms) * given.samples / batch
    cache = sum(room * (len(prompt) + room / 2) for prompt, room in zip(asked, rooms, strict=True)) * given.samples
    reading = 2 * inner * sum(map(len, asked)) / (MATRIX_SHARE * given.matrix)
    return float((steps * (inner + head) * size + cache * per_token) / given.bandwidth + reading)


def generate(
    torch: Any, hf: Any, model: Any, asked: Sequence[list[int]], rooms: Sequence[int], batch: int, samples: int
) -> list[list[int]]:
    """With `generate`, in batches padded on the left: each ends when its longest answer does."""
    rows = [(prompt, room) for prompt, room in zip(asked, rooms, strict=True) for _ in range(samples)]
    answers: list[list[int]] = []
    for start in range(0, len(rows), batch):
        part = rows[start : start + batch]
        longest = max(len(prompt) for prompt, _ in part)
        ids = torch.tensor([[0] * (longest - len(p)) + list(p) for p, _ in part], device=model.device)
        mask = torch.tensor([[0] * (longest - len(p)) + [1] * len(p) for p, _ in part], device=model.device)
        config = hf.GenerationConfig(
            max_new_tokens=max(room for _, room in part), do_sample=False, eos_token_id=None, pad_token_id=0
        )
        with torch.inference_mode():
            out = model.generate(input_ids=ids, attention_mask=mask, generation_config=config)
        answers += [row[:room] for row, (_, room) in zip(out[:, longest:].tolist(), part, strict=True)]
    return answers


def continuous(
    torch: Any, hf: Any, model: Any, asked: Sequence[list[int]], rooms: Sequence[int], batch: int, samples: int
) -> list[list[int]]:
    """With the library's own continuous batching."""
    rows = [(list(prompt), room) for prompt, room in zip(asked, rooms, strict=True) for _ in range(samples)]
    config = hf.GenerationConfig(max_new_tokens=max(rooms), do_sample=False, eos_token_id=-1, pad_token_id=0)
    results = model.generate_batch(inputs=[prompt for prompt, _ in rows], generation_config=config)
    outputs = sorted(results.items(), key=lambda item: int(item[0].rpartition("_")[2]))
    return [one.generated_tokens[:room] for (_, one), (_, room) in zip(outputs, rows, strict=True)]


def agreeing(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two answers begin with in common."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


if __name__ == "__main__":
    main()
