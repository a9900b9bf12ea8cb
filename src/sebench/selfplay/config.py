"""The settings of a self-play run: one dataclass for the options of `sebench selfplay`, the keys of a TOML file, and
the manifest."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.records import SCRIPTED
from sebench.base.settings import check, check_table, names_marked, option, to_json
from sebench.base.wording import counted
from sebench.rollout.config import THINKING, RunConfig
from sebench.tasks import splits
from sebench.train.config import CONFIGS, EverySetting, TrainConfig, configure, settings_read
from sebench.train.methods import METHODS
from sebench.train.proposals.selection import SelectionSettings
from sebench.world.page_cuts import PARTS

SAME, FIRST = "same", "first"  # values of `proposer` that are not model names
LAST = "last"
FEWEST, MISSED = "fewest", "missed"  # values of `aim`
NONE = "none"  # training method: collect questions and answers without training
TRAINED_BY = ("closed-sft", "open-sft", "closed-rl", "open-rl", NONE)
# These affect only speed and location: a self-play run may resume with other values, and with more rounds.
NOT_COMPARED = frozenset({"rounds", "base_url", "key_env", "batch", "device", "workers"})
# Settings of 'sebench learn' and 'sebench run' that self-play sets itself.
OWN = ("model", "examples", "prompts", "pages", "thinking", "device")
SHARED = ("prompts", "pages", "thinking", "max_tokens", "distractors", "device", "seed")
# What decides which questions of a round are kept. Further rounds need the same values.
SELECTING = ("above", "below", "per_function")
ALL_TESTS = (splits.SINGLE_TEST, splits.MULTI_TEST, splits.TRANSFER_TEST, splits.PLAN_TEST)


@dataclass(frozen=True)
class SelfplayConfig:
    """The settings of a self-play run."""

    model: str = option(
        "smollm2",
        ("The player, which proposes and solves: smollm2, a folder, hf:NAME, or a model's name with --base-url."),
    )
    base: str = option("", "Model that each round trains from.  [default: the player]")
    base_url: tuple[str, ...] = option((), "Address of an OpenAI-compatible endpoint for the player.")
    key_env: str = option("OPENAI_API_KEY", "Environment variable that contains the endpoint's key.")
    rounds: int = option(
        2, "Number of rounds; raise it to continue a finished run.", heading="Proposing and solving", least=1
    )
    after: str = option("", "Self-play run in the same world whose rounds come first; --rounds counts them too.")
    functions: str = option("all", "Functions to ask about, separated by commas.")
    targets: int = option(
        0, "Number of functions per round, those with the fewest kept questions first; 0 uses all.", least=0
    )
    aim: str = option(
        FEWEST,
        "Which functions come first from round 2 on: fewest (fewest kept questions) or missed (those whose training "
        "questions the last trained model gets wrong closed-book). Use it with --targets.",
        choices=(FEWEST, MISSED),
    )
    solver: str = option(
        LAST,
        "Solver from round 2 on: last (the model trained in the previous round) or first (the player).",
        choices=(LAST, FIRST),
    )
    proposer: str = option(
        SAME, "Model that writes questions: same (as the solver), first (the player), or a model's name."
    )
    proposals: int = option(1, "Proposals per function and round.", least=1)
    propose_tokens: int = option(900, "Maximum tokens per proposal.", least=1)
    samples: int = option(4, "Open-book answers that the solver samples for each question.", least=1)
    temperature: float = option(0.8, "Sampling temperature for proposer and solver.")
    max_tokens: int = option(320, "Maximum tokens per answer, for the solver and in evaluations.")
    distractors: int = option(0, "Number of pages of other functions (distractors) in the solver's open book.")
    prompts: str = option("", "Prompt templates, as for 'sebench run': a folder, 'short' or 'published'.")
    pages: tuple[str, ...] = option(PARTS, "Parts of each page in an open book, separated by commas.", words=True)
    thinking: str = option("", "on or off: passed to chat templates that support enable_thinking.", choices=THINKING)
    consensus: tuple[str, ...] = option(
        (),
        "Other models that must also solve a question.  [default: only the solver]",
        heading="Questions to keep",
        words=True,
    )
    above: float = option(0.0, "Keep a question only if more than this share of the solver's answers are correct.")
    below: float = option(
        0.0, ("Keep a question only if less than this share of the solver's answers are correct; 0 for no upper limit.")
    )
    per_function: int = option(0, "Maximum kept questions per function, in all rounds together; 0 for no maximum.")
    train: str = option(
        "closed-sft", f"How each round trains: {', '.join(TRAINED_BY)}.", heading="Training", choices=TRAINED_BY
    )
    also_learn: str = option(
        "",
        "Examples that every round also trains on, as for 'sebench learn --examples', such as gold.  [default: none]",
    )
    learn: tuple[str, ...] = option(
        (), "Another setting of 'sebench learn', such as epochs=4; repeat the option for several."
    )
    split: tuple[str, ...] = option(
        ALL_TESTS,
        "Splits to evaluate on, separated by commas; '' evaluates nothing.",
        heading="Closed-book evaluation",
        words=True,
    )
    evaluate: tuple[str, ...] = option(
        (), "Another setting of 'sebench run' for evaluations, such as limit=50; repeat the option for several."
    )
    batch: int = option(16, "Prompts decoded together by a local model.", heading="The machine")
    workers: int = option(0, "Processes for the gates; 0 uses one per core.", least=0)
    device: str = option("", "Device for a local model: cpu or cuda.  [default: cuda if available]")
    seed: int = option(0, "Random seed for targets, drafts and sampling.")

    def __post_init__(self) -> None:
        check(self)
        if twice := next((name for name in self.consensus if self.consensus.count(name) > 1), ""):
            raise ConfigError(f"consensus lists {twice} twice; choose different models")
        if self.aim == MISSED and not self.targets:
            raise ConfigError("aim = missed has no effect if all functions are targets; set targets, for example to 60")
        # Models that cannot be trained are refused now, rather than hours later.
        if self.base_url and self.train != NONE and not self.base:
            raise ConfigError("an endpoint's model cannot be trained here; set a local --base, or --train none")
        learner = self.base or self.model
        weights_alone = learner.endswith(".gguf") and not learner.startswith("hf:")
        if self.train != NONE and (learner in SCRIPTED or weights_alone):
            raise ConfigError(f"'{learner}' cannot be trained; set --base to a folder or hf:NAME, or --train none")
        if self.also_learn and self.train not in ("closed-sft", "open-sft"):
            raise ConfigError(f"also_learn needs --train closed-sft or open-sft, not {self.train}; leave it out")
        self.selection()
        self.train_config("base", "play")
        self.run_config("player", self.split, "closed")

    def first_proposer(self) -> str:
        """Return the model that writes the questions in the first round."""
        return self.model if self.proposer in (SAME, FIRST) else self.proposer

    def selection(self) -> SelectionSettings:
        """Return the settings that determine which questions are kept."""
        return SelectionSettings(self.above, self.below or None, self.per_function)

    def _common(self, model: str) -> dict[str, Any]:
        """Return the settings that training and runs share."""
        return {"model": model, **{name: getattr(self, name) for name in SHARED}}

    def train_config(self, model: str, examples: str) -> TrainConfig:
        """Return the settings for training on the examples of the self-play run."""
        own = {**self._common(model), "examples": examples, "probe_every": -1}
        return configure(self.train, own, _settings(EverySetting, "learn", self.learn), "learn")

    def run_config(self, model: str, split: Sequence[str], book: str, **more: Any) -> RunConfig:
        """Return the settings for a run, in which the solver answers questions or a model is evaluated."""
        local = Path(model).is_dir() or model.startswith("hf:")
        at_endpoint = bool(self.base_url) and (model in (self.model, self.proposer) or not local)
        own = {**self._common(model), "split": tuple(split) or ALL_TESTS, "book": (book,), "batch": self.batch}
        own |= {"base_url": self.base_url, "key_env": self.key_env} if at_endpoint else {}
        further = _settings(RunConfig, "evaluate", self.evaluate) if book == "closed" else {}
        return RunConfig(**{**own, **further, **more})

    def compared(self) -> dict[str, Any]:
        """Return the settings that determine the result: a self-play run resumes only with the same values."""
        return comparable(to_json(self, NOT_COMPARED))


def comparable(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a self-play run without those of training that do not affect the weights, and without
    `after` where it is not used (earlier versions did not have it)."""
    free = names_marked(CONFIGS.get(settings.get("train", NONE), TrainConfig), "free")
    learn = [text for text in settings.get("learn", ()) if text.partition("=")[0].strip().replace("-", "_") not in free]
    return {key: value for key, value in settings.items() if key != "after" or value} | {"learn": learn}


def learn_options(train: str, shared: Mapping[str, Any], own: Sequence[str]) -> tuple[str, ...]:
    """Return settings of training as texts (NAME=VALUE): a run's own, and those of `shared` that this training reads
    and self-play does not set itself."""
    chosen = _settings(EverySetting, "learn", own)
    settings = {**{name: value for name, value in shared.items() if name not in OWN}, **chosen}
    config = configure(train, settings, chosen, "learn")
    return tuple(f"{name}={json.dumps(settings[name])}" for name in settings_read(config) if name in settings)


def refuse_other_rounds(where: str, earlier: Mapping[str, Any], rounds: int, config: SelfplayConfig) -> None:
    """Raise an error if a self-play run cannot continue the `rounds` that were played with `earlier` settings."""
    now = config.compared()
    changed = next((name for name in SELECTING if earlier.get(name) != now[name]), "")
    if changed:
        raise ConfigError(
            f"{where}: it has {changed} = {earlier.get(changed)!r}, which decides what is kept; use the same here, not "
            f"{now[changed]!r}"
        )
    if config.rounds <= rounds:
        raise ConfigError(f"{where}: it has {counted(rounds, 'round')} already; raise rounds to more")


def _settings(config: type[Any], name: str, texts: Sequence[str]) -> dict[str, Any]:
    """Parse settings written as KEY=VALUE, and check their names and types."""
    data: dict[str, Any] = {}
    for text in texts:
        key, separator, value = (part.strip() for part in text.partition("="))
        if not separator or not key:
            raise ConfigError(f"{name} = {text!r}: write SETTING=VALUE, such as seed=1")
        if key.replace("-", "_") in OWN:
            raise ConfigError(
                f"{name} = {text!r}: self-play sets {key} itself; leave it out, and see 'sebench selfplay --help'"
            )
        try:
            data[key] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            data[key] = value
    return check_table(config, data, name)


assert set(TRAINED_BY) - {NONE} <= METHODS.keys()
