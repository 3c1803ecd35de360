"""Cascades of Einsums, and how many times each must traverse its data.

A cascade is an ordered list of tensor equations with named ranks. Some values need a complete
fiber, such as the maximum over all keys. An equation that uses such a value together with the
fiber's elements must traverse them once more, so a new pass begins. The number of passes is a
property of the cascade. No tiling and no order of loops lowers it.

After Nayak, Wu, Odemuyiwa, Pellauer, Emer and Fletcher, "FuseMax", MICRO 2024, section 3.

>>> passes(THREE_PASS, "m"), passes(TWO_PASS, "m1 m0"), passes(ONE_PASS, "m1 m0")
(3, 2, 1)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TENSOR = r"(\w+)\[([\w,]*)\]"


@dataclass(frozen=True)
class Einsum:
    """One equation: the tensor it makes, that tensor's ranks, and the tensors it reads."""

    output: str
    ranks: frozenset[str]
    inputs: tuple[tuple[str, frozenset[str]], ...]


def cascade(text: str) -> tuple[Einsum, ...]:
    """Read a cascade, one equation a line: `Z[p] = A[m,p] B[m]`.

    What is done with the inputs (multiplied, summed, the largest taken) has no part in counting
    passes and is not written. A tensor on both sides is carried from one index to the next. Tensors
    that no equation makes are the cascade's inputs. ValueError if a line is no equation, or a
    tensor is made twice or read before it is made.

    >>> cascade("Y[] = A[k] B[k]")[0].output
    'Y'
    """
    einsums = tuple(_einsum(line) for line in text.strip().splitlines())
    outputs = [einsum.output for einsum in einsums]
    for i, einsum in enumerate(einsums):
        if einsum.output in outputs[:i]:
            raise ValueError(f"a tensor must be made once, got {einsum.output!r} twice")
        early = {name for name, _ in einsum.inputs} & set(outputs[i + 1 :])
        if early:
            raise ValueError(f"a tensor must be made before it is read, got {min(early)!r}")
    return einsums


def passes(einsums: tuple[Einsum, ...], rank: str) -> int:
    r"""Return how many times a cascade must traverse a rank, or ranks as in `"m1 m0"`.

    >>> passes(cascade("Y[] = A[k] B[k]\nZ[] = Y[] A[k]"), "k")
    2
    >>> passes(cascade("Y[] = A[k] B[k]\nX[] = A[k]\nZ[] = X[] Y[]"), "k")
    1
    """
    return 1 + max(max(levels) for levels in touched(einsums, rank).values())


def touched(einsums: tuple[Einsum, ...], rank: str) -> dict[str, tuple[int, ...]]:
    """Return for each tensor with the rank the passes, from 0, in which it is made or read.

    A tensor with more than one entry must be kept whole between passes, or be brought back from
    memory, or be computed again.

    >>> {k: v for k, v in touched(THREE_PASS, "m").items() if len(v) > 1}
    {'QK': (0, 1), 'SN': (1, 2)}
    """
    family = _family(einsums, rank)
    ready: dict[str, int] = {}
    seen: dict[str, set[int]] = {}
    for einsum in einsums:
        read = [(name, ranks) for name, ranks in einsum.inputs if name != einsum.output]
        level = max((ready.get(name, 0) for name, _ in read), default=0)
        for name, ranks in [*read, (einsum.output, einsum.ranks)]:
            if ranks & family:
                seen.setdefault(name, set()).add(level)
        completes = any(ranks & family for _, ranks in read) and not einsum.ranks & family
        ready[einsum.output] = level + completes
    return {name: tuple(sorted(levels)) for name, levels in seen.items()}


def _family(einsums: tuple[Einsum, ...], rank: str) -> frozenset[str]:
    family = frozenset(rank.split())
    known: set[str] = set()
    for einsum in einsums:
        known |= einsum.ranks.union(*(ranks for _, ranks in einsum.inputs))
    if not family or family - known:
        raise ValueError(f"rank must be among {', '.join(sorted(known))}, got {rank!r}")
    return family


def _einsum(line: str) -> Einsum:
    if not re.fullmatch(rf"\s*{_TENSOR}\s*=(\s*{_TENSOR})+\s*", line):
        raise ValueError(f"an equation must look like 'Z[p] = A[m,p] B[m]', got {line.strip()!r}")
    (output, ranks), *inputs = re.findall(_TENSOR, line)
    return Einsum(output, _ranks(ranks), tuple((name, _ranks(text)) for name, text in inputs))


def _ranks(text: str) -> frozenset[str]:
    return frozenset(text.split(",")) if text else frozenset()


SCALED = cascade("""
Y[] = A[k] B[k]
Z[] = Y[] A[k]
""")
"""A vector scaled by its dot product with another and summed, as written."""

DEFERRED = cascade("""
Y[] = A[k] B[k]
X[] = A[k]
Z[] = X[] Y[]
""")
"""The same, summed first and scaled at the end."""

THREE_PASS = cascade("""
QK[m,p] = Q[e,p] K[e,m]
GM[p] = QK[m,p]
SN[m,p] = QK[m,p] GM[p]
SD[p] = SN[m,p]
A[m,p] = SN[m,p] SD[p]
AV[f,p] = A[m,p] V[f,m]
""")
"""Softmax attention as PyTorch, TensorFlow and FLAT do it: largest score, sum, weighted values."""

TWO_PASS = cascade("""
QK[m1,m0,p] = Q[e,p] K[e,m1,m0]
LM[m1,p] = QK[m1,m0,p]
SLN[m1,m0,p] = QK[m1,m0,p] LM[m1,p]
SLD[m1,p] = SLN[m1,m0,p]
GM[p] = LM[m1,p]
PLM[m1,p] = LM[m1,p] GM[p]
SPD[m1,p] = SLD[m1,p] PLM[m1,p]
SD[p] = SPD[m1,p]
SNV[f,p] = SLN[m1,m0,p] PLM[m1,p] V[f,m1,m0]
AV[f,p] = SNV[f,p] SD[p]
""")
"""Largest score and sum tile by tile in the first pass, corrected in the second."""

ONE_PASS = cascade("""
QK[m1,m0,p] = Q[e,p] K[e,m1,m0]
LM[m1,p] = QK[m1,m0,p]
RM[m1,p] = RM[m1,p] LM[m1,p]
SLN[m1,m0,p] = QK[m1,m0,p] RM[m1,p]
SLD[m1,p] = SLN[m1,m0,p]
SLNV[m1,f,p] = SLN[m1,m0,p] V[f,m1,m0]
PRM[m1,p] = RM[m1,p]
RD[m1,p] = RD[m1,p] PRM[m1,p] SLD[m1,p]
RNV[m1,f,p] = RNV[m1,f,p] PRM[m1,p] SLNV[m1,f,p]
AV[f,p] = RNV[m1,f,p] RD[m1,p]
""")
"""Running maximum, sum and output, corrected tile by tile: FlashAttention-2 and FuseMax."""

ATTENTION = {
    "three-pass": (THREE_PASS, "m"),
    "two-pass": (TWO_PASS, "m1 m0"),
    "one-pass": (ONE_PASS, "m1 m0"),
}
"""The cascades of attention, with the ranks that number the keys."""
