"""`perfmodel machine`: list, show, measure or import machines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from perfmodel.command.answer import Answer, Quantity
from perfmodel.command.options import Assumed, Subcommands, answers, typed
from perfmodel.units import percent

if TYPE_CHECKING:
    from perfmodel.serving.calibration.token_time import TokenTime


@click.group(cls=Subcommands)
def machine() -> None:
    """List, show, measure or import machines.

    \b
      perfmodel machine show h100
    """  # noqa: D301


@answers(name="list")
@click.option("--kind", help="gpu, accelerator, tpu, cpu or soc.")
def listed(assumed: Assumed, kind: str | None) -> Answer:
    """List the machines that are known, with how many of their figures were verified."""
    from perfmodel import machines

    rows = []
    for name in machines.ids():
        one = machines.get(name)
        if kind is None or one.kind == kind:
            sure = sum(figure.verified for figure in one.figures.values())
            rows.append(
                {
                    "id": one.id,
                    "name": one.name,
                    "kind": one.kind,
                    "memory": machines.shown(one, "memory_capacity")
                    if one.has("memory_capacity")
                    else "not known",
                    "verified": f"{sure} of {len(one.figures)}",
                }
            )
    if not rows:
        raise click.UsageError(f"--kind must be gpu, accelerator, tpu, cpu or soc, got {kind!r}")
    return Answer(
        "Which machines are known?",
        None,
        f"{len(rows)} machines; a dagger marks a figure that was not verified.",
        more={"Machines": tuple(rows)},
        chapter="book/machines.md",
    )


@answers()
@click.argument("name")
def show(assumed: Assumed, name: str) -> Answer:
    """Show a machine's figures, each with its source.

    \b
      perfmodel machine show h100
    """  # noqa: D301
    from perfmodel import machines
    from perfmodel.serving.calibration.shipped import ANY, DENSE, SOURCE, calibrations

    found, others = machines.match(name)
    fitted = calibrations().get((found.id, ANY, DENSE))
    doubtful = [quantity for quantity, one in found.figures.items() if not one.verified]
    return Answer(
        f"What is known of {found.name}?",
        None,
        f"{found.id} has {len(found.figures)} figures, {len(doubtful)} of them not verified.",
        tuple(
            Quantity(quantity, one.value, one.low, one.high, one.unit, found.source(quantity))
            for quantity, one in found.figures.items()
        )
        + (
            () if fitted is None else
            _reached(fitted, found.memory_bandwidth, f"{fitted.points} {SOURCE}")
        ),
        unknown=tuple(f"{quantity} was compared with no second source." for quantity in doubtful),
        traps=(*([found.note] if found.note else []),
               *(f"The name fits {other} too." for other in others)),
        chapter="book/machines.md",
    )  # fmt: skip


def _reached(fitted: TokenTime, bandwidth: float, source: str) -> tuple[Quantity, ...]:
    """Return what dense models reach while they are served, by the fit to public runs."""
    error = f"the fit's median error {percent(fitted.fitted_error or 0.0)}"
    values = (
        ("memory bandwidth reached in serving", bandwidth * fitted.bandwidth_utilization,
         "bytes/s", fitted.determined[0]),
        ("time of an all-reduce in serving", fitted.coefficients[2], "s",
         fitted.determined[2] and fitted.coefficients[2] > 0),
    )  # fmt: skip
    return tuple(
        Quantity(name, value if sure else None, None, None, unit,
                 f"{source}; {error}" if sure else "the public runs don't determine it")
        for name, value, unit, sure in values
    )  # fmt: skip


@machine.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def measure(arguments: tuple[str, ...]) -> int:
    """Measure this machine and keep its figures: quick (default), full, gpu or show.

    \b
      perfmodel machine measure quick
    """  # noqa: D301
    from perfmodel.measurement.cli import main

    return int(main(args=list(arguments or ("quick",)), standalone_mode=False) or 0)


@answers(name="import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", required=True, help="The id under which it is kept.")
@click.option("--source", required=True, help="Where the figures are from.")
def imported(assumed: Assumed, file: Path, name: str, source: str) -> Answer:
    """Keep a machine from a JSON object of figures with units.

    \b
      {"memory_capacity": "96 GiB", "memory_bandwidth": "4 TB/s"}
      perfmodel machine import card.json --name my-card --source 'its data sheet'
    """  # noqa: D301
    from perfmodel import machines
    from perfmodel.machines.machine import QUANTITIES, MachineFigure
    from perfmodel.readers.refusal import UnreadableFileError, json_of

    content = json_of(file)
    if not isinstance(content, dict) or not content:
        raise UnreadableFileError(file, 1, "no JSON object of figures", "name each with its unit")
    from datetime import UTC, datetime

    day = datetime.now(UTC).date().isoformat()
    figures = {}
    for quantity, text in content.items():
        unit = QUANTITIES.get(quantity)
        if unit is None:
            cure = f"known: {', '.join(QUANTITIES)}"
            raise UnreadableFileError(file, None, f"{quantity!r} is no figure", cure)
        wanted = "1/s" if unit == "Hz" else unit
        try:
            given = typed(str(text))
        except ValueError as error:
            cure = f"write a number in {unit}"
            raise UnreadableFileError(file, None, f"{quantity}: {error}", cure) from None
        if given.unit != wanted or (given.printed_unit == "1" and unit != "1"):
            what, cure = f"{quantity} is {text!r}", f"write it with its unit, {unit}"
            raise UnreadableFileError(file, None, what, cure)
        figures[quantity] = MachineFigure(given.value, unit, "vendor", source, day, False)
    kept = machines.measured_machine(figures, name=name, source=source, id=name)
    path = machines.save(kept)
    return Answer(
        f"Can {file} be kept as a machine?",
        "yes",
        f"{name} has {len(figures)} figures, kept at {path}; --on {name} uses them.",
        unknown=("Nobody compared these figures with a second source.",),
        chapter="book/machines.md",
    )


for _command in (listed, show, imported):
    machine.add_command(_command)
