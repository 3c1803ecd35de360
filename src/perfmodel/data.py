"""Third-party measurements that stay where their authors published them, fetched when asked for.

Each set is declared in `DATASETS` with its pinned address, licence and SHA-256 hashes; `fetch`
takes a file from a folder of yours, from the cache, or from the network, and refuses one that is
not the file declared. Small tables don't come this way: they ship in the folder of the module that
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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pooch

__all__ = ["DATASETS", "DataUnavailable", "PublishedData", "Remote", "fetch"]

FOLDER_VARIABLE = "PERFMODEL_DATA_DIR"
"""Environment variable that names a folder of data sets: FOLDER/DATASET/FILE."""
TIMEOUT = 20
"""Seconds that a server may be silent before a download is given up."""


@dataclass(frozen=True)
class Remote:
    """One file of a data set."""

    path: str
    """Below the data set's address."""
    sha256: str


@dataclass(frozen=True)
class PublishedData:
    """A published set of files, pinned.

    >>> DATASETS["edge-queue"].url("trt_ps_validation.csv").rpartition("/")[2]
    'trt_ps_validation.csv'
    """

    name: str
    address: str
    """Base URL; it names a commit or a version, so that its content cannot change."""
    files: Mapping[str, Remote]
    """By the name under which a file is asked for."""
    licence: str
    provenance: str
    """Who measured what, and where they published it."""
    citation: str
    """Key in the bibliography of the paper that the data belong to."""

    def url(self, file: str) -> str:
        """Return the address of one file."""
        return f"{self.address.rstrip('/')}/{self.files[file].path}"


_VALIDATION = "data/queueing_validation/queuing_tpu_"

DATASETS: Mapping[str, PublishedData] = {
    dataset.name: dataset
    for dataset in (
        PublishedData(
            name="edge-queue",
            address="https://raw.githubusercontent.com/umassos/ibis/"
            "ac0f8d73a7e979edd0418b7a29f88235795f70a7",
            files={
                "edgetpu_fcfs_validation.csv": Remote(
                    "data/edgetpu_fcfs_validation.csv",
                    "79b6e8c7c8070eb7509b740921e658696d2c83d544d98cfd5be43448c20f1405",
                ),
                "trt_ps_validation.csv": Remote(
                    "data/trt_ps_validation.csv",
                    "78f21de249ec2addb7f0fa476208ba8f1ec3e2368d2d03bdb82d2aabe4ffc0bd",
                ),
                "queuing_tpu_inception_v4Xmobilenet_v2.csv": Remote(
                    f"{_VALIDATION}inception_v4Xmobilenet_v2.csv",
                    "1bc186129677c5b9a931efd1c938f6972a75de6b401c9a0688281a2ef4d95a36",
                ),
                "queuing_tpu_inception_v3Xssd_mobilenet_v2.csv": Remote(
                    f"{_VALIDATION}inception_v3Xssd_mobilenet_v2.csv",
                    "f9644b552d0b0d1f726b6d3e43fac4fbbfb68e03af3af98440756015863eadd1",
                ),
                "queuing_tpu_efficientnet-LXinception_v3Xinception_v4.csv": Remote(
                    f"{_VALIDATION}efficientnet-LXinception_v3Xinception_v4.csv",
                    "3490c939b6a073156354b3afdae56afe75f7f1b31c6d7aaa72d83212c5f6d56e",
                ),
            },
            licence="MIT",
            provenance="response times of neural networks on an Edge TPU and a Jetson GPU, "
            "measured by the authors of Ibis (Liang, Hanafy, Ali-Eldin and Shenoy), "
            "https://github.com/umassos/ibis",
            citation="Liang2023",
        ),
        PublishedData(
            name="apex",
            address="https://raw.githubusercontent.com/microsoft/apex_plus/"
            "8769096536a34e8b3010fd444021f13858663a93",
            files={
                "v100_gemm.csv": Remote(
                    "profile/comp/V100-PCIE-16GB/gemm_0.csv",
                    "508756b4cab18e2fc7bfd5d7159151545075e4ceaeacc6a090f59a3e9f3ac91d",
                )
            },
            licence="MIT",
            provenance="times of half-precision matrix products on an NVIDIA V100 (PCIe, 16 GB), "
            "profiled by the authors of APEX, https://github.com/microsoft/apex_plus",
            citation="Lin2024",
        ),
        PublishedData(
            name="ncpp",
            address="https://raw.githubusercontent.com/xiaoman-liu/NCPP/"
            "dd5ca2b2890e95f68027ed97efafc065698d6809",
            files={
                "train_data.csv": Remote(
                    "data/raw/SPR/train_data.csv",
                    "72896f399eb821b5bf8c9a11eca73244299f9c7df7c2575cdecd053590f1f3b5",
                ),
                "test_data.csv": Remote(
                    "data/raw/SPR/test_data.csv",
                    "a810ee66ce1915d618cdaa7b4e9ef3db7361f8b70fcb55f807356072782181db",
                ),
            },
            licence="Apache-2.0",
            provenance="scores of SPECrate2017, STREAM, HPCG and MLC on 4th-generation Xeon "
            "servers, the public sample of PerfCastDB, https://github.com/xiaoman-liu/NCPP",
            citation="Liu2024",
        ),
        PublishedData(
            name="wa-hls4ml",
            address="https://raw.githubusercontent.com/Dendendelen/wa-hls4ml-search/"
            "8e70542108dbf8b6c3cdcc16418c0d14990ee955",
            files={
                "hls_dense_synthesis.csv": Remote(
                    "results/results_format_test.csv",
                    "ad2754b0986d231f12f5c6f1695bc76baccb1c215df123d28bd87710426fdc26",
                )
            },
            licence="Apache-2.0",
            provenance="resources and latency of dense layers after high-level synthesis by "
            "hls4ml, an early pilot of the wa-hls4ml data, "
            "https://github.com/Dendendelen/wa-hls4ml-search",
            citation="Hawks2025",
        ),
    )
}


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

    `dataset`: a name in `DATASETS`, or a declaration of your own. `file`: name of the file in the
    data set. `folder`: where to look first, for FOLDER/DATASET/FILE; the environment variable
    PERFMODEL_DATA_DIR if left out. `cache`: where downloads are kept; pooch's cache folder of the
    operating system if left out. `show`: is given the licence and origin after the first download
    of a data set. Raises `ValueError` if the data set or file is not declared, or what was found
    has another hash. Raises `DataUnavailable` if the file is nowhere and cannot be downloaded; says
    how to get it.
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
