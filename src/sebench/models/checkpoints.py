"""Loads models for training, and saves them as ordinary Hugging Face folders, which `sebench run --model DIR`
evaluates.

Weights are loaded in float32; GGUF files are dequantised. LoRA adapters are merged into the weights on saving, so that
a LoRA checkpoint is used like any other.
"""

from __future__ import annotations

from copy import deepcopy
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sebench.base import files
from sebench.base.errors import ConfigError
from sebench.base.records import SCRIPTED
from sebench.models import embedded, transformers

EMBEDDED = embedded.NAME
TARGETS = "all-linear"
HUB = "hf:"  # 'sebench run' needs it for some models


def load(name: str, device: str = "") -> tuple[Any, Any, Any]:
    """Return torch, the tokenizer and the model (on the device, in float32)."""
    torch, hf = transformers.libraries()
    name = name.removeprefix(HUB)
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    tokenizer, model = transformers.load(torch, hf, name, device, torch.float32)
    if tokenizer.chat_template is None:
        raise ConfigError(f"--model {name} has no chat template; choose a chat model")
    return torch, tokenizer, model


def check_source(name: str) -> None:
    """Raise an error for a model that has no weights to load, before a world is built or anything is downloaded."""
    name = name.removeprefix(HUB)
    if name in SCRIPTED:
        raise ConfigError(f"--model {name} is a scripted baseline without weights; use {EMBEDDED}, a folder or a file")
    if name != EMBEDDED and not Path(name).exists() and get_close_matches(name.lower(), [EMBEDDED], cutoff=0.8):
        raise ConfigError(f"unknown model '{name}'; did you mean {EMBEDDED}?")
    transformers.check_folder(name)


def check_adapters(rank: int) -> None:
    """Raise an error if LoRA is requested and its package is missing."""
    if rank and find_spec("peft") is None:
        raise ConfigError("--lora needs the package peft: pip install peft")


def with_adapters(model: Any, rank: int, seed: int) -> Any:
    """Add LoRA adapters to all linear layers of the model. Only the adapters are trained."""
    peft = import_module("peft")
    import_module("torch").manual_seed(seed)
    return peft.get_peft_model(
        model, peft.LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=TARGETS, task_type="CAUSAL_LM")
    )


def frozen_copy(model: Any) -> Any:
    """Return a copy of the model in eval mode, without gradients."""
    return deepcopy(model).requires_grad_(False).eval()


def save(model: Any, tokenizer: Any, folder: Path) -> None:
    """Save to an ordinary Hugging Face folder. Adapters are merged into the weights."""
    whole = model.merge_and_unload() if hasattr(model, "merge_and_unload") else model
    whole.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    for weights in folder.glob("*.safetensors"):  # created so that only the owner can read them
        weights.chmod((folder / "config.json").stat().st_mode)


def unpack_embedded(folder: Path) -> None:
    """Write the embedded model to an ordinary folder, so that it is dequantised once and not on every load (half a
    minute each)."""
    with files.new_folder(folder) as new_folder:
        _, tokenizer, model = load(EMBEDDED, "cpu")
        save(model, tokenizer, new_folder)


def context(model: Any) -> int:
    """Return the context length of a model, in tokens."""
    return int(getattr(model.config.get_text_config(), "max_position_embeddings", 0) or 1 << 30)
