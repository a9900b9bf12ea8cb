"""Models to train, and the folders they are saved to: ordinary Hugging Face folders, which `sebench run --model DIR`
evaluates.

Weights are loaded in float32, GGUF files dequantised. LoRA adapters are merged into the weights when they are saved, so
that both kinds of checkpoint are used in the same way.
"""

from __future__ import annotations

from copy import deepcopy
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.models import embedded, transformers

EMBEDDED = "smollm2"
TARGETS = "all-linear"


def load(name: str, device: str = "") -> tuple[Any, Any, Any]:
    """torch, the tokenizer and the model, on the device, in float32."""
    torch, hf = transformers.libraries()
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    source = str(embedded.weights().parent) if name == EMBEDDED else name
    tokenizer, model = transformers.load(torch, hf, source, device, torch.float32)
    if tokenizer.chat_template is None:
        raise ConfigError(f"--model {name} has no chat template; choose a model that was tuned for chat")
    return torch, tokenizer, model


def check_adapters(rank: int) -> None:
    """Raise an error if LoRA is requested and its package is missing."""
    if rank and find_spec("peft") is None:
        raise ConfigError("--lora needs the package peft: pip install peft")


def with_adapters(model: Any, rank: int, seed: int) -> Any:
    """The model with LoRA adapters on all linear layers; only they are trained."""
    peft = import_module("peft")
    import_module("torch").manual_seed(seed)
    return peft.get_peft_model(
        model, peft.LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=TARGETS, task_type="CAUSAL_LM")
    )


def frozen_copy(model: Any) -> Any:
    """A copy of the model in eval mode, without gradients."""
    return deepcopy(model).requires_grad_(False).eval()


def save(model: Any, tokenizer: Any, folder: Path) -> None:
    """Save to an ordinary Hugging Face folder; adapters are merged."""
    whole = model.merge_and_unload() if hasattr(model, "merge_and_unload") else model
    whole.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def context(model: Any) -> int:
    """The context length of a model, in tokens."""
    return int(getattr(model.config.get_text_config(), "max_position_embeddings", 0) or 1 << 30)
