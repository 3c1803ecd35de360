"""Measurements in one tidy file: a row a sample in CSV, and above it one line of JSON.

The line holds what is the same for all samples of a measurement, and a checksum, so that
a file that was cut off or edited is refused. Any program that skips lines with ``#`` reads it:
``pandas.read_csv(path, comment="#")``.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.measurement import provenance
from perfmodel.measurement.errors import CorruptFileError
from perfmodel.measurement.load import Load
from perfmodel.measurement.timing import Measurement

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "perfmodel measurements"
VERSION = 1
COLUMNS = ("run", "name", "sample", "calls", "seconds")
_SAME = ("name", "inner", "resolution", "confidence", "target", "reached")


def samples_table(measurements: Sequence[Measurement]) -> pd.DataFrame:
    """Return the samples of measurements as a tidy table.

    Parameters
    ----------
    measurements : sequence of Measurement
        One or more.

    Returns
    -------
    pandas.DataFrame
        A row a sample: `run` (0, 1, ... in the order given), `name`, `sample` (its place in time),
        `calls` in it and `seconds` a call.
    """
    import pandas as pd

    if not measurements:
        raise ValueError("measurements must be one or more, got none")
    frames = [
        pd.DataFrame(
            {
                "run": run,
                "name": measurement.name,
                "sample": np.arange(measurement.samples.size),
                "calls": measurement.inner,
                "seconds": measurement.samples,
            }
        )
        for run, measurement in enumerate(measurements)
    ]
    return pd.concat(frames, ignore_index=True)


def save_measurements(path: str | Path, measurements: Sequence[Measurement]) -> Path:
    """Write measurements to one file; it appears whole or not at all.

    Parameters
    ----------
    path : str or Path
        Replaced if it exists.
    measurements : sequence of Measurement
        One or more.

    Raises
    ------
    ValueError
        If there is no measurement.
    OSError
        If the file cannot be written.
    """
    rows = samples_table(measurements).to_csv(index=False, lineterminator="\n")
    about = [_described(measurement) for measurement in measurements]
    checksum = _checksum(about, rows)
    head = {"format": FORMAT, "version": VERSION, "sha256": checksum, "measurements": about}
    file = Path(path)
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    beside.write_text(f"# {json.dumps(head)}\n{rows}", "utf-8", newline="\n")
    return beside.replace(file)


def load_measurements(path: str | Path) -> list[Measurement]:
    """Read the measurements that `save_measurements` wrote, exactly as they were.

    Parameters
    ----------
    path : str or Path
        Of the file.

    Raises
    ------
    CorruptFileError
        If the file is cut off, was altered, or is something else; the message says which.
    OSError
        If it cannot be read.
    """
    import pandas as pd

    head, rows = _parts(Path(path))
    try:
        frame = pd.read_csv(
            io.StringIO(rows),
            dtype={"name": str},
            # Python reads back every digit; pandas does so only with an option of changing name.
            converters={"seconds": float},
            keep_default_na=False,
        )
        samples = [np.array(group) for _, group in frame.groupby("run")["seconds"]]
        pairs = zip(head["measurements"], samples, strict=True)
        return [_rebuilt(about, values) for about, values in pairs]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CorruptFileError(f"{path}: the header and the rows disagree: {error}") from error


def _parts(path: Path) -> tuple[dict[str, Any], str]:
    try:
        first, _, rows = path.read_text("utf-8").partition("\n")
        head = json.loads(first.removeprefix("# "))
        known = head["format"] == FORMAT
    except (UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise CorruptFileError(f"{path}: not a file of measurements: {error}") from error
    if not known or head.get("version") != VERSION:
        raise CorruptFileError(
            f"{path}: must be {FORMAT!r} version {VERSION}, "
            f"got {head['format']!r} version {head.get('version')!r}"
        )
    if head.get("sha256") != _checksum(head.get("measurements"), rows):
        raise CorruptFileError(f"{path}: it was cut off or altered: the checksum differs")
    return head, rows


def _described(one: Measurement) -> dict[str, Any]:
    return {name: getattr(one, name) for name in _SAME} | {
        "warmup": one.warmup.tolist(),
        "load": None if one.load is None else asdict(one.load),
        "provenance": one.provenance.as_dict(),
    }


def _rebuilt(about: dict[str, Any], samples: np.ndarray[Any, Any]) -> Measurement:
    beside = about["load"]
    return Measurement(
        **{name: about[name] for name in _SAME},
        samples=samples.astype(np.float64),
        warmup=np.array(about["warmup"], dtype=np.float64),
        load=None if beside is None else Load(**beside),
        provenance=provenance.from_dict(about["provenance"]),
    )


def _checksum(about: Any, rows: str) -> str:
    return hashlib.sha256(f"{json.dumps(about)}\n{rows}".encode()).hexdigest()
