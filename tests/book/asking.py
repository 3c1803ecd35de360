"""What the cells of a chapter show and ask, kept in place of being shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from perfmodel.live.variants import called, drawn, filled


def recorder(shown: list[tuple[str, Any]], kind: str) -> Callable[..., None]:
    """Return what stands for a function of `live`: answers are those of the first numbers."""

    def keep(*arguments: Any, variants: Any = None, **_: Any) -> None:
        first = drawn(variants, "")[0] if variants else {}
        shown.append((kind, tuple(_filled(one, first) for one in arguments)))

    return keep


def _filled(value: Any, first: dict[str, Any]) -> Any:
    if not first:
        return value
    if isinstance(value, list):
        return [_filled(one, first) for one in value]
    return filled(value, first) if isinstance(value, str) else called(value, first)
