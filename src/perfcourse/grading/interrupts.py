"""Ctrl-C and the signals that ask a process to end: the first one counts, later ones do nothing.

So a command ends in good order however often somebody presses Ctrl-C: what it has begun to put
away, it puts away. Only SIGKILL ends it at once.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _State:
    """What has come so far; signals are a process's own, so there is one of these."""

    def __init__(self) -> None:
        self.caught = False
        self.deferred = False
        self.number = 0


_state = _State()


def stop_signal() -> int:
    """Return the number of the signal that asks this process to end, 0 where none has come."""
    return _state.number


@contextmanager
def caught() -> Iterator[None]:
    """Let the first signal in the block raise KeyboardInterrupt, and no later one do anything.

    A signal that is ignored, as under nohup, stays ignored. Within another such block, and outside
    the main thread, which alone gets signals, this changes nothing.
    """
    if _state.caught or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    _state.caught, _state.number = True, 0
    try:
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, _came)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _state.caught, _state.number = False, 0


@contextmanager
def deferred() -> Iterator[None]:
    """Let a signal raise KeyboardInterrupt at the end of the block only; see `stop_signal`."""
    with caught():
        _state.deferred = True
        try:
            yield
        finally:
            _state.deferred = False
        if _state.number:
            raise KeyboardInterrupt


def _came(number: int, frame: object) -> None:
    if _state.number:
        return
    _state.number = number
    if not _state.deferred:
        raise KeyboardInterrupt
