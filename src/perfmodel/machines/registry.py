"""Look machines up by id, and all of them as tables; `shown` prints a figure with its unit."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from perfmodel.machines import saved, shipped
from perfmodel.machines.machine import Machine
from perfmodel.units import number, prefixed

if TYPE_CHECKING:
    import pandas as pd

_BINARY = ((2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "bytes"))


def ids(own: bool = True) -> list[str]:
    """Return the ids of the registry's machines and, unless `own` is False, of the saved ones.

    >>> ids()[:2]
    ['v100-sxm2-32gb', 'a100-sxm4-80gb']
    """
    known = shipped.machines()
    return [*known, *(name for name in saved.ids() if own and name not in known)]


def get(id: str) -> Machine:
    """Return the machine named `id`.

    Raises
    ------
    ValueError
        If there is none; lists ids that look like it.

    Examples
    --------
    >>> get("a100-sxm4-80gb").memory_bandwidth
    2039000000000.0
    >>> get("h200")
    Traceback (most recent call last):
        ...
    ValueError: id must be that of a known machine, got 'h200'; near: h200-sxm-141gb, gh200-96gb
    """
    if id in shipped.machines():
        return shipped.machines()[id]
    if id in saved.ids():
        return saved.load(id)
    near = ", ".join(_near(id))
    raise ValueError(f"id must be that of a known machine, got {id!r}; near: {near}")


def match(text: str) -> tuple[Machine, list[str]]:
    """Return the machine that a short name means, and the ids of others that fit it as well.

    `text` is taken as it is if it is an id; otherwise as the beginning of one, and the first of the
    catalogue is meant.

    Raises
    ------
    ValueError
        If none fits; lists ids that look like it.

    Examples
    --------
    >>> machine, others = match("H100")
    >>> machine.id, others
    ('h100-sxm5-80gb', ['h100-pcie-80gb'])
    """
    wanted = text.strip().lower()
    if wanted in ids():
        return get(wanted), []
    fitting = [name for name in ids() if wanted and f"{name}-".startswith(f"{wanted}-")]
    if not fitting:
        fitting = [name for name in ids() if wanted and name.startswith(wanted)]
    if not fitting:
        get(text)
    return get(fitting[0]), fitting[1:]


def figures(own: bool = True) -> pd.DataFrame:
    """Return every figure as one row: machine, quantity, value, unit, kind, source, date ...

    Parameters
    ----------
    own : bool
        Whether the machines saved by the reader are among them.

    Examples
    --------
    >>> {"machine", "quantity", "value", "unit"} <= set(figures(own=False))
    True
    """
    import pandas as pd

    rows = [
        {"machine": name, "quantity": quantity, **vars(figure)}
        for name in ids(own)
        for quantity, figure in get(name).figures.items()
    ]
    return pd.DataFrame(rows)


def table(quantities: Sequence[str] | None = None, own: bool = True) -> pd.DataFrame:
    """Return one row a machine and one column a quantity, in SI units; blank where unknown.

    Parameters
    ----------
    quantities : sequence of str
        Columns to take; all that some machine has if not given.
    own : bool
        Whether the machines saved by the reader are among the rows.

    Returns
    -------
    pandas.DataFrame
        Indexed by machine id, with `name`, `kind` and `year` first.

    Raises
    ------
    ValueError
        If no machine has one of `quantities`.

    Examples
    --------
    >>> float(table(["memory_bandwidth"]).loc["t4", "memory_bandwidth"])
    320000000000.0
    """
    import pandas as pd

    known = list(dict.fromkeys(q for name in ids(own) for q in get(name).figures))
    for quantity in quantities or ():
        if quantity not in known:
            raise ValueError(f"quantities must be among {', '.join(known)}, got {quantity!r}")
    names = ids(own)
    columns: dict[str, list[object]] = {
        heading: [getattr(get(name), heading) for name in names]
        for heading in ("name", "kind", "year")
    }
    for quantity in quantities or known:
        columns[quantity] = [
            get(name).value(quantity) if get(name).has(quantity) else float("nan") for name in names
        ]
    return pd.DataFrame(columns, index=pd.Index(names, name="machine")).astype({"year": "Int64"})


def shown(machine: Machine, quantity: str) -> str:
    """Return a figure as text with a prefixed unit; a dagger marks what was not verified.

    Parameters
    ----------
    machine : Machine
        From the registry, or measured.
    quantity : str
        The figure's name, as for `Machine.figure`. Memory and caches are shown in binary units.

    Examples
    --------
    >>> shown(get("h200-sxm-141gb"), "memory_bandwidth"), shown(get("l40s"), "last_level_cache")
    ('4.8 TB/s', '96 MiB†')
    """
    figure = machine.figure(quantity)
    if figure.unit == "bytes" and (quantity.endswith("cache") or quantity == "memory_capacity"):
        text = size_text(figure.value)
    elif figure.unit in ("W", "1"):
        text = f"{number(figure.value)} {figure.unit}".removesuffix(" 1")
    else:
        text = prefixed(figure.value, figure.unit.replace("bytes", "B"), digits=4)
    return text if figure.verified else f"{text}†"


def size_text(size: float) -> str:
    """Return `size`, in bytes, in the binary unit that memories are sold by.

    >>> size_text(48 << 10), size_text(1.5 * 2**20), size_text(2**37)
    ('48 KiB', '1.5 MiB', '128 GiB')
    """
    scale, unit = next(pair for pair in _BINARY if size >= pair[0] or pair[0] == 1)
    return f"{number(size / scale)} {unit}"


def _near(id: str) -> list[str]:
    wanted = id.lower()
    inside = [name for name in ids() if wanted and wanted in name]
    inside.sort(key=lambda name: not name.startswith(wanted))
    return inside or difflib.get_close_matches(wanted, ids(), n=5, cutoff=0.3) or ids()
