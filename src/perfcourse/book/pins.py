"""Which locked versions the outputs of a notebook depend on: those of what the package imports.

The lock also holds what builds pages, runs tests and checks style; new versions of these, or one
more of them, make no recording stale.
"""

from __future__ import annotations

import re
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
    about = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
    needs = [re.split(r"[^\w.-]", need)[0] for need in about["dependencies"]]
    return tuple(needed((project / "requirements.txt").read_text("utf-8"), needs))


def needed(lock: str, names: Iterable[str]) -> list[str]:
    r"""Return the pins in the text of a lock file of some packages and of all that they need.

    Parameters
    ----------
    lock : str
        As `uv pip compile` writes it, with the comments that say which package needs which.
    names : iterable of str
        The packages.

    Examples
    --------
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
