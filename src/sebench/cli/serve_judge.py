"""`sebench serve-judge`: serve the judge of a world over HTTP."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import click

from sebench.base.errors import ConfigError
from sebench.base.http_server import LOOPBACK, ListenAddress
from sebench.base.wording import counted
from sebench.cli import display, options
from sebench.cli.strict import StrictCommand
from sebench.judge.judge import Judge
from sebench.remote.http import reading, server
from sebench.remote.http.server import JudgeServer
from sebench.remote.http.service import JudgeService

KEEP_MIB = 512
JUDGE_SHARE = 0.75  # share for tasks that the judge has prepared; the rest is for tasks that arrive as rows


@click.command(cls=StrictCommand)
@options.world_argument
@click.option(
    "--socket",
    "socket_path",
    type=click.Path(path_type=Path),
    help="Listen on this Unix socket, which only you can use.",
)
@click.option("--port", type=click.IntRange(0, 65535), help="Listen on this port.  [default: any free one]")
@click.option("--host", help=f"Listen at this address.  [default: {LOOPBACK}, which only this machine can reach]")
@click.option(
    "--token-env", metavar="NAME", help="Environment variable that contains the token that clients must send."
)
@click.option("--workers", type=click.IntRange(1), help="Concurrent sandboxes.  [default: the number of cores]")
@click.option(
    "--row-parts",
    type=click.IntRange(1),
    default=reading.ROW_PARTS,
    show_default=True,
    help="Maximum number of commas and opening brackets in a dataset row.",
)
@click.option(
    "--keep-mib",
    type=click.IntRange(1),
    default=KEEP_MIB,
    show_default=True,
    help="Memory for tasks that are cached between requests, in MiB.",
)
@options.profile
@options.require_isolation
def command(
    world: str,
    socket_path: Path | None,
    port: int | None,
    host: str | None,
    token_env: str | None,
    workers: int | None,
    row_parts: int,
    keep_mib: int,
    profile: str,
    require_isolation: bool,
) -> None:
    """Serve the judge of WORLD until Ctrl-C or SIGTERM: POST /judge, GET /health, GET /metrics.

    The verdicts are those of 'sebench judge'. Other machines can reach the server only with a token. On the first
    signal it accepts no more answers and finishes the pending ones; on the second it stops immediately.
    """
    if socket_path is not None and (host is not None or port is not None):
        raise ConfigError("--socket cannot be combined with --host or --port; use one or the other")
    token = server.check_token(os.environ.get(token_env, ""), f"--token-env {token_env}") if token_env else ""
    place = ListenAddress(socket_path, LOOPBACK if host is None else host, port or 0)
    server.check_place(place, token)  # before a world is built
    loaded = options.open_world(world)
    keep_bytes = keep_mib << 20
    for_judge = int(JUDGE_SHARE * keep_bytes)
    with Judge(loaded, profile=profile, workers=workers or 0, keep_bytes=for_judge) as judge:
        missing = judge.missing_layers(require_isolation)
        if missing:
            display.note(f"judging without these isolation layers: {', '.join(missing)}")
        service = JudgeService(judge, row_parts=row_parts, keep_bytes=keep_bytes - for_judge)
        asyncio.run(_serve(JudgeServer(service, token), place))
    click.echo(f"stopped after {counted(service.kinds.total(), 'verdict')}")


async def _serve(serving: JudgeServer, place: ListenAddress) -> None:
    """Serve until a signal arrives and all pending answers are finished."""
    stopping = asyncio.Event()
    task = asyncio.current_task()
    assert task is not None

    def stop() -> None:
        if stopping.is_set():
            task.cancel()
        stopping.set()

    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stop)
    address = await serving.listen(place)
    click.echo(f"judging at {address} (press Ctrl-C here to stop)")
    if address.startswith("http:") and not server.is_loopback(place.host):
        display.note("token and answers are sent unencrypted; use a private network, ssh or a proxy with TLS")
    try:
        await stopping.wait()
        if serving.service.pending:
            display.note(
                f"finishing {counted(serving.service.pending, 'answer')}; press Ctrl-C again to stop immediately"
            )
        await serving.stop()
    except asyncio.CancelledError:
        raise click.Abort from None
