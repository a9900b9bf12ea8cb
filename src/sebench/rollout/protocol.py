"""The evaluation protocol: what runs must share so that their scores can be compared (docs/protocol.md). It measures
what a model knows without help, so runs with a memory or with self-repair do not follow it.

A protocol is frozen. Any change that affects scores (another world for the same seed, other templates, other scoring
rules) becomes a protocol with another name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sebench.base.errors import ConfigError
from sebench.rollout.config import RunConfig
from sebench.rollout.store import RunManifest
from sebench.tasks import splits
from sebench.world.page_cuts import PARTS
from sebench.world.prompts import CLOSED, NATIVE, OPEN

# How a departure is worded, for settings whose name and value alone say little.
DEPARTURES = {
    "limit": "only {} per split instead of all tasks",
    "tasks": "the tasks in {} instead of the world's",
    "system": "a system message",
    "stop": "stop sequences",
    "hide_usage": "pages without the usage that a transfer task needs",
    "give_names": "prompts that name the needed functions",
    "decline": "prompts that explain how to decline",
}
# Settings that the protocol leaves out.
ADDITIONS = {
    "memory": "a memory",
    "repair": "self-repair",
    "changelog": "a list of changes in the book",
    "name_edition": "prompts that name the edition",
    "extra": "additional request fields",
}
OWN_TEMPLATE = ("memory", "repair", "decline")  # settings with a template of their own, which changes the digest
OF_OPEN_BOOKS = ("distractors", "retrieve", "pages", "hide_usage")  # settings that have no effect on other books


@dataclass(frozen=True)
class Protocol:
    """The worlds, settings and limits of a protocol."""

    name: str
    worlds: Mapping[int, str]  # of the public round: seed -> fingerprint
    level: str  # of every world, also in other rounds
    least_worlds: int
    splits: tuple[str, ...]  # all tasks in these must be asked; other splits may be asked too
    books: tuple[str, ...]
    settings: Mapping[str, Any]
    samples_by_temperature: Mapping[float, int]  # the least number of samples
    templates: str  # digest of the prompt templates
    scoring: int  # version of the scoring rules
    most_cut: float  # largest share of closed-book answers in a split that may end at the token limit
    most_unjudged: float  # largest share of closed-book answers in a split that may lack a verdict

    def departures(self, manifest: RunManifest) -> Iterator[str]:
        """Yield each way in which a run departs from the protocol."""
        yield from self.setting_departures(manifest.config)
        templates, own = manifest.prompts.get("templates"), manifest.config.get("prompts")
        if not templates:
            yield "prompt templates are not recorded"
        elif templates != self.templates and (own or not any(map(manifest.config.get, OWN_TEMPLATE))):
            yield "other prompt templates"
        if manifest.scoring != self.scoring:
            yield f"scoring rules {manifest.scoring} instead of {self.scoring}"

    def setting_departures(self, config: Mapping[str, Any]) -> Iterator[str]:
        """Yield each setting that departs from the protocol. `config` has the form that it has in a manifest."""
        unused = () if OPEN in config.get("book", (OPEN,)) else OF_OPEN_BOOKS
        required = (*(name for name in self.settings if name not in unused), "temperature", "samples")
        if unknown := [name.replace("_", " ") for name in required if name not in config]:
            yield f"not recorded: {', '.join(unknown)}"
        for name, value in self.settings.items():
            expected = list(value) if isinstance(value, tuple) else value
            words = name.replace("_", " ")
            if name not in unused and config.get(name, expected) != expected:
                otherwise = f"{words} {{}} instead of {_text(expected)}"
                yield DEPARTURES.get(name, otherwise).replace("{}", _text(config[name]))
        for name, needed in (("split", self.splits), ("book", self.books)):
            if missing := [one for one in needed if one not in config.get(name, ())]:
                yield f"{name} lacks {', '.join(missing)}"
        yield from (text for name, text in ADDITIONS.items() if config.get(name))
        if "temperature" not in config or "samples" not in config:
            return
        temperature, samples = config["temperature"], config["samples"]
        if (least := self.samples_by_temperature.get(temperature)) is None:
            yield f"temperature {temperature} instead of {' or '.join(map(str, self.samples_by_temperature))}"
        elif samples < least:
            yield f"samples {samples} instead of {least}, at temperature {temperature}"


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) and value else repr(value)


V1 = Protocol(
    name="v1",
    worlds={
        2001: "25606ca62053094336653eaee0da4882606de02c4a270868f535f291dd49855b",
        2002: "43df36230b859805bdfb7b544c51eac31c96a421a1ee97f39b054deefeadf474",
        2003: "faf5add4299522cdc3a00f5d3654dd6082ddb3ed424706c7da2a00417555536d",
    },
    level="names+parameters",
    least_worlds=3,
    splits=(splits.SINGLE_TEST, splits.MULTI_TEST),
    books=(CLOSED, OPEN, NATIVE),
    settings={
        "profile": "strict",
        "distractors": 0,
        "retrieve": 0,
        "pages": PARTS,
        "hide_usage": False,
        "give_names": False,
        "decline": False,
        "limit": 0,
        "tasks": "",
        "system": "",
        "stop": (),
        "top_p": 1.0,
    },
    samples_by_temperature={0.0: 1, 0.6: 5},
    templates="002a434b26601f87",
    scoring=3,
    most_cut=0.05,
    most_unjudged=0.05,
)
PROTOCOLS = {V1.name: V1}


def run_config(protocol: Protocol, chosen: Mapping[str, Any]) -> RunConfig:
    """Return the settings of a run: the chosen ones, and for the rest those of the protocol. Raise an error if a
    setting departs from it."""
    config = RunConfig(**{**protocol.settings, "split": protocol.splits, "book": protocol.books, **chosen})
    departures = [
        *protocol.setting_departures(config.compared()),
        *(["other prompt templates"] if config.prompts else []),
    ]
    if departures:
        raise ConfigError(
            f"the settings depart from --protocol {protocol.name}: {departures[0]}; remove that setting or --protocol"
        )
    return config
