"""Rows of general Python for --replay, written by the model that is going to be trained.

    python experiments/general_code.py --model MODEL --out general.jsonl      about a minute on a GPU
    sebench learn closed-sft WORLD --model MODEL --replay general.jsonl --replay-share 0.2 --out OUT

Each question is the signature and the docstring of a function in Python's standard library, and the answer is what the
model writes at temperature 0, right or wrong: training on it keeps the model close to what it was. Answers that reach
the token limit or contain no code are left out.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import json
import random
from importlib import import_module
from pathlib import Path

from sebench.models.model import Completion, Sampling
from sebench.models.transformers import Transformers
from sebench.world.prompts import CLOSED, Prompt

MODULES = (
    "ast base64 bisect calendar collections colorsys contextlib copy csv datetime difflib dis email.utils "
    "fileinput fnmatch fractions functools genericpath getopt glob gzip hashlib heapq html inspect ipaddress json "
    "keyword linecache locale mimetypes ntpath numbers operator optparse pathlib pickletools platform posixpath pprint "
    "quopri random re reprlib shelve shlex shutil smtplib statistics string stringprep sysconfig tabnanny tarfile "
    "tempfile textwrap token tokenize traceback types typing urllib.parse uuid warnings weakref zipfile"
).split()
SHORTEST, LONGEST = 40, 1200  # characters of a docstring
REQUEST = "Write this function in Python. Reply with the complete function in one code block, and nothing else."


def questions() -> list[str]:
    """Return one question for each documented function of `MODULES`, in the order of their text."""
    texts = set()
    for module in MODULES:
        try:
            functions = [one for one in vars(import_module(module)).values() if inspect.isfunction(one)]
        except ImportError:  # not in this version of Python
            continue
        for function in functions:
            doc = inspect.getdoc(function) or ""
            if not function.__name__.startswith("_") and SHORTEST <= len(doc) <= LONGEST:
                head = f"def {function.__name__}{inspect.signature(function)}:"
                body = "\n".join(f"    {line}".rstrip() for line in f'"""{doc}\n"""'.splitlines())
                texts.add(f"{REQUEST}\n\n```python\n{head}\n{body}\n```")
    return sorted(text for text in texts if "0x" not in text)  # no addresses of objects, which change


async def answers(model: Transformers, texts: list[str], max_tokens: int) -> list[Completion]:
    """Return the model's answers in the order of the questions."""
    sampling = Sampling(max_tokens=max_tokens)
    try:
        return await asyncio.gather(*(model.complete(Prompt(text, "", CLOSED), sampling, 0) for text in texts))
    finally:
        await model.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="a folder or a GGUF file, as for 'sebench learn'")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--max-tokens", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    texts = questions()
    random.Random(args.seed).shuffle(texts)
    texts = texts[: args.rows]
    rows = [
        {"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": answer.text}]}
        for text, answer in zip(
            texts, asyncio.run(answers(Transformers(args.model), texts, args.max_tokens)), strict=True
        )
        if answer.finish == "stop" and "```" in answer.text
    ]
    args.out.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    print(f"{args.out}: {len(rows)} of {len(texts)} answers")


if __name__ == "__main__":
    main()
