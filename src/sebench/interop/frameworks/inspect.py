"""SE-Bench in Inspect (inspect.aisi.org.uk), which finds it by its entry point:

    inspect eval sebench/closed_book --model openai/gpt-5 -T world=7 -T k=4
    inspect score LOG --scorer sebench/verdict --action append

A sample is a task, and each epoch is one answer to it: `k` epochs are reduced to their mean and to pass@k, so that
standard errors are over tasks. A fault that is not the candidate's leaves the sample unscored. Logs contain task ids
and the world's fingerprint, and can be judged again.

Not covered: boundary tasks mixed with others without the paragraph on declining, and Inspect's sandboxes (the judge has
its own).
"""

from __future__ import annotations

from math import nan

from sebench import SebenchError, World, __version__
from sebench.base import versions

versions.require(versions.INSPECT)

try:  # Inspect prints this error without a traceback; its name is not public
    from inspect_ai._util.error import PrerequisiteError as Refused
except ImportError:
    Refused = SebenchError

from inspect_ai import Epochs, Task, task  # noqa: E402
from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.scorer import Score, Scorer, Target, accuracy, grouped, scorer, stderr  # noqa: E402
from inspect_ai.solver import TaskState, generate  # noqa: E402

from sebench.interop.frameworks import scoring  # noqa: E402
from sebench.interop.frameworks.questions import DEFAULT_SPLITS, TaskPrompt, address, questions  # noqa: E402

METRICS = [accuracy(), stderr(cluster="task"), grouped(accuracy(), "split", all=False)]


@task
def closed_book(
    world: str | int = 7,
    book: str = "closed",
    split: str | list[str] = DEFAULT_SPLITS,
    k: int = 1,
    distractors: int = 8,
) -> Task:
    """The questions without the documentation, for a model that should know the library; `book` selects another
    documentation setting."""
    if k < 1:
        raise Refused(f"k = {k}: the number of answers per task must be at least 1")
    try:
        opened = World.open(str(world))
        asked_tasks = questions(opened, split, book, distractors=distractors)
    except SebenchError as error:
        raise Refused(str(error)) from None
    where = {"world": opened.manifest.fingerprint, "address": address(str(world))}
    return Task(
        dataset=MemoryDataset([_sample(one, where) for one in asked_tasks], name=f"sebench {opened.path.name}"),
        solver=generate(),
        scorer=verdict(where["address"]),
        epochs=Epochs(k, ["mean", f"pass_at_{k}"] if k > 1 else "mean"),
        version=__version__,
        metadata={**where, "book": book},
    )


@task
def open_book(world: str | int = 7, split: str | list[str] = DEFAULT_SPLITS, k: int = 1, distractors: int = 8) -> Task:
    """The same questions with the needed pages in the prompt, among `distractors` others."""
    return closed_book(world, "open", split, k, distractors)


@task
def native_book(world: str | int = 7, split: str | list[str] = DEFAULT_SPLITS, k: int = 1) -> Task:
    """The same questions about NumPy itself."""
    return closed_book(world, "native", split, k)


@scorer(metrics={"passed": METRICS, "targeted": METRICS})
def verdict(world: str | int | None = None) -> Scorer:
    """The judge's verdict on an answer. `world`: where it is now, if it has moved since the questions were asked."""

    async def score(state: TaskState, target: Target) -> Score:
        metadata = state.metadata
        judge = scoring.judge_of(address(world) if world is not None else metadata["address"], metadata["world"])
        judged = await scoring.await_verdict(
            scoring.submit(judge, metadata["task"], state.output.completion, metadata["book"])
        )
        worth = scoring.AnswerScore.of(judged)
        explanation = f"{judged.kind}: {judged.detail}" if judged.detail else str(judged.kind)
        logged = {"kind": str(judged.kind), "functions": judged.functions, "uncredited": judged.uncredited}
        if worth.passed is None:
            return Score.unscored(explanation=explanation, metadata=logged)
        value = {"passed": worth.passed, "targeted": nan if worth.targeted is None else worth.targeted}
        return Score(value=value, explanation=explanation, metadata=logged)

    return score


def _sample(one: TaskPrompt, where: dict[str, str]) -> Sample:
    about = {"task": one.task, "split": one.split, "book": one.book, **where}
    return Sample(id=one.task, input=one.prompt, metadata=about)
