"""The header of a GGUF file (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md): its numbers, and which tensors
it has. `llama.py` reads the context length from it, and a dry run reads the dimensions of the model. Also which file a
model's name refers to.

Not covered: texts and lists in the header, and the weights.
"""

from __future__ import annotations

import os
from pathlib import Path

from sebench.base.errors import ConfigError

_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # bytes of a value, by its type
_TEXT, _LIST = 8, 9
_TOKENS = "tokenizer.ggml.tokens"
# The names that these numbers have in a config.json; in a GGUF file, each key begins with the architecture.
_NAMES = {
    "block_count": "num_hidden_layers",
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "context_length": "max_position_embeddings",
}


def weights_file(name: str) -> Path | None:
    """Return the GGUF file that the name of a model refers to: the file itself, or the one in a folder without an
    ordinary model. None if there is none."""
    path = Path(name)
    if name.endswith(".gguf"):
        if not path.is_file():
            raise ConfigError(f"--model {name}: no such file")
        return path
    packed = sorted(path.glob("*.gguf")) if path.is_dir() and not (path / "config.json").is_file() else []
    return packed[0] if packed else None


def read_config(path: Path) -> dict[str, int | str]:
    """Return the dimensions of the model in a file, with the names that they have in a config.json."""
    try:
        numbers, tensors = _read_header(path)
    except (OSError, ValueError, KeyError, OverflowError, MemoryError):
        raise ConfigError(f"{path} is not a readable GGUF file") from None
    config: dict[str, int | str] = {
        _NAMES[name]: number for key, number in numbers.items() if (name := key.partition(".")[2]) in _NAMES
    }
    config["tie_word_embeddings"] = "output.weight" not in tensors
    config["model_type"] = "qwen3" if "blk.0.attn_q_norm.weight" in tensors else ""
    return {**config, **({"vocab_size": numbers[_TOKENS]} if _TOKENS in numbers else {})}


def _read_header(path: Path) -> tuple[dict[str, int], set[str]]:
    """Return the numbers in the header, including the length of the list of tokens, and the names of the tensors."""
    numbers: dict[str, int] = {}
    with path.open("rb") as file:

        def number(size: int) -> int:
            if len(raw := file.read(size)) < size:
                raise ValueError
            return int.from_bytes(raw, "little")

        if file.read(4) != b"GGUF" or number(4) < 2:
            raise ValueError
        tensor_count = number(8)
        for _ in range(number(8)):
            key, kind = file.read(number(8)).decode(), number(4)
            if kind in _SIZES:
                numbers[key] = number(_SIZES[kind])
                continue
            kind, count = (number(4), number(8)) if kind == _LIST else (kind, 1)
            if key == _TOKENS:
                numbers[key] = count
            for _ in range(count if kind == _TEXT else 1):
                file.seek(number(8) if kind == _TEXT else count * _SIZES[kind], os.SEEK_CUR)
        names = set()
        for _ in range(tensor_count):
            names.add(file.read(number(8)).decode())
            file.seek(8 * number(4) + 4 + 8, os.SEEK_CUR)  # its dimensions, type and offset
    return numbers, names
