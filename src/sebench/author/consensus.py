"""Consensus: independent models solve the question in NumPy from its text and examples alone, and enough of them must be right.

Where they are not, what they answered says something. All that failed gave the same wrong value in the same case: they understood the
question alike, and gold is suspect. They gave different values: the question is. They gave no value: it is too hard, or they are too weak.

An answer counts if NumPy itself gives the right value in every case (`Verdict.numpy_passed`). Whether it used the functions that the task
is about does not matter here: it shows that question and gold agree.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sebench.author.gates import PASSED, GateResult
from sebench.author.review_cards import SolverAnswer
from sebench.base.errors import SandboxFault
from sebench.base.records import Blame, Task
from sebench.judge.judge import Judge
from sebench.models.calls import Calls
from sebench.world.prompts import Prompt


async def solve(
    task: Task, prompt: Prompt, solvers: Sequence[Calls], judge: Judge, seed: int
) -> list[SolverAnswer] | None:
    """What every solver answers; None where a provider failed to give one. A solver that takes no such prompt (too long) has not solved it."""
    replies = await asyncio.gather(*(solver.ask(prompt, seed + number) for number, solver in enumerate(solvers)))
    answers: list[SolverAnswer] = []
    for number, (solver, reply) in enumerate(zip(solvers, replies, strict=True)):
        if reply is None:
            if not (why := solver.refused.get(solver.key(prompt, seed + number), "")):
                return None
            answers.append(SolverAnswer(solver.name, "", False, None, "", f"refused: {why}"))
            continue
        verdict = await judge.judge_native_async(task, reply.text)
        if verdict.blame is Blame.SANDBOX:
            raise SandboxFault(f"{verdict.detail}; the same command continues")
        right = bool(verdict.numpy_passed)
        failed = (None, "", "") if right else (verdict.case, verdict.actual, f"{verdict.kind}: {verdict.detail}")
        answers.append(SolverAnswer(solver.name, reply.text, right, *failed))
    return answers


def decide(answers: Sequence[SolverAnswer], needed: int) -> GateResult:
    """Whether enough solvers are right; where not, a guess whose fault it is."""
    right = sum(answer.passed for answer in answers)
    if right >= needed:
        return PASSED
    wrong = [answer for answer in answers if not answer.passed]
    values = {(answer.case, answer.actual) for answer in wrong if answer.case is not None and answer.actual}
    failures = "; ".join(
        f"{a.model}: case {a.case} gives {a.actual}" if a.actual else f"{a.model}: {a.detail}" for a in wrong
    )
    evidence = f"{right} of {len(answers)} right, {needed} needed. {failures}"
    if not values:
        return GateResult.reject("unsolved", evidence)
    if len(values) == 1 and len(wrong) > 1 and all(answer.actual for answer in wrong):
        return GateResult.reject("gold is suspect", evidence)
    return GateResult.reject("the question is suspect", evidence)
