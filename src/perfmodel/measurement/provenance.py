"""The origin of a number: machine, versions and date; and tables stored with their origin.

>>> found = provenance()
>>> found.host.cores >= 1, "numpy" in found.versions
(True, True)
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfmodel.measurement.load import SYSTEM, usable_cores
from perfmodel.shipped_data import shipped_table

if TYPE_CHECKING:
    import pandas as pd

PACKAGES = ("perfmodel", "numpy", "scipy", "numba", "scikit-learn")
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Cache:
    """One cache of the first core: its level, its content, its size and the cores that share it."""

    level: int
    kind: str
    """`Data`, `Instruction` or `Unified`."""
    size: int
    """Bytes."""
    cores: int
    """Logical cores that share it."""


@dataclass(frozen=True)
class Host:
    """The machine that a measurement was made on; `unknown` where it does not say."""

    processor: str
    architecture: str
    cores: int
    """Logical cores that this process may use."""
    memory: int | None
    """Bytes of main memory."""
    caches: tuple[Cache, ...]
    system: str
    governor: str
    """Frequency policy of the first core."""
    virtual: bool | None
    """Whether the processor says that it runs under a hypervisor."""


@dataclass(frozen=True)
class Provenance:
    """Host, versions and date (UTC, ISO 8601) of a measurement."""

    host: Host
    versions: Mapping[str, str]
    date: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold; `from_dict` turns it back."""
        return {"host": asdict(self.host), "versions": dict(self.versions), "date": self.date}


def provenance() -> Provenance:
    """Return the provenance of a measurement made now; needs no git, network or rights."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Provenance(host(), dict(_versions()), now)


def from_dict(data: Mapping[str, Any]) -> Provenance:
    """Return the provenance that `as_dict` turned into plain data.

    >>> now = provenance()
    >>> from_dict(now.as_dict()) == now
    True
    """
    about = dict(data["host"])
    caches = tuple(Cache(**item) for item in about.pop("caches"))
    return Provenance(Host(caches=caches, **about), dict(data["versions"]), str(data["date"]))


def record_table(
    table: pd.DataFrame, path: Path, about: Mapping[str, Any] | None = None, **csv: Any
) -> None:
    """Write a table as CSV without its index, and its origin as JSON next to it.

    `about` adds plain data on the run to the provenance, such as the command and the seconds it
    took; `csv` goes to pandas' `to_csv`.
    """
    if path.suffix != ".csv":
        raise ValueError(f"path must end in .csv, got {str(path)!r}")
    result, more = provenance().as_dict(), dict(about or {})
    if result.keys() & more.keys():
        raise ValueError(f"about must have none of {', '.join(result)}, got {', '.join(more)}")
    table.to_csv(path, index=False, lineterminator="\n", **csv)
    path.with_suffix(".json").write_text(json.dumps(result | more, indent=1) + "\n", "utf-8")


def recorded_table(package: str, name: str) -> pd.DataFrame:
    """Return a table that `record_table` wrote into a package; it may be changed."""
    return _read_table(package, name).copy()


def recorded_origin(package: str, name: str) -> dict[str, Any]:
    """Return `host`, `versions`, `date` and what else `record_table` wrote about a table."""
    file = resources.files(package) / Path(name).with_suffix(".json").name
    return dict(json.loads(file.read_text("utf-8")))


_read_table = cache(shipped_table)


@cache
def host(root: Path = SYSTEM) -> Host:
    """Return what the operating system says in `proc` and `sys` below `root`, as a `Host`.

    Examples
    --------
    >>> host().architecture == platform.machine()
    True
    """
    cpu = root / "sys/devices/system/cpu/cpu0"
    text = _read(root / "proc/cpuinfo")
    return Host(
        processor=_processor(text),
        architecture=platform.machine(),
        cores=usable_cores(),
        memory=_memory(),
        caches=caches_in(cpu / "cache"),
        system=f"{platform.system()} {platform.release()}",
        governor=_read(cpu / "cpufreq/scaling_governor") or UNKNOWN,
        virtual=" hypervisor" in text if "flags" in text else None,
    )


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    versions = [("python", platform.python_version())]
    for name in PACKAGES:
        try:
            versions.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            continue
    return tuple(versions)


def _processor(cpuinfo: str) -> str:
    named = re.search(r"^model name\s*:\s*(.+)$", cpuinfo, re.M)
    if named:
        return named.group(1).strip()
    return _sysctl("machdep.cpu.brand_string") or platform.processor() or UNKNOWN


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        size = _sysctl("hw.memsize")
        return int(size) if size.isdecimal() else None


def _sysctl(name: str) -> str:
    if platform.system() != "Darwin":
        return ""
    command = ["/usr/sbin/sysctl", "-n", name]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def caches_in(folder: Path) -> tuple[Cache, ...]:
    """Return the caches that the system lists in a core's folder `cache`."""
    caches = []
    for index in sorted(folder.glob("index[0-9]*")):
        size = re.fullmatch(r"(\d+)([KMG]?)", _read(index / "size"))
        level = _read(index / "level")
        if size and level.isdecimal():
            factor = 1024 ** " KMG".index(size.group(2) or " ")
            shared = _count(_read(index / "shared_cpu_list"))
            caches.append(
                Cache(int(level), _read(index / "type"), int(size.group(1)) * factor, shared)
            )
    return tuple(caches)


def _count(cores: str) -> int:
    """Count a list such as `0-3,8`."""
    ends = [part.split("-") for part in cores.split(",") if part]
    return sum(int(end[-1]) - int(end[0]) + 1 for end in ends)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace").strip()
    except OSError:
        return ""
