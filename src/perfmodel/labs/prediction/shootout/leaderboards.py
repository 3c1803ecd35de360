"""Who wins where: every family on every data set, by budget and split, from one run.

The run takes a quarter of an hour, so that its leaderboard is kept with the package. Tests repeat
parts of it; ``python -m perfmodel.labs.prediction.shootout.leaderboards`` makes it again.

>>> board = recorded()
>>> sorted(board)[:4], int(board["seeds"].min()) >= 10
(['behind', 'behind_high', 'behind_low', 'contestant'], True)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfmodel.data import DataUnavailable
from perfmodel.labs.prediction.ncpp import perfcast
from perfmodel.labs.prediction.shootout import edge_accelerator, v100_products
from perfmodel.labs.prediction.three_ways import contestants as three_ways
from perfmodel.labs.prediction.three_ways.product_time import flop
from perfmodel.labs.prediction.wa_hls4ml import synthesis
from perfmodel.measurement.provenance import provenance
from perfmodel.prediction.architectures import device_latency
from perfmodel.prediction.arena.contest import Contestant, compete, leaderboard
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.splits import few_shot_split, larger_split, shuffle_split

if TYPE_CHECKING:
    import pandas as pd

SEEDS = tuple(range(20))
HELP_DEVICES = ("titan_rtx_256", "gold_6226", "pixel2")
RECORDED = "shootout"


@dataclass(frozen=True)
class Entry:
    """One data set with its contestants and the rounds that they meet in."""

    dataset: Dataset
    contestants: Sequence[Contestant]
    rounds: three_ways.Rounds

    def scores(self, progress: bool = False) -> pd.DataFrame:
        """Return the scores of all rounds, as `perfmodel.prediction.arena.contest.compete` does.

        Parameters
        ----------
        progress : bool
            Show a bar.
        """
        return compete(self.dataset, self.contestants, self.rounds, progress)


def cpu(seeds: Sequence[int] = SEEDS) -> Entry:
    """Matrix products of one core: more of the same size, and the larger half from the smaller.

    Parameters
    ----------
    seeds : sequence of int
        One a drawing.
    """
    data = three_ways.dataset()
    rounds = three_ways.inside(data, seeds=seeds) + three_ways.beyond(data, seeds=seeds)
    return Entry(data, three_ways.contestants(), rounds)


def cpu_single(seeds: Sequence[int] = SEEDS) -> Entry:
    """The same in single precision, which had no part in settling the whitebox model.

    Parameters
    ----------
    seeds : sequence of int
        As for `cpu`.
    """
    data, budgets = three_ways.dataset("fp32"), (30, 100)
    rounds = three_ways.inside(data, budgets, seeds) + three_ways.beyond(data, budgets, seeds)
    return Entry(data, three_ways.contestants(), rounds)


def v100(seeds: Sequence[int] = SEEDS) -> Entry:
    """Matrix products of a V100: at random, and the largest three tenths from the rest.

    Parameters
    ----------
    seeds : sequence of int
        As for `cpu`.
    """
    data = v100_products.dataset()
    size = flop(data.features)
    budgets = (30, 100, 600)
    rounds = [(n, seed, shuffle_split(data, n, seed)) for n in budgets for seed in seeds]
    rounds += [(n, seed, larger_split(data, size, n, seed, 0.7)) for n in budgets for seed in seeds]
    return Entry(data, v100_products.contestants(), rounds)


def device(name: str) -> Callable[[Sequence[int]], Entry]:
    """Return a function that enters small networks' latency on one device, by HELP's protocol.

    Parameters
    ----------
    name : str
        Of the device.
    """

    def entry(seeds: Sequence[int] = SEEDS) -> Entry:
        data = device_latency.dataset(name)
        budgets = (10, 30, 100, 300)
        rounds = [
            (n, seed, device_latency.few_shot(data, n, seed)) for n in budgets for seed in seeds
        ]
        return Entry(data, device_latency.contestants(), rounds)

    return entry


def servers(seeds: Sequence[int] = SEEDS) -> Entry:
    """SPECrate components of a server that is new, or of which three were run.

    Parameters
    ----------
    seeds : sequence of int
        As for `cpu`.
    """
    data = perfcast.dataset("rate")
    machines = sorted(set(data.group("machine")))
    rounds = []
    for seed in seeds:
        machine = machines[seed % len(machines)]
        for shots in (0, 3):
            split = few_shot_split(data, "machine", machine, shots, len(data), seed)
            rounds.append((shots, seed, split))
    return Entry(data, perfcast.contestants("rate"), rounds)


def circuits(seeds: Sequence[int] = SEEDS) -> Entry:
    """Look-up tables of a dense layer on an FPGA: at random, and the larger layers.

    Parameters
    ----------
    seeds : sequence of int
        As for `cpu`.
    """
    data = synthesis.dataset("LUT")
    size = data.features["n"].to_numpy()
    budgets = (30, 100, 300)
    rounds = [(n, seed, shuffle_split(data, n, seed)) for n in budgets for seed in seeds]
    rounds += [(n, seed, larger_split(data, size, n, seed)) for n in budgets for seed in seeds]
    return Entry(data, synthesis.contestants("LUT"), rounds)


def accelerator(seeds: Sequence[int] = SEEDS) -> Entry:
    """Response times of a shared accelerator: at random, and a mixture that is new.

    Parameters
    ----------
    seeds : sequence of int
        As for `cpu`.
    """
    data = edge_accelerator.dataset()
    rounds = [(n, seed, shuffle_split(data, n, seed)) for n in (10, 20) for seed in seeds]
    for seed in seeds:
        split = few_shot_split(data, "machine", "ABC"[seed % 3], 0, 15, seed)
        rounds.append((15, seed, split))
    return Entry(data, edge_accelerator.contestants(), rounds)


ENTRIES: dict[str, Callable[..., Entry]] = {
    "cpu": cpu,
    "cpu-single": cpu_single,
    "v100": v100,
    **{f"help-{name}": device(name) for name in HELP_DEVICES},
    "servers": servers,
    "circuits": circuits,
    "accelerator": accelerator,
}


def run(names: Sequence[str] = tuple(ENTRIES), progress: bool = False) -> pd.DataFrame:
    """Let all contestants of some entries meet, and return the leaderboards one below another.

    Parameters
    ----------
    names : sequence of str
        Keys of `ENTRIES`. Those whose third-party data are not there are left out, with a word.
    progress : bool
        Show a bar for each data set.

    Returns
    -------
    pandas.DataFrame
        As from `leaderboard`, with the data set's noise floor in `noise`.
    """
    import pandas as pd

    boards = []
    for name in names:
        try:
            entry = ENTRIES[name]()
        except DataUnavailable as error:
            click.echo(f"{name} is left out: {error}")
            continue
        board = leaderboard(entry.scores(progress))
        boards.append(board.assign(noise=entry.dataset.noise))
    if not boards:
        raise DataUnavailable(f"none of {', '.join(names)} has its data here")
    return pd.concat(boards, ignore_index=True)


def recorded() -> pd.DataFrame:
    """Return the stored leaderboard of the last full run, which `origin` describes."""
    return _recorded().copy()


@cache
def _recorded() -> Any:
    with resources.as_file(resources.files(__package__) / f"{RECORDED}.csv") as path:
        return _read(path)


def _read(path: Path) -> pd.DataFrame:
    import pandas as pd

    return pd.read_csv(path, keep_default_na=False, na_values=["nan"])


def origin() -> dict[str, Any]:
    """Return host, versions and date of the stored run."""
    file = resources.files(__package__) / f"{RECORDED}.json"
    return dict(json.loads(file.read_text("utf-8")))


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(__file__).with_name(RECORDED),
    help="Write PATH.csv and PATH.json; without it, over the ones of the package.",
)
@click.argument("names", nargs=-1)
def main(out: Path, names: tuple[str, ...]) -> None:
    """Run the shoot-out on NAMES and put them in the place of their old rows.

    All data sets are run if none is named.
    """
    import pandas as pd

    wrong = [name for name in names if name not in ENTRIES]
    if wrong:
        raise click.BadParameter(f"{wrong[0]!r} is none of {', '.join(ENTRIES)}")
    board, table = run(names or tuple(ENTRIES), progress=True), out.with_suffix(".csv")
    if names and table.exists():
        old = _read(table)
        board = pd.concat([old[~old["dataset"].isin(set(board["dataset"]))], board])
    board = board.sort_values(["dataset", "split", "test", "points", "error"])
    board.to_csv(table, index=False, float_format="%.5g", na_rep="nan")
    out.with_suffix(".json").write_text(json.dumps(provenance().as_dict(), indent=1), "utf-8")
    click.echo(f"{len(board)} rows in {table}")


if __name__ == "__main__":
    main()
