"""Third-party measurements that stay where their authors published them, fetched when asked for.

Each set is declared in `perfmodel.datasets` with its pinned address, licence and SHA-256 hashes;
`fetch` takes a file from a folder of yours, from the cache, or from the network, and refuses one
that is not the file declared. Small tables don't come this way: they ship beside the module that
reads them.

>>> DATASETS["edge-queue"].licence
'MIT'
>>> fetch("edge-queue", "no.csv")
Traceback (most recent call last):
    ...
ValueError: file must be one of edgetpu_fcfs_validation.csv, trt_ps_validation.csv, ...
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pooch

from perfmodel.datasets import DATASETS, PublishedData, Remote

__all__ = ["DATASETS", "DataUnavailable", "PublishedData", "Remote", "fetch"]

FOLDER_VARIABLE = "PERFMODEL_DATA_DIR"
"""Environment variable that names a folder of data sets: FOLDER/DATASET/FILE."""
TIMEOUT = 20
"""Seconds that a server may be silent before a download is given up."""


class DataUnavailable(OSError):  # noqa: N818 - a state of the world that callers plan for
    """A file is in no folder and not in the cache, and could not be downloaded."""


def fetch(
    dataset: str | PublishedData,
    file: str,
    folder: str | Path | None = None,
    *,
    cache: str | Path | None = None,
    show: Callable[[str], object] = print,
) -> Path:
    """Return the path of a third-party file whose hash is right, downloading it if need be.

    Parameters
    ----------
    dataset : str or PublishedData
        A name in `DATASETS`, or a declaration of your own.
    file : str
        Name of the file in the data set.
    folder : path, optional
        Where to look first, for FOLDER/DATASET/FILE; the environment variable PERFMODEL_DATA_DIR
        if left out.
    cache : path, optional
        Where downloads are kept; pooch's cache folder of the operating system if left out.
    show : callable
        Is given the licence and origin after the first download of a data set.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        If the data set or file is not declared, or what was found has another hash.
    DataUnavailable
        If the file is nowhere and cannot be downloaded; says how to get it.
    """
    chosen = _declared(dataset, file)
    given = folder or os.environ.get(FOLDER_VARIABLE)
    own = Path(given).expanduser() / chosen.name / file if given else None
    if own is not None and own.is_file():
        return _checked(own, chosen.files[file].sha256)
    kept = Path(cache or pooch.os_cache("perfmodel")) / chosen.name
    try:
        return _kept_or_downloaded(chosen, file, kept, show)
    except OSError as error:
        raise DataUnavailable(_how_to_get(chosen, file, kept, given)) from error


def _declared(dataset: str | PublishedData, file: str) -> PublishedData:
    if isinstance(dataset, str):
        if dataset not in DATASETS:
            raise ValueError(f"dataset must be one of {', '.join(DATASETS)}, got {dataset!r}")
        dataset = DATASETS[dataset]
    if file not in dataset.files:
        raise ValueError(f"file must be one of {', '.join(dataset.files)}, got {file!r}")
    return dataset


def _checked(path: Path, sha256: str) -> Path:
    actual = pooch.file_hash(str(path))
    if actual != sha256:
        raise ValueError(
            f"{path} must have the SHA-256 {sha256} of the data set's declaration, got {actual}: "
            f"it is another version, or damaged"
        )
    return path


def _kept_or_downloaded(
    dataset: PublishedData, file: str, kept: Path, show: Callable[[str], object]
) -> Path:
    if not any((kept / name).is_file() for name in dataset.files):
        fresh = f"{dataset.name}: {dataset.provenance}. Licence: {dataset.licence}."
    else:
        fresh = ""
    store = pooch.create(
        path=kept,
        base_url="",
        registry={name: f"sha256:{remote.sha256}" for name, remote in dataset.files.items()},
        urls={name: dataset.url(name) for name in dataset.files},
    )
    ask = pooch.HTTPDownloader(timeout=TIMEOUT)

    def download(url: str, output: object, pup: object) -> None:
        ask(url, output, pup)
        if fresh:
            show(fresh)

    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")
    try:
        return Path(store.fetch(file, downloader=download))
    finally:
        logger.setLevel(level)


def _how_to_get(dataset: PublishedData, file: str, kept: Path, given: str | Path | None) -> str:
    cached = str(kept).replace(str(Path.home()), "~")
    looked = f"{given} and {cached}" if given else cached
    return (
        f"{file} of the data set {dataset.name} is not in {looked} and could not be downloaded. "
        f"With a network, call again; or save {dataset.url(file)} as "
        f"FOLDER/{dataset.name}/{file} and set {FOLDER_VARIABLE}=FOLDER."
    )
