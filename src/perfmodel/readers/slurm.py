"""SLURM's accounting: `sacct -P`, one line a job, its batch script and each of its steps."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from perfmodel.readers.refusal import UnreadableFileError, text_of

FORMATS: dict[str, Callable[[str], bool]] = {
    "sacct -P": lambda text: bool(re.match(r"(\w+\|)*JobID(Raw)?(\||$)", text.splitlines()[0])),
}
_SCALES = {"K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40, "": 1.0}
_CLOCK = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)")
ASK = "sacct -P -D -o JobID,State,ElapsedRaw,AllocCPUS,AllocNodes"
"""The command that writes all that is read of a job's size and time."""
_TRAPS = (
    "MaxRSS is a sample, every 30 s unless set otherwise: peaks between samples and steps shorter "
    "than that are missed. Over the tasks of a step it is the largest, not the sum.",
    "Elapsed leaves suspensions out, so that it isn't End less Start.",
    "A job's own line adds its steps' CPU time up: don't add the lines of steps to it.",
)
_WITHOUT_D = "Without -D only a job's last run is listed: runs that were requeued are hidden."


@dataclass(frozen=True)
class SlurmJob:
    """One run of a job; what the file doesn't hold is None."""

    id: str
    state: str
    elapsed: float | None
    """Seconds, without suspensions."""
    cpus: int | None
    """CPUs allocated."""
    nodes: int | None
    total_cpu: float | None
    """Seconds of CPU time used; None where nothing was measured."""
    max_rss: float | None
    """Bytes: the largest sample of any task of any step."""
    line: int


@dataclass(frozen=True)
class SlurmJobs:
    """The jobs of a file in its order, and what its numbers are and aren't."""

    jobs: tuple[SlurmJob, ...]
    traps: tuple[str, ...]


def read_sacct(path: Path | str) -> SlurmJobs:
    r"""Return the jobs of `sacct -P`, those of the lines without a step.

    Raises `UnreadableFileError` if the file isn't `sacct -P`, or a line is damaged.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "sacct.txt"
    >>> _ = file.write_text("JobID|State|Elapsed|MaxRSS\n7|COMPLETED|1-00:00:08|\n7.0||00:08|2K\n")
    >>> job = read_sacct(file).jobs[0]
    >>> job.elapsed, job.max_rss
    (86408.0, 2048.0)
    """
    path = Path(path)
    text = text_of(path)
    lines = text.splitlines()
    if "|" not in lines[0] or not FORMATS["sacct -P"](text):
        cure = "give the output of `sacct -P -D -o JobID,State,ElapsedRaw,AllocCPUS,MaxRSS`"
        raise UnreadableFileError(path, 1, "the line names no columns of sacct -P", cure)
    header = lines[0].rstrip("|").split("|")
    jobs: list[SlurmJob] = []
    peaks: dict[str, float] = {}
    for i, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        cells = line.split("|")
        cells = cells[:-1] if lines[0].endswith("|") else cells
        if len(cells) != len(header):
            cure = "the file may be truncated: run sacct again"
            what = f"the line has {len(cells)} fields below {len(header)} names"
            raise UnreadableFileError(path, i, what, cure)
        row = dict(zip(header, cells, strict=True))
        id = row.get("JobID") or row.get("JobIDRaw", "")
        of, dot, _ = id.partition(".")
        if row.get("MaxRSS"):
            peaks[of] = max(peaks.get(of, 0.0), _bytes(path, i, row["MaxRSS"]))
        if not dot:
            jobs.append(_job(path, i, id, row))
    if not jobs:
        raise UnreadableFileError(path, None, "the file lists no jobs", "ask sacct for more days")
    with_peaks = tuple(replace(job, max_rss=peaks.get(job.id)) for job in jobs)
    requeued = any("REQUEUED" in job.state for job in jobs)
    repeated = len({job.id for job in jobs}) < len(jobs)
    traps = _TRAPS if requeued or repeated else (_WITHOUT_D, *_TRAPS)
    return SlurmJobs(with_peaks, traps)


def _job(path: Path, line: int, id: str, row: dict[str, str]) -> SlurmJob:
    elapsed = row.get("ElapsedRaw") or ""
    seconds = _count(path, line, elapsed) if elapsed else _clock(path, line, row.get("Elapsed", ""))
    used = _clock(path, line, row.get("TotalCPU", ""))
    cpus = row.get("AllocCPUS") or row.get("NCPUS") or ""
    nodes = row.get("AllocNodes") or row.get("NNodes") or ""
    return SlurmJob(
        id,
        row.get("State", "").partition(" ")[0],
        seconds,
        int(_count(path, line, cpus)) if cpus else None,
        int(_count(path, line, nodes)) if nodes else None,
        used or None,
        None,
        line,
    )


def _count(path: Path, line: int, text: str) -> float:
    if not text.isdigit():
        raise UnreadableFileError(path, line, f"{text!r} is no whole number", "run sacct again")
    return float(text)


def _clock(path: Path, line: int, text: str) -> float | None:
    """Return the seconds of `[D-]HH:MM:SS` or `MM:SS.mmm`."""
    if not text:
        return None
    found = _CLOCK.fullmatch(text)
    if found is None:
        cure = "write [D-]HH:MM:SS, or ask for ElapsedRaw"
        raise UnreadableFileError(path, line, f"{text!r} is no time of sacct", cure)
    days, hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return 86400 * days + 3600 * hours + 60 * minutes + seconds


def _bytes(path: Path, line: int, text: str) -> float:
    found = re.fullmatch(r"([\d.]+)([KMGT]?)", text)
    if found is None:
        cure = "run sacct with --noconvert, which prints bytes"
        raise UnreadableFileError(path, line, f"{text!r} is no memory size of sacct", cure)
    return float(found[1]) * _SCALES[found[2]]
