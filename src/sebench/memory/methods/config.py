"""The settings of a study, used as the options of `sebench memory METHOD`, the keys of a TOML file, and in the
manifest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sebench.base.settings import check, copy_option, option, to_json
from sebench.rollout.config import RunConfig
from sebench.world.prompts import CLOSED, OPEN

# These affect where and how fast a study runs, not its result: it may resume with other values.
NOT_COMPARED = frozenset(
    "embed_url base_url key_env key_file timeout_s workers device batch token_limit send_seed".split()
)
OF_WRITERS = (  # settings of the model that studies
    "model base_url key_env key_file timeout_s workers device batch temperature max_tokens thinking token_limit "
    "send_seed reasoning_effort extra"
).split()
# `About` has separate fields for these.
ELSEWHERE = frozenset({"model", "study_book", "study_gold"})


def of_a_run(name: str) -> Any:
    """Return the option with the same name in 'sebench run'."""
    return copy_option(RunConfig, name, heading="")


@dataclass(frozen=True)
class StudyConfig:
    """How a memory is created."""

    model: str = option(
        "",
        "Model that studies and writes the memory, named as for 'sebench run'; methods that do not study need none.",
        heading="The model that studies",
    )
    base_url: tuple[str, ...] = option(
        (), "Address of the model's OpenAI-compatible endpoint; repeat the option for replicas."
    )
    key_env: str = option("OPENAI_API_KEY", "Environment variable that holds the endpoint's key.")
    key_file: str = option("", "File that holds the endpoint's key; takes precedence over --key-env.")
    timeout_s: float = option(300.0, "Timeout of a request, in seconds.")
    workers: int = option(0, "Concurrent requests; 0 uses the default for this kind of model.", least=0)
    device: str = option("", "Device for a local model: cpu or cuda.  [default: cuda if available]")
    batch: int = option(8, "Prompts decoded together by a local model.", least=1)
    temperature: float = option(0.0, "Sampling temperature of the writer.", least=0)
    max_tokens: int = option(1024, "Maximum tokens per reply of the writer.", least=1)
    thinking: str = of_a_run("thinking")
    token_limit: str = of_a_run("token_limit")
    send_seed: bool = of_a_run("send_seed")
    reasoning_effort: str = of_a_run("reasoning_effort")
    extra: str = of_a_run("extra")
    budget: int = option(
        16_000,
        "Maximum tokens that the memory adds to a prompt, at 3.5 characters each; 0 for no limit.",
        heading="What is recalled",
        least=0,
    )
    k: int = option(8, "Search results per task: pages, or training questions with their answers.", least=1)
    per_query: int = option(3, "With operations: search results per line that the model writes.", least=1)
    queries: int = option(
        6,
        "With operations: maximum number of lines that the model may write. With lookup: maximum number of lookups "
        "before it must answer.",
        least=1,
    )
    embed_model: str = option("", "With dense: name of the embedding model at the endpoint.")
    embed_url: str = option("", "With dense: address of an OpenAI-compatible server that provides /embeddings.")
    examples: str = option(
        "gold", "Source of the answers to training questions: gold, or the folder of a run on the training split."
    )
    seed: int = option(
        0, "Random seed for the task order, sampling and the choice of validation tasks.", heading="Studies"
    )
    study_book: str = option(
        "open",
        "Whether the writer sees the documentation while it studies: open or closed.",
        choices=(OPEN, CLOSED),
    )
    credit: str = option(
        "targeted",
        "Which answers count as correct: targeted (the functions that the task is about did the work), or passed.",
        choices=("targeted", "passed"),
    )
    study_gold: bool = option(False, "Show the writer the gold (reference) solutions of the tasks that it studies.")
    limit: int = option(
        0, "Number of training tasks to study, drawn at random; 0 uses all except those for validation.", least=0
    )
    gate: int = option(
        0,
        "Training tasks used to test each update, which is kept if it fixes more answers than it breaks; 0 keeps every "
        "update.",
        least=0,
    )
    retries: int = option(3, "Retries of a failed task, each after a reflection.", least=0)
    chunk: int = option(
        8, "With notes: most pages of a subject per request. With expel: successes per request.", least=1
    )
    rules: int = option(
        20,
        "Number of rules above which the model is asked to remove some; the hard limit is five more. 0 for no rules.",
        heading="ExpeL",
        least=0,
    )
    successes: int = option(4, "Similar successes to recall for a task; 0 for rules only.", least=0)
    facts: bool = option(False, "Let rules name functions; the original method asks for general rules.")
    epochs: int = option(1, "Passes over the training tasks; not used with --window.", heading="ACE", least=1)
    together: int = option(
        1, "Tasks that are tried with the same playbook and share one curation; the original method uses 1.", least=1
    )
    operations: str = option(
        "add",
        "Operations the curator may use: add (only ADD), or all (also UPDATE, MERGE and REMOVE).",
        choices=("add", "all"),
    )
    deduplicate: bool = option(False, "Drop duplicate bullets.")
    window: int = option(
        0, "Online mode: test on a window of this many tasks, then study them; 0 for offline mode.", least=0
    )
    validate_every: int = option(100, "Number of tasks between validations; not used with --window.", least=1)
    rewrite: bool = option(False, "Rewrite the notes at each step instead of adding to them.", heading="Notes")

    def __post_init__(self) -> None:
        check(self)
        self.writer()  # validates the model settings as a run does

    def compared(self, names: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return the settings that determine the memory. `names` are the settings that a method reads; () means all."""
        chosen = to_json(self, NOT_COMPARED | ELSEWHERE)
        chosen["extra"] = self.writer().extra_fields() or ""  # compare a file by its content, not by its name
        return {key: value for key, value in chosen.items() if not names or key in names}

    def writer(self) -> RunConfig:
        """Return the writing model's settings in the form of run settings."""
        return RunConfig(**{name: getattr(self, name) for name in (*OF_WRITERS, "seed")})
