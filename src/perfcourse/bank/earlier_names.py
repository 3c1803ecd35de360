"""Earlier names of a bank's parts: banks that were written with them still load."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


def takes_misconceptions(declare: Callable[P, T]) -> Callable[P, T]:
    """Let a kind of question take `misconceptions=` for `mistakes=`.

    >>> takes_misconceptions(lambda mistakes=(): mistakes)(misconceptions=[1])
    [1]
    """

    @wraps(declare)
    def declared(*arguments: Any, **named: Any) -> T:
        if "misconceptions" in named and "mistakes" not in named:
            named["mistakes"] = named.pop("misconceptions")
        return declare(*arguments, **named)

    return cast(Callable[P, T], declared)
