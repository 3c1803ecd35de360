"""The command `python -m perfmodel.measurement`: measure this machine and save it for the labs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from perfmodel import machines
from perfmodel.machines.registry import size_text
from perfmodel.measurement import load
from perfmodel.measurement.cpu import counters, suite
from perfmodel.measurement.cpu.suite import Suite, SuitePlan
from perfmodel.measurement.errors import ChildError, Unavailable
from perfmodel.measurement.gpu import record, suite as gpu_suite
from perfmodel.measurement.gpu.device import LIBRARIES, find_gpu
from perfmodel.measurement.readings import Summary
from perfmodel.units import amount, prefixed


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measure this machine: peak FLOP/s, bandwidth, latency, overheads.

    \b
    python -m perfmodel.measurement quick   10 to 40 seconds: what the labs need
    python -m perfmodel.measurement full    3 minutes: all loops, widths and sizes
    python -m perfmodel.measurement gpu     minutes: the GPU, where there is one
    python -m perfmodel.measurement show    what was saved, with its sources

    The labs then use your machine instead of the example: a roofline drawn from the saved file
    has your peak and your bandwidth. No compiler and no rights are needed.

    How to read the table: BEST is the capacity, the best of many short runs, since other programs
    only ever take time away. MEDIAN is what a program gets while the other programs run. The
    interval after each value would contain the result of one more fresh process, 95 times in 100.
    Another program's measurement may differ by this much, and so may yours tomorrow. A wide
    interval, or a best far from the median, means a busy machine: close the browser, plug in the
    laptop, run again.

    How long it takes depends on the caches: memory is measured on arrays that no cache holds, and
    where the caches are large or the machine is busy, three rounds alone may pass the time that is
    aimed at. The table's title says how long it was.

    PEAK counts multiply-adds that stay in registers, two operations each; no program that loads
    data reaches it. BANDWIDTH counts the bytes that a loop names, as STREAM does; the processor
    moves more (a line is read before it is overwritten), which the notes state. LATENCY is the
    time of a load that has to wait for the one before it.
    """  # noqa: D301


@main.command()
@click.option("--name", help="What to call the machine; default: the processor's name.")
@click.option("--save/--no-save", default=True, help="Keep the result for the labs (default).")
def quick(name: str | None, save: bool) -> None:
    """Measure what the labs need: up to 5 rounds in 20 seconds, but 3 however long they take."""
    _measure(suite.QUICK, name, save)


@main.command()
@click.option("--name", help="What to call the machine; default: the processor's name.")
@click.option("--save/--no-save", default=True, help="Keep the result for the labs (default).")
def full(name: str | None, save: bool) -> None:
    """Measure every loop, register width and working set, in about 3 minutes."""
    _measure(suite.FULL, name, save)


@main.command()
@click.option("--name", help="What to call the GPU; default: what it calls itself.")
@click.option("--library", type=click.Choice(list(LIBRARIES)), help="Default: whichever is there.")
@click.option("--save/--no-save", default=True, help="Keep the result for the labs (default).")
@click.option(
    "--record",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Record a data set into this folder instead: 2,000 shapes of products in up to 3 "
    "precisions, bandwidth by size, launches. Takes some minutes; if cut off, the same command "
    "goes on.",
)
def gpu(name: str | None, library: str | None, save: bool, folder: Path | None) -> None:
    """Measure the GPU, in two or three minutes; needs CuPy or PyTorch.

    Times come from events on the GPU. Launched work waits behind other work until all of it is
    there, because a clock around a call would time the launch. PRODUCTS (gemm) are the rates of a
    tuned library at its best size. PEAK is the rate of multiply-adds in registers on the vector
    units. Where a product exceeds it, the product ran on matrix units, and its rate is saved as
    their peak, too: at least this rate is possible.

    LIBRARY_LAUNCH_TIME is a call from Python with the library's dispatch, not the driver's launch
    alone. A GPU that is hot or at its power limit lowers its clocks. If the driver reports this
    during the work, so does the command.
    """
    console = Console()
    try:
        with _bar(console) as report:
            if folder is not None:
                record.record(find_gpu(library), folder, report=report)
                console.print(f"recorded: {folder}", soft_wrap=True)
                return
            measured = gpu_suite.run(library, report)
    except (Unavailable, ChildError) as missing:
        raise click.ClickException(str(missing)) from missing
    console.print(as_table(f"{measured.about.name}, {measured.seconds:.0f} s", measured.summaries))
    for line in [*_notes(measured.summaries), *(str(item) for item in measured.unavailable)]:
        console.print(line, highlight=False)
    if measured.throttle_reasons:
        console.print(f"the driver holds the clocks back: {', '.join(measured.throttle_reasons)}")
    if save:
        path = machines.save(gpu_suite.as_machine(measured, name))
        console.print(f"saved for the labs: {path}", soft_wrap=True)


@main.command()
@click.argument("id", default=machines.THIS)
def show(id: str) -> None:
    """Print a saved machine, each figure with its unit, its interval if any, source and date.

    ID is this-machine if not given, or this-gpu, or one of the registry's.
    """
    try:
        machine = machines.this_machine() if id == machines.THIS else machines.get(id)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    table = Table(title=machine.name)
    for column in ("quantity", "value", "95 %", "source"):
        table.add_column(column, overflow="fold")
    for quantity, figure in machine.figures.items():
        ends = ""
        if figure.low is not None and figure.high is not None:
            low, high = (
                prefixed(end, figure.unit.replace("bytes", "B"))
                for end in (figure.low, figure.high)
            )
            ends = f"{low} to {high}"
        table.add_row(quantity, machines.shown(machine, quantity), ends, machine.source(quantity))
    console = Console()
    console.print(table)
    if machine.id == machines.EXAMPLE:
        console.print(
            "This is the example: measure yours by `python -m perfmodel.measurement quick`"
        )


def as_table(title: str, summaries: Iterable[Summary]) -> Table:
    """Return a suite's table: best and median, each with its interval, unit, processes x runs.

    `title` stands above the rows, one for each of `summaries`.
    """
    table = Table(title=title, box=box.SIMPLE, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("quantity", overflow="fold")
    for column in ("best", "95 %", "median", "95 %"):
        table.add_column(column, justify="right", no_wrap=True)
    for column in ("unit", "runs"):
        table.add_column(column, no_wrap=True)
    for summary in summaries:
        table.add_row(*_row(summary))
    return table


def _row(one: Summary) -> list[str]:
    # All in the unit that suits the median, so that they can be compared at a glance.
    shown = amount(prefixed(one.median, one.unit.replace("bytes", "B")))
    scale, unit = shown.scale, shown.printed_unit

    def among(low: float | None, high: float | None) -> str:
        return "" if low is None or high is None else f"{low / scale:.3g}-{high / scale:.3g}"

    event = one.quantity.endswith("_time")
    best = ["", ""] if event else [f"{one.best / scale:.3g}", among(one.best_low, one.best_high)]
    middle = [f"{one.median / scale:.3g}", among(one.low, one.high)]
    runs = f"{one.processes} x {one.runs // one.processes}"
    return [one.quantity, *best, *middle, unit, runs]


def _notes(summaries: Iterable[Summary]) -> list[str]:
    """Return each note once, after the quantities that it belongs to."""
    owners: dict[str, list[str]] = {}
    for summary in summaries:
        if summary.note:
            owners.setdefault(summary.note, []).append(summary.quantity)
    return [f"{', '.join(names)}: {note}" for note, names in owners.items()]


def _measure(plan: SuitePlan, name: str | None, save: bool) -> None:
    console = Console()
    before = load.snapshot()
    with _bar(console) as report:
        measured = suite.run(plan, report)
    console.print(as_table(f"{plan.name} suite, {measured.seconds:.0f} s", measured.summaries))
    for line in _notes(measured.summaries) + _remarks(
        measured, load.between(before, load.snapshot())
    ):
        console.print(line, highlight=False)
    if save:
        path = machines.save(suite.as_machine(measured, name))
        console.print(f"saved for the labs: {path}", soft_wrap=True)


@contextmanager
def _bar(console: Console) -> Iterator[Callable[[str, float], None]]:
    """Yield a function that is told the part that begins and the share that is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("starting", total=1.0)
        yield lambda part, fraction: progress.update(task, description=part, completed=fraction)


def _remarks(found: Suite, beside: load.Load) -> list[str]:
    """Return sentences on what was assumed, missing or disturbing."""
    lines = [str(missing) for missing in found.unavailable]
    done = max(item.processes for item in found.summaries)
    if done < found.plan.processes:
        lines.append(
            f"{done} of {found.plan.processes} processes: more would have taken longer than "
            f"{found.plan.limit:.0f} s, and would narrow the intervals"
        )
    if found.unpinned:
        lines.append(found.unpinned)
    levels = ", ".join(f"L{item.level} {size_text(item.size)}" for item in found.caches.levels)
    lines.append(f"caches that one core reaches ({found.caches.source}): {levels}")
    lines.append(_counter_words())
    if found.caches.note:
        lines.append(found.caches.note)
    quota = load.cpu_quota()
    if quota is not None:
        lines.append(
            f"a control group allows {quota:.3g} cores' time, of {beside.cores} that are shown: "
            "rates of all cores are those of the quota"
        )
    if beside.stolen:
        lines.append(f"the hypervisor gave {100 * beside.stolen:.1f} % of the time to others")
    if beside.average is not None and beside.average > beside.cores + 0.5:
        lines.append(
            f"the machine was busy: {beside.average:.1f} programs ran or waited on "
            f"{beside.cores} cores; the medians suffer, and the best may"
        )
    return lines


def _counter_words() -> str:
    try:
        counters.count_events(lambda: None, ["cycles", "instructions"])
    except Unavailable as missing:
        return str(missing)
    return "the processor's counters can be read (perfmodel.measurement.cpu.counters)"
