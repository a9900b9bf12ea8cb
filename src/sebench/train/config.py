"""The settings of trainings: one small record for each method, which has what that method reads and nothing else.

    CONFIGS["closed-rl"](model="smollm2", steps=9)
    configure("closed-sft", shared={"steps": 9}, own={"epochs": 3})     # what methods share may hold settings of the others

Options of `sebench learn` and keys of TOML files are the settings of all records together (`EverySetting`); the manifest has those of the one
record. A field says all about its setting: bounds, choices, with which engine it works (`engine`), what must be set too (`needs`), whether a
training may go on with another value (`free`: how fast and where, not what), and whether a control must have the same (`matched`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, make_dataclass
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.settings import check, copy_option, names_marked, option, to_json
from sebench.models.chat import Chat
from sebench.rollout.config import THINKING
from sebench.train.data.examples import CODE, FORMS, GOLD
from sebench.train.loop.loop import LoopSettings
from sebench.train.probes.probes import QUESTIONS, ProbeSettings
from sebench.world.open_book import BookSettings
from sebench.world.page_cuts import PARTS
from sebench.world.prompts import Prompter, templates_folder
from sebench.world.world import World

NONE = "none"  # as a method: the model as it is
LOOP, TRL = ENGINES = ("loop", "trl")
TEACHER, STUDENT = "teacher", "student"
# The headings of --help, in their order; the model stands before all of them.
HEADINGS = FROM, PROMPT, UPDATE, SAMPLING, ENGINE, MEANWHILE = (
    "What is learnt from",
    "The update prompt",
    "The update",
    "RL and distillation",
    "The engine",
    "While it trains",
)


def needs(what: str, met: Callable[[Any], object]) -> dict[str, Any]:
    """Of a setting that has no effect unless another one is set: which, and whether it is."""
    return {"needs": (what, met)}


@dataclass(frozen=True)
class TrainConfig:
    """What every training reads, and the probes of a model that is not trained."""

    model: str = option("smollm2", "smollm2, a Hugging Face name, or a folder, such as that of an earlier training.")
    per_function: int = option(
        0, "Training tasks of each function to learn from; 0 takes all. RL takes the rest.", FROM, least=0, matched=True
    )
    prompts: str = option(
        "", "Templates of the update prompts, as of 'sebench run': a folder, or short.", PROMPT, matched=True
    )
    thinking: str = option(
        "", "on or off: passed to chat templates that know enable_thinking.", PROMPT, choices=THINKING, matched=True
    )
    lora: int = option(
        0, "Rank of LoRA adapters on all linear layers; 0 trains all weights.", UPDATE, least=0, matched=True
    )
    lr: float = option(5e-4, "Peak learning rate.", UPDATE, matched=True)
    weight_decay: float = option(0.0, "Weight decay of AdamW.", UPDATE, least=0, matched=True)
    seed: int = option(0, "Seed of the order of rows and of sampling.", UPDATE, matched=True)
    engine: str = option(
        LOOP, "loop (one device, small models) or trl (several GPUs, large models).", ENGINE, choices=ENGINES
    )
    packing: bool = option(
        True,
        "With trl: rows side by side without padding; turn it off for sliding windows.",
        ENGINE,
        engine=TRL,
        free=True,
    )
    checkpointing: bool = option(
        False, "With trl: compute activations twice instead of keeping them.", ENGINE, engine=TRL, free=True
    )
    precision: str = option("", "Of matrix products: bf16 or float32; chosen if not given.", ENGINE)
    pack_tokens: int = option(
        65_536,
        "Most tokens that go through the model together; fewer are taken where memory is short.",
        ENGINE,
        least=1,
        free=True,
    )
    compile: bool = option(
        False, "Compile the layers; worth it on a GPU from a minute on.", ENGINE, engine=LOOP, free=True
    )
    device: str = option("", "cpu or cuda; chosen if not given.", ENGINE, free=True)
    save_minutes: float = option(5.0, "Minutes between checkpoints to go on from.", MEANWHILE, least=0, free=True)
    probe_every: int = option(
        0, "Steps between probes of what is known; 0 probes at the end alone, -1 never.", MEANWHILE, free=True
    )
    probes: tuple[str, ...] = option(QUESTIONS, "What probes ask for, with commas.", MEANWHILE, words=True, free=True)
    track: str = option("", "Log to trackio, wandb or tensorboard too; several with commas.", MEANWHILE, free=True)

    def __post_init__(self) -> None:
        check(self)
        self.loop()
        self.book()
        self.asked()

    def loop(self, constant: bool = False) -> LoopSettings:
        """How weights are updated. RL and distillation on fresh samples keep the learning rate constant."""
        return LoopSettings(**shared_settings(self, LoopSettings), constant=constant)

    def book(self) -> BookSettings:
        """What an open book shows."""
        return BookSettings(distractors=0, seed=self.seed)

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
        return to_json(self, names_marked(self, "free"))


# ---- what several methods read ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Limited:
    limit: int = option(0, "Examples to learn from (of RL: tasks), drawn from the seed; 0 takes all.", FROM, least=0)


@dataclass(frozen=True)
class Examples(Limited):
    examples: str = option(
        GOLD, "gold, the folder of a run on the training split with the book open, or the folder of a self-play.", FROM
    )


@dataclass(frozen=True)
class Epochs:
    epochs: int = option(8, "Passes over the examples.", UPDATE, least=1, matched=True)
    batch: int = option(40, "Rows of a step.", UPDATE, least=1, matched=True)
    warmup: int = option(
        50, "Steps of warm-up; at most a tenth of a training. RL always takes 5.", UPDATE, least=0, matched=True
    )


@dataclass(frozen=True)
class WithBook(TrainConfig):
    """A training that shows the book in some prompt."""

    distractors: int = option(0, "Pages of other functions in an update prompt with the book open.", PROMPT, least=-1)
    pages: tuple[str, ...] = option(
        PARTS, "Parts of the pages in an update prompt with the book open, with commas.", PROMPT, words=True
    )

    def book(self) -> BookSettings:
        return BookSettings(distractors=self.distractors, parts=self.pages, seed=self.seed)


@dataclass(frozen=True)
class SamplingConfig(TrainConfig):
    """A training on answers that the model itself samples."""

    steps: int = option(60, "Steps of RL, or of distillation on the student's samples.", SAMPLING, least=1)
    tasks_per_step: int = option(64, "Tasks that a step samples answers to.", SAMPLING, least=1)
    samples: int = option(8, "Answers to each task of a step: the group.", SAMPLING, least=1)
    temperature: float = option(1.0, "Sampling temperature.", SAMPLING, least=0)
    max_tokens: int = option(320, "Maximum tokens of a sampled answer.", SAMPLING, least=1)


@dataclass(frozen=True)
class PolicyConfig(SamplingConfig):
    """A training whose samples have rewards."""

    advantage: str = option(
        "group",
        "Of RL: group (reward less the group's mean, over its deviation), raw, positive.",
        SAMPLING,
        choices=("group", "raw", "positive"),
    )
    epsilon: float = option(
        0.2,
        "Clipping of the probability ratio in RL; 0 for none.",
        SAMPLING,
        least=0,
        # With one update the ratio of probabilities is 1 by definition: clipping on and off would be the same training.
        **needs(
            "--updates or --passes of more than 1, or --old sampling",
            lambda config: config.updates * config.passes > 1 or config.old == "sampling",
        ),
    )
    updates: int = option(
        1, "Updates that a step of RL is split into; with one, the ratio is always 1.", SAMPLING, least=1
    )
    passes: int = option(1, "Passes over the samples of a step of RL.", SAMPLING, least=1)
    old = "update"  # prompt of the old probabilities; RL has a setting for it


# ---- the methods --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SftConfig(Epochs, Limited, TrainConfig):
    """native-sft, and what all supervised fine-tuning reads."""

    form: str = option(CODE, f"Form of the answers: {', '.join(FORMS)}.", FROM, choices=FORMS, matched=True)
    replay: str = option(
        "", "JSONL file of general conversations ({messages: [...]}) to mix in against forgetting.", FROM, matched=True
    )
    replay_share: float = option(
        0.1,
        "Share of rows that come from --replay.",
        FROM,
        least=0,
        below=1,
        **needs("--replay", lambda config: config.replay),
    )
    prompt_loss: bool = option(False, "Control: loss on the prompt too, and with it on the page.", PROMPT, matched=True)
    validate: int = option(
        0, "Held-out training tasks to ask closed-book at the end; -1 asks all that there are.", MEANWHILE, free=True
    )
    validate_every: int = option(
        0,
        "Steps between such validations during a training; 0 for none.",
        MEANWHILE,
        free=True,
        **needs("--validate", lambda config: config.validate),
    )
    max_tokens: int = copy_option(SamplingConfig, "max_tokens", **needs("--validate", lambda config: config.validate))


@dataclass(frozen=True)
class ClosedSftConfig(Examples, SftConfig):
    """closed-sft."""


@dataclass(frozen=True)
class OpenSftConfig(ClosedSftConfig, WithBook):
    """open-sft."""

    share: float = option(
        1.0,
        "Share of the rows whose update prompt has the book; the others are closed.",
        PROMPT,
        least=0,
        most=1,
    )
    irrelevant: bool = option(
        False, "Control: the book shows pages of other functions, as long as the right ones.", PROMPT
    )


@dataclass(frozen=True)
class StudySftConfig(ClosedSftConfig):
    """study."""

    study: tuple[str, ...] = option(
        ("names", "signatures"),
        "Material of the method study, with commas: pages, names, signatures.",
        FROM,
        words=True,
    )
    study_file: str = option("", "File of texts that a model wrote about the pages, to be studied too.", FROM)
    mix: float = option(
        1.0, "With the method study: copies of the rows of closed-sft beside its own; 0 for none.", FROM, least=0
    )


@dataclass(frozen=True)
class RlConfig(Examples, PolicyConfig):
    """closed-sft-rl, and what all RL on a world's tasks reads."""

    old: str = option(
        "update",
        "Prompt of the old probabilities in RL: update (the closed one) or sampling.",
        SAMPLING,
        choices=("update", "sampling"),
    )
    pass_at: int = option(
        32,
        "Samples per task of the look at mixed groups before RL; 0 leaves it out.",
        SAMPLING,
        least=0,
        engine=LOOP,
    )
    least_mixed: float = option(0.05, "Share of mixed groups below which RL stops at once.", SAMPLING, least=0)
    vllm: str = option(
        "", "With trl: address of a vLLM server that samples the answers of RL.", ENGINE, engine=TRL, free=True
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pass_at == 1:
            raise ConfigError("pass_at = 1: a group of one is never mixed; at least 2, or 0 to leave the look out")


@dataclass(frozen=True)
class BookRlConfig(RlConfig, WithBook):
    """open-rl and closed-rl."""


@dataclass(frozen=True)
class ZeroConfig(PolicyConfig, WithBook):
    """absolute-zero."""


@dataclass(frozen=True)
class DistilConfig(Epochs, SamplingConfig, WithBook):
    """distil."""

    epochs: int = copy_option(Epochs, "epochs", **needs("--on teacher", lambda config: config.on == TEACHER))
    batch: int = copy_option(Epochs, "batch", **needs("--on teacher", lambda config: config.on == TEACHER))
    steps: int = copy_option(SamplingConfig, "steps", **needs("--on student", lambda config: config.on == STUDENT))
    on: str = option(
        TEACHER,
        "Whose samples distillation learns from: teacher (with the book) or student.",
        SAMPLING,
        choices=(TEACHER, STUDENT),
    )


CONFIGS: dict[str, type[TrainConfig]] = {
    "open-sft": OpenSftConfig,
    "closed-sft": ClosedSftConfig,
    "native-sft": SftConfig,
    "study": StudySftConfig,
    "open-rl": BookRlConfig,
    "closed-rl": BookRlConfig,
    "closed-sft-rl": RlConfig,
    "distil": DistilConfig,
    "absolute-zero": ZeroConfig,
    NONE: TrainConfig,
}


def _every() -> list[Field[Any]]:
    """The settings of all methods, each once, in the order of the headings."""
    found = {setting.name: setting for config in CONFIGS.values() for setting in fields(config)}
    order = {"": -1, **{heading: number for number, heading in enumerate(HEADINGS)}}
    return sorted(found.values(), key=lambda setting: order[setting.metadata["heading"]])


EverySetting: Any = make_dataclass(
    "EverySetting",
    [(f.name, f.type, field(default=f.default, metadata=f.metadata)) for f in _every()],
    frozen=True,
)
MATCHED = names_marked(
    SftConfig, "matched"
)  # settings in which a method and its control in NumPy's names must be alike


def shared_settings(config: TrainConfig, other: Any) -> dict[str, Any]:
    """The settings that another record has too."""
    return {f.name: getattr(config, f.name) for f in fields(other) if hasattr(config, f.name)}


def configure(method: str, shared: Mapping[str, Any], own: Mapping[str, Any], where: str = "") -> TrainConfig:
    """The settings of a method. What methods share (files, tables) may hold settings of the others; of its own settings, the first that has no
    effect is an error: nobody would notice the mistake."""
    known = {f.name: f for f in fields(CONFIGS[method])}
    given = {name: value for name, value in {**shared, **own}.items() if name in known}
    config = CONFIGS[method](**given)
    for name in own if method != NONE else ():
        shown = f"{where}: {name}" if where else f"--{name.replace('_', '-')}"
        if name not in known:
            readers = [m for m, record in CONFIGS.items() if name in {f.name for f in fields(record)}]
            raise ConfigError(f"{shown} has no effect on {method}, it is for {', '.join(readers)}; leave it out")
        about = known[name].metadata
        if (engine := about.get("engine", config.engine)) != config.engine:
            raise ConfigError(
                f"{shown} has no effect with the engine {config.engine}, it is for {engine}; leave it out"
            )
        what, met = about.get("needs", ("", lambda config: True))
        if not met(config):
            raise ConfigError(f"{shown} has no effect without {what}; give that too, or leave this out")
    return config
