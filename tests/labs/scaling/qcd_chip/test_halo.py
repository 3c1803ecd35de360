"""Tiled sweeps give the untiled answer, and fetch what the surface law says."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.scaling.qcd_chip.halo import sweep, tiled_sweep
from perfmodel.scaling.stencil import Stencil, flop_limit

SHAPES = [((12,), 3), ((6, 9), 3), ((4, 4, 8), 4), ((4, 4, 4, 4), 2), ((3, 6, 3, 3), 3)]


def field(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape)


@pytest.mark.parametrize(("shape", "side"), SHAPES)
def test_tiles_do_not_change_the_answer(shape: tuple[int, ...], side: int) -> None:
    assert np.allclose(tiled_sweep(field(shape), side).field, sweep(field(shape)), rtol=1e-14)


@pytest.mark.parametrize(("shape", "side"), SHAPES)
def test_words_follow_the_surface_law(shape: tuple[int, ...], side: int) -> None:
    stencil = Stencil(len(shape), flops_per_site=2 * len(shape), face_words=1, words_per_site=2)
    flops = stencil.flops_per_site * np.prod(shape)
    assert flops / tiled_sweep(field(shape), side).halo_words == flop_limit(side, 1, stencil)


def test_sweep_of_a_single_peak() -> None:
    peak = np.zeros((5, 5))
    peak[2, 2] = 4.0
    swept = sweep(peak)
    assert swept[[1, 3, 2, 2], [2, 2, 1, 3]].tolist() == [1, 1, 1, 1]
    assert np.count_nonzero(swept) == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tiled_sweep(np.ones((4, 6)), 4), r"side must divide the extents \(4, 6\), got 4"),
        (lambda: tiled_sweep(np.ones(4), 0), "side must be a whole number, 1 or more, got 0"),
        (lambda: sweep(1.0), "field must be an array of one or more sites"),
        (lambda: sweep([]), "field must be an array of one or more sites"),
        (lambda: sweep([1.0, np.inf]), "field must be finite"),
    ],
)
def test_bad_input(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
