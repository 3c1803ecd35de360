"""Fingerprints of cells, by which code that two students share is found."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

_TOKEN = re.compile(r"#[^\n]*|[A-Za-z_]\w*|\d[\w.]*|\"[^\"\n]*\"|'[^'\n]*'|[^\s\w]")
SHORT = 40
"""Cells of fewer tokens look alike by nature and have no fingerprint."""


def fingerprints(cells: Sequence[str]) -> tuple[str, ...]:
    """Return a fingerprint of each longer cell, blind to names, spaces and comments."""
    return tuple(
        hashlib.sha256(" ".join(tokens).encode("utf-8", "replace")).hexdigest()[:16]
        for tokens in map(_tokens, cells)
        if len(tokens) >= SHORT
    )


def _tokens(cell: str) -> list[str]:
    names: dict[str, str] = {}
    found = (token for token in _TOKEN.findall(cell[:20_000]) if not token.startswith("#"))
    return [
        names.setdefault(token, f"n{len(names)}") if token.isidentifier() else token
        for token in found
    ]
