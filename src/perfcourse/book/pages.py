"""`python -m perfcourse.book.pages PAGES HTML`: write laid out pages as HTML, on all cores.

This is what `jupyter-book build` calls; its command has no option for several processes. It runs as
a process of its own, since Sphinx changes docutils for good and forks.
"""

from __future__ import annotations

import argparse
import functools
import gc
import sys
from pathlib import Path

import pybtex.plugin
from jupyter_book.sphinx import build_sphinx

from perfmodel.measurement.load import usable_cores

MOST = 4
"""Processes at most: more wait for the one that reads and merges what they made."""

OBJECTS = 100_000
"""New objects between two looks for cyclic garbage: Sphinx makes many, and few become garbage."""


def main() -> int:
    """Write the pages and return 0 if nothing failed; messages go to standard error."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("pages", type=Path, help="folder of the laid out pages")
    parser.add_argument("html", type=Path, help="folder to write")
    parser.add_argument("--strict", action="store_true", help="count warnings as errors")
    asked = parser.parse_args()
    gc.set_threshold(OBJECTS, 20, 20)
    # Each citation asks all installed packages for this.
    pybtex.plugin.find_plugin = functools.cache(pybtex.plugin.find_plugin)
    result = build_sphinx(
        asked.pages,
        asked.html,
        noconfig=True,
        path_config=asked.pages / "_config.yml",
        confoverrides={
            "external_toc_path": (asked.pages / "_toc.yml").as_posix(),
            "nitpicky": asked.strict,
            "latex_individualpages": False,
        },
        warningiserror=asked.strict,
        keep_going=True,
        quiet=True,
        jobs=min(usable_cores(), MOST),
    )
    return 1 if result else 0


if __name__ == "__main__":
    sys.exit(main())
