"""The settings of a training, one dataclass: options of `sebench learn`, keys of a TOML file, and the manifest say the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from sebench.errors import ConfigError
from sebench.learn.examples import CODE, FORMS
from sebench.learn.loop import LoopSettings
from sebench.open_book import BookSettings
from sebench.page_cuts import PARTS
from sebench.rollout.config import checked, option


@dataclass(frozen=True)
class LearnConfig:
    """How a model learns a world."""

    model: str = option("smollm2", "smollm2, a Hugging Face name, or a folder.")
    examples: str = option("gold", "gold, or the folder of a run on the training split with the book open.")
    form: str = option(CODE, "Form of the answers: code, or recall (what is needed in words, signatures, then code).")
    distractors: int = option(0, "Pages of other functions in an update prompt with the book open.")
    pages: tuple[str, ...] = option(PARTS, "Parts of the pages in an update prompt with the book open, with commas.")
    prompts: str = option("", "Templates of the update prompts, as of 'sebench run': a folder, or short.")
    share: float = option(1.0, "Share of the rows whose update prompt has the book; the others are closed.")
    irrelevant: bool = option(False, "Control: the book shows pages of other functions, as long as the right ones.")
    prompt_loss: bool = option(False, "Control: loss on the prompt too, and with it on the page.")
    per_function: int = option(
        0, "Training tasks of each function to learn from; 0 takes all. RL after SFT uses the rest."
    )
    lora: int = option(0, "Rank of LoRA adapters on all linear layers; 0 trains all weights.")
    lr: float = option(5e-4, "Peak learning rate.")
    warmup: int = option(50, "Steps of warm-up; at most a tenth of a training.")
    epochs: int = option(8, "Passes over the examples.")
    tokens: int = option(16_384, "Tokens of a step, about.")
    micro_tokens: int = option(65_536, "Tokens of a micro-batch with padding; lower it where memory is short.")
    save_every: int = option(0, "Steps between checkpoints to go on from; 0 for none.")
    compile: bool = option(False, "Compile the model; worth it on a GPU and for more than a minute.")
    bf16: bool = option(False, "Compute in bf16 on a CPU too, where it has instructions for it; a GPU always does.")
    device: str = option("", "cpu or cuda; chosen if not given.")
    seed: int = option(0, "Seed of the order of rows.")

    def __post_init__(self) -> None:
        object.__setattr__(self, "pages", tuple(w.strip() for v in self.pages for w in v.split(",")))
        if self.form not in FORMS:
            raise ConfigError(f"form = {self.form!r}: {' or '.join(FORMS)}")
        for name in ("lora", "per_function", "save_every", "warmup"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} = {getattr(self, name)}: at least 0")
        self.loop()
        self.book()

    def loop(self) -> LoopSettings:
        return LoopSettings(**{f.name: getattr(self, f.name) for f in fields(LoopSettings) if hasattr(self, f.name)})

    def book(self) -> BookSettings:
        return BookSettings(distractors=self.distractors, parts=self.pages, seed=self.seed)

    def compared(self) -> dict[str, Any]:
        """What decides the weights: a training goes on only with the same."""
        chosen = {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(self).items()}
        return {key: value for key, value in chosen.items() if key not in ("device", "save_every", "compile")}


def read(data: Mapping[str, Any], where: str) -> LearnConfig:
    """Settings from a table of a TOML file."""
    return LearnConfig(**checked(LearnConfig, data, where))


def run_folder(examples: str) -> Path | None:
    """The run that examples come from; None for gold."""
    return None if examples == "gold" else Path(examples)
