"""The judge, the endpoint and the rows on a real Ray cluster on this machine, if Ray is installed: `pip install
'.[ray]'`."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sebench.base.errors import ConfigError, JudgeUnavailable
from sebench.base.records import Kind, Task
from sebench.experiment.processes import RowFailed
from sebench.experiment.row import RowJob
from sebench.judge.judge import Judge
from sebench.remote.ray import on_ray
from sebench.remote.ray.engine import RayEngine
from sebench.remote.ray.node import WorldRef, shipped_folder
from sebench.remote.ray.on_ray import RayJudge, judge_on_ray
from sebench.remote.ray.rows import RayRows
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.store import Run
from sebench.world.world import World
from tests.misbehaving import Server, some

pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own
STORE = 80 << 20


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A head without CPUs, and two nodes with one each."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["SEBENCH_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": STORE})
    for _ in range(2):
        made.add_node(num_cpus=1, object_store_memory=STORE)
    yield made
    made.shutdown()
    del os.environ["SEBENCH_CACHE"]


def kill(cluster: Any) -> None:
    """A node dies, and another joins."""
    raylets = [one.all_processes["raylet"][0].process for one in cluster.worker_nodes]
    os.kill(next(raylet.pid for raylet in raylets if raylet.poll() is None), signal.SIGKILL)
    cluster.add_node(num_cpus=1, object_store_memory=STORE)


def mixed(world: World, count: int) -> list[tuple[Task, str]]:
    tasks = world.tasks("train")
    kinds = [
        lambda t: t.gold,
        lambda t: "No idea.",
        lambda t: f"import numpy\n{t.gold}",
        lambda t: f"{t.signature}\n    return 1",
    ]
    return [(task, kinds[n % 4](task)) for n in range(count) for task in [tasks[n // 4 % len(tasks)]]]


def test_the_cluster_says_what_the_local_judge_says_also_when_a_node_dies(cluster: Any, tiny: World) -> None:
    pairs = mixed(tiny, 1200)
    with Judge(tiny) as judge:
        expected = [(verdict.kind, verdict.targeted) for verdict in judge.judge_many(pairs[:72])]
    with judge_on_ray(tiny.path, cluster.address) as judge:
        assert judge.missing_layers() == []
        found = []
        for number, verdict in enumerate(judge.judge_many(pairs)):
            found.append((verdict.kind, verdict.targeted))
            if number == 300:
                kill(cluster)
    assert len(tiny.tasks("train")) * 4 <= 72 and len(found) == 1200
    period = len(tiny.tasks("train")) * 4
    assert found == [expected[n % period] for n in range(1200)]


def test_a_task_that_is_not_the_worlds_travels_and_the_world_is_shipped(
    cluster: Any, tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = WorldRef(tiny.manifest.fingerprint, "/nowhere/tiny")
    monkeypatch.setattr(WorldRef, "of", classmethod(lambda cls, world: ref))
    task = replace(tiny.tasks("train")[0], id="foreign")
    with RayJudge(tiny, cluster.address) as judge:
        assert judge.judge(task, task.gold).kind is Kind.PASSED
        assert judge.judge_native(task, "No idea.").kind is Kind.NO_CODE
    assert [path.name for path in shipped_folder().glob("[!.]*")] == [ref.fingerprint[:32]]
    monkeypatch.setattr(on_ray.node, "versions", lambda: (("sebench", "0.0"), ("NumPy", "0")))
    with RayJudge(tiny, cluster.address) as judge, pytest.raises(ConfigError, match=r"no node .* same versions"):
        judge.missing_layers()


def test_a_world_that_no_node_has_is_one_line_without_shipping(
    cluster: Any, small: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = WorldRef(small.manifest.fingerprint, "/nowhere/other")
    monkeypatch.setattr(WorldRef, "of", classmethod(lambda cls, world: ref))
    with RayJudge(small, cluster.address, ship=False) as judge, pytest.raises(ConfigError, match="--no-ship"):
        judge.judge(small.tasks("train")[0], "x")


def test_a_cluster_without_a_free_cpu_is_one_line(cluster: Any, tiny: World) -> None:
    with RayJudge(tiny, cluster.address, cpus=4, wait_s=2.0) as judge:
        with pytest.raises(JudgeUnavailable, match=r"4 free CPUs within 2 s \(\d of its 2 CPUs are free\)"):
            judge.missing_layers()
        with pytest.raises(JudgeUnavailable, match="--ray-wait-s"):
            judge.judge(tiny.tasks("train")[0], "x")


def test_a_run_from_an_endpoint_loses_and_doubles_nothing_when_a_node_dies(
    cluster: Any, tiny: World, tmp_path: Path
) -> None:
    answers = {tiny.prompt(task, "closed"): task.gold for task in tiny.tasks("train")}
    with Server(some(0.05, "gateway", "cut"), answers, delay_s=0.1) as server:
        config = RunConfig(model="m", base_url=(server.url,), book=("closed",), split=("train",), samples=30)
        killed = False

        def progress(what: str, done: int, total: int) -> None:
            nonlocal killed
            if done > total // 3 and not killed:
                killed = True
                kill(cluster)

        run = pipeline.run(config, tiny, tmp_path / "run", progress=progress, engine=RayEngine(cluster.address))
    assert killed
    everything(run, 30 * len(tiny.tasks("train")))


def everything(run: Run, count: int) -> None:
    for name in ("rollouts.jsonl", "verdicts.jsonl"):
        keys = [json.loads(line)["key"] for line in (run.path / name).read_text("utf-8").splitlines()]
        assert len(keys) == len(set(keys)) == count
    assert Counter(row.verdict.kind for row in run.rows() if row.verdict) == {Kind.PASSED: count}


def test_a_killed_command_goes_on(cluster: Any, tiny: World, tmp_path: Path) -> None:
    file, out = tmp_path / "answers.jsonl", tmp_path / "run"
    lines = [{"task_id": task.id, "response": response} for task, response in mixed(tiny, 3000)]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    command = [sys.executable, "-m", "sebench", "judge", str(tiny.path), str(file), "--out", str(out)]
    command += ["--backend", "ray", "--ray-address", cluster.address]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    verdicts = out / "verdicts.jsonl"
    while child.poll() is None and not (verdicts.is_file() and verdicts.stat().st_size > 20_000):
        time.sleep(0.05)
    child.kill()
    assert child.wait() == -signal.SIGKILL
    before = len(verdicts.read_bytes().splitlines())
    assert 0 < before < 3000
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    keys = [json.loads(line)["key"] for line in verdicts.read_text("utf-8").splitlines() if line.endswith("}")]
    assert len(keys) == len(set(keys)) == 3000


def test_a_row_runs_on_a_node_that_shares_the_folder_and_is_refused_elsewhere(
    cluster: Any, tiny: World, tmp_path: Path
) -> None:
    job = RowJob(folder=str(tmp_path / "out" / "row"), world=str(tiny.path), evaluate={"model": "gold", "limit": 2})
    (tmp_path / "out" / "row").mkdir(parents=True)
    log = tmp_path / "out" / "row" / "row.log"
    with RayRows(tmp_path / "out", cluster.address) as rows:
        heard: list[Any] = []
        assert rows.run(job, log, heard.append) == 0 and heard
        assert len(list(Run.load(tmp_path / "out" / "row" / "run").rows())) == 8
        (tmp_path / "out" / ".shared").write_text("of another storage")
        with pytest.raises(RowFailed, match="storage that all nodes mount"):
            rows.run(job, log, heard.append)
    with pytest.raises(ConfigError, match="each row needs 1 GPU, but the cluster has 0; lower --ray-gpus"):
        RayRows(tmp_path / "out", cluster.address, gpus=1.0)


def test_a_judge_in_a_program_that_uses_ray_leaves_the_connection_open(cluster: Any, tiny: World) -> None:
    import ray

    ray.init(address=cluster.address, log_to_driver=False)
    try:
        with judge_on_ray(tiny.path) as judge:
            task = tiny.tasks("train")[0]
            assert asyncio.run(judge.rewards([(task, task.gold), (task.id, "No idea.")])) == [1.0, 0.0]
        assert ray.is_initialized()
    finally:
        ray.shutdown()
