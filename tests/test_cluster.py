"""The judge on a simulated cluster: batches that are lost, refused, repeated or late must not lose, change or duplicate
a verdict."""

from __future__ import annotations

import asyncio
import io
import pickle
import random
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from importlib import metadata
from importlib.metadata import PackageNotFoundError
from itertools import count
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from sebench.base.errors import (
    ConfigError,
    JudgeUnavailable,
    PromptRefused,
    ProviderError,
    SandboxFault,
    SebenchError,
    WorldError,
)
from sebench.base.records import Blame, Kind, Rollout, Task, Verdict
from sebench.cli import cli
from sebench.judge.interface import AnyJudge
from sebench.models.model import Completion, Sampling
from sebench.remote.ray import endpoint_workers, node, on_ray, rows
from sebench.remote.ray.batches import AHEAD, BATCH, LOST, TRIES, Batch, BatchAnswer, BatchLost, BatchReport, Dispatcher
from sebench.remote.ray.node import Assignment, WorldRef
from sebench.rollout.config import RunConfig
from sebench.world.prompts import Prompt
from sebench.world.world import World

# ---- batches ----------------------------------------------------------------------------------------------------


def verdict_of(answer: BatchAnswer) -> Verdict:
    return Verdict(Kind.PASSED, Blame.NONE, detail=answer.response)


class Pretended:
    """A cluster of `nodes`, each with two places, that judges in any order. `trouble` says what comes back for a batch
    instead."""

    def __init__(self, nodes: int = 2, seed: int = 0) -> None:
        self.alive = [f"node{n}" for n in range(nodes)]
        self.draw = random.Random(seed)
        self.there: list[Batch] = []
        self.sent: list[Batch] = []
        self.most = 0

    def places(self) -> int:
        return 2 * len(self.alive)

    def send(self, batch: Batch) -> None:
        self.sent.append(batch)
        self.there.append(batch)
        self.most = max(self.most, len(self.there))

    def poll(self, wait_s: float) -> Sequence[tuple[int, BatchReport | Exception]]:
        if not self.there:
            return []
        batch = self.there.pop(self.draw.randrange(len(self.there)))
        where = self.draw.choice(self.alive)
        return [(batch.number, report) for report in self.trouble(batch, where)]

    def trouble(self, batch: Batch, where: str) -> Iterable[BatchReport | Exception]:
        return [self.judged(batch, where)]

    def judged(self, batch: Batch, where: str) -> BatchReport:
        return BatchReport(where, where, tuple(map(verdict_of, batch.answers)))

    def leave_out(self, node: str) -> None:
        self.alive.remove(node)

    def describe_load(self) -> str:
        return "0 of its 4 CPUs are free"


def judged(cluster: Pretended, count: int = 700, **settings: object) -> list[str]:
    """What the verdicts say of answers that are submitted one after the other."""
    dispatcher = Dispatcher(cluster, **settings)  # type: ignore[arg-type]
    try:
        # raises where the work has ended
        futures = [dispatcher.submit(BatchAnswer("task", str(n))) for n in range(count)]
        return [future.result(timeout=60).detail for future in futures]
    finally:
        dispatcher.close()


def test_every_answer_gets_its_own_verdict_in_batches_within_the_window() -> None:
    cluster = Pretended()
    assert judged(cluster) == [str(n) for n in range(700)]
    assert sum(len(batch.answers) for batch in cluster.sent) == 700
    assert max(len(batch.answers) for batch in cluster.sent) <= BATCH
    assert cluster.most <= AHEAD * cluster.places()


def test_what_is_lost_is_sent_again_and_what_comes_twice_counts_once() -> None:
    lost: Counter[str] = Counter()  # no answer too often: that ends the work

    class Careless(Pretended):
        def trouble(self, batch: Batch, where: str) -> Iterable[BatchReport | Exception]:
            right, wrong, gone = self.judged(batch, where), BatchReport(where, where, ()), BatchLost("the node died")
            if any(lost[one.response] >= LOST - 1 for one in batch.answers):
                return [right, wrong]
            chosen = self.draw.choice([[gone], [right], [right, wrong], [gone, right]])
            lost.update(one.response for one in batch.answers if chosen[0] is gone)
            return chosen

    cluster = Careless(seed=3)
    assert judged(cluster) == [str(n) for n in range(700)]
    assert sum(len(batch.answers) for batch in cluster.sent) > 700


def test_a_node_that_refuses_is_left_out_and_told_once() -> None:
    class OneWithout(Pretended):
        def trouble(self, batch: Batch, where: str) -> Iterable[BatchReport | Exception]:
            return [
                BatchReport(where, where, refused="node0: no world") if where == "node0" else self.judged(batch, where)
            ]

    told: list[str] = []
    cluster = OneWithout(3)
    assert judged(cluster, note=told.append) == [str(n) for n in range(700)]
    assert told == ["a node is excluded: node0: no world"] and cluster.alive == ["node1", "node2"]


@pytest.mark.parametrize("count", [1, 700])
def test_where_every_node_refuses_the_reason_ends_the_work(count: int) -> None:
    class NoneCan(Pretended):
        def trouble(self, batch: Batch, where: str) -> Iterable[BatchReport | Exception]:
            return [BatchReport(where, where, refused=f"{where}: no sandbox; see 'sebench doctor'")]

    with pytest.raises(ConfigError, match=r"no node in the cluster can judge: node\d: no sandbox"):
        judged(NoneCan(), count)


@pytest.mark.parametrize("faults", [TRIES - 1, TRIES])
def test_a_fault_of_a_sandbox_is_judged_again_and_told_as_a_fault_in_the_end(faults: int) -> None:
    fault = Verdict(Kind.FAULT, Blame.SANDBOX, detail="fault")

    class Shaky(Pretended):
        seen = 0

        def judged(self, batch: Batch, where: str) -> BatchReport:
            self.seen += any(one.response == "5" for one in batch.answers)
            broken = self.seen <= faults
            return BatchReport(
                where,
                where,
                tuple(fault if broken and one.response == "5" else verdict_of(one) for one in batch.answers),
            )

    found = judged(Shaky(), 10)
    assert found[5] == ("5" if faults < TRIES else "fault")
    assert [one for n, one in enumerate(found) if n != 5] == [str(n) for n in range(10) if n != 5]


def test_a_cluster_that_gives_nothing_back_ends_the_work_with_one_line() -> None:
    class Full(Pretended):
        def poll(self, wait_s: float) -> Sequence[tuple[int, BatchReport | Exception]]:
            return []

    seconds = iter(range(10_000))
    with pytest.raises(JudgeUnavailable, match=r"in 30 s \(0 of its 4 CPUs are free\).*--ray-wait-s"):
        judged(Full(), patience_s=30.0, clock=lambda: float(next(seconds)))


def test_a_batch_that_is_lost_again_and_again_ends_the_work() -> None:
    class Broken(Pretended):
        def trouble(self, batch: Batch, where: str) -> Iterable[BatchReport | Exception]:
            return [BatchLost("OutOfMemoryError")]

    with pytest.raises(JudgeUnavailable, match=f"lost one batch {LOST} times.*OutOfMemoryError.*repeat the command"):
        judged(Broken(), 3)


def test_our_own_mistake_reaches_everybody_who_waits() -> None:
    class Buggy(Pretended):
        ready = False

        def poll(self, wait_s: float) -> Sequence[tuple[int, BatchReport | Exception]]:
            return super().poll(wait_s) if self.ready else []

        def trouble(self, batch: Batch, where: str) -> Iterable[BatchReport | Exception]:
            return [ZeroDivisionError("a bug")]

    cluster = Buggy()
    dispatcher = Dispatcher(cluster)
    futures = [dispatcher.submit(BatchAnswer("task", str(n))) for n in range(300)]
    cluster.ready = True
    wait(futures, timeout=60)
    assert all(isinstance(future.exception(), ZeroDivisionError) for future in futures)
    with pytest.raises(ZeroDivisionError):
        dispatcher.submit(BatchAnswer("task", "late"))
    dispatcher.close()


def test_a_closed_dispatcher_leaves_nobody_waiting() -> None:
    class Slow(Pretended):
        def poll(self, wait_s: float) -> Sequence[tuple[int, BatchReport | Exception]]:
            return []

    dispatcher = Dispatcher(Slow())
    futures = [dispatcher.submit(BatchAnswer("task", str(n))) for n in range(300)]
    dispatcher.close()
    assert all(future.cancelled() for future in futures)
    with pytest.raises(ConfigError, match="closed"):
        dispatcher.submit(BatchAnswer("task", "late"))


def test_answers_that_nobody_waits_for_any_more_are_not_sent() -> None:
    class Waiting(Pretended):
        """Nothing is sent before there is a place."""

        ready = False

        def places(self) -> int:
            return 2 if self.ready else 0

    cluster = Waiting()
    dispatcher = Dispatcher(cluster)
    futures = [dispatcher.submit(BatchAnswer("task", str(n))) for n in range(BATCH - 1)]
    for future in futures[:-1]:
        future.cancel()
    cluster.ready = True
    assert futures[-1].result(timeout=60).detail == str(BATCH - 2)
    dispatcher.close()
    assert [one.response for batch in cluster.sent for one in batch.answers] == [str(BATCH - 2)]


class Slowest(AnyJudge):
    """Judges the answers that it holds only when it has as many as it likes, the last one first."""

    profile = "strict"
    ahead = 4

    def __init__(self) -> None:
        self.held: list[tuple[str, Future[Verdict]]] = []
        self.most = 0

    def submit(self, task: Task | str, response: str, native: bool = False) -> Future[Verdict]:
        self.held.append((response, Future()))
        self.most = max(self.most, len(self.held))
        future = self.held[-1][1]
        if len(self.held) == self.ahead or response == "last":
            for text, held in reversed(self.held):
                held.set_result(Verdict(Kind.PASSED, Blame.NONE, detail=text))
            self.held.clear()
        return future

    def missing_layers(self, required: bool = False) -> list[str]:
        return []

    def close(self) -> None:
        pass


def test_verdicts_come_as_they_are_ready_each_with_its_rollout(tiny: World) -> None:
    task, judge = tiny.tasks("train")[0], Slowest()
    texts = [str(n) for n in range(9)] + ["last"]
    pairs = [(task, Rollout(task.id, "closed", n, "", text)) for n, text in enumerate(texts)]
    found = [(rollout.response, verdict.detail) for rollout, verdict in judge.as_judged(pairs)]
    assert all(response == detail for response, detail in found)
    assert sorted(response for response, _ in found) == sorted(texts) and found[0][0] != "0"
    assert judge.most <= judge.ahead


# ---- worlds -----------------------------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that has neither worlds nor anything that was shipped."""
    monkeypatch.setenv("SEBENCH_WORLDS", str(tmp_path / "worlds"))
    monkeypatch.setenv("SEBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path


def moved(world: World) -> WorldRef:
    """The world as a machine knows it that does not see its folder."""
    return replace(WorldRef.of(world), path=f"/nowhere/{world.path.name}")


def never() -> bytes:
    raise AssertionError("it was there")


def test_a_node_uses_the_world_that_it_has_if_it_is_the_same(tiny: World, small: World, elsewhere: Path) -> None:
    assert node.open_world(WorldRef.of(tiny), never).path == tiny.path
    copytree(small.path, elsewhere / "worlds" / tiny.path.name)  # the right name, another world
    with pytest.raises(AssertionError, match="it was there"):
        node.open_world(moved(tiny), never)
    copytree(small.path, elsewhere / "worlds" / small.path.name)
    assert node.open_world(moved(small), never).path == elsewhere / "worlds" / small.path.name


def test_a_world_is_shipped_once_for_all_processes_of_a_node(tiny: World, elsewhere: Path) -> None:
    packed, fetched = node.pack_world(tiny), []

    def fetch() -> bytes:
        fetched.append(1)
        return packed

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: node.open_world(moved(tiny), fetch), range(4)))
    assert len(fetched) == 1 and len({world.path for world in found}) == 1
    assert found[0].manifest == tiny.manifest and found[0].tasks("train") == tiny.tasks("train")


def test_a_shipped_world_that_was_damaged_is_replaced(tiny: World, elsewhere: Path) -> None:
    first = node.open_world(moved(tiny), lambda: node.pack_world(tiny))
    (first.path / "docs" / "api.md").write_text("changed")
    assert (
        node.open_world(moved(tiny), lambda: node.pack_world(tiny)).path / "docs" / "api.md"
    ).read_text() != "changed"


def archive(name: str, content: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as file:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        file.addfile(member, io.BytesIO(content))
    return made.getvalue()


def test_what_is_not_the_world_is_refused_and_writes_nothing_elsewhere(
    tiny: World, small: World, elsewhere: Path
) -> None:
    for packed in (b"", node.pack_world(tiny)[:-100], archive("../escaped", b"x"), archive("world.json", b"{}")):
        with pytest.raises(WorldError):
            node.open_world(moved(tiny), lambda packed=packed: packed)  # type: ignore[misc]
    with pytest.raises(WorldError, match="has a different fingerprint"):
        node.open_world(moved(tiny), lambda: node.pack_world(small))
    assert not list(elsewhere.rglob("escaped")) and not list(elsewhere.rglob("world.json"))


def test_without_shipping_a_missing_world_is_one_line_with_the_next_step(tiny: World, elsewhere: Path) -> None:
    with pytest.raises(WorldError, match=r"is neither at /nowhere/.* nor in .*--no-ship"):
        node.open_world(moved(tiny))


# ---- on a node --------------------------------------------------------------------------------------------------


def assignment(world: World) -> Assignment:
    return Assignment(WorldRef.of(world), "strict", node.versions())


def test_a_node_judges_as_the_local_judge_also_tasks_that_travel(tiny: World) -> None:
    task = tiny.tasks("train")[0]
    foreign = replace(task, id="foreign", cases=task.cases[:1])
    digest, packed = node.pack_task(foreign)
    answers = (BatchAnswer(task.id, task.gold), BatchAnswer(digest, task.gold), BatchAnswer(task.id, "I do not know."))
    batch = pickle.loads(pickle.dumps(Batch(1, answers, {digest: packed})))
    report = pickle.loads(pickle.dumps(node.judge_batch(assignment(tiny), batch, "id", 1)))
    assert [verdict.kind for verdict in report.verdicts] == [Kind.PASSED, Kind.PASSED, Kind.NO_CODE]
    assert [verdict.targeted for verdict in report.verdicts[:2]] == [True, True] and not report.refused


def test_a_node_with_other_versions_judges_nothing(tiny: World) -> None:
    other = replace(assignment(tiny), versions=(("sebench", "0.0"), node.versions()[1]))
    report = node.judge_batch(other, Batch(1, (BatchAnswer("x", "y"),), {}), "id", 1)
    assert not report.verdicts and "the command has 0.0; install the same versions" in report.refused


def test_a_node_without_the_layers_that_the_run_has_judges_nothing(
    tiny: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sebench.judge.judge import Judge

    monkeypatch.setattr(Judge, "missing_layers", lambda self, required=False: ["landlock"])
    empty = Batch(1, (), {})
    for allowed, refused in ((None, False), (("landlock",), False), ((), True)):
        report = node.judge_batch(replace(assignment(tiny), layers_may_miss=allowed), empty, "id", 1)
        assert bool(report.refused) == refused and ("landlock" in report.refused) == refused


@pytest.mark.parametrize("faults", [node.STARTS - 1, node.STARTS])
def test_a_sandbox_that_does_not_start_at_once_has_some_attempts(
    faults: int, tiny: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sebench.judge.judge import Judge

    left = iter([True] * faults + [False] * 9)

    def missing(self: Judge, required: bool = False) -> list[str]:
        if next(left):
            raise SandboxFault("the sandbox did not start")
        return []

    monkeypatch.setattr(Judge, "missing_layers", missing)
    report = node.judge_batch(assignment(tiny), Batch(1, (), {}), "id", 1)
    assert ("did not start" in report.refused) == (faults == node.STARTS)


def test_a_failure_of_an_endpoint_travels_as_what_it_is() -> None:
    slow = pickle.loads(pickle.dumps(ProviderError("too fast", again=True, wait_s=2.5)))
    assert (str(slow), slow.again, slow.wait_s, type(slow)) == ("too fast", True, 2.5, ProviderError)
    long = pickle.loads(pickle.dumps(PromptRefused("too long")))
    assert (str(long), long.again, type(long)) == ("too long", False, PromptRefused)


@pytest.mark.parametrize("with_key", [True, False])
def test_a_worker_without_the_key_says_which_node_lacks_it(with_key: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from sebench.rollout import models

    monkeypatch.delenv("A_KEY", raising=False)
    monkeypatch.setattr(models, "endpoint", lambda config: Echo())
    worker = endpoint_workers.EndpointWorker(RunConfig(model="m", base_url=("http://x/v1",), key_env="A_KEY"), with_key)
    request = worker.complete(Prompt("hello", "task", "closed"), Sampling(), 0)
    if with_key:
        with pytest.raises(ProviderError, match="no key in --key-env A_KEY") as missing:
            asyncio.run(request)
        assert not missing.value.again
    else:
        assert asyncio.run(request) == Completion("hello/0")


class Echo:
    """Answers with the prompt after a while."""

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        await asyncio.sleep(0.001 * (seed % 7))
        return Completion(f"{prompt.text}/{seed}")


class NodeDied(Exception):
    """Stands for an error of Ray's own."""


class TaskRaised(NodeDied):
    """Stands for an error that our code raised on a node."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class PretendedRay:
    """Workers in this process, called as Ray calls them. A node dies after `lives` calls."""

    exceptions = SimpleNamespace(RayError=NodeDied, RayTaskError=TaskRaised)

    def __init__(self, lives: int) -> None:
        self.lives = lives

    def start(self, where: str) -> SimpleNamespace:
        return SimpleNamespace(complete=SimpleNamespace(remote=partial(self._call, count())))

    async def _call(self, calls: Iterator[int], prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        if next(calls) >= self.lives:
            raise NodeDied
        if prompt.text == "too long":
            raise TaskRaised(PromptRefused("too long"))
        return await Echo().complete(prompt, sampling, seed)


def ray_model(monkeypatch: pytest.MonkeyPatch, lives: int) -> endpoint_workers.RayModel:
    ray = PretendedRay(lives)
    monkeypatch.setattr(endpoint_workers, "library", lambda: ray)
    monkeypatch.setattr(endpoint_workers.RayModel, "_start", lambda self, where: ray.start(where))
    nodes = SimpleNamespace(places=lambda: {"a": 1, "b": 1})
    return endpoint_workers.RayModel(RunConfig(model="m", base_url=("http://x/v1",)), nodes)  # type: ignore[arg-type]


async def echoed(model: endpoint_workers.RayModel, seeds: range, text: str = "hello") -> list[object]:
    asked = (model.complete(Prompt(text, "task", "closed"), Sampling(), seed) for seed in seeds)
    return list(await asyncio.gather(*asked, return_exceptions=True))


def test_requests_go_to_all_nodes_and_their_failures_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    model = ray_model(monkeypatch, 1_000_000)
    assert asyncio.run(echoed(model, range(100))) == [Completion(f"hello/{seed}") for seed in range(100)]
    assert len(model._workers) == 2 and not model._busy.total()
    (refused,) = asyncio.run(echoed(model, range(1), "too long"))
    assert isinstance(refused, PromptRefused)


@pytest.mark.parametrize("lives", [0, 1, 5])
def test_a_lost_worker_leaves_nobody_waiting_and_is_started_again_later(
    lives: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ray_model(monkeypatch, lives)
    answers = asyncio.run(echoed(model, range(50)))
    assert all(isinstance(one, Completion) or (isinstance(one, ProviderError) and one.again) for one in answers)
    assert not model._busy.total() and set(model._rests_until) == {"a", "b"}


def test_a_node_that_does_not_share_the_folder_refuses_the_row(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("mine")
    rows.check_shared(tmp_path / "token", "mine")
    for file in (tmp_path / "token", tmp_path / "nothing"):
        with pytest.raises(ConfigError, match=r"cannot see .*storage that all nodes mount"):
            rows.check_shared(file, "yours")


# ---- what a user is told ----------------------------------------------------------------------------------------


def told(*arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments, standalone_mode=False)
    assert isinstance(result.exception, SebenchError), result.output
    return str(result.exception)


def test_a_missing_package_is_one_line(tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    line = told("judge", str(tiny.path), str(tmp_path / "answers.jsonl"), "--backend", "ray")
    assert line == (
        "--backend ray needs the package ray, which is not installed: pip install -e '.[ray]' in a clone of the "
        "repository"
    )


def test_a_version_that_was_not_tried_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_ray, "import_module", lambda name: None)
    for found, fits in (("2.9.3", False), ("2.60.0", True), ("2.60.1rc1", True), ("3.0.0", False)):
        monkeypatch.setattr(metadata, "version", lambda name, found=found: found)
        if fits:
            on_ray.library()
        else:
            with pytest.raises(ConfigError, match=rf"ray {found} is installed.*pip install 'ray>=2.60,<2.61'"):
                on_ray.library()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://host:10001", "host"])
def test_an_address_without_a_cluster_is_one_line(address: str) -> None:
    with pytest.raises(ConfigError, match=r"no Ray cluster at|use HOST:PORT"):
        on_ray._reachable(address)


def test_settings_of_a_cluster_are_refused_without_one(tiny: World, tmp_path: Path) -> None:
    file = str(tmp_path / "answers.jsonl")
    assert told("judge", str(tiny.path), file, "--ray-cpus", "2").startswith("--ray-cpus requires --backend ray")
    assert told("run", str(tiny.path), "--no-ship").startswith("--ship requires --backend ray")
    (tmp_path / "e.toml").write_text('worlds = [1]\n[[method]]\nname = "a"\nmethod = "none"\n')
    assert told("experiment", str(tmp_path / "e.toml"), "--ray-gpus", "1").startswith(
        "--ray-gpus requires --backend ray"
    )
