"""The settings of a training, one dataclass: options of `sebench learn`, keys of a TOML file, and the manifest say the same."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from sebench.errors import ConfigError
from sebench.learn.examples import CODE, FORMS
from sebench.learn.loop import LoopSettings
from sebench.learn.probes import QUESTIONS, ProbeSettings
from sebench.open_book import BookSettings
from sebench.page_cuts import PARTS
from sebench.prompts import Prompter, templates_folder
from sebench.rollout.chat import Chat
from sebench.rollout.config import option
from sebench.world import World

ADVANTAGES = ("group", "raw", "positive")
OLD = ("update", "sampling")
TEACHER, STUDENT = "teacher", "student"
# How fast and where, not what: a training may go on with other values of these.
NOT_COMPARED = frozenset(
    {"device", "save_minutes", "compile", "pack_tokens", "probes", "probe_every", "track", "validate", "validate_every"}
    | {"packing", "checkpointing", "vllm"}
)


@dataclass(frozen=True)
class LearnConfig:
    """How a model learns a world."""

    model: str = option("smollm2", "smollm2, a Hugging Face name, or a folder, such as that of an earlier training.")
    examples: str = option(
        "gold",
        "gold, the folder of a run on the training split with the book open, or the folder of a self-play.",
        heading="What is learnt from",
    )
    limit: int = option(0, "Examples to learn from (of RL: tasks), drawn from the seed; 0 takes all.")
    form: str = option(CODE, f"Form of the answers: {', '.join(FORMS)}.")
    per_function: int = option(0, "Training tasks of each function to learn from; 0 takes all. RL takes the rest.")
    study: tuple[str, ...] = option(
        ("names", "signatures"), "Material of the method study, with commas: pages, names, signatures."
    )
    study_file: str = option("", "File of texts that a model wrote about the pages, to be studied too.")
    mix: float = option(1.0, "With the method study: copies of the rows of closed-sft beside its own; 0 for none.")
    replay: str = option("", "JSONL file of general conversations ({messages: [...]}) to mix in against forgetting.")
    replay_share: float = option(0.1, "Share of rows that come from --replay.")
    distractors: int = option(
        0, "Pages of other functions in an update prompt with the book open.", heading="The update prompt"
    )
    pages: tuple[str, ...] = option(PARTS, "Parts of the pages in an update prompt with the book open, with commas.")
    prompts: str = option("", "Templates of the update prompts, as of 'sebench run': a folder, or short.")
    share: float = option(1.0, "Share of the rows whose update prompt has the book; the others are closed.")
    irrelevant: bool = option(False, "Control: the book shows pages of other functions, as long as the right ones.")
    prompt_loss: bool = option(False, "Control: loss on the prompt too, and with it on the page.")
    thinking: str = option("", "on or off: passed to chat templates that know enable_thinking.")
    lora: int = option(0, "Rank of LoRA adapters on all linear layers; 0 trains all weights.", heading="The update")
    lr: float = option(5e-4, "Peak learning rate.")
    warmup: int = option(50, "Steps of warm-up; at most a tenth of a training. RL always takes 5.")
    weight_decay: float = option(0.0, "Weight decay of AdamW.")
    epochs: int = option(8, "Passes over the examples.")
    batch: int = option(40, "Rows of a step.")
    steps: int = option(60, "Steps of RL, or of distillation on the student's samples.", heading="RL and distillation")
    tasks_per_step: int = option(64, "Tasks that a step samples answers to.")
    samples: int = option(8, "Answers to each task of a step: the group.")
    temperature: float = option(1.0, "Sampling temperature.")
    max_tokens: int = option(320, "Maximum tokens of a sampled answer.")
    advantage: str = option("group", "Of RL: group (reward less the group's mean, over its deviation), raw, positive.")
    epsilon: float = option(0.2, "Clipping of the probability ratio in RL; 0 for none.")
    updates: int = option(1, "Updates that a step of RL is split into; with one, the ratio is always 1.")
    passes: int = option(1, "Passes over the samples of a step of RL.")
    old: str = option("update", "Prompt of the old probabilities in RL: update (the closed one) or sampling.")
    pass_at: int = option(32, "Samples per task of the look at mixed groups before RL; 0 leaves it out.")
    least_mixed: float = option(0.05, "Share of mixed groups below which RL stops at once.")
    on: str = option(TEACHER, "Whose samples distillation learns from: teacher (with the book) or student.")
    engine: str = option(
        "loop", "loop (one device, small models) or trl (several GPUs, large models).", heading="The engine"
    )
    packing: bool = option(True, "With trl: rows side by side without padding; turn it off for sliding windows.")
    checkpointing: bool = option(False, "With trl: compute activations twice instead of keeping them.")
    vllm: str = option("", "With trl: address of a vLLM server that samples the answers of RL.")
    precision: str = option("", "Of matrix products: bf16 or float32; chosen if not given.")
    pack_tokens: int = option(
        65_536, "Most tokens that go through the model together; fewer are taken where memory is short."
    )
    save_minutes: float = option(5.0, "Minutes between checkpoints to go on from.", heading="While it trains")
    validate: int = option(0, "Held-out training tasks to ask closed-book at the end; -1 asks all that there are.")
    validate_every: int = option(0, "Steps between such validations during a training; 0 for none.")
    probe_every: int = option(0, "Steps between probes of what is known; 0 probes at the end alone, -1 never.")
    probes: tuple[str, ...] = option(QUESTIONS, "What probes ask for, with commas.")
    track: str = option("", "Log to trackio, wandb or tensorboard too; several with commas.")
    compile: bool = option(False, "Compile the layers; worth it on a GPU from a minute on.", heading="The engine")
    device: str = option("", "cpu or cuda; chosen if not given.")
    seed: int = option(0, "Seed of the order of rows and of sampling.", heading="The update")

    def __post_init__(self) -> None:
        for name in ("pages", "study", "probes"):
            words = [w.strip() for v in getattr(self, name) for w in v.split(",")]
            object.__setattr__(self, name, tuple(word for word in words if word))
        for name, known in (
            ("form", FORMS),
            ("advantage", ADVANTAGES),
            ("old", OLD),
            ("on", (TEACHER, STUDENT)),
            ("engine", ("loop", "trl")),
            ("thinking", ("", "on", "off")),
        ):
            if getattr(self, name) not in known:
                raise ConfigError(f"{name} = {getattr(self, name)!r}: {' or '.join(word for word in known if word)}")
        least = {
            "lora": 0,
            "per_function": 0,
            "limit": 0,
            "warmup": 0,
            "mix": 0,
            "epsilon": 0,
            "pass_at": 0,
            "weight_decay": 0,
            "temperature": 0,
        }
        least |= dict.fromkeys(
            ("epochs", "batch", "steps", "tasks_per_step", "max_tokens", "updates", "passes", "pack_tokens"), 1
        )
        for name, value in (least | {"samples": 1, "save_minutes": 0, "least_mixed": 0, "distractors": -1}).items():
            if getattr(self, name) < value:
                raise ConfigError(f"{name} = {getattr(self, name)}: at least {value}")
        if self.pass_at == 1:
            raise ConfigError("pass_at = 1: a group of one is never mixed; at least 2, or 0 to leave the look out")
        if not 0 <= self.share <= 1:
            raise ConfigError(f"share = {self.share}: from 0 to 1")
        if not 0 <= self.replay_share < 1:
            raise ConfigError(f"replay_share = {self.replay_share}: from 0 to less than 1")
        self.loop()
        self.book()
        self.asked()

    def loop(self, constant: bool = False) -> LoopSettings:
        """How weights are updated. RL and distillation on fresh samples keep the learning rate constant."""
        known = {f.name for f in fields(self)}
        chosen = {f.name: getattr(self, f.name) for f in fields(LoopSettings) if f.name in known}
        return LoopSettings(**chosen, constant=constant)

    def book(self) -> BookSettings:
        """What an open book shows."""
        return BookSettings(distractors=self.distractors, parts=self.pages, seed=self.seed)

    def asked(self) -> ProbeSettings:
        """How probes ask during a training."""
        return ProbeSettings(self.probes, autocast=False if self.precision == "float32" else None, chat=self.chat())

    def prompter(self, world: World) -> Prompter:
        """What makes the prompts of a training: with the same templates as those of the runs that evaluate it."""
        return world.prompter(templates_folder(self.prompts), self.book())

    def chat(self) -> Chat:
        return Chat(thinking=self.thinking)

    def compared(self) -> dict[str, Any]:
        """What decides the weights: a training goes on only with the same."""
        chosen = {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(self).items()}
        return {key: value for key, value in chosen.items() if key not in NOT_COMPARED}
