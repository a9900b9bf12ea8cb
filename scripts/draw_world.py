"""Draw `docs/pictures/world.png`: a page of a small world's documentation beside a task that needs it.

    python scripts/draw_world.py

Needs the extra `docs` (for Markdown), Pillow, and chromium on the path. Run it again when the pages of worlds have
changed.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import markdown
from PIL import Image

from sebench import Slice, World

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "world.png"
SEED, FUNCTIONS, TASK = 7, 12, "water_used_per_month"  # the world and the task of docs/walkthrough.md
SIZE = (1400, 1060)
COLOURS = 64  # enough for text on a page, and a third of the bytes
HTML = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; padding: 18px; background: #eef1f5; color: #1c2430; display: grid; grid-template-columns: 1.12fr \
1fr; gap: 18px;
  font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif; height: {height}px; box-sizing: border-box; align-items: \
stretch; }}
section {{ background: #fff; border: 1px solid #d5dbe3; border-radius: 8px; padding: 0 22px 14px; overflow: hidden; }}
.side {{ display: flex; flex-direction: column; gap: 18px; }}
.side section:first-child {{ flex: 1; }}
header {{ margin: 0 -22px 12px; padding: 9px 22px; background: #1f4f7a; color: #fff; font-weight: 600; }}
.answer header {{ background: #17703a; }}
h1 {{ font-size: 21px; margin: 12px 0 6px; }}
h2 {{ font-size: 16px; margin: 12px 0 4px; }} p, ul {{ margin: 6px 0; }} ul {{ padding-left: 20px; }}
code {{ font: 13.5px/1.4 "DejaVu Sans Mono", monospace; background: #f2f4f7; padding: 0 3px; border-radius: 3px; }}
pre {{ background: #f2f4f7; border-radius: 6px; padding: 8px 12px; margin: 6px 0; white-space: pre-wrap; }} pre code \
{{ padding: 0; }}
</style>
<section><header>The book: a page of <code style="background:none">{package}</code>, a library that never \
existed</header>{page}</section>
<div class="side"><section><header>The task, with the book closed: what a model is asked</header>{prompt}</section>
<section class="answer"><header>A right answer, which only a model that knows the library can \
give</header>{answer}</section></div>
"""


def html(world: World) -> str:
    """The page of the task's function on the left; the closed prompt and the answer on the right."""
    task = world.task(TASK)
    answer = task.gold.strip().replace("\n\n\n", "\n\n")
    page = world.page(task.functions[0]).text.partition("## See also")[0]
    shown = {"page": page, "prompt": world.prompt(task, "closed"), "answer": f"```python\n{answer}\n```"}
    rendered = {name: markdown.markdown(text, extensions=["fenced_code"]) for name, text in shown.items()}
    return HTML.format(package=world.names.package, height=SIZE[1], **rendered)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world = World.build(SEED, folder / "world", part=Slice(functions=FUNCTIONS))
        (folder / "world.html").write_text(html(world), "utf-8")
        PICTURE.parent.mkdir(exist_ok=True)
        chromium = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={SIZE[0]},{SIZE[1]}"]
        subprocess.run([*chromium, f"--screenshot={PICTURE}", f"file://{folder / 'world.html'}"], check=True)
    Image.open(PICTURE).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
