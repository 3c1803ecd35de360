"""A progress bar without a thread, so nothing else runs during a sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import Progress


@contextmanager
def bar(wanted: bool, seconds: float) -> Iterator[Callable[[float], None]]:
    """Yield a function that is told the seconds spent and draws them, four times a second at most.

    A full bar is `seconds` seconds; none is drawn unless it is `wanted`.

    >>> with bar(False, 10.0) as show:
    ...     show(1.0)
    """
    if not wanted:
        yield lambda spent: None
        return
    drawn = 0.0
    with Progress(auto_refresh=False, transient=True) as shown:
        task = shown.add_task("measuring", total=seconds)

        def show(spent: float) -> None:
            nonlocal drawn
            if spent - drawn >= 0.25:
                drawn = spent
                shown.update(task, completed=min(spent, seconds), refresh=True)

        yield show
