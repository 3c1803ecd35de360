"""Which parts of the lock are needed for what.

The outputs of a notebook depend on the versions of what the package imports. The lock also holds
what builds pages, runs tests and checks style; new versions of these, or one more of them, make no
recording stale.

Run as a program by a bare Python, `pins.py EXTRA_OR_PACKAGE ...` prints the entries of the lock
that the package needs with these extras, and of other packages that are named.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

_PIN = re.compile(r"^([a-z0-9-]+)(?:\[[^\]]*\])?==.*?(?= \\$|$)", re.M)


@cache
def of(project: Path) -> tuple[str, ...]:
    """Return the pins in `project`'s lock file that its package needs, directly or not.

    They are read once a process.
    """
    return tuple(needed((project / "requirements.txt").read_text("utf-8"), _direct(project)))


def _direct(project: Path, extras: Iterable[str] = ()) -> list[str]:
    """Return the names of what the package needs itself, with some extras or other packages."""
    about = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
    optional = about["optional-dependencies"]
    wanted = [*about["dependencies"], *(need for e in extras for need in optional.get(e, [e]))]
    return [re.split(r"[^\w.-]", need)[0] for need in wanted]


def entries(lock: str, pins: Iterable[str]) -> str:
    r"""Return the entries of a lock file that pin these, with the hashes below each.

    >>> entries("numpy==2.4 \\\n    --hash=sha256:1\nscipy==1.16\n", ["numpy==2.4"])
    'numpy==2.4 \\\n    --hash=sha256:1\n'
    """
    wanted, matching = {*pins}, []
    for entry in re.split(r"(?m)^(?=\S)", lock):
        pin = _PIN.match(entry)
        if pin and pin[0] in wanted:
            matching.append(entry)
    return "".join(matching)


def needed(lock: str, names: Iterable[str]) -> list[str]:
    r"""Return the pins in the text of a lock file of some packages and of all that they need.

    The comments of `uv pip compile` say which package needs which.

    >>> needed("numpy==2.4\n    # via scipy\nruff==0.6\nscipy==1.16\n    # via p\n", ["scipy"])
    ['numpy==2.4', 'scipy==1.16']
    """
    needs, pins = defaultdict(set), defaultdict(list)
    starts = [*_PIN.finditer(lock)]
    for pin, end in zip(starts, [*(pin.start() for pin in starts[1:]), len(lock)], strict=True):
        pins[pin[1]].append(pin[0])
        for by in re.findall(r"^ +#(?: via)? +([a-z0-9.-]+)\b", lock[pin.end() : end], re.M):
            needs[by].add(pin[1])
    wanted, waiting = set(), [name.lower().replace(".", "-").replace("_", "-") for name in names]
    while waiting:
        if (name := waiting.pop()) not in wanted:
            wanted.add(name)
            waiting += needs[name]
    return sorted(pin for name in wanted for pin in pins[name])


if __name__ == "__main__":
    root = Path(__file__).parents[3]
    text = (root / "requirements.txt").read_text("utf-8")
    sys.stdout.write(entries(text, needed(text, _direct(root, sys.argv[1:]))))
