"""What must be there for the tests: PERFCOURSE_REQUIRE names it, and its absence is a failure."""

import os
from importlib.util import find_spec

import pytest


def required(what: str) -> bool:
    """Return whether the tests that need this must run here.

    Parameters
    ----------
    what : str
        `data` (the files of `perfmodel.data`), `ml` (JAX), `index` (packages that can be
        installed), `slurm` (its daemons), `nbgrader` or `otter`; elsewhere `browser`, `sandbox`
        and `cgroup`.
    """
    return what in os.environ.get("PERFCOURSE_REQUIRE", "").split()


def stop_without_jax() -> None:
    """Stop where the nets must be tested and can't be."""
    if required("ml") and find_spec("jax") is None:
        raise pytest.UsageError("the nets must be tested here, but JAX is not installed")
