"""Two CPU processes that train the toy model with FSDP; test_learn_trl.py starts them with the environment variables of
an accelerate file.

The second process is forked after everything has been imported and before anything is computed, because imports take
far longer than the training. accelerate shards only on accelerators; on a CPU it uses DDP even if the file asks for
FSDP. So its state is set to FSDP here; everything after that is accelerate's, transformers' and TRL's own code.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")

import datasets  # noqa: E402, F401
import peft  # noqa: E402, F401
from accelerate.state import AcceleratorState  # noqa: E402
from accelerate.utils import DistributedType  # noqa: E402
from trl import SFTTrainer  # noqa: E402, F401

from sebench.train.config import SftConfig  # noqa: E402
from sebench.train.data.tokens import TokenRow  # noqa: E402
from sebench.train.loop import batches  # noqa: E402
from sebench.train.trl import sft as trl  # noqa: E402


def on_cpu(init: Callable[..., None]) -> Callable[..., None]:
    """The state as it is begun on a GPU."""

    def begun(self: AcceleratorState, *args: Any, **options: Any) -> None:
        init(self, *args, **options)
        plugin = options.get("fsdp_plugin")
        if plugin is not None:
            self.fsdp_plugin = plugin
            if self.mixed_precision != "no":
                plugin.set_mixed_precision(self.mixed_precision)
        self.distributed_type = DistributedType.FSDP

    return begun


def main(folder: Path) -> None:
    second = os.fork()
    rank = "0" if second else "1"
    os.environ.update(RANK=rank, LOCAL_RANK=rank)
    trained(folder)
    if second:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(second, 0)[1]))


def trained(folder: Path) -> None:
    AcceleratorState.__init__ = on_cpu(AcceleratorState.__init__)
    rows = [TokenRow(**row) for row in json.loads((folder / "rows.json").read_text("utf-8"))]
    steps = batches.steps(rows, 1, 4, 0)
    for lora, precision in ((0, "float32"), (4, "float32"), (0, "bf16")):
        train(folder, steps, lora, precision)


def train(folder: Path, steps: list[batches.TrainingStep], lora: int, precision: str) -> None:
    out = folder / f"{precision}-{lora}"
    out.mkdir(exist_ok=True)
    losses: list[float] = []
    config = SftConfig(lr=1e-3, precision=precision, pack_tokens=30)
    _, tokens, model = trl.load(str(folder / "model"), lora)
    log = lambda step, line: losses.append(line["loss"])  # noqa: E731
    trainer = trl.sft_trainer(model, tokens, steps, config, out, log)
    trl.fit(trainer, tokens, out)
    if trainer.accelerator.is_main_process:
        (out / "losses.json").write_text(json.dumps(losses), "utf-8")
    weight = next(p for p in trainer.model.parameters() if p.requires_grad)
    print("sharded" if type(weight).__name__ == "DTensor" else "whole", trainer.args.world_size, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
