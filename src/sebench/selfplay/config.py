"""The settings of a self-play, one dataclass: options of `sebench selfplay`, keys of a TOML file, and the manifest say the same."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.records import SCRIPTED
from sebench.base.settings import check, check_table, option, to_json
from sebench.rollout.config import THINKING, RunConfig
from sebench.selfplay.rounds import PlaySettings
from sebench.tasks import splits
from sebench.train.config import EverySetting, TrainConfig, configure
from sebench.train.methods import METHODS
from sebench.train.proposals.curriculum import Curriculum
from sebench.world.page_cuts import PARTS

SAME, FIRST = "same", "first"  # proposers that are no model's name
LAST = "last"
NONE = "none"  # as a way to train: questions and answers are gathered, nothing learns from them
TRAINED_BY = ("closed-sft", "open-sft", "closed-rl", "open-rl", NONE)
# How fast and where, not what: a play may go on with other values of these, and with more rounds.
NOT_COMPARED = frozenset({"rounds", "base_url", "key_env", "batch", "device", "workers"})
OWN = ("model", "examples", "prompts", "pages", "thinking", "device")  # of 'sebench learn' and 'sebench run': set here
ALL_TESTS = (splits.SINGLE_TEST, splits.MULTI_TEST, splits.TRANSFER_TEST, splits.PLAN_TEST)


@dataclass(frozen=True)
class SelfplayConfig:
    """How a model plays with itself."""

    model: str = option("smollm2", "The player: smollm2, a folder, hf:NAME, or an endpoint's name with --base-url.")
    base: str = option("", "Model that every training starts from.  [default: the player]")
    base_url: tuple[str, ...] = option((), "Address of an OpenAI-compatible endpoint of the player.")
    key_env: str = option("OPENAI_API_KEY", "Environment variable that holds the endpoint's key.")
    rounds: int = option(2, "Rounds; a play goes on with more.", heading="The play")
    functions: str = option("all", "Functions to ask about, with commas.")
    targets: int = option(0, "Functions that a round asks about, those with the fewest questions; 0 asks about all.")
    solver: str = option(
        LAST,
        "Who plays from round 2 on: last (the model that the round before trained) or first.",
        choices=(LAST, FIRST),
    )
    proposer: str = option(SAME, "Who writes questions: same as the solver, first (frozen), or a model's name.")
    proposals: int = option(1, "Proposals for each target of a round.", least=1)
    propose_tokens: int = option(900, "Maximum tokens of a proposal.", least=1)
    samples: int = option(4, "Answers of the solver to each question, with the book open.", least=1)
    temperature: float = option(0.8, "Sampling temperature of proposer and solver.")
    max_tokens: int = option(320, "Maximum tokens of an answer, of the solver and in evaluations.")
    distractors: int = option(0, "Pages of other functions in the solver's open book.")
    prompts: str = option("", "Templates of all prompts, as of 'sebench run': a folder, or short.")
    pages: tuple[str, ...] = option(PARTS, "Parts of the pages in an open book, with commas.", words=True)
    thinking: str = option("", "on or off: passed to chat templates that know enable_thinking.", choices=THINKING)
    consensus: tuple[str, ...] = option(
        (), "Models that must solve a question too; none: the solver's own samples.", heading="What is kept", words=True
    )
    needed: int = option(0, "Number of them that must be right; 0 asks for all.", least=0)
    above: float = option(0.0, "A question is kept if more than this share of the solver's answers is right,")
    below: float = option(0.0, "and less than this share; 0 for no such limit.")
    per_function: int = option(0, "Kept questions of each function at most, all rounds together; 0 for any number.")
    train: str = option(
        "closed-sft", f"How each round learns: {', '.join(TRAINED_BY)}.", heading="What is learnt", choices=TRAINED_BY
    )
    learn: tuple[str, ...] = option((), "Further setting of 'sebench learn', as epochs=4; repeat it.")
    split: tuple[str, ...] = option(
        ALL_TESTS, "Splits that evaluations ask, with commas.", heading="Evaluation, closed book", words=True
    )
    evaluate: tuple[str, ...] = option((), "Further setting of 'sebench run' for evaluations, as limit=50; repeat it.")
    batch: int = option(16, "Prompts decoded together by a local model.", heading="The machine")
    workers: int = option(0, "Processes of the gates; 0 takes one for each core.", least=0)
    device: str = option("", "Where a local model computes: cpu, cuda; chosen if not given.")
    seed: int = option(0, "Seed of targets, drafts and sampling.")

    def __post_init__(self) -> None:
        check(self)
        if self.needed > len(self.consensus):
            raise ConfigError(f"needed = {self.needed}: there are {len(self.consensus)} models in consensus")
        if twice := next((name for name in self.consensus if self.consensus.count(name) > 1), ""):
            raise ConfigError(f"consensus names {twice} twice; models are independent only if they are different")
        self._refuse_models()
        self.play()
        self.learning("base", "play")
        self.running("player", self.split, "closed")

    def _refuse_models(self) -> None:
        """An error for models that cannot do what they are to do: it would come hours later."""
        if self.base_url and self.train != NONE and not self.base:
            raise ConfigError("an endpoint's model cannot be trained here; give a local --base, or --train none")
        if self.train != NONE and _without_weights(self.base or self.model):
            raise ConfigError(
                f"'{self.base or self.model}' cannot be trained; give a folder or hf:NAME as --base, or --train none"
            )

    def first_proposer(self) -> str:
        """The model that writes the questions of the first round."""
        return self.model if self.proposer in (SAME, FIRST) else self.proposer

    def play(self) -> PlaySettings:
        """What the loop of rounds reads."""
        curriculum = Curriculum(self.above, self.below or None, self.per_function)
        return PlaySettings(self.rounds, self.targets, curriculum, self.seed)

    def learning(self, model: str, examples: str) -> TrainConfig:
        """The settings of a training on what was played."""
        own: dict[str, Any] = {"model": model, "examples": examples, "prompts": self.prompts, "pages": self.pages}
        own |= {"thinking": self.thinking, "device": self.device, "seed": self.seed, "probe_every": -1}
        own |= {"distractors": self.distractors, "max_tokens": self.max_tokens}
        return configure(self.train, own, _settings(EverySetting, "learn", self.learn), "learn")

    def running(self, model: str, split: Sequence[str], book: str, **more: Any) -> RunConfig:
        """The settings of a run: of the solver, or of an evaluation."""
        at_endpoint = bool(self.base_url) and not (Path(model).is_dir() or model.startswith(("hf:", "vllm:")))
        own: dict[str, Any] = {
            "model": model,
            "split": tuple(split),
            "book": (book,),
            "prompts": self.prompts,
            "pages": self.pages,
        }
        own |= {"thinking": self.thinking, "max_tokens": self.max_tokens, "distractors": self.distractors}
        own |= {"batch": self.batch, "device": self.device, "seed": self.seed}
        own |= {"base_url": self.base_url, "key_env": self.key_env} if at_endpoint else {}
        further = _settings(RunConfig, "evaluate", self.evaluate) if book == "closed" else {}
        return RunConfig(**{**own, **further, **more})

    def compared(self) -> dict[str, Any]:
        """What decides the outcome: a play goes on only with the same."""
        return to_json(self, NOT_COMPARED)


def _without_weights(model: str) -> bool:
    """Whether a name is that of a model which only answers."""
    return model in SCRIPTED or model.startswith("vllm:") or model.endswith(".gguf")


def _settings(config: type[Any], name: str, given: Sequence[str]) -> dict[str, Any]:
    """Settings that are written as KEY=VALUE, each known and of the right type."""
    data: dict[str, Any] = {}
    for text in given:
        key, found, value = (part.strip() for part in text.partition("="))
        if not found or not key:
            raise ConfigError(f"{name} = {text!r}: write a setting and its value, such as epochs=4")
        if key.replace("-", "_") in OWN:
            raise ConfigError(f"{name} = {text!r}: {key} is a setting of the play itself; give --{key}")
        try:
            data[key] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            data[key] = value
    return check_table(config, data, name)


assert set(TRAINED_BY) - {NONE} <= METHODS.keys()
