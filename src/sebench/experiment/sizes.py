"""How many tasks a world has, and how long their prompts are, before it is built too.

    WorldSizes(world).prompt_tokens("single_test", "open", config)
    WorldSizes(None, 0.5).tasks("train")  # of a world with half of the functions that is not on disk

A world on disk is measured. For any other world, the templates are filled with texts of the mean length in a world with
all functions (`WHOLE`, `PAGE`). Tokens are estimated from characters.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from string import Template

from sebench.experiment.grid import Grid
from sebench.forge.catalog import catalog
from sebench.rollout.config import RunConfig
from sebench.tasks import splits
from sebench.train.dry_run import CHARACTERS
from sebench.world.build import Slice
from sebench.world.open_book import WHOLE_LIBRARY
from sebench.world.prompts import CLOSED, NATIVE, OPEN, template_text, templates_folder
from sebench.world.world import World, folder_of

# In a world with all functions (counted in world 1; a test checks it), for each split: the number of tasks, the mean
# number of pages that a task needs, and the mean number of characters in each of its texts.
WHOLE_FUNCTIONS = 317
MOST_BUILT = 60  # functions; a dry run builds worlds up to this size to measure them
WHOLE = {
    splits.TRAIN: (951, 1.06, {"question": 227, "examples": 318, "signature": 35}),
    splits.SINGLE_TEST: (317, 1.06, {"question": 238, "examples": 319, "signature": 37}),
    splits.MULTI_TEST: (533, 4.78, {"question": 362, "examples": 452, "signature": 42}),
    splits.TRANSFER_TEST: (162, 1.29, {"question": 269, "examples": 586, "signature": 38}),
    splits.PLAN_TEST: (119, 6.28, {"question": 473, "examples": 566, "signature": 39}),
}
NOT_BUILT = "is not built yet: its tasks and prompts are estimated"
# Mean number of characters in each part of a page.
PAGE = {
    "title": 17, "signature": 45, "summary": 195, "parameters": 399, "returns": 112, "examples": 376, "see_also": 197,
}  # fmt: skip
PAGE_CHARACTERS = sum(PAGE.values())
GOLD_CHARACTERS = 97  # in a gold solution of the training split
SAMPLE = 40  # prompts whose mean length represents all


@dataclass(frozen=True)
class WorldSizes:
    """How many tasks a world has, and how long their prompts are."""

    world: World | None  # None if it is not on disk
    share: float = 1.0  # of all functions

    @property
    def functions(self) -> int:
        return len(self.world.names.functions) if self.world else round(WHOLE_FUNCTIONS * self.share)

    def tasks(self, split: str, limit: int = 0) -> int:
        there = len(self.world.task_ids(split)) if self.world else round(WHOLE.get(split, (0,))[0] * self.share)
        return min(limit, there) if limit else there

    def chunks(self, most: int) -> int:
        """Return in how many chunks notes are written: each has at most `most` pages, on one subject."""
        counts = Counter(page.subject for page in (self.world.pages if self.world else catalog.seeded()))
        return min(self.functions, sum(-(-count // most) for count in counts.values()))

    def prompt_tokens(self, split: str, book: str, config: RunConfig) -> int:
        """Return the mean number of tokens in a prompt."""
        if self.world is None:
            return round(self._characters(split, book, config) / CHARACTERS) if split in WHOLE else 0
        prompter = self.world.prompter(
            templates_folder(config.prompts), config.book_settings(), config.give_names, config.decline
        )
        sample = map(self.world.task, self.world.task_ids(split)[:SAMPLE])
        lengths = [len(prompter.prompt(task, book).text) for task in sample]
        return round(fmean(lengths or [0]) / CHARACTERS)

    def _characters(self, split: str, book: str, config: RunConfig) -> float:
        """Return the mean number of characters in a prompt of a world that is not on disk."""
        folder, (_, needed, texts) = templates_folder(config.prompts), WHOLE[split]
        question = Template(template_text(NATIVE if book == NATIVE else CLOSED, folder))
        characters = len(question.safe_substitute({name: "x" * length for name, length in texts.items()}))
        if book != OPEN:
            return characters
        others = config.retrieve or (self.functions if config.distractors == WHOLE_LIBRARY else config.distractors)
        page = PAGE["title"] + sum(PAGE.get(part, 0) for part in config.pages)
        return characters + len(template_text(OPEN, folder)) + (needed + others) * page


def sizes_of(world: World | float) -> WorldSizes:
    return WorldSizes(world) if isinstance(world, World) else WorldSizes(None, world)


def world_sizes(grid: Grid, name: str, scratch: Path) -> WorldSizes:
    """Return the sizes of a world. A small one that is not built yet is built in `scratch`, which takes seconds."""
    if not name.isdecimal():
        return WorldSizes(World.load(Path(name)))
    folder = grid.world_folder(name) or folder_of(name)
    if folder.is_dir():
        return WorldSizes(World.load(folder))
    if 0 < grid.functions <= MOST_BUILT:
        part = Slice(functions=grid.functions)
        return WorldSizes(World.build(int(name), scratch / "world", part=part, level=grid.level))
    return WorldSizes(None, min(1.0, grid.functions / WHOLE_FUNCTIONS) if grid.functions else 1.0)
