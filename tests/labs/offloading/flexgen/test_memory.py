"""What policies need on each tier."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from perfmodel.labs.offloading.flexgen.inputs import GIB, RUNS, SHAPES
from perfmodel.labs.offloading.flexgen.memory import needs, peak_needs
from perfmodel.labs.offloading.flexgen.policy import Batch
from perfmodel.labs.offloading.flexgen.sizes import Job
from tests.labs.offloading.flexgen.strategies import jobs, policies

FIRST = RUNS[1]


def test_30b_by_hand():
    """48 x 3 (20, 80, 0, 100, 0, 100)."""
    h, s, n, g, b, layers = 7168, 512, 32, 48, 144, 48
    w = 24 * h * h
    buffers = g * (8 * s * h + 2 * s * h + 2 * 56 * s * s + 2 * s * h + 4 * s * h + 10 * s * h)
    gpu = 0.2 * w * layers + 2 * w * 0.8 + 2 * s * h * g + buffers
    cpu = 0.8 * w * layers + 2 * h * b + 4 * (s + n) * h * b * layers
    cpu += 2 * 56 * (s + n) * g + 2 * h * g
    found = peak_needs(FIRST.job, FIRST.policy)
    assert found["GPU"] == pytest.approx(gpu)
    assert found["CPU"] == pytest.approx(cpu)
    assert found["disk"] == 0


def test_the_published_policy_fits_by_the_paper_and_not_by_the_code():
    released, paper = (
        peak_needs(FIRST.job, FIRST.policy, v)["GPU"] / GIB for v in ("released", "paper")
    )
    assert paper < 15 < released
    assert (released, paper) == pytest.approx((18.8, 14.8), abs=0.05)


def test_on_disk_by_hand():
    run = RUNS[6]
    cache = 4 * 544 * 12288 * 256 * 96
    assert peak_needs(run.job, run.policy)["disk"] == 0.5 * run.job.shape.weights + cache


def test_every_buffer_by_hand():
    """6.7B, prompts of 512 and 32 tokens, 2 x 3, all on disk and then all on the GPU."""
    h, s, t, g, b, w = 4096, 512, 544, 2, 6, 24 * 4096**2
    job, batch = Job(SHAPES["6.7B"], 512, 32), Batch(2, 3)
    away, here = np.array([0, 0, 1, 0, 0, 1, 0, 0, 1.0]), np.array([1, 0, 0, 1, 0, 0, 1, 0, 0.0])
    for version in ("released", "paper"):
        cpu = needs(job, batch, away, version).cpu
        assert cpu[0] == w + 2 * s * h * g
        assert cpu[1] == w + 4 * h * g + 8 * t * h * g + 2 * 32 * t * g + 2 * h * g
        home = 32 * w + 4 * t * h * b * 32
        gpu = needs(job, batch, here, version).gpu - home
        first, later = gpu[: len(gpu) // 2] - 2 * s * h * b, gpu[len(gpu) // 2 :] - 2 * h * b
        attention = g * (2 * h + 2 * t * h + 2 * 32 * t)
        if version == "released":
            assert first.tolist() == [g * (26 * s * h + 2 * 32 * s * s)]
            rest = 22 * h + 2 * t * h + 2 * h + 4 * t * h
            assert later.tolist() == [attention + g * rest]
        else:
            assert first.tolist() == [g * 10 * s * h, g * (4 * s * h + 2 * 32 * s * s)]
            assert later.tolist() == [g * 10 * h, attention]


@given(job=jobs, policy=policies)
def test_what_is_at_home_is_somewhere(job, policy):
    """Weights and cache of the whole block lie on the three tiers together."""
    kept = job.shape.weights + float(
        job.shape.cache(policy.batch.block, job.prompt + job.generated)
    )
    for version in ("released", "paper"):
        assert sum(peak_needs(job, policy, version).values()) >= kept * (1 - 1e-9)


@given(job=jobs, policy=policies)
def test_separate_buffers_need_no_more_than_all_together(job, policy):
    both = [peak_needs(job, policy, version)["GPU"] for version in ("paper", "released")]
    assert both[0] <= both[1]


@given(job=jobs, policy=policies)
def test_affine_in_the_shares(job, policy):
    ends = np.array([policy.shares, [1, 0, 0, 1, 0, 0, 0, 0, 1.0]])
    for version in ("released", "paper"):
        halves = needs(job, policy.batch, ends, version)
        middle = needs(job, policy.batch, ends.mean(axis=0), version)
        for rows, row in zip(halves, middle, strict=True):
            assert rows.mean(axis=0) == pytest.approx(row)
