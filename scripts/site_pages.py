"""Pages of the documentation site that are not files of `docs/`. MkDocs calls this module (`hooks` in mkdocs.yml).

The README is the site's first page; CONTRIBUTING, CHANGELOG and NOTICE are pages too, so links between them and `docs/`
are turned into links of the site. The reference of the public API is made from the names that `sebench` lists, and the
colours of code are Pygments'. The search also works if the site is read from disk, where a page can neither start a
worker nor read JSON, but can load scripts.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pygments.formatters import HtmlFormatter

import sebench

ROOT = Path(__file__).parent.parent
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
NOTICE, LEGAL = "notice.md", ("NOTICE", "LICENSE")
WORKER = "if (!window.Worker) {\n  console.log"  # from here on, MkDocs' script of the search starts a worker
SEARCH = """var searchWorker = {postMessage: (message) => displayResults(search(message.query))};

/* Loads the index when somebody begins to search. */
document.addEventListener("focusin", function load(event) {
  if (event.target.id !== "mkdocs-search-query") return;
  document.removeEventListener("focusin", load);
  window.postMessage = (message) => onWorkerMessage({data: message});
  const next = ([name, ...others]) => {
    if (!name) { onScriptsLoaded(); doSearch(); return; }
    const script = document.createElement("script");
    script.src = joinUrl(base_url, `search/${name}`);
    script.onload = () => next(others);
    document.head.append(script);
  };
  next(["lunr.js", "worker.js", "search_index.js"]);
});
"""
REFERENCE = """# Every class and function

What `from sebench import ...` gives, from its docstrings. [The public API](api.md) shows how it is used.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text("utf-8")))
    legal = "\n\n".join(f"```text\n{(ROOT / name).read_text('utf-8').strip()}\n```" for name in LEGAL)
    files.append(File.generated(config, NOTICE, content=f"# Notice and licence\n\n{legal}\n"))
    names = [name for name in sebench.__all__ if not name.startswith("_")]
    reference = "\n".join([REFERENCE, *(f"::: sebench.{name}\n" for name in names)])
    files.append(File.generated(config, "reference.md", content=reference))
    files.append(File.generated(config, "code.css", content=_colours()))
    return files


def _colours() -> str:
    """Colours of code, for both modes of the theme."""
    light, dark = (
        HtmlFormatter(style=style).get_style_defs(f"[data-bs-theme={mode}] .highlight")
        for mode, style in (("light", "default"), ("dark", "github-dark"))
    )
    # Rules for words alone: the background of a block is the theme's.
    return "\n".join(rule for rule in f"{light}\n{dark}".splitlines() if ".highlight ." in rule)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between the root of the repository and `docs/` into links of the site."""

    def on_site(link: re.Match[str]) -> str:
        target, place = link[1].removeprefix("../").removeprefix("docs/"), link[2] or ""
        return f"]({NOTICE if target in LEGAL else PAGES.get(target, target)}{place})"

    return re.sub(r"\]\(([^)#:\s]+)(#[^)]*)?\)", on_site, markdown)


def on_post_build(config: MkDocsConfig) -> None:
    """Make the search work from disk: the index becomes a script, and no worker is started. Make the choice of colours
    work without highlight.js, whose style sheets the theme's script expects."""
    colours = Path(config.site_dir) / "js" / "darkmode.js"
    colours.write_text(re.sub(r"document\.getElementById\('hljs-\w+'\)", "{}", colours.read_text("utf-8")), "utf-8")
    folder = Path(config.site_dir) / "search"
    head, found, _ = (folder / "main.js").read_text("utf-8").partition(WORKER)
    if not found:
        raise PluginError("this version of MkDocs has another search/main.js; adapt WORKER in scripts/site_pages.py")
    (folder / "main.js").write_text(head + SEARCH, "utf-8")
    (folder / "search_index.js").write_text(f"data = {(folder / 'search_index.json').read_text('utf-8')};\n", "utf-8")
