"""The reader's predictions and reviews, as the prompts tell them, in the file of their progress.

In JupyterLab each answer is told to the kernel and kept here. The page of predictions takes what is
kept into the browser, and saves or loads the same part of a file of that name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perfmodel.tasks import record

Practice = dict[str, dict[str, Any]]
"""`predictions`, `review` and `asked`, each by the key of a prompt."""
PARTS = ("predictions", "review", "asked")


def kept() -> Practice:
    """Return what is kept; nothing where there is no file, or it can't be read."""
    try:
        found, _ = record.read(record.path())
    except OSError:
        found = {}
    return _parts(found.get(record.PRACTICE, {}))


def keep(change: Mapping[str, Any]) -> None:
    """Add what a page tells: a first answer stands, of two reviews the later one counts."""
    try:
        found, _ = record.read(record.path())
        mine, told = _parts(found.get(record.PRACTICE, {})), _parts(change)
        for key, entry in told["predictions"].items():
            if key not in mine["predictions"] or _when(entry) < _when(mine["predictions"][key]):
                mine["predictions"][key] = entry
        for key, item in told["review"].items():
            if _when(item, "at") > _when(mine["review"].get(key, {}), "at"):
                mine["review"][key] = item
        mine["asked"] |= told["asked"]
        record.write(record.path(), {**found, record.PRACTICE: mine})
    except OSError:  # the browser keeps it as well
        return


def forget() -> None:
    """Delete predictions and reviews; what the file says about tasks stays."""
    try:
        found, _ = record.read(record.path())
        if found.pop(record.PRACTICE, None) is not None:
            record.write(record.path(), found)
    except OSError:
        return


def _when(entry: Mapping[str, Any], name: str = "when") -> str:
    return str(entry.get(name, ""))


def _parts(found: Any) -> Practice:
    """Return the known parts, without entries that are no records."""
    kept = {part: _records(found).get(part) for part in PARTS}
    return {
        part: {
            key: dict(entry)
            for key, entry in _records(entries).items()
            if isinstance(entry, Mapping)
        }
        for part, entries in kept.items()
    }


def _records(found: Any) -> dict[str, Any]:
    return {str(key): value for key, value in found.items()} if isinstance(found, Mapping) else {}
