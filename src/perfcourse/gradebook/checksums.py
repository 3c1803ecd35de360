"""Check sums of records, which show whether a record was changed after it was written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

SUM = "sum"


def sealed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON-ready record with its check sum."""
    return {**record, SUM: _sum(record)}


def unsealed(record: Any) -> dict[str, Any]:
    """Return a record without its check sum.

    >>> unsealed(sealed({"points": 5})), unsealed({"points": 5, "sum": ""})
    Traceback (most recent call last):
    ...
    ValueError: a record isn't as it was written
    """
    if isinstance(record, dict):
        rest = {name: value for name, value in record.items() if name != SUM}
        if record.get(SUM) == _sum(rest):
            return rest
    raise ValueError("a record isn't as it was written")


def parsed(line: str | bytes) -> dict[str, Any]:
    """Return the record in a line of JSON without its check sum, which must fit."""
    try:
        return unsealed(json.loads(line))
    except RecursionError:
        raise ValueError("a line isn't as it was written") from None


def _sum(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:16]
