"""Who wins where: every family on every data set, by budget and split, from runs of each.

All runs together take about an hour, so that their board is kept with the package. Tests repeat
parts of it; ``python -m perfmodel.labs.prediction.shootout.leaderboards NAME`` runs one data set
again and replaces its old rows.

>>> board = recorded()
>>> bool((board["error"] > 0).all())
True
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfmodel.data import DataUnavailable
from perfmodel.labs.prediction.shootout import costs
from perfmodel.labs.prediction.shootout.challenges import (
    accelerators,
    circuits,
    collectives,
    curves,
    latencies,
    measured_here,
    products,
    servers,
)
from perfmodel.measurement.provenance import (
    provenance,
    record_table,
    recorded_origin,
    recorded_table,
)
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.validation import one_of

if TYPE_CHECKING:
    import pandas as pd

FILE = "shootout.csv"
COMMAND = "python -m perfmodel.labs.prediction.shootout.leaderboards"
CHALLENGES: Mapping[str, Callable[..., Challenge]] = {
    "cpu": products.one_core,
    "cpu-single": products.one_core_single,
    "cpu-both": products.both_precisions,
    "other-mkl": products.other_mkl,
    "other-openblas": products.other_openblas,
    "v100": products.v100,
    "h100": products.h100,
    **latencies.CHALLENGES,
    "servers": servers.servers,
    "circuits": circuits.circuits,
    "accelerator": accelerators.shared_accelerator,
    "all-reduce": collectives.all_reduce,
    "all-to-all": collectives.all_to_all,
    "curves-images": curves.image_nets,
    "curves-text": curves.language_models,
    "sorts": measured_here.sorts,
    "sparse": measured_here.sparse,
    "service": measured_here.service,
}
"""By the name that the command takes; each takes seeds, one a drawing."""
ORDER = ["dataset", "split", "test", "points", "error"]


def run(name: str, progress: bool = False, **seeds: Any) -> pd.DataFrame:
    """Let everybody meet on one data set of `CHALLENGES`, and return who stands where.

    Columns as from `Challenge.standings`, with `noise` (the data set's floor, a fraction, NaN if
    not known), `written` (what the whiteboxes' authors had seen), `blind` (whether that was
    nothing), `rows`, `modeller_hours` (of both whiteboxes, by the rule of `costs`) and
    `measured_seconds` (what the training rows took to measure, NaN if not known). `seeds` may
    differ from the challenge's own.
    """
    one_of("name", name, CHALLENGES)
    challenge = CHALLENGES[name](**seeds)
    board = challenge.standings(progress).assign(
        noise=challenge.dataset.noise,
        written=challenge.written,
        blind=challenge.blind,
    )
    lines = costs.model_lines(*challenge.whiteboxes.values())
    hours = costs.modeller_hours(lines) if lines else 0.0
    board = board.assign(rows=len(challenge.dataset), modeller_hours=hours)
    measured = costs.measured_seconds(name, challenge)
    asked = zip(board["split"], board["points"], strict=True)
    return board.assign(measured_seconds=[measured[question] for question in asked])


def record(name: str, path: Path, progress: bool = False, **seeds: Any) -> pd.DataFrame:
    """Run one data set and replace its old rows; return the whole board.

    The path ends in `.csv`. The JSON file next to it says for each data set on which machine, when
    and how long it was run, and how the board was changed `afterwards`. A board of other columns is
    begun again.
    """
    import pandas as pd

    start = time.monotonic()
    board = run(name, progress, **seeds)
    (dataset,) = set(board["dataset"])
    runs: dict[str, Any] = {}
    notes: dict[str, Any] = {}
    if path.exists():
        old, origins = _read(path)
        if list(old.columns) == list(board.columns):
            others = old[old["dataset"] != dataset]
            runs = {other: about for other, about in origins["runs"].items() if other != dataset}
            notes = {name: text for name, text in origins.items() if name == "afterwards"}
            board = pd.concat([others, board]) if len(others) else board
    about = {"command": f"{COMMAND} {name}", "seconds": round(time.monotonic() - start)}
    runs[dataset] = {"challenge": name, **about, **provenance().as_dict()}
    board = board.sort_values(ORDER, kind="stable", ignore_index=True)
    origins = {"command": COMMAND, **notes, "runs": dict(sorted(runs.items()))}
    record_table(board, path, origins, float_format="%.5g")
    return board


def _read(path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    import json

    import pandas as pd

    return pd.read_csv(path), json.loads(path.with_suffix(".json").read_text("utf-8"))


def recorded() -> pd.DataFrame:
    """Return the stored board, with the columns of `run`; `origin` says where it is from."""
    return recorded_table(__package__, FILE).fillna({"sent": ""})


def origin(dataset: str | None = None) -> dict[str, Any]:
    """Return where the stored board, or one of its data sets, is from.

    Of the data set's run: `challenge`, `command`, `seconds`, `host`, `versions` and `date`. Without
    one: the same of the last run, and `runs` by the names of the data sets.
    """
    origins = recorded_origin(__package__, FILE)
    if dataset is None:
        return origins
    runs: dict[str, dict[str, Any]] = origins["runs"]
    one_of("dataset", dataset, runs)
    return runs[dataset]


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(__file__).with_name(FILE),
    help="The board, a CSV file; without it, the one of the package.",
)
@click.argument("names", nargs=-1)
def main(out: Path, names: tuple[str, ...]) -> None:
    """Run the data sets NAMES one after another; each takes the place of its old rows at once.

    All are run if none is named. One whose data are not here is left out, with a word.
    """
    wrong = [name for name in names if name not in CHALLENGES]
    if wrong:
        raise click.BadParameter(f"{wrong[0]!r} is none of {', '.join(CHALLENGES)}")
    for name in names or CHALLENGES:
        try:
            board = record(name, out, progress=True)
        except DataUnavailable as error:
            click.echo(f"{name} is left out: {error}")
        else:
            click.echo(f"{name}: {len(board)} rows in {out}")


if __name__ == "__main__":
    main()
