"""Consensus: independent models solve the question in NumPy from its text and examples alone, and enough of them must
be right.

If too few are right, their answers hint at the reason. If all failures give the same wrong value in the same case, they
read the question the same way, and gold is suspect. If they give different values, the question is suspect. If they
give no value, the task is too hard or the models are too weak.

An answer counts if NumPy itself gives the right value in every case (`Verdict.numpy_passed`). It need not use the
functions that the task is about: it only has to show that question and gold agree.
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
    """Each solver's judged answer; None if a provider failed to reply. A solver that refuses the prompt (too long)
    counts as not having solved it.
    """
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
            raise SandboxFault(f"{verdict.detail}; run the same command again to continue")
        right = bool(verdict.numpy_passed)
        failed = (None, "", "") if right else (verdict.case, verdict.actual, f"{verdict.kind}: {verdict.detail}")
        answers.append(SolverAnswer(solver.name, reply.text, right, *failed))
    return answers


def decide(answers: Sequence[SolverAnswer], needed: int) -> GateResult:
    """Whether enough solvers are right; if not, a guess at what is at fault."""
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
