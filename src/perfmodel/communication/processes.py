"""Processes of this machine that wait for orders, with a pipe for each pair that ever talks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

_PATIENCE = 30.0
"""Seconds that a process may be silent."""

Pipes = dict[int, "Connection[Any, Any]"]
"""Ends of pipes, by the number of the process at the other end."""


class ProcessGroup:
    """Processes 0, 1, ... that each run `serve`, and are ended by `stop`.

    `serve`: run in each process, as `serve(orders, sources, sinks, *arguments)`: a connection that
    brings orders and takes answers, and `Pipes` from and to other processes. It returns when
    `orders.recv()` raises EOFError. `pairs`: sender and receiver of all that is ever sent.
    `arguments`: what each process gets besides; as many processes as there are.
    """

    def __init__(
        self,
        serve: Callable[..., None],
        pairs: Collection[tuple[int, int]],
        arguments: Sequence[tuple[Any, ...]],
    ) -> None:
        context = get_context("spawn")
        pipes = {pair: context.Pipe(duplex=False) for pair in sorted(pairs)}
        self._orders: list[Connection[Any, Any]] = []
        self._processes = []
        for rank, given in enumerate(arguments):
            ours, theirs = context.Pipe()
            sources = {sender: ends[0] for (sender, to), ends in pipes.items() if to == rank}
            sinks = {to: ends[1] for (sender, to), ends in pipes.items() if sender == rank}
            worker = context.Process(
                target=serve, args=(theirs, sources, sinks, *given), daemon=True
            )
            worker.start()
            self._orders.append(ours)
            self._processes.append(worker)

    def __len__(self) -> int:
        return len(self._processes)

    def order(self, rank: int, what: Any) -> None:
        """Send an order to a process."""
        self._orders[rank].send(what)

    def answer(self, rank: int) -> Any:
        """Return what a process has to say.

        Raises `TimeoutError` if it is silent for half a minute.
        """
        if not self._orders[rank].poll(_PATIENCE):
            raise TimeoutError(f"process {rank} was silent for {_PATIENCE:.0f} s")
        return self._orders[rank].recv()

    def stop(self) -> None:
        """End all processes."""
        for orders in self._orders:
            orders.close()
        for worker in self._processes:
            worker.terminate()
            worker.join()
