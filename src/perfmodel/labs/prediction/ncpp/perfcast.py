"""Scores of benchmarks on servers: the public sample of PerfCastDB, read into a tidy frame.

A row of the files is one score of one iteration of one run. The description of the server is
repeated in every row. Before you learn from the files, note four things:

- One run is there twice: its second copy has another `kubernetes.pod_id` and the same
  `IterationID`. Here an `IterationID` names a run, so the copy is dropped.
- A composite (`SPECrate2017_int_base`) is a row among its own components. It
  is marked, and no feature or target of `dataset`.
- One server gives its caches in MB for all its cores where the others give KB for one.
- Throughputs are in MB/s, latencies in ns; here all values are in SI units.

Source: X. Liu, "Towards CPU Performance Prediction: New Challenge Benchmark Dataset and Novel
Approach", arXiv:2407.03385, 2024. The two files are in this module's folder (Apache-2.0, see
README.md).

NCPP predicts a server's benchmark scores from its description.

It learns scores of whole suites with attention over groups of features. Its full data base is
closed, so its accuracy can't be repeated. The public sample gives composites, bandwidths to compare
with peaks, and a noise floor. It also raises the question which rows a learner may see (`folds`).

>>> peak_bandwidth("1024GB (16x64GB DDR5 4800 MT/s [4800 MT/s])") / 1e9
614.4

>>> round(float(composite([1.0, 4.0, 16.0])), 9)
4.0
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel import data
from perfmodel.labs.prediction.ncpp.capacity import HARDWARE, entries
from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.dataset import Dataset, repeat_noise
from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, one_of, positive

if TYPE_CHECKING:
    import pandas as pd

FILES = ("train_data.csv", "test_data.csv")
SUITES = {
    "int": ("SPECrate2017_int_base",),
    "fp": ("SPECrate2017_fp_base",),
    "rate": ("SPECrate2017_int_base", "SPECrate2017_fp_base"),
}
"""Suites of `dataset`: integer components, floating-point ones, and both together."""
UNITS = {
    "cores": "1",
    "all_core_clock": "Hz",
    "base_clock": "Hz",
    "memory_bandwidth": "bytes/s",
    "component": "",
    "machine": "",
}
"""Features of `dataset`."""
BYTES = {"DDR5": 8, "HBM2": 128}
"""Bytes a transfer of one channel: 64 bits of a DIMM, 1024 of a stack of HBM."""
SI = {"MB/s": (1e6, "bytes/s"), "ns": (1e-9, "s"), "GFLOPS": (1e9, "FLOP/s"), "ratio": (1, "1")}
TEXT = {
    "RESULT.WorkloadName": "suite",
    "RESULT.WorkloadPreset": "preset",
    "RESULT.TestName": "test",
    "RESULT.IterationIndex": "iteration",
}
_MODULES = re.compile(r"\((\d+)x\d+GB (DDR5|HBM2) (\d+) MT/s")


def peak_bandwidth(installed: str) -> float:
    """Return the peak of a server's fastest memory in bytes/s: channels x transfers/s x bytes.

    Each DIMM has its own channel in all servers of the sample. High-bandwidth memory, where it
    exists, is faster than the DIMMs. A text that describes no module is refused.
    """
    modules = _MODULES.findall(installed)
    if not modules:
        raise ValueError(f"installed must list modules as in '(16x64GB DDR5 ...)', got {installed}")
    return max(int(count) * int(rate) * 1e6 * BYTES[kind] for count, kind, rate in modules)


def scores(copies: bool = False) -> pd.DataFrame:
    """Return all scores of the sample, each once, or with the second copy of the doubled run.

    A row for each score: `run`, `file`, `suite`, `preset`, `test`, `iteration`, `value` and `unit`
    (SI; `1` for ratios of SPECrate), `composite` (whether it is the suite's composite), and the
    server: `machine` (the CPU's model), `sockets`, `cores` (all sockets), `numa_nodes`,
    `base_clock`, `all_core_clock` (Hz), `l3` (bytes, all sockets), `memory` (bytes, as the
    operating system sees it), `installed` (text), `memory_bandwidth` (bytes/s, peak).
    """
    import pandas as pd

    raw = _files()
    run = raw["kubernetes.pod_id"]
    if not copies:
        raw = raw.drop_duplicates(["IterationID", "RESULT.TestName"], ignore_index=True)
        run = raw["IterationID"].str.rsplit("_", n=1).str[0]
    value, unit = _in_si(raw)
    tidy = raw.rename(columns=TEXT)[list(TEXT.values())]
    tidy.insert(0, "run", run)
    tidy.insert(1, "file", raw["file"])
    tidy = tidy.assign(value=value, unit=unit, composite=tidy["test"] == tidy["suite"])
    return pd.concat([tidy, _server(raw)], axis=1)


@cache
def _files() -> Any:
    import pandas as pd

    parts = []
    for name in FILES:
        part = shipped_table(__package__, name)
        parts.append(part.assign(file=name.removesuffix("_data.csv")))
    return pd.concat(parts, ignore_index=True)


def _in_si(raw: pd.DataFrame) -> tuple[pd.Series[float], pd.Series[str]]:
    given = raw["RESULT.TestName"].str.extract(r"\((MB/s|ns|GFLOPS)\)", expand=False)
    given = given.mask(raw["RESULT.WorkloadName"].str.startswith("SPECrate"), "ratio")
    if given.isna().any():
        unknown = sorted(set(raw["RESULT.TestName"][given.isna()]))
        raise ValueError(f"tests must have a unit among {', '.join(SI)}, got {unknown}")
    factor = given.map({name: scale for name, (scale, _) in SI.items()}).astype(float)
    return raw["RESULT.Value"] * factor, given.map({name: unit for name, (_, unit) in SI.items()})


def _server(raw: pd.DataFrame) -> pd.DataFrame:
    cpu = {name: raw[f"SVR.CPU.{name}"] for name in ("Socket(s)", "NUMA Node(s)", "L3 Cache")}
    sockets = cpu["Socket(s)"].astype(float)
    # No server part has under 1,000 KB of it: a smaller number is the total in MB.
    l3 = cpu["L3 Cache"].where(cpu["L3 Cache"] < 1000, sockets * cpu["L3 Cache"] / 1024) * 2.0**20
    model = raw["SVR.CPU.CPU Model"].str.replace(r"^.*?((?:Max )?\w+)$", r"\1", regex=True)
    installed = raw["SVR.Memory.Installed"]
    return raw[[]].assign(
        machine=model,
        sockets=sockets,
        cores=sockets * raw["SVR.CPU.Core(s) per Socket"],
        numa_nodes=cpu["NUMA Node(s)"],
        base_clock=raw["SVR.CPU.Base Frequency"] * 1e9,
        all_core_clock=raw["SVR.CPU.All-core Maximum Frequency"] * 1e9,
        l3=l3,
        memory=raw["SVR.Memory.MemTotal"] * 1024.0,
        installed=installed,
        memory_bandwidth=installed.map(peak_bandwidth),
    )


def dataset(suite: str) -> Dataset:
    """Return the components of SPECrate on the sample's servers, a row for each run and component.

    The suite is `int` (10 components, 2 servers), `fp` (13, 2) or `rate` (both: 4 servers, of which
    two have only integer and two only floating-point components). The target is the mean ratio over
    the iterations; groups `machine` and `workload`. Its noise is that of one iteration against the
    mean of the others.
    """
    one_of("suite", suite, SUITES)
    ratios = scores()
    ratios = ratios[ratios["suite"].isin(SUITES[suite]) & ~ratios["composite"]]
    rows = ratios.groupby(["machine", "test"], sort=False, as_index=False)
    aggregation = dict.fromkeys(HARDWARE, "first")
    mean = rows.agg({"value": "mean", **aggregation}).rename(columns={"test": "component"})
    return Dataset(
        f"PerfCastDB {suite}",
        mean[list(UNITS)],
        UNITS,
        mean["value"].to_numpy(),
        "SPECrate 2017 ratio",
        "1",
        data.DATASETS["ncpp"].provenance,
        data.DATASETS["ncpp"].licence,
        {"machine": list(mean["machine"]), "workload": list(mean["component"])},
        noise(ratios),
    )


def noise(repeated: pd.DataFrame) -> float:
    """Return the noise floor of scores: the mean `repeat_noise`, a share, over tests and runs."""
    total, tests = 0.0, 0
    for _, run in repeated.groupby("run", sort=False):
        repeats = run.pivot_table("value", "test", "iteration").to_numpy()
        total += len(repeats) * repeat_noise(repeats)
        tests += len(repeats)
    return total / tests


def contestants(suite: str) -> list[Contestant]:
    """Return predictors of all families for a suite of `dataset`, ready for `compete`."""
    one_of("suite", suite, SUITES)
    return entries()


SPECRATE = {"8487C": "fp", "8474C": "int", "Max 9468": "fp", "8463B": "int"}
"""Which suite ran on which four of the sample's machines."""


@cache
def _scores() -> Any:
    return scores()


def _of(machine: str, composite: bool) -> Any:
    one_of("machine", machine, SPECRATE)
    scores = _scores()
    chosen = (scores["machine"] == machine) & scores["suite"].str.startswith("SPECrate")
    return scores[chosen & (scores["composite"] == composite)].sort_values("test")


def ratios(machine: str, iteration: int = 0) -> pd.Series[float]:
    """Return the ratios of SPECrate's components on a machine, by name in the order of numbers.

    Iterations are 0 and 1, of most machines also 2.

    >>> float(ratios("8474C")["505.mcf_r"].round(2))
    315.99
    """
    components = _of(machine, composite=False)
    return components[components["iteration"] == iteration].set_index("test")["value"]


def published_composites(machine: str) -> Floats:
    """Return the published composites of a machine, one for each iteration."""
    return np.asarray(_of(machine, composite=True).sort_values("iteration")["value"])


def cycles(machine: str) -> float:
    """Return the cores of all sockets times their clock with all cores busy, in cycles/s."""
    first = _of(machine, composite=True).iloc[0]
    return float(first["cores"] * first["all_core_clock"])


def measured_value(machine: str, test: str) -> float:
    """Return the mean over iterations of a bandwidth, latency or rate of the sample, in SI units.

    `test` is what the name of exactly one test on that machine holds: `Triad`, `All Sockets 100R`.

    >>> round(measured_value("8472C", "Triad") / 1e9, 2)
    469.14
    """
    scores = _scores()
    chosen = scores[(scores["machine"] == machine) & scores["test"].str.contains(test, regex=False)]
    if len(names := set(chosen["test"])) != 1:
        raise ValueError(f"test must name one of {machine}, got {test!r}, which names {len(names)}")
    return float(chosen["value"].mean())


def composite(ratios: ArrayLike, axis: int = -1) -> Floats:
    """Return a suite's score: the geometric mean of its components' ratios."""
    return np.asarray(stats.gmean(positive("ratios", ratios), axis=axis))


def coefficients_of_variation(scores: pd.DataFrame) -> pd.Series[float]:
    """Return the coefficient of variation over the iterations of each test of each run.

    The scores have the columns `run`, `test` and `value`, with two iterations or more of each test.
    """
    tests = scores.groupby(["run", "test"], sort=False)["value"]
    return tests.std() / tests.mean()


def intensity(rate: ArrayLike, bandwidth: ArrayLike) -> Floats:
    """Return the FLOP/byte of a memory-bound kernel from its FLOP/s and the machine's bytes/s."""
    return np.asarray(positive("rate", rate) / positive("bandwidth", bandwidth))
