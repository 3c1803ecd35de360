"""Where tests find third-party data, without a network: in your folders, or packed beside them."""

import lzma
import os
from pathlib import Path

import pooch
import pytest
from required import required

from perfmodel import data

COPIES = Path(__file__).parent / "copies"
BESIDE = Path(__file__).parents[2] / "shared" / "data"


def folders() -> list[Path]:
    """Return where a file may lie as FOLDER/DATASET/FILE: what the reader's own labs look in too.

    The folder that PERFMODEL_DATA_DIR names, shared/data beside the checkout, the cache of
    downloads.
    """
    named = os.environ.get(data.FOLDER_VARIABLE)
    own = [Path(named).expanduser()] if named else []
    return [*own, BESIDE, Path(pooch.os_cache("perfmodel"))]


def find(dataset: str, file: str, unpacked: Path) -> Path | None:
    """Return the path of a declared file whose hash is right, or None where there is none.

    Parameters
    ----------
    dataset, file : str
        As for `perfmodel.data.fetch`.
    unpacked : Path
        A folder for what comes out of `tests/copies`.

    Raises
    ------
    ValueError
        If a file is found that is not the one declared.
    """
    packed = COPIES / dataset / f"{file}.xz"
    for folder in folders():
        if (folder / dataset / file).is_file():
            return data.fetch(dataset, file, folder)
    if not packed.is_file():
        return None
    path = unpacked / dataset / file
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file():
        path.write_bytes(lzma.decompress(packed.read_bytes()))
    return data.fetch(dataset, file, unpacked)


def find_or_skip(dataset: str, file: str, unpacked: Path) -> Path:
    """Return the path of a file as `find` does; skip the test, or fail it where `data` must be."""
    path = find(dataset, file, unpacked)
    if path is not None:
        return path
    if required("data"):
        pytest.fail(missing(dataset, file))
    pytest.skip(missing(dataset, file))


def missing(dataset: str, file: str) -> str:
    """Return what is said of a file that is nowhere."""
    looked = ", ".join(map(str, [*folders(), COPIES]))
    return f"third-party file {dataset}/{file} is in none of {looked}"
