"""Record a GPU as a data set: bandwidth by size, launches, peaks, and products of many shapes.

The folder then holds `products.csv`, `bandwidth.csv`, `launches.csv` and `about.json`, which says
what was measured on, with which versions, when, and what the GPU's clocks did. A recording that was
cut off goes on where it stopped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from perfmodel.measurement import nvml
from perfmodel.measurement.cpu.blas import shapes
from perfmodel.measurement.errors import CorruptFileError, Unavailable
from perfmodel.measurement.gpu import bandwidth, launches, products, registers
from perfmodel.measurement.gpu.battery import TURNS
from perfmodel.measurement.gpu.device import Device
from perfmodel.measurement.gpu.timing import Watch
from perfmodel.measurement.provenance import provenance
from perfmodel.measurement.runs import Runs
from perfmodel.validation import whole

if TYPE_CHECKING:
    import pandas as pd

SIZES = tuple(1 << power for power in range(16, 33))
"""Bytes of the arrays whose copy and triad are timed, 64 KiB to 4 GiB."""
SHAPES = 2000
HIGH = 8192
"""Greatest m, n and k of a product."""
PRECISIONS = ("bf16", "tf32", "fp32", "fp16")
"""In order of preference; a recording takes the first three that the device's library has. Both
half precisions run on the same units at the same rate, and single precision on others."""

Report = Callable[[str, float], None]


def record(
    device: Device,
    folder: Path,
    count: int = SHAPES,
    precisions: Sequence[str] | None = None,
    runs: int = 15,
    seconds: float = 1e-3,
    sizes: Sequence[int] = SIZES,
    report: Report = lambda part, fraction: None,
) -> Path:
    """Measure a GPU, write the data set to `folder` and return the folder.

    It has `count` shapes of products (m, n and k from 16 to 8192, half of them squares or multiples
    of 16), each in `runs` runs of about `seconds`, and copies of arrays of `sizes` bytes that fit.
    `report` is called with the part and the fraction of it that is done. A folder with a recording
    of another GPU, library, driver or settings is refused.
    """
    chosen = list(precisions or [p for p in PRECISIONS if p in device.precisions][:3])
    for precision in chosen:
        products.check_precision(device, precision)
    whole("count", count, 1)
    folder.mkdir(parents=True, exist_ok=True)
    about = folder / "about.json"
    gpu = asdict(device.about())
    settings = {"runs": runs, "seconds": seconds, "shapes": count, "precisions": chosen}
    told = json.loads(about.read_text("utf-8")) if about.exists() else {}
    told = {"gpu": gpu, "driver": nvml.driver(), "settings": settings, "sessions": []} | told
    for name, now in (("gpu", gpu), ("driver", nvml.driver()), ("settings", settings)):
        if told[name] != now:
            raise ValueError(
                f"folder must be new or hold a recording with the same {name}, got {folder} with "
                f"{told[name]} where now it is {now}"
            )
    if told.get("complete"):
        return folder
    told["sessions"].append(
        {"provenance": provenance().as_dict(), "before": nvml.state(gpu["pci"])}
    )
    _write(about, told)
    watch = Watch(device, lambda: nvml.state(gpu["pci"]))
    watch.warm_up()
    _table(_bandwidths(watch, sizes, runs, report), folder / "bandwidth.csv")
    _table(_launches(watch, runs), folder / "launches.csv")
    products.sweep(
        watch,
        shapes(count, high=HIGH),
        chosen,
        folder / "products.csv",
        runs,
        seconds,
        lambda fraction: report("products", fraction),
    )
    _write(about, {**told, "complete": True})
    return folder


def load(folder: Path) -> dict[str, pd.DataFrame]:
    """Read `products`, `bandwidth` and `launches` that `record` wrote, with their `attrs`.

    A recording that was cut off is a CorruptFileError, which says to go on with it.
    """
    import pandas as pd

    about = json.loads((folder / "about.json").read_text("utf-8"))
    if not about.get("complete"):
        raise CorruptFileError(f"{folder} was cut off: record into it again, and it goes on")
    tables = {}
    for name in ("products", "bandwidth", "launches"):
        tables[name] = pd.read_csv(folder / f"{name}.csv")
        tables[name].attrs = about
    return tables


def _bandwidths(
    watch: Watch, sizes: Sequence[int], runs: int, report: Report
) -> list[dict[str, object]]:
    rows = []
    fitting = [size for size in sizes if 3 * size <= watch.device.about().memory // 4]
    for index, size in enumerate(fitting):
        report("bandwidth by size", index / len(fitting))
        for measure in (bandwidth.copy, bandwidth.triad):
            rows.append({"size": size, **_row(watch, measure(watch, size, runs))})
    for way in bandwidth.DIRECTIONS:
        for pinned in (True, False):
            measured = bandwidth.transfer(watch, way, pinned, runs=runs)
            rows.append({"size": 64 << 20, **_row(watch, measured)})
    return rows


def _launches(watch: Watch, runs: int) -> list[dict[str, object]]:
    device = watch.device
    rows = [
        _row(watch, launches.launch_time(device)),
        _row(watch, launches.round_trip(device)),
        _row(watch, launches.null_duration(watch)),
    ]
    for precision in registers.PRECISIONS:
        try:
            work = device.multiply_adds(precision, TURNS)
        except Unavailable:
            continue
        launch = lambda p=precision: device.multiply_adds(p, TURNS)  # noqa: E731
        rows.append(_row(watch, watch.runs(f"peak {precision}", launch, work, "FLOP", runs)))
    return rows


def _row(watch: Watch, measured: Runs) -> dict[str, object]:
    return {
        "name": measured.name,
        "unit": f"{measured.unit}/s",
        "best": measured.best,
        "median": measured.median,
        "runs": len(measured.seconds),
        "note": measured.note,
        **watch.seen,
    }


def _table(rows: list[dict[str, object]], path: Path) -> None:
    import pandas as pd

    pd.DataFrame(rows).to_csv(path, index=False, lineterminator="\n")


def _write(path: Path, told: Mapping[str, object]) -> None:
    draft = path.with_suffix(".part")
    draft.write_text(json.dumps(told, indent=1, ensure_ascii=False), "utf-8")
    draft.replace(path)
