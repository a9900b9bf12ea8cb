"""A stand-in for the command `vllm`: serves `vllm serve MODEL --port N` with scripted answers.

`on_path` puts it first on PATH. Every start appends its arguments to `starts.jsonl` beside it. The environment variable
VLLM_STAND_IN says how it behaves; it may contain the words `crash` (it exits before it listens), `memory` (it exits for
lack of GPU memory), `taken` (the first start finds its port taken), `slow` (it listens only once the file `go` exists),
`never` (it never listens) and `dies` (it exits at the first request for an answer). `answers.json` beside it maps a
part of a prompt to an answer; the first part that occurs in a prompt decides.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def on_path(folder: Path, monkeypatch: object, behaviour: str = "", answers: dict[str, str] | None = None) -> Path:
    """Install the stand-in; the folder with `starts.jsonl` is returned."""
    folder.mkdir(parents=True, exist_ok=True)
    command = folder / "vllm"
    command.write_text(f"#!{sys.executable} -S\nimport runpy; runpy.run_path({__file__!r})['main']({str(folder)!r})\n")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    (folder / "answers.json").write_text(json.dumps(answers or {}))
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")  # type: ignore[attr-defined]
    monkeypatch.setenv("VLLM_STAND_IN", behaviour)  # type: ignore[attr-defined]
    return folder


def starts(folder: Path) -> list[list[str]]:
    file = folder / "starts.jsonl"
    return [json.loads(line)["words"] for line in file.read_text().splitlines()] if file.is_file() else []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answers: dict[str, str] = {}  # noqa: RUF012
    model = ""
    dies = False
    last_words = threading.Lock()

    def do_GET(self) -> None:
        self.reply({})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.dies:
            self.last_words.acquire()  # another request that comes meanwhile says nothing
            print("Error: the engine core died", flush=True)
            os._exit(1)
        text = request["messages"][-1]["content"]
        answer = next((reply for piece, reply in self.answers.items() if piece in text), "no idea")
        usage = {"prompt_tokens": len(text) // 4, "completion_tokens": len(answer) // 4}
        choice = {"message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}
        if request["model"] != self.model:
            self.reply({"error": f"no model {request['model']}"}, 404)
        else:
            self.reply({"choices": [choice], "usage": usage, "model": self.model})

    def reply(self, data: object, status: int = 200) -> None:
        body = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


def main(folder: str) -> None:
    here, words = Path(folder), sys.argv[1:]
    behaviour = os.environ.get("VLLM_STAND_IN", "").split()
    first = not starts(here)
    with (here / "starts.jsonl").open("a") as stream:
        devices = os.environ.get("CUDA_VISIBLE_DEVICES")
        stream.write(json.dumps({"words": words, "devices": devices, "pid": os.getpid()}) + "\n")
    if "crash" in behaviour:
        sys.exit("ValueError: unknown architecture")
    if "memory" in behaviour:
        sys.exit("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB")
    if "taken" in behaviour and first:
        sys.exit("OSError: [Errno 98] Address already in use")
    while "never" in behaviour or ("slow" in behaviour and not (here / "go").exists()):
        time.sleep(0.02)
    Handler.answers, Handler.model = json.loads((here / "answers.json").read_text()), words[1]
    Handler.dies = "dies" in behaviour
    ThreadingHTTPServer(("127.0.0.1", int(words[words.index("--port") + 1])), Handler).serve_forever()
