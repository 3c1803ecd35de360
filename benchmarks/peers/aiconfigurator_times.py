"""Answer questions on serving with aiconfigurator: JSON on standard input, JSON on standard output.

Run by `benchmarks/serving_peers.py` with the Python of an environment that holds aiconfigurator
0.12.0. It adds up measured times of kernels, with its newest tables of the engine. What these don't
hold, it estimates from other kernels (its mode HYBRID); what it can't answer is null.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import warnings
from functools import cache
from typing import Any

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

from aiconfigurator.cli.api import cli_estimate  # noqa: E402
from aiconfigurator.sdk.perf_database import get_latest_database_version  # noqa: E402

newest = cache(get_latest_database_version)


def answer(asked: dict[str, Any]) -> float | None:
    """Return the seconds of a token."""
    model, system, run = asked["model"], asked["system"], asked["run"]
    version = newest(system, run["backend_name"])
    for mode in ("SILICON", "HYBRID"):
        with contextlib.suppress(Exception):
            found = cli_estimate(model, system, backend_version=version, database_mode=mode, **run)
            return float(found.tpot) / 1e3
    return None


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):
        answers = [answer(asked) for asked in json.load(sys.stdin)]
    json.dump(answers, sys.stdout)
