"""`sebench published`: the commands of the published repository, with the same flags, files and counts, but our own
client and judge (docs/published.md)."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from sebench.base.errors import ConfigError, ProviderError
from sebench.base.wording import counted, shell
from sebench.cli import display, options
from sebench.cli.strict import StrictGroup
from sebench.interop.formats import published_lines, published_world, query, rollouts, trajectories
from sebench.models.endpoint import Endpoint, EndpointFlags
from sebench.models.model import Request, Sampling
from sebench.rollout.engine import ThisMachine
from sebench.values.equality import Profile
from sebench.world import build
from sebench.world.prompts import CLOSED, OPEN

SHOWN_PROBLEMS = 10
MOST_WORKERS = 4096
# The published scripts have no flag for it. 16,384 tokens in a batch of 64 take many minutes on one GPU.
TIMEOUT_S = 3600.0
FLAGS = EndpointFlags(key="--api_key", model="--model_name, --host and --ports", address="--base_url")
PATH = click.Path(path_type=Path)


@click.group(cls=StrictGroup)
def command() -> None:
    """The commands of the published repository, with its flags: query-only, query-doc and filter.

    They read and write the published file formats. docs/published-reference.md lists what differs, and which commands
    do more.
    """


def query_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags that both query commands share."""
    for option in reversed(
        (
            click.option(
                "--num_workers",
                type=click.IntRange(1, MOST_WORKERS),
                default=64,
                show_default=True,
                help="Concurrent requests to all servers together.",
            ),
            click.option("--input_path", type=PATH, required=True, help="File with published tasks."),
            click.option(
                "--output_path", type=PATH, required=True, help="File for the responses; an existing one is continued."
            ),
            click.option("--model_name", required=True, help="The servers' name for the model."),
            click.option("--host", default="localhost", show_default=True, help="Host of the servers."),
            click.option(
                "--ports", default="8800", show_default=True, help="Ports of the servers, separated by commas."
            ),
            click.option("--base_url", default="", help="Address of another endpoint, instead of --host and --ports."),
            click.option("--api_key", default="", help="Key of the endpoint.  [default: $OPENAI_API_KEY]"),
            click.option(
                "--sample_count", type=click.IntRange(1), default=1, show_default=True, help="Responses per line."
            ),
            click.option(
                "--temperature",
                type=click.FloatRange(0, 5),
                default=0.6,
                show_default=True,
                help="Sampling temperature.",
            ),
            click.option(
                "--max_length",
                type=click.IntRange(1),
                default=16384,
                show_default=True,
                help="Maximum tokens per response.",
            ),
        )
    ):
        function = option(function)
    return function


@command.command("query-only")
@query_options
def query_only_command(**flags: Any) -> None:
    """Ask a model the question on each line of a file, without the documentation.

    The output contains every input line with its response, --sample_count times; lines are appended as responses
    arrive. Repeat the same command to continue. Responses that could not be obtained are reported, and the exit status
    is then 1.
    """
    _query(CLOSED, None, **flags)


@command.command("query-doc")
@query_options
@click.option("--doc_path", type=PATH, required=True, help="The published documentation, api_doc.jsonl.")
def query_doc_command(doc_path: Path, **flags: Any) -> None:
    """Ask a model the question on each line of a file, with the documentation of the functions that the line lists.

    Otherwise the same as query-only.
    """
    _query(OPEN, doc_path, **flags)


def _query(
    book: str,
    doc_path: Path | None,
    *,
    num_workers: int,
    input_path: Path,
    output_path: Path,
    model_name: str,
    host: str,
    ports: str,
    base_url: str,
    api_key: str,
    sample_count: int,
    temperature: float,
    max_length: int,
) -> None:
    addresses = [base_url] if base_url else _addresses(host, ports)

    def model() -> Endpoint:
        return Endpoint(
            model_name,
            addresses,
            key=api_key,
            timeout_s=TIMEOUT_S,
            request=Request(send_seed=False, send_top_p=False),
            flags=FLAGS,
        )

    model()  # report an invalid address or key before anything is read
    options.refuse_unreadable(input_path, "--input_path")
    trajectories.refuse_same(input_path, output_path, "--output_path")
    documentation = query.Documentation.read(doc_path) if doc_path is not None else None
    lines = query.read_queries(input_path, documentation)
    display.problems(input_path, lines.bad, SHOWN_PROBLEMS)
    display.problems(input_path, lines.without_page, SHOWN_PROBLEMS)
    if not lines.queries:
        raise ConfigError(f"--input_path {input_path} has no usable lines")
    with display.progress(model_name) as bar:
        summary = query.ask(
            lines.queries,
            model,
            output_path,
            settings={
                "model_name": model_name,
                "temperature": temperature,
                "max_length": max_length,
                "book": book,
                "prompts": lines.prompts_digest,
            },
            samples=sample_count,
            sampling=Sampling(temperature, max_tokens=max_length),
            workers=num_workers,
            progress=bar,
        )
    click.echo(
        f"{output_path}: {summary.there + summary.added:,} of "
        f"{counted(len(lines.queries) * sample_count, 'response')}, "
        f"{summary.added:,} of them new"
    )
    click.echo(f"to judge and report as well: sebench run WORLD --book {book} --prompts published")
    if summary.given_up:
        display.problems(input_path, summary.given_up, SHOWN_PROBLEMS)
        raise ProviderError(
            f"{counted(len(summary.given_up), 'request')} failed and left no line in {output_path}; run the same "
            "command again to retry",
            again=False,
        )
    if lines.bad:
        raise click.exceptions.Exit(1)


def _addresses(host: str, ports: str) -> list[str]:
    """Return the base addresses of the servers on one host."""
    numbers = [port.strip() for port in ports.split(",")]
    for port in numbers:
        if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
            raise ConfigError(f"--ports {ports!r}: '{port}' is not a port; separate ports with commas, as in 8800,8801")
    return [f"http://{host}:{port}/v1" for port in dict.fromkeys(numbers)]


@command.command("filter")
@click.option("--input_path", type=PATH, required=True, help="File with published tasks and responses.")
@click.option("--output_path", type=PATH, help="File to which new lines with right answers are added.")
@click.option(
    "--num_workers",
    type=click.IntRange(1),
    default=128,
    show_default=True,
    help="Answers judged concurrently, at most one per core.",
)
@click.option("--host", default="localhost", help="Ignored (accepted for compatibility): no sandbox server is needed.")
@click.option("--port", default="8111", help="Ignored (accepted for compatibility): no sandbox server is needed.")
@click.option("--mapping", type=PATH, help="Names of the library: zwc_mappings.json. Not a published flag.")
@click.option("--world", help="World with these names, instead of --mapping. Not a published flag.")
@click.pass_context
def filter_command(
    context: click.Context,
    input_path: Path,
    output_path: Path | None,
    num_workers: int,
    host: str,
    port: str,
    mapping: Path | None,
    world: str | None,
) -> None:
    """Judge the responses in a file by the published rules, count them, and keep the lines with right answers.

    Every line of the file counts in the denominator. Lines that cannot be judged are reported, and the exit status is
    then 1.
    """
    if any(context.get_parameter_source(flag) is ParameterSource.COMMANDLINE for flag in ("host", "port")):
        display.note("--host and --port are ignored: answers are judged here, without a sandbox server")
    if (mapping is None) == (world is None):
        raise ConfigError(
            "the names of the library are needed: use --mapping zwc_mappings.json (the published names), or --world "
            "with a world built from them, but not both"
        )
    options.refuse_unreadable(input_path, "--input_path")
    if output_path is not None:
        trajectories.refuse_same(input_path, output_path, "--output_path")
    if mapping is not None:
        options.refuse_unreadable(mapping, "--mapping")
    total = sum(1 for _ in published_lines.numbered(input_path))
    with (
        (
            published_world.library_alone(build.plan(0, "", mapping))
            if mapping
            else nullcontext(options.open_world(str(world)))
        ) as library,
        ThisMachine(min(num_workers, os.cpu_count() or 1)).judge(library, str(Profile.PAPER)) as judge,
        display.progress("judging") as progress,
    ):
        imported = rollouts.read(input_path, {}, library.names)
        display.problems(input_path, imported.bad, SHOWN_PROBLEMS)
        if missing := judge.missing_layers():
            display.note(f"judging without these isolation layers: {', '.join(missing)}")
        verdicts = {}
        for rollout, verdict in judge.as_judged((line.task, line.rollout) for line in imported.lines):
            verdicts[rollout.key] = verdict
            progress("verdicts", len(verdicts), len(imported.lines))
    if output_path is not None:
        right = {line.number for line in imported.lines if verdicts[line.rollout.key].passed}
        added = trajectories.keep_lines(input_path, right, output_path)
        lines = counted(len(right), "line with a right answer", "lines with right answers")
        display.note(f"{output_path}: {lines}, {added:,} of them new")
    counts = trajectories.count_verdicts(verdicts.values(), total)
    not_judged = counts.pop(trajectories.NOT_JUDGED)
    for name, count in counts.items():
        click.echo(f"{name}: {count}")
    click.echo(
        f"for error kinds, intervals, credit and a report: sebench judge {shell(world or 'WORLD')} {shell(input_path)}"
    )
    if not_judged:
        display.fail(
            f"{not_judged} of {counted(total, 'line')} could not be judged; the total includes them, and they count as "
            "wrong"
        )
