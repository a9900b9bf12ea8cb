"""The settings of a study: options of `sebench learn METHOD` for the methods that write a memory, keys of a TOML file, and the manifest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sebench.base.settings import check, copy_option, option, to_json
from sebench.rollout.config import RunConfig
from sebench.world.prompts import CLOSED, OPEN

# How fast and where, not what: a study may go on with other values of these.
NOT_COMPARED = frozenset(
    "embed_url base_url key_env key_file timeout_s workers device batch token_limit send_seed".split()
)
OF_WRITERS = (  # of the model that studies
    "model base_url key_env key_file timeout_s workers device batch temperature max_tokens thinking token_limit send_seed "
    "reasoning_effort extra"
).split()
# Of these `About` has a field of its own.
ELSEWHERE = frozenset({"model", "study_book", "study_gold"})
BOTH, RULES, TRAJECTORIES = KEEP = ("both", "rules", "trajectories")  # of ExpeL
OFFLINE, ONLINE = MODES = ("offline", "online")  # of ACE


def of_a_run(name: str) -> Any:
    """A setting as 'sebench run' has it."""
    return copy_option(RunConfig, name, heading="")


@dataclass(frozen=True)
class StudyConfig:
    """How a memory is made."""

    model: str = option(
        "",
        "The model that studies and writes, named as for 'sebench run'; methods without study need none.",
        heading="The model that studies",
    )
    base_url: tuple[str, ...] = option((), "Address of its OpenAI-compatible endpoint; repeat it for replicas.")
    key_env: str = option("OPENAI_API_KEY", "Environment variable that holds the endpoint's key.")
    key_file: str = option("", "File that holds the endpoint's key; takes precedence over --key-env.")
    timeout_s: float = option(300.0, "Seconds before a request is abandoned.")
    workers: int = option(0, "Concurrent requests; 0 lets the model decide.", least=0)
    device: str = option("", "Where a local model computes: cpu, cuda; it chooses by itself if not given.")
    batch: int = option(8, "Prompts decoded together by a local model.", least=1)
    temperature: float = option(0.0, "Sampling temperature of the writer.", least=0)
    max_tokens: int = option(1024, "Maximum tokens of one text of the writer.", least=1)
    thinking: str = of_a_run("thinking")
    token_limit: str = of_a_run("token_limit")
    send_seed: bool = of_a_run("send_seed")
    reasoning_effort: str = of_a_run("reasoning_effort")
    extra: str = of_a_run("extra")
    budget: int = option(
        16_000,
        "Tokens that a prompt may get from the memory, at 3.5 characters each; 0 for no limit.",
        heading="What is recalled",
        least=0,
    )
    k: int = option(8, "Entries that a search recalls for a task: pages, or worked answers.", least=0)
    per_query: int = option(3, "With operations: pages that a search recalls for each line of the model.", least=1)
    queries: int = option(6, "With operations: lines that the model may write.", least=1)
    lookups: int = option(6, "With lookup: times that the model may look something up before it answers.", least=1)
    embed_model: str = option("", "With dense: the model that embeds texts, by its name at the endpoint.")
    embed_url: str = option("", "With dense: address of an OpenAI-compatible endpoint that has /embeddings.")
    examples: str = option("gold", "Worked answers: gold, or the folder of a run on the training split.")
    seed: int = option(0, "Seed of the order of tasks, of sampling and of the validation tasks.", heading="Studies")
    study_book: str = option(
        "open",
        "Whether the writer sees the documentation while it studies: open or closed.",
        heading="Studies",
        choices=(OPEN, CLOSED),
    )
    study_gold: bool = option(False, "Whether it is shown gold solutions of the training tasks it studies.")
    limit: int = option(0, "Training tasks to study, drawn by the seed; 0 takes all but those for validation.", least=0)
    gate: int = option(
        0,
        "Training tasks that decide whether an update of the memory stays: it must gain more than it loses; 0 for none.",
        least=0,
    )
    retries: int = option(
        3, "Further tries of a task after a failure, each after a reflection.", heading="ExpeL", least=0
    )
    rules: int = option(20, "Rules from which on the model is asked to remove some; five more are the end.", least=1)
    chunk: int = option(8, "Successes that are looked at together.", least=1)
    successes: int = option(4, "Similar successes that are recalled for a task.", least=0)
    facts: bool = option(False, "Let rules name functions; the original asks for general ones.")
    keep: str = option("both", "What is recalled: both, rules or trajectories.", choices=KEEP)
    rounds: int = option(3, "Reflections on a wrong answer, each followed by another try.", heading="ACE", least=0)
    epochs: int = option(1, "Times that the training tasks are gone through, in offline mode.", least=1)
    curate_every: int = option(1, "Tasks after which the curator changes the playbook.", least=1)
    together: int = option(1, "Tasks that are tried with the same playbook; 1 is the original.", least=1)
    operations: str = option(
        "add", "Operations of the curator: add alone, or all (UPDATE, MERGE and REMOVE too).", choices=("add", "all")
    )
    deduplicate: bool = option(False, "Drop bullets that say what another one says.")
    mode: str = option("offline", "offline, or online: test a window of tasks, then study it.", choices=MODES)
    window: int = option(100, "Tasks of a window in online mode.", least=1)
    validate_every: int = option(100, "Tasks after which the validation tasks are asked, in offline mode.", least=1)
    rewrite: bool = option(False, "Write the notes anew at each step, instead of adding to them.", heading="Notes")
    chunk_pages: int = option(8, "Pages that are read together.", least=1)

    def __post_init__(self) -> None:
        check(self)
        self.writer()  # what a run would refuse is refused here too

    def compared(self, names: tuple[str, ...] = ()) -> dict[str, Any]:
        """What decides the memory; `names` are the settings that a method reads, () for all."""
        chosen = to_json(self, NOT_COMPARED | ELSEWHERE)
        chosen["extra"] = self.writer().extra_fields() or ""  # of a file the content counts, not the name
        return {key: value for key, value in chosen.items() if not names or key in names}

    def writer(self) -> RunConfig:
        """The writer as a run would name it."""
        return RunConfig(**{name: getattr(self, name) for name in (*OF_WRITERS, "seed")})
