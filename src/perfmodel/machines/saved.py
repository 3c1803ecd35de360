"""Machines that the reader measured, one JSON file each, and the one that labs use."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

from platformdirs import user_data_path

from perfmodel.machines import shipped
from perfmodel.machines.machine import Machine, MachineFigure

THIS = "this-machine"
"""Id under which a reader's own machine is saved."""
EXAMPLE = "example-2vcpu"
"""Id of the registry's small machine, used where no own one was measured."""


def folder() -> Path:
    """Return where machines are saved: `PERFMODEL_MACHINES_DIR`, or the user's data folder."""
    given = os.environ.get("PERFMODEL_MACHINES_DIR")
    return Path(given) if given else user_data_path("perfmodel") / "machines"


def ids() -> list[str]:
    """Return the ids of the saved machines in order of the alphabet."""
    return sorted(path.stem for path in folder().glob("*.json"))


def save(machine: Machine) -> Path:
    """Save `machine` for later sessions and return its file; one of the same id is replaced.

    Raises
    ------
    ValueError
        If the registry has a machine of that id.
    """
    if machine.id in shipped.machines():
        raise ValueError(f"id must not be one of the registry's, got {machine.id!r}")
    path = folder() / f"{machine.id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".part")
    draft.write_text(json.dumps(asdict(machine), indent=1, ensure_ascii=False), "utf-8")
    draft.replace(path)
    return path


def load(id: str) -> Machine:
    """Return the saved machine `id`.

    Raises `ValueError` if its file is missing or can't be read as a machine.
    """
    path = folder() / f"{id}.json"
    try:
        return read(path)
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(
            f"id must name a saved machine, got {id!r}: {path} can't be read ({error}); "
            "measure and save it again"
        ) from error


def read(path: Path) -> Machine:
    """Return the machine that `save` wrote into the file at `path`."""
    data = json.loads(path.read_text("utf-8"))
    figures = {name: MachineFigure(**figure) for name, figure in data.pop("figures").items()}
    return Machine(**data, figures=figures)


def delete(id: str = THIS) -> None:
    """Delete the saved machine `id`, if there is one."""
    (folder() / f"{id}.json").unlink(missing_ok=True)


def this_machine() -> Machine:
    """Return the reader's own machine, or the labelled example machine where none was saved.

    The `name` says which of the two it is, and `machine.id == THIS` tells them apart in code.
    """
    return load(THIS) if THIS in ids() else shipped.machines()[EXAMPLE]
