"""The inspection page in a real browser: key presses become decisions on disk, and nothing that a model wrote becomes
markup."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sebench.author import decisions
from sebench.author.inspection import Inspection, InspectionServer
from tests.test_inspection import HOSTILE, TOKEN, running, sheet, stored
from tests.test_report_browser import CHROMIUM, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)")
DRAFTS = ("first", "second", "third")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@contextmanager
def served(folder: Path, port: int = 0) -> Iterator[InspectionServer]:
    file, drawn = decisions.file_of(folder, "anna"), [sheet(name, question=f"`x` {HOSTILE}") for name in DRAFTS]
    with decisions.open_ledger(file) as ledger:
        inspection = Inspection(folder.name, "anna", drawn, decisions.read(file, drawn), ledger)
        with running(InspectionServer(inspection, TOKEN), port) as made:
            yield made


def open_page(browser: Browser, server: InspectionServer) -> None:
    browser.go("about:blank")
    browser.events.clear()
    browser.call("Page.navigate", url=server.address)
    browser.wait(
        f"location.href.startsWith({json.dumps(server.address)}) && document.documentElement?.dataset.ready !== "
        "undefined"
    )


def typed(browser: Browser, *keys: str) -> None:
    """Press keys; a word of several letters is written, unless it names a key."""
    for key in keys:
        if len(key) == 1 or key in ("Enter", "Escape"):
            text: dict[str, Any] = {"text": key} if len(key) == 1 else {}
            browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
            browser.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        else:
            browser.call("Input.insertText", text=key)


def saved(browser: Browser) -> None:
    browser.wait("pending.size === 0 && !sending")


def shown(browser: Browser) -> str:
    return str(browser.js("document.querySelector('h1').textContent"))


def last_marks(folder: Path) -> dict[str, tuple[str, str]]:
    return {line["id"]: (line["mark"], line["note"]) for line in stored(folder)}


def test_a_sample_is_read_with_keys_alone(chromium: Browser, tmp_path: Path) -> None:
    with served(tmp_path) as server:
        open_page(chromium, server)
        assert shown(chromium) == "first"
        typed(chromium, "1")  # keep, and on
        assert shown(chromium) == "second"
        typed(chromium, "2", "ties are open", "Enter")  # the key itself is not written into the note
        assert shown(chromium) == "third"
        typed(chromium, "n", "look again, 1 and 3", "Escape", "k", "k")
        assert shown(chromium) == "first"
        typed(chromium, "u")
        assert shown(chromium) == "third"
        typed(chromium, "3")
        saved(chromium)
        assert chromium.js("document.getElementById('count').textContent").startswith("All 3 read")
        assert last_marks(tmp_path) == {
            "first": ("keep", ""),
            "second": ("fix", "ties are open"),
            "third": ("drop", "look again, 1 and 3"),
        }
        typed(chromium, "Escape", "0")
        saved(chromium)
        assert last_marks(tmp_path)["third"] == ("", "look again, 1 and 3")
    with served(tmp_path) as server:  # another day
        open_page(chromium, server)
        assert shown(chromium) == "third"
        assert chromium.js("document.getElementById('note').value") == "look again, 1 and 3"
        assert chromium.js("document.getElementById('count').textContent") == "2 of 3 read"


def test_what_models_wrote_is_text_and_nothing_is_loaded_from_elsewhere(chromium: Browser, tmp_path: Path) -> None:
    with served(tmp_path) as server:
        open_page(chromium, server)
        assert HOSTILE in chromium.js("document.querySelector('.question').textContent")
        assert chromium.js("document.querySelectorAll('main img, main script').length") == 0
        assert chromium.complaints() == []
        assert all(url.startswith((server.address, "data:")) for url in chromium.requests())


def test_gold_and_answers_can_be_hidden_and_the_keys_are_explained(chromium: Browser, tmp_path: Path) -> None:
    visible = "document.querySelector('.solutions').checkVisibility()"
    with served(tmp_path) as server:
        open_page(chromium, server)
        assert chromium.js(visible)
        typed(chromium, "g", "j")
        assert not chromium.js(visible)
        assert chromium.js("document.getElementById('answers').textContent") == "Show answers g"
        typed(chromium, "g", "?")
        assert chromium.js(visible)
        assert chromium.js("document.getElementById('help').open")
        typed(chromium, "1")  # keys rest while the help is open
        assert stored(tmp_path) == []


def test_a_decision_that_could_not_be_sent_is_told_kept_and_sent_later(chromium: Browser, tmp_path: Path) -> None:
    with served(tmp_path) as server:
        port = server.port
        open_page(chromium, server)
        chromium.js("new Promise((done) => setTimeout(done, 100))")
    typed(chromium, "1")
    chromium.wait("!document.getElementById('warning').hidden")
    assert "Not saved: first (the server is not responding)" in chromium.js(
        "document.getElementById('warning').textContent"
    )
    with served(tmp_path, port):
        saved(chromium)
        assert chromium.js("document.getElementById('warning').hidden")
    assert last_marks(tmp_path) == {"first": ("keep", "")}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 420])
def test_the_page_fits_and_is_readable(chromium: Browser, tmp_path: Path, scheme: str, width: int) -> None:
    with served(tmp_path) as server:
        chromium.size(width, 900, scheme)
        open_page(chromium, server)
        for wide in ("document.documentElement", "document.getElementById('draft')"):
            assert chromium.js(f"{wide}.scrollWidth <= {wide}.clientWidth")
        lightness = chromium.js("getComputedStyle(document.body).backgroundColor")
        assert (lightness == "rgb(246, 247, 249)") == (scheme == "light")
