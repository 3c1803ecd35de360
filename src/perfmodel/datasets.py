"""What third parties published and labs fetch: where it is, what it is, and its licence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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
