"""A GPU as the suite measured it: what `python -m perfmodel.measurement gpu` saved on an H100."""

from __future__ import annotations

from importlib import resources

from perfmodel.machines import Machine, saved


def h100() -> Machine:
    """Return an H100 with its figures, each with the interval that the suite gave it.

    >>> round(h100().value("memory_bandwidth") / 1e12, 2)
    3.05
    """
    with resources.as_file(resources.files(__package__) / "h100.json") as path:
        return saved.read(path)
