"""Training settings: one small record for each method, with only the settings that this method reads.

    CONFIGS["closed-rl"](model="smollm2", steps=9)
    configure("closed-sft", shared={"steps": 9}, own={"epochs": 3})  # shared: may include settings of other methods

The options of `sebench learn` and the keys in TOML files are the settings from all records together (`EverySetting`);
the manifest contains those from one record. A field declares everything about its setting: bounds, choices, the engine
it applies to (`engine`), which other setting it needs (`needs`), whether a training run may resume with another value
(`free`: it does not affect the trained weights), and whether the control in NumPy's names must have the same value
(`matched`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, make_dataclass
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.records import CREDITS
from sebench.base.settings import check, copy_option, names_marked, option, to_json
from sebench.models.model import Chat
from sebench.models.transformers import fast_bf16
from sebench.rollout.config import THINKING
from sebench.train.data.examples import CODE, FORMS, GOLD
from sebench.train.probes.probes import QUESTIONS, ProbeSettings
from sebench.world.open_book import BookSettings
from sebench.world.page_cuts import PARTS
from sebench.world.prompts import Prompter, templates_folder
from sebench.world.world import World

NONE = "none"  # as a method: the untrained model
LOOP, TRL = ENGINES = ("loop", "trl")
TEACHER, STUDENT = "teacher", "student"
FORWARD, REVERSE, JENSEN_SHANNON = "forward", "reverse", "js"
FROZEN, LIVE = "frozen", "live"
DROP, KEEP = "drop", "keep"
# The headings of --help in order; the model comes before all of them.
HEADINGS = FROM, PROMPT, UPDATE, SAMPLING, ENGINE, MEANWHILE = (
    "Training data",
    "The update prompt",
    "The update",
    "RL and distillation",
    "The engine",
    "During training",
)


def needs(other: str, is_set: Callable[[Any], object]) -> dict[str, Any]:
    """Return field metadata for a setting that has no effect unless `other` is set, which `is_set` tests."""
    return {"needs": (other, is_set)}


@dataclass(frozen=True)
class TrainConfig:
    """The settings of every training run, and of probing a model without training it."""

    model: str = option(
        "smollm2",
        "smollm2, a Hugging Face name, a .gguf file, or a folder, such as the output of an earlier training run.",
    )
    per_function: int = option(
        0,
        "Training tasks per function to learn from; 0 uses all. RL that starts from a model trained this way uses the "
        "others.",
        FROM,
        least=0,
        matched=True,
    )
    prompts: str = option(
        "",
        "Templates for the update prompts, as for 'sebench run': a folder, 'short' or 'published'.",
        PROMPT,
        matched=True,
    )
    thinking: str = option(
        "", "on or off: passed to chat templates that support enable_thinking.", PROMPT, choices=THINKING, matched=True
    )
    lora: int = option(
        0, "Rank of LoRA adapters on all linear layers; 0 trains all weights.", UPDATE, least=0, matched=True
    )
    lr: float = option(5e-4, "Peak learning rate.", UPDATE, matched=True)
    weight_decay: float = option(0.0, "Weight decay of AdamW.", UPDATE, least=0, matched=True)
    seed: int = option(0, "Random seed for the order of rows and for sampling.", UPDATE, matched=True)
    trainer: str = option(
        LOOP, "loop (one device, small models) or trl (several GPUs, large models).", ENGINE, choices=ENGINES
    )
    packing: bool = option(
        True,
        "With trl: pack rows without padding; turn it off for sliding-window models.",
        ENGINE,
        engine=TRL,
        free=True,
    )
    checkpointing: bool = option(
        False, "With trl: recompute activations instead of keeping them.", ENGINE, engine=TRL, free=True
    )
    precision: str = option(
        "",
        "Precision of matrix products: bf16 or float32.  [default: by device]",
        ENGINE,
        choices=("", "bf16", "float32"),
    )
    pack_tokens: int = option(
        65_536,
        "Maximum tokens in one forward pass; with loop, lowered if memory runs out.",
        ENGINE,
        least=1,
        free=True,
    )
    compile: bool = option(
        False,
        "Compile the layers, which pays off on a GPU after about a minute of training.",
        ENGINE,
        engine=LOOP,
        free=True,
    )
    device: str = option("", "Device: cpu or cuda.  [default: cuda if available]", ENGINE, free=True)
    save_minutes: float = option(5.0, "Minutes between checkpoints.", MEANWHILE, least=0, free=True)
    probe_every: int = option(
        0,
        "Steps between probes of what the model knows; 0 probes only at the end, -1 never.",
        MEANWHILE,
        least=-1,
        free=True,
    )
    probes: tuple[str, ...] = option(
        QUESTIONS, "Questions that probes ask, separated by commas.", MEANWHILE, words=True, free=True
    )
    probe_worlds: tuple[str, ...] = option(
        (), "Folders of other worlds to probe too, separated by commas.", MEANWHILE, words=True, free=True
    )
    track: str = option(
        "", "Also log to trackio, wandb or tensorboard; separate several with commas.", MEANWHILE, free=True
    )

    def __post_init__(self) -> None:
        check(self)
        if self.device.partition(":")[0] not in ("", "cpu", "cuda", "mps", "xpu"):
            raise ConfigError(f"--device {self.device}: unknown device; use cpu or cuda")
        if not self.lr > 0:
            raise ConfigError(f"lr = {self.lr}: must be greater than 0")
        if self.lr > 1:
            raise ConfigError(f"lr = {self.lr}: must be at most 1; usual are 2e-5 and 5e-4")
        if self.compile and self.trainer == TRL:
            raise ConfigError("--compile requires --trainer loop; remove --compile or use --trainer loop")
        self.book_settings()
        self.probe_settings()

    def bf16(self, device: str) -> bool:
        """Whether to compute matrix products in bf16; by default, only if that is fast on the device."""
        return self.precision == "bf16" or (not self.precision and fast_bf16(device))

    def book_settings(self) -> BookSettings:
        """Return which parts of the documentation an open-book prompt shows."""
        return BookSettings(distractors=0, seed=self.seed)

    def probe_settings(self) -> ProbeSettings:
        """Return the settings of probes during training."""
        return ProbeSettings(self.probes, autocast=False if self.precision == "float32" else None, chat=self.chat())

    def prompter(self, world: World) -> Prompter:
        """Return the builder of training prompts, with the same templates as the runs that evaluate the model."""
        return world.prompter(templates_folder(self.prompts), self.book_settings())

    def chat(self) -> Chat:
        return Chat(thinking=self.thinking)

    def compared(self) -> dict[str, Any]:
        """Return the settings that determine the trained weights. A training run resumes only with the same values."""
        return to_json(self, names_marked(self, "free"))


# ---- settings of several methods -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LimitConfig:
    limit: int = option(
        0, "Number of examples to learn from (in RL: tasks), drawn at random; 0 uses all.", FROM, least=0
    )


@dataclass(frozen=True)
class ExamplesConfig(LimitConfig):
    examples: str = option(
        GOLD,
        "Source of the examples: gold, the folder of an open-book run on the training split or of a self-play run, "
        "or a file of tasks; in SFT also several, separated by commas.",
        FROM,
    )

    def sources(self) -> list[str]:
        """Return the sources of the examples."""
        return [source.strip() for source in self.examples.split(",")]


@dataclass(frozen=True)
class EpochsConfig(TrainConfig):
    epochs: int = option(8, "Passes over the examples.", UPDATE, least=1, matched=True)
    batch: int = option(40, "Rows per step.", UPDATE, least=1, matched=True)
    warmup: int = option(
        50, "Warm-up steps, at most a tenth of all steps; the default for RL is 5.", UPDATE, least=0, matched=True
    )

    def rate(self, step: int, total: int, constant: bool = False) -> float:
        """Return the learning rate for a step: linear warm-up, then cosine decay, or a constant rate if every step has
        new answers (`constant`)."""
        warmup = min(self.warmup, max(1, total // 10))
        if step < warmup:
            return self.lr * (step + 1) / warmup
        if constant:
            return self.lr
        return self.lr * 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, total - warmup)))


@dataclass(frozen=True)
class OpenBookConfig(TrainConfig):
    """Settings of methods in which at least one prompt is open-book (contains the documentation)."""

    distractors: int = option(
        0,
        "Number of pages of other functions (distractors) in an open-book update prompt; -1 shows the whole library.",
        PROMPT,
        least=-1,
    )
    pages: tuple[str, ...] = option(
        PARTS, "Parts of the pages in an open-book update prompt, separated by commas.", PROMPT, words=True
    )

    def book_settings(self) -> BookSettings:
        return BookSettings(distractors=self.distractors, parts=self.pages, seed=self.seed)


@dataclass(frozen=True)
class SamplingConfig(TrainConfig):
    """Settings of methods that train on answers sampled by the model itself."""

    steps: int = option(60, "Steps of RL, or of distillation with --on student.", SAMPLING, least=1)
    tasks_per_step: int = option(64, "Tasks per step.", SAMPLING, least=1)
    samples: int = option(8, "Answers sampled per task (the group size).", SAMPLING, least=1)
    temperature: float = option(1.0, "Sampling temperature.", SAMPLING, least=0)
    max_tokens: int = option(320, "Maximum tokens per answer.", SAMPLING, least=1)


@dataclass(frozen=True)
class PolicyConfig(SamplingConfig):
    """Settings of methods whose samples get rewards."""

    advantage: str = option(
        "group",
        "RL advantage: group (reward minus group mean, divided by std), raw, or positive.",
        SAMPLING,
        choices=("group", "raw", "positive"),
    )
    epsilon: float = option(
        0.2,
        "Clipping range of the probability ratio in RL; 0 turns clipping off.",
        SAMPLING,
        least=0,
        # With one update the probability ratio is 1 by definition: clipping would make no difference.
        **needs(
            "--updates or --passes of more than 1, or --old sampling",
            lambda config: config.updates * config.passes > 1 or config.old == "sampling",
        ),
    )
    updates: int = option(1, "Updates per RL step.", SAMPLING, least=1)
    passes: int = option(1, "Passes over the samples of an RL step.", SAMPLING, least=1)
    dual_clip: float = option(
        0.0,
        "Upper limit of the probability ratio where the advantage is negative (dual clip); 0 for no limit.",
        SAMPLING,
        least=0,
        **needs("--epsilon", lambda config: config.epsilon),
    )
    credit: str = option(
        "targeted",
        "Which answers count as correct: targeted (the functions that the task is about did the work), or passed.",
        FROM,
        choices=CREDITS,
    )
    warmup: int = option(5, "Warm-up steps of the learning rate in RL, at most a tenth of all steps.", UPDATE, least=0)
    vllm: str = option(
        "", "With trl: address of a vLLM server that samples the answers in RL.", ENGINE, engine=TRL, free=True
    )
    old = "update"  # prompt for the old probabilities; a setting only in RlConfig
    least_mixed = 0.0  # likewise

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.trainer == TRL or self.advantage != "raw":
            otherwise = "" if self.trainer == TRL else ", or use --advantage raw"
            if self.samples < 2:
                raise ConfigError(
                    f"samples = {self.samples}: answers are compared within groups; set it to at least 2{otherwise}"
                )
            if not self.temperature:
                raise ConfigError(
                    "temperature = 0: all answers in a group would be the same; set a temperature above 0" + otherwise
                )
        if 0 < self.dual_clip <= 1 + self.epsilon:
            raise ConfigError(f"dual_clip = {self.dual_clip}: must be more than 1 + epsilon, or 0 for no limit")

    def rate(self, step: int) -> float:
        """Return the learning rate for a step: linear warm-up, then constant, because every step has new answers."""
        warmup = min(self.warmup, self.steps // 10)
        return self.lr * min(1.0, (step + 1) / max(1, warmup))


# ---- the methods -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SftConfig(EpochsConfig, LimitConfig):
    """Settings of native-sft. All methods of supervised fine-tuning share them."""

    form: str = option(CODE, f"Form of the answers: {', '.join(FORMS)}.", FROM, choices=FORMS, matched=True)
    replay: str = option(
        "",
        "JSONL file of general conversations ({messages: [...]}), mixed in to reduce forgetting.",
        FROM,
        matched=True,
    )
    replay_share: float = option(
        0.1,
        "Share of rows that come from --replay.",
        FROM,
        least=0,
        below=1,
        **needs("--replay", lambda config: config.replay),
    )
    known_weight: float = option(
        1.0,
        "Weight in the loss of tokens that the model already gives a probability above 0.5; below 1, training "
        "concentrates on what is not known yet.",
        UPDATE,
        least=0,
        engine=LOOP,
        matched=True,
    )
    validate: int = option(
        0,
        "Number of held-out training tasks to ask closed-book at the end of training; -1 asks all.",
        MEANWHILE,
        least=-1,
        free=True,
    )
    validate_every: int = option(
        0,
        "Steps between validations during training; 0 validates only at the end.",
        MEANWHILE,
        free=True,
        **needs("--validate", lambda config: config.validate),
    )
    max_tokens: int = copy_option(SamplingConfig, "max_tokens", **needs("--validate", lambda config: config.validate))


@dataclass(frozen=True)
class ClosedSftConfig(ExamplesConfig, SftConfig):
    """Settings of closed-sft."""

    credit: str = copy_option(PolicyConfig, "credit")
    mentions: str = option(
        DROP,
        "Whether to drop or keep a run's answers that mention the documentation (outside of thinking).",
        FROM,
        choices=(DROP, KEEP),
    )


@dataclass(frozen=True)
class OpenSftConfig(ClosedSftConfig, OpenBookConfig):
    """Settings of open-sft."""


@dataclass(frozen=True)
class StudySftConfig(ClosedSftConfig):
    """Settings for the method "study"."""

    study: tuple[str, ...] = option(
        ("names", "signatures"),
        "Material for the method study, separated by commas: pages, names, signatures.",
        FROM,
        words=True,
    )
    study_file: str = option(
        "", "File of texts about the pages, written by 'sebench rephrase', to study as well.", FROM
    )
    mix: float = option(
        1.0, "With the method study: copies of the closed-sft rows to mix in; 0 for none.", FROM, least=0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.limit and not self.mix:
            raise ConfigError("limit has no effect with mix = 0: texts from the pages are not limited; remove it")


@dataclass(frozen=True)
class RlConfig(ExamplesConfig, PolicyConfig):
    """Settings of closed-sft-rl. All methods of RL on a world's tasks share them."""

    old: str = option(
        "update",
        "Prompt for computing the old probabilities in RL: update (the update prompt), or sampling (the prompt that "
        "the answer was sampled with).",
        SAMPLING,
        choices=("update", "sampling"),
    )
    pass_at: int = option(
        32,
        "Samples per task in the check for mixed groups before RL; 0 skips the check.",
        SAMPLING,
        least=0,
        engine=LOOP,
    )
    least_mixed: float = option(
        0.05, "Stop before training if the share of mixed groups is below this.", SAMPLING, least=0, most=1
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pass_at == 1:
            raise ConfigError("pass_at = 1: a group of one is never mixed; set at least 2, or 0 to skip the check")


@dataclass(frozen=True)
class BookRlConfig(RlConfig, OpenBookConfig):
    """Settings of open-rl and closed-rl."""


@dataclass(frozen=True)
class ZeroConfig(PolicyConfig, OpenBookConfig):
    """Settings of absolute-zero."""


@dataclass(frozen=True)
class DistilConfig(EpochsConfig, SamplingConfig, OpenBookConfig):
    """Settings of distil."""

    epochs: int = copy_option(EpochsConfig, "epochs", **needs("--on teacher", lambda config: config.on == TEACHER))
    batch: int = copy_option(EpochsConfig, "batch", **needs("--on teacher", lambda config: config.on == TEACHER))
    steps: int = copy_option(SamplingConfig, "steps", **needs("--on student", lambda config: config.on == STUDENT))
    on: str = option(
        TEACHER,
        "Whose samples distillation learns from: teacher (with the book) or student.",
        SAMPLING,
        choices=(TEACHER, STUDENT),
    )
    divergence: str = option(
        FORWARD,
        "Loss of distillation: forward, KL(teacher || student); reverse, KL(student || teacher); or js "
        "(Jensen-Shannon).",
        SAMPLING,
        choices=(FORWARD, REVERSE, JENSEN_SHANNON),
    )
    teacher: str = option(
        FROZEN,
        "Weights of the teacher in distillation: frozen (the starting model), or live (the model being trained).",
        SAMPLING,
        choices=(FROZEN, LIVE),
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
    """Return the settings of all methods, in the order of the headings. A setting that several methods share is taken
    from the first of them."""
    by_name: dict[str, Field[Any]] = {}
    for setting in (setting for config in CONFIGS.values() for setting in fields(config)):
        by_name.setdefault(setting.name, setting)
    order = {"": -1, **{heading: number for number, heading in enumerate(HEADINGS)}}
    return sorted(by_name.values(), key=lambda setting: order[setting.metadata["heading"]])


EverySetting: Any = make_dataclass(
    "EverySetting",
    [(f.name, f.type, field(default=f.default, metadata=f.metadata)) for f in _every()],
    frozen=True,
)
MATCHED = names_marked(SftConfig, "matched")  # settings that a method and its control in NumPy's names must share


PROBING, NEVER = ("probe_every", "probes", "probe_worlds"), -1  # settings of probes; a value of the first


def shared_settings(config: TrainConfig, other: Any) -> dict[str, Any]:
    """Return the values of the settings that another record also has."""
    return {f.name: getattr(config, f.name) for f in fields(other) if hasattr(config, f.name)}


def settings_read(config: TrainConfig) -> list[str]:
    """Return the names of the settings that have an effect with the values of the others."""

    def is_read(one: Field[Any]) -> bool:
        is_set = one.metadata.get("needs", ("", lambda config: True))[1]
        return bool(is_set(config)) and one.metadata.get("engine", config.trainer) == config.trainer

    return [one.name for one in fields(config) if is_read(one)]


def configure(method: str, shared: Mapping[str, Any], own: Mapping[str, Any], where: str = "") -> TrainConfig:
    """Build the settings of a method. `shared` settings (from files and tables) may include those of other methods; a
    setting in `own` that has no effect is an error, because the mistake would otherwise go unnoticed."""
    known = {f.name: f for f in fields(CONFIGS[method])}
    config = CONFIGS[method](**{name: value for name, value in {**shared, **own}.items() if name in known})
    for name in own if method != NONE else ():
        setting = f"{where}: {name}" if where else f"--{name.replace('_', '-')}"
        unprobed = method == "native-sft" and name in PROBING and own[name] != NEVER  # it does not see the library
        if name not in known or unprobed:
            others = {m: one for m, one in CONFIGS.items() if m not in (method, NONE)}
            readers = [m for m, one in others.items() if name in {f.name for f in fields(one)}]
            raise ConfigError(f"{setting} has no effect on {method}, only on {', '.join(readers)}; leave it out")
        about = known[name].metadata
        if (engine := about.get("engine", config.trainer)) != config.trainer:
            raise ConfigError(
                f"{setting} has no effect with --trainer {config.trainer}, only with {engine}; leave it out"
            )
        other, is_set = about.get("needs", ("", lambda config: True))
        if not is_set(config):
            raise ConfigError(f"{setting} has no effect without {other}; set that as well, or remove {setting}")
    return config
