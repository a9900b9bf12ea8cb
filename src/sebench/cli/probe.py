"""`sebench probe`: test what a model knows about a world's functions, without code."""

from __future__ import annotations

import json

import click
from rich.table import Table

from sebench.base.wording import counted
from sebench.cli import display, options
from sebench.models import checkpoints, transformers
from sebench.train.probes.probes import QUESTIONS, Probes, ProbeSettings, probe

TITLES = {"name": "name from summary", "summary": "summary from name"}


@click.command()
@options.world_argument
@click.option(
    "--model", default="smollm2", show_default=True, help="smollm2, a Hugging Face name, a .gguf file, or a folder."
)
@click.option("--functions", default="", help="Functions to ask about, separated by commas.  [default: all]")
@click.option("--ask", default=",".join(QUESTIONS), show_default=True, help="Questions to ask, separated by commas.")
@click.option("--device", default="", help="Device: cpu or cuda.  [default: chosen automatically]")
@click.option("--each", is_flag=True, help="Also show the results for every function.")
@options.as_json
def command(world: str, model: str, functions: str, ask: str, device: str, each: bool, as_json: bool) -> None:
    """Measure how likely a model considers the right names, summaries and signatures of WORLD's functions.

    The right name (or summary) is ranked among all those of the world: 'first' is the share of functions at rank 1,
    'log p' the mean log-probability of the right one, and 'of a choice' the same after normalising over all of these
    candidates. A signature is exact if greedy decoding would produce it. No code is written or judged; 'sebench run'
    does that.
    """
    settings = ProbeSettings(_words(ask))
    transformers.libraries()  # report a missing package or file before a world is built
    checkpoints.check_source(model)
    opened = options.open_world(world)
    torch, tokenizer, loaded = checkpoints.load(model, device)
    probes = probe(torch, loaded, tokenizer, opened, _words(functions) or None, settings)
    if as_json:
        output = {"model": model, "world": opened.manifest.fingerprint, **probes.to_json()}
        click.echo(json.dumps({key: value for key, value in output.items() if each or key != "functions"}, indent=1))
        return
    if each:
        display.stdout.print(_functions(probes))
    display.stdout.print(_figures(probes, f"{model}: {counted(len(probes.functions), 'function')} of world {world}"))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _figures(probes: Probes, title: str) -> Table:
    figures = probes.figures()
    numbers = map(display.right, ("choices", "first", "median rank", "log p", "of a choice"))
    table = Table("", *numbers, title=title, title_justify="left")
    for what, count in (("name", probes.names), ("summary", probes.summaries)):
        if f"{what}_logp" in figures:
            first, rank, logp, among = (figures[f"{what}_{part}"] for part in ("first", "rank", "logp", "among"))
            table.add_row(TITLES[what], f"{count:,}", f"{first:.1%}", f"{rank:g}", f"{logp:.2f}", f"{among:.2f}")
    if "signature_logp" in figures:
        exact, logp = figures["signature_exact"], figures["signature_logp"]
        table.add_row("signature from name", "", f"{exact:.1%} exact", "", f"{logp:.2f} per token", "")
    return table


def _functions(probes: Probes) -> Table:
    numbers = map(display.right, ("name", "log p", "summary", "log p", "signature", "log p"))
    table = Table("function", *numbers, title="Every function: ranks and log-probabilities", title_justify="left")
    for one in probes.functions:
        cells = [one.path]
        for ranked in (one.name, one.summary):
            cells += [f"{ranked.rank:,}", f"{ranked.logp:.2f}"] if ranked else ["", ""]
        if one.signature:
            cells += ["exact" if one.signature.exact else "", f"{one.signature.logp:.2f}"]
        table.add_row(*cells)
    return table
