"""Two-level factorial designs: few runs that separate the effects of many factors.

A factor is a letter, its two levels are -1 and +1, and the response of a run is modelled as
y = q0 + qA xA + qB xB + qAB xA xB + ... The product of two factors' columns is the column of their
interaction. A fraction of the full design sets further factors to such products (D = ABC), and
confounds effects in return: those whose columns are equal can't be distinguished.

Sources: R. Jain, "The Art of Computer Systems Performance Analysis", Wiley, 1991, chapters 17
to 19; G. E. P. Box, J. S. Hunter and W. G. Hunter, "Statistics for Experimenters", Wiley, 2005.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, nan

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from perfmodel.validation import Floats, finite, whole, within

MAX_FACTORS = 15
MEAN = "I"
"""The name of q0: the word without letters, whose column is all +1."""
_LETTERS = "ABCDEFGHJKLMNOP"
"""Without I, which stands for the mean."""


@dataclass(frozen=True, eq=False)
class FactorialDesign:
    """Runs of a two-level design, made by `full_factorial` and `fractional_factorial`."""

    factors: str
    """A letter each, I left out."""
    runs: Floats
    """Levels -1 and +1, shape (runs, factors)."""
    words: tuple[str, ...] = ()
    """The defining relation: products of factors that are the same in every run, `-` in front of
    those that are -1. Empty for a full design."""

    @property
    def resolution(self) -> float:
        """The length of the shortest word; infinite for a full design.

        III: a factor may be confounded with a pair. IV: pairs with pairs. V: pairs with triples.
        """
        return min((len(word.lstrip("-")) for word in self.words), default=inf)

    def column(self, effect: str) -> Floats:
        """Return the product of the columns of the letters in `effect`, shape (runs,)."""
        indices = [self._place(letter) for letter in _letters(effect)]
        return np.asarray(np.prod(self.runs[:, indices], axis=1))

    def aliases(self, effect: str) -> tuple[str, ...]:
        """Return the other effects with the same column as `effect` (letters, or I for the mean).

        The shortest is first; `-` stands in front of a column that is the opposite. There are none
        in a full design.

        Examples
        --------
        >>> fractional_factorial(4, ["D=ABC"]).aliases("AB")
        ('CD',)
        """
        for letter in _letters(effect):
            self._place(letter)
        return tuple(sorted((_times(effect, word) for word in self.words), key=_shortest))

    @property
    def effects(self) -> tuple[str, ...]:
        """The effects that can be distinguished, one for each run: of aliases the shortest."""
        names: list[str] = []
        hidden: set[str] = set()
        for size in range(len(self.factors) + 1):
            for letters in combinations(self.factors, size):
                effect = "".join(letters) or MEAN
                if effect not in hidden:
                    names.append(effect)
                    hidden |= {alias.lstrip("-") for alias in self.aliases(effect)}
            if len(names) == len(self.runs):
                break
        return tuple(names)

    def _place(self, letter: str) -> int:
        if letter not in self.factors:
            raise ValueError(f"effect must have letters of {self.factors}, got {letter!r}")
        return self.factors.index(letter)


@dataclass(frozen=True, eq=False)
class FactorialEffects:
    """What `factorial_effects` finds: coefficients, and the allocation of variation (ANOVA)."""

    coefficients: dict[str, float]
    """q of each effect, in the response's unit: half of the response's change between a factor's
    levels. The mean response is `I`."""
    variation_explained: dict[str, float]
    """Share of the total variation of the response that each effect explains, 0 to 1; the mean
    explains none."""
    variation_unexplained: float
    """What the repetitions of a run differ by; 0 without repetitions."""
    half_width: float
    """Half the width of each coefficient's interval; not a number without repetitions."""

    def interval(self, effect: str) -> tuple[float, float]:
        """Return the confidence interval of the coefficient of `effect`."""
        middle = self.coefficients[effect]
        return middle - self.half_width, middle + self.half_width


def full_factorial(factors: int) -> FactorialDesign:
    """Return the `FactorialDesign` of all 2^k levels of k `factors`, the first changing fastest.

    Examples
    --------
    >>> full_factorial(2).runs.astype(int).tolist()
    [[-1, -1], [1, -1], [-1, 1], [1, 1]]
    """
    count = int(within("factors", whole("factors", factors), 1, MAX_FACTORS))
    runs = np.arange(2**count)[:, None] >> np.arange(count) & 1
    return FactorialDesign(_LETTERS[:count], np.asarray(2.0 * runs - 1, dtype=np.float64))


def fractional_factorial(factors: int, generators: Sequence[str]) -> FactorialDesign:
    """Return a `FactorialDesign` of 2^(k-p) runs: its last p factors are products of the first.

    Raises `ValueError` if a generator isn't of this form, or doesn't set one of the last factors to
    a product of the first.

    Parameters
    ----------
    factors : int
        k, from 2 to 15.
    generators : sequence of str
        One for each of the last p factors: `D=ABC`, or `D=-ABC` for the other half.

    Examples
    --------
    >>> design = fractional_factorial(4, ["D=ABC"])
    >>> design.runs.shape, design.words, design.resolution
    ((8, 4), ('ABCD',), 4)
    """
    count = int(within("factors", whole("factors", factors), 2, MAX_FACTORS))
    base = full_factorial(count - len(generators))
    runs, words = base.runs, []
    for letter, generator in zip(_LETTERS[base.runs.shape[1] : count], generators, strict=True):
        parts = re.fullmatch(r"([A-P])=(-?)([A-P]+)", generator)
        if not parts or parts[1] != letter or not set(parts[3]) <= set(base.factors):
            raise ValueError(
                f"generators must set {letter} to a product of {base.factors}, got {generator!r}"
            )
        sign = -1.0 if parts[2] else 1.0
        runs = np.column_stack([runs, sign * base.column(parts[3])])
        words.append(_times(letter, parts[2] + parts[3]))
    relation = [MEAN]
    for word in words:
        relation += [_times(word, other) for other in relation]
    return FactorialDesign(_LETTERS[:count], runs, tuple(sorted(relation[1:], key=_shortest)))


def factorial_effects(
    design: FactorialDesign, responses: ArrayLike, confidence: float = 0.95
) -> FactorialEffects:
    """Return the `FactorialEffects`: coefficients, and the variation that each effect explains.

    Raises `ValueError` if the responses don't fit the design or are all the same.

    Parameters
    ----------
    design : FactorialDesign
        Its runs are the rows of `responses`.
    responses : array_like, shape (runs,) or (runs, repetitions)
        What was measured. Times are best given as logarithms, for which effects multiply.
    confidence : float
        Level of the intervals, above 0 and below 1; they assume normal errors with equal variances,
        and need two repetitions or more.

    Notes
    -----
    Jain (1991), equations of sections 17.5 and 18.4 to 18.6: q = sum of x y / n, and a variation of
    n r q^2 for each effect, besides the errors' variation.

    Examples
    --------
    >>> found = factorial_effects(full_factorial(2), [15, 45, 25, 75])
    >>> {name: float(q) for name, q in found.coefficients.items()}
    {'I': 40.0, 'A': 20.0, 'B': 10.0, 'AB': 5.0}
    """
    values = finite("responses", responses)
    values = values[:, None] if values.ndim == 1 else values
    runs = len(design.runs)
    if values.ndim != 2 or len(values) != runs:
        raise ValueError(f"responses must have {runs} rows, a run each, got {values.shape}")
    if np.ptp(values) == 0:
        raise ValueError(f"responses must not be all the same, got {values.flat[0]:g}")
    repetitions, means = values.shape[1], values.mean(axis=1)
    names = design.effects
    q = np.array([design.column(name) for name in names]) @ means / runs
    errors = float(((values - means[:, None]) ** 2).sum())
    variation = values.size * q[1:] ** 2
    total = variation.sum() + errors
    return FactorialEffects(
        dict(zip(names, q.tolist(), strict=True)),
        dict(zip(names[1:], (variation / total).tolist(), strict=True)),
        errors / total,
        _half_width(errors, runs, repetitions, float(within("confidence", confidence, 0, 1))),
    )


def _half_width(errors: float, runs: int, repetitions: int, confidence: float) -> float:
    freedom = runs * (repetitions - 1)
    if freedom == 0:
        return nan
    deviation = np.sqrt(errors / freedom / (runs * repetitions))
    return float(stdtrit(freedom, (1 + confidence) / 2) * deviation)


def _letters(effect: str) -> str:
    return effect.lstrip("-").replace(MEAN, "")


def _times(first: str, second: str) -> str:
    """Return the product of two effects: a letter twice is 1."""
    letters = sorted(set(_letters(first)) ^ set(_letters(second)))
    sign = "-" if first.startswith("-") != second.startswith("-") else ""
    return sign + ("".join(letters) or MEAN)


def _shortest(effect: str) -> tuple[int, str]:
    return len(effect.lstrip("-")), effect.lstrip("-")
