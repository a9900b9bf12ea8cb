"""Every command that the README and the docs show is run, in order, in a fresh folder per document."""

from __future__ import annotations

import importlib.util
import itertools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click
import pytest

from sebench.cli import cli
from sebench.version import __version__
from sebench.world.world import World
from tests import toy
from tests.conftest import hear_interrupts, slow
from tests.misbehaving import Server
from tests.page_writer import PageWriter
from tests.proposals import Endpoint

ROOT = Path(__file__).parent.parent
MAPPED = "sebench build --mapping mapping.json --out worlds/zwc"
SHOWN_ENDPOINT = "http://localhost:8000/v1"
# documents whose models are scripted
WRITING = {"author.md": Endpoint, "rewriting.md": PageWriter, "integrations.md": Server, "published.md": Server}
FRAMEWORKS = ("inspect", "lm_eval")  # their commands are run where they are installed
COMMANDS = ROOT / "docs" / "commands.md"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

READ = "sebench author inspect"  # ends when its reader does
SERVE = "sebench serve-judge"  # runs beside the commands that follow it
IN_ONE_PROCESS = """
import shlex, sys
from sebench.cli import cli
for command in sys.argv[1:]:
    if cli.main(shlex.split(command)[1:], standalone_mode=False):
        sys.exit(command)
"""


def commands(document: Path) -> list[str]:
    """The lines after `$ ` in `console` blocks, the lines of `sh` blocks, and `python` blocks as one command each."""
    found: list[str] = []
    fenced = r"^```(console|sh|python)\n(.*?)^```"
    for language, block in re.findall(fenced, document.read_text(), re.MULTILINE | re.DOTALL):
        lines = block.splitlines()
        if language == "python":
            found.append(f"python -c {shlex.quote(block)}")
        else:
            shown = [line[2:] for line in lines if line.startswith("$ ")] if language == "console" else lines
            found += [line.partition("  #")[0].strip() for line in shown if line.strip()]
    return found


def test_a_line_with_a_comment_can_be_pasted_into_a_shell() -> None:
    command = r"^((?:sebench|pip|python|make|ray|vllm|accelerate|\.) .*?\S {3,}[^#\s].*)$"
    for document in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        if document != COMMANDS:
            for block in re.findall(r"^```(?:text|sh)\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL):
                assert not re.findall(command, block, re.MULTILINE), document


@contextmanager
def endpoint(document: Path) -> Iterator[str]:
    """The address of what stands for the models of a document at SHOWN_ENDPOINT."""
    if document.name not in WRITING:
        yield SHOWN_ENDPOINT
        return
    with WRITING[document.name]() as server:
        yield server.url


def missing(command: str, path: str) -> bool:
    """Whether a command is one of a framework that is not installed here."""
    program = next(word for word in command.split() if "=" not in word)  # behind variables of its environment
    return program in FRAMEWORKS and shutil.which(program, path=path) is None


def inspect(command: str, folder: Path, environment: Mapping[str, str]) -> None:
    """A reader opens the page and ends the command with Ctrl-C."""
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    arguments = ["bash", "-c", f"exec {command}"]
    with subprocess.Popen(
        arguments, cwd=folder, env=environment, text=True, preexec_fn=hear_interrupts, **pipe
    ) as process:
        assert process.stdout
        said = ""
        for line in process.stdout:
            said += line
            if address := re.search(r"open (http\S+)", line):
                assert urllib.request.urlopen(address[1], timeout=30).status == 200
                process.send_signal(signal.SIGINT)
    assert process.returncode == 0, said


@contextmanager
def serving(command: str, folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """A judge that is served until the document ends, and then ended with Ctrl-C."""
    arguments = ["bash", "-c", f"exec {command}"]
    with subprocess.Popen(
        arguments, cwd=folder, env=environment, text=True, preexec_fn=hear_interrupts, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout and "judging at" in process.stdout.readline()
        yield
        process.send_signal(signal.SIGINT)
        said = process.stdout.read()
    assert process.returncode == 0, said


def together(shown: list[str]) -> list[str]:
    """Commands of sebench that follow one another in one process: each alone would import NumPy and torch and read the
    bank again, which takes longer than most of what they do."""
    made: list[str] = []
    alone = (READ, SERVE, MAPPED)
    for ours, some in itertools.groupby(
        shown, key=lambda command: command.startswith("sebench ") and not command.startswith(alone)
    ):
        following = list(some)
        made += [shlex.join(["python", "-c", IN_ONE_PROCESS, *following])] if ours else following
    return made


SHORT = ("README.md", "serving.md")  # run by `make test`; of the others it checks the spelling alone


@pytest.mark.parametrize(
    "document",
    [pytest.param(d, marks=[] if d.name in SHORT else slow, id=d.name) for d in DOCUMENTS if commands(d)],
)
def test_every_command_shown_works(document: Path, tmp_path: Path, published: World, small: World) -> None:
    # in the place of the whole world, which takes a minute to build
    shutil.copytree(small.path, tmp_path / "worlds" / "7")
    for name, data in (
        ("mapping.json", "published_mapping.json"),
        ("answers.jsonl", "answers.jsonl"),
        ("single_test.jsonl", "published/single_test.jsonl"),
        ("api_doc.jsonl", "published/api_doc.jsonl"),
    ):
        (tmp_path / name).write_bytes((ROOT / "tests" / "data" / data).read_bytes())
    if document.name == "learn.md":
        tokens = toy.tokenizer()
        for made in (toy.model(tokens, context=8192), tokens):
            made.save_pretrained(tmp_path / "my-model")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "SEBENCH_WORLDS": str(tmp_path / "worlds")}
    with endpoint(document) as url, ExitStack() as running:
        for command in together(commands(document)):
            if command.startswith(("make", "git clone", "cd ")):
                continue  # the targets are looked at below; setting up is what runs this test
            if missing(command, path):
                continue
            if command == MAPPED:
                shutil.copytree(published.path, tmp_path / "worlds" / "zwc")  # built once for all documents
                continue
            if command.startswith(SERVE):
                running.enter_context(serving(command, tmp_path, environment))
                continue
            if command.startswith(READ):
                inspect(command, tmp_path, environment)
                continue
            told = command.replace(SHOWN_ENDPOINT, url)
            done = subprocess.run(["bash", "-ec", told], cwd=tmp_path, capture_output=True, text=True, env=environment)
            assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr}"


def spelled_wrong(command: str) -> list[str]:
    """The words of a command line of sebench that are no command and no option of it."""
    words = shlex.split(command)[1:]
    asked: click.Command = cli
    while isinstance(asked, click.Group):
        name = words.pop(0)
        if name.startswith("-"):
            break
        inner = asked.get_command(click.Context(asked), name)
        if inner is None:
            return [name]
        asked = inner
    forms = [asked, *getattr(asked, "variants", {}).values()]  # a command whose options depend on a word of it
    known = {option for form in forms for one in form.params for option in (*one.opts, *one.secondary_opts)}
    return [word for word in words if word.startswith("-") and word.partition("=")[0] not in known]


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if commands(d)], ids=lambda document: document.name)
def test_every_command_and_option_shown_exists(document: Path) -> None:
    ours = [command for command in commands(document) if command.startswith("sebench ")]
    assert [(command, wrong) for command in ours if (wrong := spelled_wrong(command))] == []


def test_a_command_or_option_that_does_not_exist_is_noticed() -> None:
    assert spelled_wrong("sebench tasks sample worlds/7 -n 3 --spilt single_test") == ["--spilt"]
    assert spelled_wrong("sebench author funel my_bank") == ["funel"]


def test_every_make_target_shown_exists_and_the_readme_shows_two_commands() -> None:
    shown = {shlex.split(c)[1] for d in DOCUMENTS for c in commands(d) if c.startswith("make ")}
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert shown <= set(targets)
    assert [c for c in commands(ROOT / "README.md") if c.startswith("make")][:2] == ["make tour", "make test"]


def test_relative_links_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
            assert (document.parent / link).exists(), f"{document.name}: {link}"


def test_the_page_of_commands_is_what_the_commands_say_today() -> None:
    spec = importlib.util.spec_from_file_location("write_commands", ROOT / "scripts" / "write_commands.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert COMMANDS.read_text("utf-8") == script.page(), "docs/commands.md is out of date: run 'make docs'"


def test_every_page_of_the_docs_is_in_the_navigation_of_the_site() -> None:
    listed = set(re.findall(r": ([a-z-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    assert {page.name for page in (ROOT / "docs").glob("*.md")} <= listed


def test_the_citation_names_this_version_and_the_paper() -> None:
    citation, readme = ((ROOT / name).read_text("utf-8") for name in ("CITATION.cff", "README.md"))
    assert f"\nversion: {__version__}\n" in citation
    families = re.findall(r"family-names: (\w+)\n +given-names: (\w+)", citation)
    assert " and ".join(f"{family}, {given}" for family, given in families) in readme
    assert citation.count("2602.04811") == 2 and "arXiv:2602.04811" in readme


def test_the_readme_shows_figures_of_the_results() -> None:
    def rows(text: str) -> dict[str, list[str]]:
        cells = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in text.splitlines()]
        return {label: [cell for cell in figures if cell[:1].isdigit()] for label, *figures in cells}

    results = (ROOT / "docs" / "results.md").read_text("utf-8")
    means = rows(results.partition("<!-- table h200-qwen means -->")[2].partition("<!-- end -->")[0])
    shown = rows((ROOT / "README.md").read_text("utf-8").partition("## Start")[0])
    for label, name in (
        ("untrained", "untrained"),
        ("trained on its own right answers, book open (Open-SFT)", "Open-SFT, own answers"),
        ("trained on the same answers, book closed (Closed-SFT)", "Closed-SFT, own answers"),
        ("trained on reference answers, book open", "Open-SFT, gold answers"),
        ("trained on reference answers, book closed", "Closed-SFT, gold answers"),
    ):
        assert shown[label] == [cell for cell in means[name] if "," not in cell and "(" not in cell][:3]
