"""One of several CPU processes that train the toy model with FSDP; started by test_learn_trl.py with the variables of an accelerate file.

accelerate shards on accelerators alone: on a CPU it stays with DDP, whatever the file says. So the state that it keeps is told here that
this is FSDP; everything after that is accelerate's, transformers' and TRL's own code.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")

from accelerate.state import AcceleratorState  # noqa: E402
from accelerate.utils import DistributedType  # noqa: E402

from sebench.learn import batches, trl  # noqa: E402
from sebench.learn.loop import LoopSettings  # noqa: E402
from sebench.learn.tokens import TokenRow  # noqa: E402


def on_cpu(init: Callable[..., None]) -> Callable[..., None]:
    """The state as it is begun on a GPU."""

    def begun(self: AcceleratorState, *args: Any, **options: Any) -> None:
        init(self, *args, **options)
        if "fsdp_plugin" not in self.__dict__ or self.fsdp_plugin is None:
            self.fsdp_plugin = options.get("fsdp_plugin")
        self.distributed_type = DistributedType.FSDP

    return begun


def main(folder: Path) -> None:
    AcceleratorState.__init__ = on_cpu(AcceleratorState.__init__)
    rows = [TokenRow(**row) for row in json.loads((folder / "rows.json").read_text("utf-8"))]
    steps = batches.steps(rows, 1, 4, 30, 0)
    settings = LoopSettings(lr=1e-3, precision="float32")
    engine = trl.TrlSettings(pack_tokens=30)
    for lora in (0, 4):
        out = folder / f"lora{lora}"
        out.mkdir(exist_ok=True)
        _, tokens, model = trl.load(str(folder / "model"), lora)
        trainer = trl.fit_sft(model, tokens, steps, settings, engine, out, lambda step, figures: None, rows[:2])
        report(trainer)


def report(trainer: Any) -> None:
    weight = next(p for p in trainer.model.parameters() if p.requires_grad)
    print("sharded" if type(weight).__name__ == "DTensor" else "whole", trainer.args.world_size, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
