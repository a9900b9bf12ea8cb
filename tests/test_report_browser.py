"""The report page in a real browser: Debian's chromium opens it from disk, controlled over its debugging pipe."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sebench import report
from sebench.report.numbers import leaderboard
from sebench.report.numbers.intervals import Interval
from sebench.report.numbers.leaderboard import Origin
from sebench.report.views import drawings, tables, training_files
from sebench.report.views import leaderboard as views
from sebench.report.views.training_files import TrainingReport
from sebench.rollout.protocol import V1
from sebench.rollout.store import Run
from tests.conftest import EVERYTHING
from tests.test_report_data import HOSTILE, MEMORY, PROMPT, many_tasks, task, write_run

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-pipe",
)  # fmt: skip
WAIT_S = 60


class Browser:
    """One page of one chromium. Commands go in over fd 3, replies and events come back over fd 4, each ended by a
    null."""

    def __init__(self, profile: Path) -> None:
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        # Away from 3 and 4, where the shell puts them.
        far = [fcntl.fcntl(fd, fcntl.F_DUPFD, 50) for fd in (theirs_in, theirs_out)]
        command = f'exec "$0" "$@" 3<&{far[0]} 4>&{far[1]}'
        self.process = subprocess.Popen(
            ["bash", "-c", command, str(CHROMIUM), *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=far, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for fd in (theirs_in, theirs_out, *far):
            os.close(fd)
        self.fds = (ours_in, ours_out)
        self.buffer, self.last, self.session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.fds[1], json.dumps(message).encode() + b"\0")
        until = time.monotonic() + WAIT_S
        while True:
            found = self._read(until)
            if found.get("id") == self.last:
                assert "error" not in found, f"{method}: {found['error']}"
                result: dict[str, Any] = found["result"]
                return result
            self.events.append(found)

    def _read(self, until: float) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.fds[0]], [], [], max(until - time.monotonic(), 0))
            assert ready, "chromium does not answer"
            chunk = os.read(self.fds[0], 1 << 16)
            assert chunk, "chromium has gone"
            self.buffer += chunk
        message, _, self.buffer = self.buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def js(self, expression: str) -> Any:
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, f"{expression}: {found['exceptionDetails']}"
        return found["result"].get("value")

    def open(self, file: Path, fragment: str = "") -> None:
        """Open a file, and wait until its responses are there."""
        self.go("about:blank")
        self.events.clear()
        self.go(f"{file.as_uri()}{fragment}")
        self.wait("document.documentElement.dataset.ready !== undefined")

    def go(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        self.wait(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")

    def wait(self, expression: str) -> None:
        until = time.monotonic() + WAIT_S
        while not self.js(expression):
            assert time.monotonic() < until, f"never true: {expression}"
            time.sleep(0.02)

    def key(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def size(self, width: int, height: int, scheme: str = "light") -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def requests(self) -> list[str]:
        """Every address that the page asked for."""
        self.js("new Promise((done) => setTimeout(done, 200))")
        wanted = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [url for url in wanted if not url.startswith("blob:")]

    def complaints(self) -> list[Any]:
        """Exceptions, and what the browser logged: refused requests and scripts among it."""
        return [e["params"] for e in self.events if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]

    def close(self) -> None:
        with contextlib.suppress(OSError, AssertionError):
            self.session = ""
            self.call("Browser.close")
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for fd in self.fds:
            os.close(fd)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of one run whose every response, name and message is hostile, and a page of two runs."""
    folder, tasks = tmp_path_factory.mktemp("pages"), many_tasks(40, 20)
    prompts = [
        {"digest": PROMPT, "text": f"Read this page.\n\n{HOSTILE}\n\nNow answer."},
        {"digest": "other", "text": "unasked"},
    ]
    hostile = write_run(
        folder / "hostile", tasks, {"closed": 0.3, "open": 0.8}, samples=2, model=f"m{HOSTILE}", prompts=prompts
    )
    for name, field in (("rollouts.jsonl", "response"), ("verdicts.jsonl", "detail"), ("verdicts.jsonl", "actual")):
        lines = [json.loads(line) for line in (hostile / name).read_text().splitlines()]
        changed = [{**line, field: f"{line[field]}{HOSTILE}\ud83d"} for line in lines]
        (hostile / name).write_text("".join(f"{json.dumps(line)}\n" for line in changed))
    before = write_run(folder / "before", tasks, {"closed": 0.15, "open": 0.7}, samples=2, seed=1)
    after = write_run(folder / "after", tasks, {"closed": 0.6, "open": 0.7}, samples=2, seed=1)
    report.write([Run.load(hostile)], folder / "one")
    report.write([Run.load(before), Run.load(after)], folder / "two")
    origin = Origin("a-release-with-a-name", "closed-sft", 4_137_312, "2026-11-17")
    entries = [leaderboard.entry(Run.load(run), origin, V1) for run in (before, after)]
    boards = leaderboard.boards(entries, V1)
    (folder / "board.html").write_text(views.page(boards))
    return {"one": folder / "one/report.html", "two": folder / "two/report.html", "board": folder / "board.html"}


def test_the_page_renders_and_no_request_leaves_it(browser: Browser, pages: dict[str, Path]) -> None:
    browser.size(1300, 900)
    browser.open(pages["one"])
    assert browser.js("document.querySelectorAll('.item').length") > 10
    assert browser.js("document.querySelectorAll('#heat .fn').length") >= 40
    assert browser.js("document.querySelectorAll('.card').length") == 1
    assert browser.js("document.querySelectorAll('#plots svg circle').length") > 5
    assert browser.js("document.querySelectorAll('#error-table tbody tr').length") >= 5
    assert browser.requests() == [pages["one"].as_uri()]
    assert browser.complaints() == []


def test_the_heading_names_the_edition_of_a_world(browser: Browser, pages: dict[str, Path], tmp_path: Path) -> None:
    recorded = pages["two"].read_text().replace('"package":', '"edition":3,"package":')
    (tmp_path / "edition.html").write_text(recorded)
    for page, named in ((pages["two"], False), (tmp_path / "edition.html", True)):
        browser.open(page)
        assert ("(edition 3, seed " in browser.js("document.getElementById('subtitle').textContent")) == named


def test_the_page_rounds_as_the_terminal_does(browser: Browser, pages: dict[str, Path]) -> None:
    values = [k / 2**n for n in range(1, 12) for k in range(2**n + 1)] + [0.1, 1 / 3, 0.0005, 0.00049, 0.9995]
    browser.open(pages["two"])
    assert browser.js(f"{json.dumps(values)}.map(pValue)") == [tables.p_value(value) for value in values]
    shown = browser.js(f"{json.dumps(values)}.map((value) => percent(value))")
    assert [text.replace(" ", "") for text in shown] == [tables.percent(value) for value in values]
    whole = browser.js(f"{json.dumps(values)}.map((value) => percent(value, 0))")
    assert [text.replace(" ", "") for text in whole] == [f"{value:.0%}" for value in values]


def test_a_single_split_has_no_second_row_for_all_tasks(
    browser: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    run = write_run(tmp_path / "run", many_tasks(4, 0), {"closed": 0.5, "open": 0.5})
    report.write([Run.load(run)], tmp_path / "page")
    splits = "[...document.querySelectorAll('#summary-table td:nth-child(3)')].map((one) => one.textContent)"
    browser.open(tmp_path / "page" / "report.html")
    assert browser.js(splits) == ["single function"] * 2
    browser.open(pages["one"])
    assert browser.js(splits) == ["all tasks", "single function", "several functions"] * 2


def test_the_boundary_has_a_section_only_where_it_was_asked_for(
    browser: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    tasks = [*many_tasks(12, 3), *(task(f"absent_{i}", ("polyint",), "boundary_test") for i in range(4))]
    run = write_run(tmp_path / "run", tasks, {"closed": 0.3, "open": 0.8})
    report.write([Run.load(run)], tmp_path / "page")
    browser.open(tmp_path / "page" / "report.html")
    assert browser.js("document.querySelectorAll('#boundary-table tbody tr').length") == 2  # closed and open
    assert "| 12" in browser.js("document.querySelector('#boundary-table tbody tr').textContent")
    browser.open(pages["one"])
    assert browser.js("document.getElementById('boundary')") is None
    assert browser.js("document.querySelector('nav').textContent.includes('Boundary')") is False
    assert browser.complaints() == []


@pytest.mark.parametrize("name", ["memory-", "memory-with-a-name-that-is-long-enough-for-a-file-"])
def test_labels_of_the_token_plot_cover_no_other_near_its_upper_edge(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    tasks = many_tasks(12, 3)
    runs = [
        write_run(tmp_path / f"{name}{n}", tasks, {"closed": 1.0}, holes=False, facts={"memory": MEMORY})
        for n in range(6)
    ]
    report.write([Run.load(run) for run in runs], tmp_path / "page")
    for width in (1300, 400):
        browser.size(width, 900)
        browser.open(tmp_path / "page" / "report.html")
        assert browser.js("document.querySelectorAll('#regime-plot circle').length") == 6
        assert overlaps(browser, "#regime-plot text") == 0 and smallest_label(browser) >= 10
        assert browser.js("document.documentElement.scrollWidth") <= width
    browser.size(1300, 900)  # the page is turned, and the plot is drawn again
    browser.wait("document.querySelector('#regime-plot svg').viewBox.baseVal.width > 1000")


def smallest_label(browser: Browser) -> float:
    """The size of the smallest text in a plot, in pixels of the screen."""
    found: float = browser.js("""Math.min(...[...document.querySelectorAll('svg text')].map((one) =>
      parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a))""")
    return found


@pytest.mark.parametrize("width", [400, 700, 1400])
def test_labels_in_the_pictures_of_an_experiment_can_be_read(browser: Browser, tmp_path: Path, width: int) -> None:
    panel = ("single tasks", {"a method": [drawings.Bar("closed", "a", 0.5, None)]})
    shown = TrainingReport(
        "a", "b", "c", (), {"p.svg": ("Plot", partial(drawings.bar_chart, [panel], "d"))}, (), (), (), "e", {}
    )
    (tmp_path / "page.html").write_text(training_files.page(shown))
    browser.size(width, 900)
    browser.go((tmp_path / "page.html").as_uri())
    scale = browser.js("document.querySelector('img').width / document.querySelector('img').naturalWidth")
    assert 10 / 11 <= scale <= 1 and browser.js("document.documentElement.scrollWidth") <= width
    fits = browser.js("document.querySelector('picture').scrollWidth <= document.querySelector('picture').clientWidth")
    assert fits == (width != 700)


def svg_labels(browser: Browser, plot: str, folder: Path) -> int:
    """How many pairs of labels in a plot cover each other; none may be cut off."""
    (folder / "plot.svg").write_text(plot)
    browser.go((folder / "plot.svg").as_uri())
    end = "document.documentElement.width.baseVal.value"
    cut = f"[...document.querySelectorAll('text')].filter((one) => one.getBoundingClientRect().right > {end})"
    assert browser.js(f"{cut}.map((one) => one.textContent)") == []
    return overlaps(browser, "text")


@pytest.mark.parametrize("width", [drawings.NARROW, drawings.WIDTH])
def test_labels_of_a_plot_cover_no_other_at_any_width(browser: Browser, tmp_path: Path, width: int) -> None:
    browser.size(1400, 1000)
    for name in ("SFT", "a method with a name of forty characters"):
        own = [drawings.Bar(book, "a", 0.5, Interval(0.4, 0.6, "wilson")) for book in ("closed", "open", "native")]
        chart = drawings.bar_chart([(drawings.SEEN_TITLE, {name: own, "b": own})], "Accuracy", width)
        stages = ["1: A", "2: B", "before training"]
        shares = {(row, column): 0.5 for row in stages for column in "ABCDE"}
        heat = drawings.heat_maps([(name, stages, list("ABCDE"), shares)] * 2, "Heat", width)
        assert svg_labels(browser, chart, tmp_path) == svg_labels(browser, heat, tmp_path) == 0


def overlaps(browser: Browser, labels: str, beginning: str = "") -> int:
    """How many pairs of labels cover each other."""
    found: int = browser.js(f"""(() => {{
      const boxes = [...document.querySelectorAll('{labels}')]
        .filter((one) => one.textContent.startsWith('{beginning}')).map((one) => one.getBoundingClientRect());
      const wide = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1;
      const high = (a, b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6;
      return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => wide(a, b) && high(a, b))).length;
    }})()""")
    return found


def test_before_and_after_are_lines_whose_labels_cover_no_other(
    browser: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    tasks = many_tasks(20, 20)
    skills = {"before": (0.0, 0.0, 0.0), "after": (0.5, 0.5, 0.5), "nothing learnt": (0.0, 0.0, 0.0)}
    runs = [
        write_run(tmp_path / name, tasks, dict(zip(("closed", "open", "native"), skill, strict=True)), holes=False)
        for name, skill in skills.items()
    ]
    report.write([Run.load(run) for run in runs], tmp_path / "page")
    for width in (1300, 380):
        browser.size(width, 900)
        browser.open(tmp_path / "page" / "report.html")
        assert browser.js("document.querySelectorAll('#slopes .plot').length") == 2
        assert browser.js("document.querySelector('#slopes h3').textContent") == "before → after"
        assert "points only" in browser.js("document.querySelector('#slopes').previousElementSibling.textContent")
        assert browser.js("document.querySelector('#slopes svg').querySelectorAll('.slope').length") == 3 * 2
        assert overlaps(browser, "#slopes text") == 0
        inside = "one.getBoundingClientRect().right <= one.closest('.plot').getBoundingClientRect().right"
        assert browser.js(f"[...document.querySelectorAll('#slopes text')].every((one) => {inside})")
    browser.open(pages["one"])
    assert browser.js("document.querySelectorAll('#slopes svg').length") == 0
    assert browser.complaints() == []


@pytest.mark.parametrize("width", [1400, 420])
def test_names_and_values_of_a_plot_stay_whole_and_within_their_column(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    skill, tasks = {"closed": 1.0, "open": 1.0, "native": 1.0}, many_tasks(12, 0)
    names = ("2003-closed-sft-gold", "2003-closed-sft-own", "x" * 60)
    runs = [write_run(tmp_path / name, tasks, skill, holes=False) for name in names]
    report.write([Run.load(run) for run in runs], tmp_path / "page")
    browser.size(width, 900)
    browser.open(tmp_path / "page" / "report.html")
    labels = "[...document.querySelectorAll('#plots .name, #plots .value')]"
    assert browser.js(f"{labels}.length") == 2 * len(names)
    assert browser.js(f"{labels}.every((one) => one.scrollWidth <= one.clientWidth)")
    assert overlaps(browser, "#plots .value span") == 0


def test_what_was_at_hand_has_a_section_and_a_plot_only_where_runs_differ_in_it(
    browser: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    tasks, told = many_tasks(12, 3), {"memory": {**MEMORY, "writer": f"w{HOSTILE}"}}
    plain = write_run(tmp_path / "plain", tasks, {"closed": 0.1, "open": 0.8})
    remembered = write_run(tmp_path / "remembered", tasks, {"closed": 0.5}, facts=told, config={"repair": 1})
    report.write([Run.load(plain), Run.load(remembered)], tmp_path / "page")
    browser.size(380, 800)
    browser.open(tmp_path / "page" / "report.html")
    assert browser.js("document.querySelectorAll('#regime-table tbody tr').length") == 3
    assert browser.js(
        "[...document.querySelectorAll('.stat span:first-child')].map((one) => one.textContent).join()"
    ) == ("closed book,open book,closed book, interpreter + ace")
    assert browser.js("document.querySelectorAll('#regime-plot circle').length") == 3
    assert browser.js("document.querySelectorAll('#regime-plot circle.hollow.at-memory').length") == 1
    assert browser.js("document.documentElement.scrollWidth") <= 380
    browser.size(1300, 900)
    browser.open(pages["two"])
    assert browser.js("document.getElementById('at-hand')") is None
    assert browser.complaints() == []


def test_a_hostile_response_stays_text(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["one"])
    for _ in range(5):
        browser.js("select(view.at + 1)")
        assert HOSTILE in browser.js("document.getElementById('detail').textContent")
    assert HOSTILE in browser.js("document.querySelector('.card h2').textContent")
    assert "hacked" not in browser.js("document.title")
    assert browser.js("document.querySelectorAll('img').length") == 0
    # numbers and our own; the packed one is used up
    assert browser.js("document.querySelectorAll('script').length") == 2
    assert browser.requests() == [pages["one"].as_uri()]
    assert browser.complaints() == []


def test_a_script_or_an_image_that_got_in_would_do_nothing(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["one"])
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        script = "Object.assign(document.createElement('script'), {textContent: 'document.title = 1'})"
        image = f"Object.assign(new Image(), {{src: 'http://127.0.0.1:{server.getsockname()[1]}/x'}})"
        browser.js(f"document.body.append({script}, {image})")
        with pytest.raises(TimeoutError):
            server.accept()
    assert browser.js("document.title") != "1"
    assert sum("Content Security Policy" in str(complaint) for complaint in browser.complaints()) >= 2


def test_a_failing_case_shows_input_expected_and_actual(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["two"])
    browser.js("browse({kind: 'wrong_value'}, false)")
    shown = browser.js("[...document.querySelectorAll('.case pre')].map((e) => e.textContent)")
    assert shown == ["data=[1, 4.5], limit=1", "[1.25]", "[3.5]"]
    browser.js("browse({result: 'passed'}, false)")
    assert browser.js("document.querySelector('.case')") is None


def test_the_exact_prompt_opens_below_the_question(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["one"])
    assert browser.js("view.data.prompts.length") == 1  # once for all responses, and none that was not asked
    assert browser.js("document.querySelector('.prompt pre')") is None
    browser.js("document.querySelector('.prompt summary').click()")
    browser.wait("document.querySelector('.prompt pre') !== null")
    assert (
        browser.js("document.querySelector('.prompt pre').textContent")
        == f"Read this page.\n\n{HOSTILE}\n\nNow answer."
    )
    assert browser.js("document.querySelectorAll('img').length") == 0
    browser.open(pages["two"])  # a run without prompts
    assert browser.js("document.querySelector('.prompt')") is None
    assert browser.complaints() == []


def test_a_link_opens_exactly_its_response(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["two"])
    browser.js("select(333)")
    link = browser.js("document.querySelector('.permalink').getAttribute('href')")
    shown = "document.getElementById('detail').textContent"
    expected = browser.js(shown)
    links = browser.js("view.data.rows.run.map((_, i) => linkTo(i))")
    assert len(set(links)) == 480
    browser.open(pages["two"], link)
    assert browser.js(shown) == expected
    assert browser.js("view.at") == 333
    browser.js("browse({run: '0'}, false)")  # the response of the link is of the other run
    browser.js(f"location.hash = {json.dumps(links[332])}")
    browser.wait(f"linkTo(view.shown[view.at]) === {json.dumps(links[332])}")
    browser.open(pages["two"], "#/no/such/response/0")
    assert "not in this report" in browser.js("document.getElementById('count').textContent")
    assert browser.complaints() == []


def test_arrow_keys_move_in_the_list(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["one"])
    at = "document.querySelector('.item[aria-selected=true]').id"
    browser.js("document.getElementById('list').focus()")
    for key, expected in (
        ("ArrowDown", 1),
        ("ArrowDown", 2),
        ("ArrowUp", 1),
        ("End", 239),
        ("ArrowDown", 239),
        ("Home", 0),
    ):
        browser.key(key)
        assert browser.js(at) == f"row-{expected}"
    browser.key("PageDown")
    assert browser.js("view.at") > 3
    assert browser.js("document.getElementById('list').getAttribute('aria-activedescendant')") == browser.js(at)


def test_filters_and_search_narrow_the_list(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["two"])

    def count(**filters: str) -> int:
        browser.js(f"browse({json.dumps(filters)}, false)")
        found: int = browser.js("view.shown.length")
        return found

    assert count() == 480
    assert count(run="0") == 240
    assert count(run="1", book="closed") == 120
    assert count(split="multi_test") == 160
    assert sum(count(result=result) for result in ("passed", "wrong", "none")) == 480
    assert 0 < count(kind="function_hallucination") < 240
    assert count(function="add") == count(search="ONE_ADD_0") + count(search="many_", function="add")
    assert count(search="no such text (") == 0
    assert "No response fits" in browser.js("document.getElementById('detail').textContent")
    assert browser.js("document.querySelectorAll('#cards .card').length") == 2
    assert "closed book, difference from before" in browser.js("document.getElementById('cards').textContent")
    differences = browser.js("document.getElementById('differences').textContent")
    assert "if interval and p disagree about 0, the interval counts" in differences
    assert browser.complaints() == []


def test_the_theme_follows_the_system_and_the_button(browser: Browser, pages: dict[str, Path]) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    browser.size(1300, 900, "light")
    browser.open(pages["two"])
    light = browser.js(background)
    browser.size(1300, 900, "dark")
    dark = browser.js(background)
    assert light != dark
    browser.js("document.getElementById('theme').click()")
    assert browser.js(background) == light
    browser.js("document.getElementById('theme').click()")
    assert browser.js(background) == dark
    browser.js("document.getElementById('theme').click()")


@pytest.mark.parametrize("name", ["one", "two", "board"])
def test_a_phone_shows_it_without_scrolling_sideways(browser: Browser, pages: dict[str, Path], name: str) -> None:
    browser.size(380, 800)
    if name == "board":
        browser.go(pages[name].as_uri())
    else:
        browser.open(pages[name])
    assert browser.js("document.documentElement.scrollWidth") <= 380


def test_no_column_of_a_leaderboard_is_cut_off(browser: Browser, pages: dict[str, Path]) -> None:
    browser.size(1400, 900)
    browser.go(pages["board"].as_uri())
    assert "2026-11-17" in browser.js("document.querySelector('td:nth-last-child(2)').textContent")
    table = "document.querySelector('.wide')"
    assert browser.js(f"{table}.scrollWidth <= {table}.clientWidth")


@pytest.mark.parametrize("name", ["two", "board"])
def test_a_wide_table_has_shadows_that_its_ends_cover(browser: Browser, pages: dict[str, Path], name: str) -> None:
    browser.size(380, 800)
    browser.go(pages[name].as_uri())
    layers = browser.js("[...document.querySelectorAll('.wide')].map((e) => getComputedStyle(e).backgroundAttachment)")
    assert layers and set(layers) == {"local, local, scroll, scroll, scroll"}


def test_the_leaderboard_sorts_by_a_column(browser: Browser, pages: dict[str, Path]) -> None:
    browser.size(1300, 900)
    browser.go(pages["board"].as_uri())
    first = "document.querySelector('tbody tr strong').textContent"
    assert browser.js(first) == "after"
    for expected in ("before", "after"):  # descending, then ascending, by model
        browser.js("document.querySelectorAll('th button')[1].click()")
        assert browser.js(first) == expected


def test_code_is_coloured_and_stays_the_same_text(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["one"])
    line = "    return f(x, 'a # b', 1.5)  # <img src=x onerror=alert(1)>"
    parts = browser.js(f"coloured({json.dumps(line)}).map((one) => [one.className ?? '', one.textContent ?? one])")
    assert "".join(text for _, text in parts) == line
    assert [(kind, text) for kind, text in parts if kind] == [
        ("py-keyword", "return"),
        ("py-string", "'a # b'"),
        ("py-number", "1.5"),
        ("py-comment", "# <img src=x onerror=alert(1)>"),
    ]


def test_contrast_of_text_is_accessible_in_both_themes(browser: Browser, pages: dict[str, Path]) -> None:
    """WCAG AA: 4.5 to 1, for every colour of text on every surface that it stands on."""
    ratio = """(text, surface) => {
      const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
      const style = document.body.appendChild(document.createElement('i')).style;
      const light = (name) => {
        style.color = `var(--${name})`;
        probe.fillStyle = getComputedStyle(document.body.lastChild).color;
        probe.fillRect(0, 0, 1, 1);
        const linear = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
        const [r, g, b] = [...probe.getImageData(0, 0, 1, 1).data].map((v) => linear(v / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const [a, b] = [light(text), light(surface)].sort((x, y) => y - x);
      document.body.lastChild.remove();
      return (a + 0.05) / (b + 0.05);
    }"""
    pairs = [
        (text, surface)
        for text in ("text", "quiet", "accent", "closed", "open")
        for surface in ("page", "panel", "sunk")
    ]
    pairs += [
        ("good", "good-soft"),
        ("bad", "bad-soft"),
        ("text", "bad-soft"),
        ("text", "good-soft"),
        ("quiet", "none-soft"),
        ("bad", "sunk"),
        ("good", "sunk"),
        *((text, side) for text in ("closed", "native", "open", "quiet") for side in ("sunk", "good-soft", "bad-soft")),
    ]
    for scheme in ("light", "dark"):
        browser.size(1300, 900, scheme)
        browser.open(pages["two"])
        for text, surface in pairs:
            assert browser.js(f"({ratio})('{text}', '{surface}')") >= 4.5, (scheme, text, surface)


# How many elements the page adds while it does something.
ADDED = """(() => {{
    const changes = new MutationObserver(() => 0);
    changes.observe(document, {{childList: true, subtree: true}});
    {};
    const added = changes.takeRecords().flatMap(change => [...change.addedNodes]);
    return added.reduce((sum, node) => sum + 1 + (node.querySelectorAll?.("*").length ?? 0), 0);
}})()"""


def test_ten_thousand_responses_stay_fast(browser: Browser, tmp_path: Path) -> None:
    """In `make test`, two thousand."""
    share = 1 if EVERYTHING else 5
    tasks, skill = many_tasks(425 // share, 200 // share), {"closed": 0.3, "open": 0.75}
    pages = [f"## page {i}\n\n{' '.join(f'word{7 * i + j}' for j in range(200))}" for i in range(300)]
    digests = {(task["id"], book): f"{task['id']} {book}" for task in tasks for book in skill}
    # 50 pages in every open book: 58 MB
    prompts = [
        {"digest": digest, "text": "\n\n".join([*(pages[i % 250 :][:50] if "open" in digest else []), digest])}
        for i, digest in enumerate(digests.values())
    ]
    made = write_run(tmp_path / "big", tasks, skill, samples=8, prompts=prompts, digests=digests)
    report.write([Run.load(made)], tmp_path)
    browser.size(1300, 900)
    browser.open(tmp_path / "report.html")
    assert browser.js("view.shown.length") == 10_000 // share
    assert browser.js("view.data.prompts.length") == 1_250 // share
    assert browser.js("document.querySelectorAll('.item').length") < 60
    assert (tmp_path / "report.html").stat().st_size < 5_000_000 // share
    # The work is counted, not timed: a loaded machine is no failure. Times are in docs/report-reference.md.
    assert browser.js("document.querySelectorAll('*').length") < 5_000
    assert 0 < browser.js(ADDED.format("browse({search: 'gives'}, false)")) < 500
    assert 0 < browser.js(ADDED.format("for (let i = 0; i < 50; i++) select(view.at + 1)")) < 20_000
    last = 10_000 // share - 1
    browser.js(f"browse({{}}, false), select({last})")
    assert browser.js("document.querySelector('.item[aria-selected=true]').id") == f"row-{last}"


def test_the_documentation_is_searched_from_disk(browser: Browser, tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    pytest.importorskip("mkdocstrings")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path / "site")]
    subprocess.run(command, cwd=Path(__file__).parent.parent, check=True)
    browser.size(1200, 900, "dark")
    browser.events.clear()
    browser.go((tmp_path / "site" / "run.html").as_uri())
    assert browser.js("document.documentElement.dataset.bsTheme") == "dark"
    browser.js("document.querySelector('[data-bs-theme-value=light]').click()")
    assert browser.js("document.documentElement.dataset.bsTheme") == "light"
    query, results = "document.querySelector('#mkdocs-search-query')", "#mkdocs-search-results a"
    browser.js(
        f"{query}.value = 'leaderboard', document.querySelector('[data-bs-target=\\'#mkdocs_search_modal\\']').click()"
    )
    browser.wait(f"({query}.focus(), document.querySelector('{results}') !== null)")
    assert browser.js(f"document.querySelector('{results}').href").endswith("/leaderboard.html")
    assert browser.complaints() == []
