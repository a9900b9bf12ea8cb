"""`sebench probe`: test what a model knows about a world's functions, without code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import fsum

import click

from sebench.base.wording import counted
from sebench.cli import display, options
from sebench.cli.strict import StrictCommand
from sebench.models import checkpoints, transformers
from sebench.report.numbers import intervals
from sebench.report.views.tables import TextTable, print_table
from sebench.rollout import describe
from sebench.train.probes.probes import QUESTIONS, Probes, ProbeSettings, probe

TITLES = {"name": "name from summary", "summary": "summary from name"}
PARTS = {"names": "names of functions", "parameters": "parameters", "words": "option words", "all": "together"}


@dataclass(frozen=True)
class BitsRow:
    """How many bits a model has learned about one part of a world's words, such as its function names."""

    words: int
    bits: float
    low: float  # 95 % interval, over functions
    high: float
    most: float  # the surprisal of all these words


@click.command(cls=StrictCommand)
@options.world_argument
@click.option(
    "--model", default="smollm2", show_default=True, help="smollm2, a Hugging Face name, a .gguf file, or a folder."
)
@click.option("--functions", default="", help="Functions to ask about, separated by commas.  [default: all]")
@click.option(
    "--ask",
    default=",".join(QUESTIONS),
    show_default=True,
    help="Questions to ask, separated by commas; 'bits' measures how much of the forged words the model has learned.",
)
@click.option("--device", default="", help="Device: cpu or cuda.  [default: chosen automatically]")
@click.option("--each", is_flag=True, help="Also show the results for every function.")
@options.as_json
def command(world: str, model: str, functions: str, ask: str, device: str, each: bool, as_json: bool) -> None:
    """Measure how likely a model considers the right names, summaries and signatures of WORLD's functions.

    The right name (or summary) is ranked among all those of the world: 'first' is the share of functions at rank 1,
    'log p' the mean log-probability of the right one, and 'normalized' the same after normalizing over all of these
    candidates. A signature is exact if greedy decoding would produce it. No code is written or judged; 'sebench run'
    does that.

    With '--ask bits', a forged word is worth max(0, its surprisal under the word generator + log2 of its probability
    under the model) bits: 0 for a word that the model finds no likelier than the generator does, 19 to 26 for one that
    it is certain of. Words are names of functions and, if they are forged, parameters and option words.
    """
    settings = ProbeSettings(_words(ask))
    transformers.libraries()  # report a missing package or file before a world is built
    source = model.removeprefix("hf:")  # 'sebench run' needs it for some models
    checkpoints.check_source(source)
    opened = options.open_world(world)
    if elsewhere := describe.trained_elsewhere(source, opened):
        display.note(elsewhere)
    torch, tokenizer, loaded = checkpoints.load(source, device)
    probes = probe(torch, loaded, tokenizer, opened, _words(functions) or None, settings)
    if as_json:
        output = {"model": model, "world": opened.manifest.fingerprint, **probes.to_json()}
        if rows := _bits_rows(probes):
            output["bits"] = {part: asdict(row) for part, row in rows.items()}
        click.echo(json.dumps({key: value for key, value in output.items() if each or key != "functions"}, indent=1))
        return
    title = f"{model}: {counted(len(probes.functions), 'function')} of world {world}"
    if set(settings.ask) & set(QUESTIONS):
        if each:
            print_table(_functions(probes), display.stdout)
        print_table(_figures(probes, title), display.stdout)
    if rows := _bits_rows(probes):
        if each:
            print_table(_each_word(probes), display.stdout)
        print_table(_bits(rows, title), display.stdout)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _figures(probes: Probes, title: str) -> TextTable:
    figures = probes.figures()
    rows = []
    for what, count in (("name", probes.names), ("summary", probes.summaries)):
        if f"{what}_logp" in figures:
            first, rank, logp, among = (figures[f"{what}_{part}"] for part in ("first", "rank", "logp", "among"))
            rows.append((TITLES[what], f"{count:,}", f"{first:.1%}", f"{rank:g}", f"{logp:.2f}", f"{among:.2f}"))
    if "signature_logp" in figures:
        exact, logp = figures["signature_exact"], figures["signature_logp"]
        rows.append(("signature from name", "", f"{exact:.1%} exact", "", f"{logp:.2f} per token", ""))
    return TextTable(title, 1, ("", "choices", "first", "median rank", "log p", "normalized"), tuple(rows))


def _functions(probes: Probes) -> TextTable:
    rows = []
    for one in probes.functions:
        cells = [one.path]
        for ranked in (one.name, one.summary):
            cells += [f"{ranked.rank:,}", f"{ranked.logp:.2f}"] if ranked else ["", ""]
        if one.signature:
            cells += ["exact" if one.signature.exact else "no", f"{one.signature.logp:.2f}"]
        rows.append(tuple(cells))
    head = ("function", "name", "log p", "summary", "log p", "signature", "log p")
    return TextTable("Every function: ranks and log-probabilities", 1, head, tuple(rows))


def _bits_rows(probes: Probes) -> dict[str, BitsRow]:
    """Return the bits for each part, and for all parts together if there are several."""
    parts = probes.bits()
    words = {part: {word.word for one in probes.functions for word in one.bits if word.part == part} for part in parts}
    rows = {part: _bits_row(functions, len(words[part])) for part, functions in parts.items()}
    if len(parts) > 1:
        paths = dict.fromkeys(path for functions in parts.values() for path in functions)
        pairs = {path: [functions[path] for functions in parts.values() if path in functions] for path in paths}
        total = {path: (fsum(bits for bits, _ in one), fsum(most for _, most in one)) for path, one in pairs.items()}
        rows["all"] = _bits_row(total, sum(map(len, words.values())))
    return rows


def _bits_row(functions: Mapping[str, tuple[float, float]], words: int) -> BitsRow:
    """Sum the bits over functions. The interval is that of the share learned, times the most bits that are possible."""
    bits, most = (fsum(column) for column in zip(*functions.values(), strict=True))
    mean = most / len(functions)
    interval = intervals.ratio_interval(*zip(*((a / mean, b / mean) for a, b in functions.values()), strict=True))
    assert interval is not None  # every word has more than 0 bits
    low, high = (min(max(share, 0.0), 1.0) * most for share in (interval.low, interval.high))
    return BitsRow(words, bits, low, high, most)


def _bits(parts: Mapping[str, BitsRow], title: str) -> TextTable:
    rows = []
    for part, row in parts.items():
        cells = f"{row.words:,}", f"{row.bits:,.1f}", f"{row.low:,.1f} to {row.high:,.1f}", f"{row.most:,.1f}"
        rows.append((PARTS[part], *cells, f"{row.bits / row.most:.1%}"))
    return TextTable(title, 1, ("", "words", "bits learned", "95 % interval", "possible", "share"), tuple(rows))


def _each_word(probes: Probes) -> TextTable:
    rows = []
    for word in (word for one in probes.functions for word in one.bits):
        cells = (f"{number:.2f}" for number in (word.surprisal, word.log2p, word.learned))
        rows.append((word.function, word.word, PARTS[word.part], *cells))
    return TextTable("Every word", 3, ("function", "word", "part", "surprisal", "log2 p", "bits learned"), tuple(rows))
