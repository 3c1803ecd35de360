"""Runs one submission's cells, then answers the grader's questions about what they defined.

This is the student's process: whatever it says may be forged. It can earn marks only by returning
right values for inputs that it sees for the first time when asked.
"""

from __future__ import annotations

import builtins
import gc
import io
import os
import re
import signal
import sys
import types
from _signal import signal as set_handler  # the signal module's makes enums of numbers
from _thread import _count as thread_count
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import P_ALL, WEXITED, WNOHANG, WNOWAIT, waitid
from time import monotonic
from typing import Any

from perfcourse.kernel import figure, student
from perfcourse.kernel.blocked_functions import Missed, take_away, touched
from perfcourse.kernel.plain import TooBigError, plain
from perfcourse.kernel.wire import Channel, WireError

FOREVER = 1e12
SOON, ENOUGH = 0.05, 2**16
"""Seconds after which, and bytes from which on, answers leave that would wait for others."""
MAX_MESSAGE = 300
FULL = 77
"""How a process exits whose memory an error left full."""
ROOM = 32 * 2**20
"""Bytes that must be left for the cells that follow."""


_OF_HISTORY = re.compile(
    r"""(?<![\w.])(?:(?:In|Out|_[io]h)\s*\[|_i{1,3}\b|_i?\d+\b"""
    r"""|_{1,3}(?!\w|\s*(?:[,:]|=(?!=)|in\b)))"""
)
"""`In[2]`, `Out[2]`, `_i`, `_2`, and `_` where it isn't assigned, as it is in loops."""
_WORD = re.compile(r"\w+")
NOBODY_ANSWERS = "nobody answers input() while a notebook is graded; set the value in the cell"


class OutOfTimeError(BaseException):
    """The time limit of one cell or one call is over; not an Exception, so that few catch it."""


def serve(channel: Channel, shell: Any) -> None:
    """Answer requests until the grader closes the channel."""
    answers: dict[str, Callable[[dict[str, Any]], Iterable[Any]]] = {
        "run": lambda request: _run(shell, request),
        "get": lambda request: [_get(shell, request)],
        "call": lambda request: _calls(channel, shell, request),
        "touched": lambda request: [{"value": len(touched)}],
    }
    while True:
        try:
            request = channel.receive(FOREVER)
        except WireError:
            return
        for answer in answers[request["op"]](request):
            _reply(channel, answer)
            if request["op"] == "run":
                channel.flush(FOREVER)
        channel.flush(FOREVER)


def _reply(channel: Channel, message: Any) -> None:
    try:
        channel.keep(message)
    except (TooBigError, ValueError, TypeError) as error:
        channel.keep(_error("TooBigError", str(error)))


def _run(shell: Any, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Run the cells and tell of each one as it ends, so that it's known where a crash happened."""
    student.drawn.update(request["parameters"])
    if request["withheld"]:
        take_away(request["withheld"])
        sys.meta_path.append(Missed)
    end = monotonic() + request["together"]
    running = _running()
    history = any(map(_OF_HISTORY.search, request["cells"]))
    if any("asyncio" in cell for cell in request["cells"]):
        shell.use_one_loop()
    for cell in request["cells"]:
        error = _run_cell(shell, cell, min(request["seconds"], end - monotonic()), history)
        before, running = running, _running()
        yield {"error": error, "left": running > before}


def _running() -> int:
    """Count what runs beside the notebook: threads, and processes as one."""
    try:
        return thread_count() + _has_children()
    except BaseException:  # whatever the notebook has made of all that
        return 0


def _has_children() -> bool:
    try:
        waitid(P_ALL, 0, WEXITED | WNOHANG | WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _run_cell(shell: Any, source: str, seconds: float, history: bool) -> list[str] | None:
    if seconds <= 0:
        return ["OutOfTimeError", "the cells before it took all the time of the notebook"]
    try:
        with _time_limit(seconds):
            error = _run_source(shell, source, history)
    except BaseException as stopped:
        error = stopped
    return None if error is None else _told_of(error)


def _told_of(error: BaseException) -> list[str]:
    """Tell of an error; a process that has no memory left after one ends here."""
    full, told = isinstance(error, MemoryError), _told(error)
    error.__traceback__ = None
    if full and not _room():
        os._exit(FULL)
    return told


def _room() -> bool:
    gc.collect()
    try:
        return len(bytearray(ROOM)) == ROOM
    except MemoryError:
        return False


def _run_source(shell: Any, source: str, history: bool) -> BaseException | None:
    """Run plain Python at once; leave magics, shell lines and top-level await to IPython.

    Where a notebook asks for earlier inputs or results, or has tasks of asyncio, IPython runs all
    of it.
    """
    try:
        ours = not history and not shell.in_loop and not _magic(shell, source)
        code = shell.compile(source, shell.compile.cache(source), "exec") if ours else None
    except (SyntaxError, ValueError):
        code = None
    if code is None:
        result = shell.run_cell(source, store_history=history, silent=False)
        return result.error_before_exec or result.error_in_exec  # type: ignore[no-any-return]
    exec(code, shell.user_ns)
    return None


def _magic(shell: Any, source: str) -> bool:
    """Whether a cell of one line may be a magic without its sign, such as `ls` or `who`."""
    line = source.strip()
    word = None if "\n" in line else _WORD.match(line)
    return word is not None and shell.find_line_magic(word[0]) is not None


def _get(shell: Any, request: dict[str, Any]) -> dict[str, Any]:
    name = request["name"]
    if name not in shell.user_ns and not request["figure"]:
        return {"missing": True}
    try:
        with _time_limit(request["seconds"]):
            if request["figure"]:
                return {"value": plain(figure.shown(shell.user_ns.get(name)))}
            value = shell.user_ns[name]
            if isinstance(value, types.FunctionType):
                return {"value": None, "callable": True}
            return {"value": plain(value), "callable": callable(value)}
    except BaseException as error:
        return _error(*_told_of(error))


def _calls(channel: Channel, shell: Any, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Call a function as often as is asked; once it took too long it isn't called again.

    Answers leave together, but none waits while the function takes its time.
    """
    late, left = None, monotonic()
    for arguments in request["calls"]:
        if channel.kept > ENOUGH or (channel.kept and monotonic() - left > SOON):
            channel.flush(FOREVER)
            left = monotonic()
        answer = late or _call(shell, request, arguments)
        late = answer if answer.get("error", [""])[0] == "OutOfTimeError" else None
        yield answer


def _call(shell: Any, request: dict[str, Any], arguments: Iterable[Any]) -> dict[str, Any]:
    if request["name"] not in shell.user_ns:
        return {"missing": True}
    function = shell.user_ns[request["name"]]
    try:
        with _time_limit(request["seconds"]):
            if not callable(function):
                return {"callable": False}
            return {"value": plain(function(*arguments))}
    except TooBigError as error:
        return _error("TooBigError", str(error))
    except ValueError as error:
        return _error("ValueError", _told(error)[1])
    except BaseException as error:
        return _error(*_told_of(error))


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"error": [kind, message]}


def _told(error: BaseException) -> list[str]:
    try:
        return [type(error).__name__[:80], str(error)[:MAX_MESSAGE]]
    except BaseException:
        return [type(error).__name__[:80], ""]


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    def over(number: int, frame: object) -> None:
        raise OutOfTimeError(f"took longer than {seconds:g} s")

    set_handler(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def make_shell() -> Any:
    """Return an IPython shell that shows nothing, keeps no history and draws no figures."""
    os.environ["MPLBACKEND"] = "agg"
    from IPython.core.async_helpers import get_asyncio_loop
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class Quiet(DisplayHook):
        def __call__(self, result: Any = None) -> None:
            if result is not None and not self.quiet():  # type: ignore[no-untyped-call]
                self.update_user_ns(result)  # type: ignore[no-untyped-call]

    class Nowhere(DisplayPublisher):
        def publish(self, *arguments: Any, **options: Any) -> None:
            return None

    class Shell(InteractiveShell):
        displayhook_class = Quiet
        display_pub_class = Nowhere
        in_loop = False

        def use_one_loop(self) -> None:
            """Run each cell inside one event loop, as Jupyter does: tasks go on in later cells."""
            import asyncio

            asyncio.set_event_loop(get_asyncio_loop())  # type: ignore[no-untyped-call]
            self.in_loop = True

        def should_run_async(self, *arguments: Any, **options: Any) -> bool:
            return self.in_loop or super().should_run_async(*arguments, **options)

        def enable_gui(self, gui: Any = None) -> None:
            return None

        def showtraceback(self, *arguments: Any, **options: Any) -> None:
            return None

        def showsyntaxerror(self, *arguments: Any, **options: Any) -> None:
            return None

        def enable_matplotlib(self, gui: Any = None) -> tuple[str, str]:
            return "agg", "agg"

        def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
            if magic_name == "config":
                know_inline_backend(self)
            return super().run_line_magic(magic_name, line, _stack_depth + 1)

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = Shell.instance(config=config)
    shell.user_module.__name__ = "__main__"
    shell.builtin_trap.activate()
    sys.modules["__main__"] = shell.user_module
    return shell


def know_inline_backend(shell: Any) -> None:
    """Let `%config` know the settings of plots, as in Jupyter; this loads Matplotlib."""
    from matplotlib_inline.config import InlineBackend

    backend: Any = InlineBackend.instance(parent=shell)
    if backend not in shell.configurables:
        shell.configurables.append(backend)


def silence() -> None:
    """Send the process's output nowhere and give it no input."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _nobody_answers(prompt: object = "") -> str:
    raise EOFError(NOBODY_ANSWERS)


def make_streams() -> None:
    """Have Python read and write by the descriptors 0 and 1, whatever those are later."""
    builtins.input = _nobody_answers
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False))
    sys.stdout = sys.stderr = io.TextIOWrapper(io.FileIO(1, "w", closefd=False))
