"""The command `sebench`: a small file per command or for a few on one subject, imported only when it is needed.

A user's mistake is one line on stderr and an exit status: 1 for a problem that a command found, 2 for an invalid
command line. Tracebacks are for our own bugs. SIGTERM interrupts a command as Ctrl-C does, so that it removes its
temporary files; a second SIGTERM ends it immediately, as does Ctrl-C once the interruption has been reported.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click

from sebench.base import extras
from sebench.base.errors import SebenchError
from sebench.cli.strict import LazyCommands
from sebench.version import __version__

# In the order in which a new user needs them.
COMMANDS = {
    "tour": "See the benchmark in a few minutes: a world, a trained model's released answers judged again, a report.",
    "build": "Forge a world from a seed: package, documentation and tasks.",
    "show": "Show a page of a world's documentation, a task, or the index.",
    "audit": "Check a world: functions, documentation, leaks, equivalence, reference solutions and determinism.",
    "tasks": "Check, read, export and extend the task bank.",
    "author": "Extend the benchmark with language models: propose and inspect tasks, rewrite pages.",
    "run": "Roll out a model, judge its answers, and report.",
    "judge": "Score a file of answers.",
    "published": "The commands of the published repository, with its flags: query-only, query-doc and filter.",
    "serve-judge": "Serve the judge of a world over HTTP, for trainers in other processes and languages.",
    "rephrase": "Have a model write study material about the pages of a world.",
    "learn": "Train a model on a world: SFT, RL, study or distillation.",
    "memory": "Write a memory of a world: an index, search, notes, ExpeL or ACE.",
    "ceilings": "Measure how many of the functions that tasks need are found by search and memories, without a model.",
    "selfplay": "Have a model ask itself questions with the documentation, and learn from its right answers.",
    "probe": "Test whether a model knows the names, summaries and signatures of a world's functions, without code.",
    "experiment": "Compare training methods on several worlds: train, evaluate, report.",
    "stream": "Have a model learn several worlds one after another; measure forgetting.",
    "report": "Report on one or several runs: tables, files and a page.",
    "release": "Package a run or experiment for publication.",
    "verify": "Check a release by judging its answers again.",
    "rescore": "Judge a run or a release again with this version's scoring rules.",
    "leaderboard": "Rank runs and releases on one page.",
    "doctor": "Show which isolation layers work here, and how long a verdict takes.",
    "worlds": "List the worlds in a folder.",
    "path": "Print the folder with the task files for another framework (lm-eval).",
}
# Commands in the file of another one.
NEIGHBOURS = {"stream": "experiment", "verify": "release", "rescore": "release", "path": "worlds"}
# Commands that save each finished piece of work to disk.
RESUMABLE = (
    "tour",
    "run",
    "judge",
    "learn",
    "memory",
    "experiment",
    "stream",
    "rephrase",
    "author",
    "selfplay",
    "published",
)


@click.command(
    cls=LazyCommands,
    summaries=COMMANDS,
    module="sebench.cli.{}",
    neighbours=NEIGHBOURS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="sebench")
def cli() -> None:
    """SE-Bench measures whether a model has internalized new knowledge.

    It turns NumPy into a library that never existed, asks simple questions about it, and scores the answers given with
    and without the documentation in the prompt. Start with 'sebench tour'; then try 'sebench run 7 --model M'.
    """


def _resumable(arguments: list[str]) -> bool:
    return len(arguments) > 1 and arguments[1] in RESUMABLE


@contextmanager
def _interrupted_by_sigterm() -> Iterator[list[int]]:
    """Treat SIGTERM as an interrupt, and yield a list that receives the signal when it arrives. A SIGTERM that is
    ignored stays ignored."""
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        received.append(number)
        signal.signal(number, signal.SIG_DFL)
        # asyncio has a handler of its own; a command in the background of a shell script ignores SIGINT
        if callable(handler := signal.getsignal(signal.SIGINT)):
            handler(signal.SIGINT, frame)
        else:
            raise KeyboardInterrupt

    main_thread = threading.current_thread() is threading.main_thread()
    if not main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield received
        return
    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield received
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def main() -> None:
    """Run the command line and exit."""
    with _interrupted_by_sigterm() as terminated:
        _main(terminated)


def _main(terminated: list[int]) -> None:
    if warning := extras.conflict():
        click.echo(f"note: {warning}", err=True)
    try:
        status = cli(prog_name="sebench", standalone_mode=False)  # a number if a command raised `Exit`
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(2)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "sebench"
        message = error.format_message().rstrip(".")
        see = " See" if message.endswith("?") else "; see"
        click.echo(f"{command}: {message}{see} '{command} --help'", err=True)
        sys.exit(2)
    except click.ClickException as error:
        click.echo(f"sebench: {error.format_message()}", err=True)
        sys.exit(2)
    except SebenchError as error:
        click.echo(f"sebench: {error}", err=True)
        sys.exit(1)
    except (click.Abort, KeyboardInterrupt) as error:
        # The next Ctrl-C ends Python's wait for threads at once, without a traceback; ignored, it stays ignored.
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        kept = "finished work is kept; run the same command again to resume"
        kept = str(error) or (kept if _resumable(sys.argv) else "nothing was kept")
        click.echo(f"sebench: interrupted; {kept}", err=True)
        sys.exit(143 if terminated else 130)
    sys.exit(status if isinstance(status, int) else 0)
