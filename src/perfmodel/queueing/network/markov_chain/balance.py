"""The long-run probabilities of a chain's states: flows into and out of each are equal."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from perfmodel.queueing.distributions.elimination import (
    SMALL,
    communicating_classes,
    is_affordable,
    stationary,
)
from perfmodel.queueing.network.markov_chain.chain import MarkovChain, checked_chain
from perfmodel.queueing.network.solution import TooBigError
from perfmodel.validation import Floats

_ERROR = 1e-8
"""The relative error that a decomposition may make."""


def steady_state(chain: MarkovChain) -> Floats:
    """Return the long-run probability of each state.

    Parameters
    ----------
    chain : MarkovChain
        Every state can be reached from every other.

    Returns
    -------
    ndarray, shape (states,)

    Raises
    ------
    TooBigError
        If states are rarely left, or rarely entered, and there are too many for elimination: beyond
        some thousands, or as many as 100,000 where each leads to its neighbours only.
    ValueError
        If the chain ends in a part that it cannot leave; names a state of it. If the rates are
        further apart than floating-point numbers.

    References
    ----------
    W. Grassmann, M. Taksar, D. Heyman, Operations Research 33(5), 1985: elimination without
    subtraction. More than 400 states are decomposed (sparse LU), which takes less time, where no
    probability can be off by more than 1e-8 of itself.
    """
    label, closed = communicating_classes(checked_chain(chain).rates)
    if (label != closed[0]).any():
        stuck = int(np.argmax(np.isin(label, closed)))
        raise ValueError(
            f"every state must be left again, got state {chain.states[stuck]!r}, which absorbs"
        )
    size = len(chain.states)
    if size <= SMALL:
        return stationary(chain.rates.toarray())
    share, error = _decomposed(chain.rates, 0)
    if error <= _ERROR:
        return share
    if is_affordable(chain.rates):
        return stationary(chain.rates)
    share, error = _decomposed(chain.rates, int(np.argmax(share)))
    if error <= _ERROR:
        return share
    raise TooBigError(
        f"chain must have fewer states, or less rare ones: its {size} are too many for "
        "elimination, and a decomposition would lose digits"
    )


def _decomposed(rates: sparse.csr_array, base: int) -> tuple[Floats, float]:
    """Return the probabilities by a decomposition, and a bound on their relative error.

    Without the equation and the entry of the state `base`, the matrix has an inverse. If that state
    is unlikely, all others come out off by one factor, so that its own probability is taken from
    its own equation, and all are measured by the likeliest.

    The matrix without the likeliest state has an inverse without negative entries. So what rounding
    can spoil is below the solution for the equations' rounding on the right side, and twice what
    is computed is above that where the equations hold to one half.
    """
    from scipy.sparse.linalg import splu

    exits = np.asarray(rates.sum(axis=1)).ravel()
    balance = sparse.csr_array(sparse.diags_array(exits) - rates.T)
    share, bound, rest = np.zeros(exits.size), np.zeros(exits.size), np.arange(exits.size) != base
    try:
        factors = splu(balance[rest][:, rest].tocsc())
    except RuntimeError:
        return share, np.inf
    share[rest] = factors.solve(rates[[base]].toarray().ravel()[rest])
    share[base] = (share @ rates[:, [base]].toarray().ravel()) / exits[base]
    likely = int(np.argmax(share))
    if not (share > 0).all():
        return share, np.inf
    share /= share[likely]
    size, terms = abs(balance), int(np.diff(balance.indptr).max()) + 1
    unit = terms * np.finfo(float).eps
    wrong = np.abs(balance @ share) + unit * (size @ share)
    others = np.arange(exits.size) != likely
    for _ in range(2):
        missing, step = np.where(others, wrong - balance @ bound, 0.0), np.zeros(exits.size)
        missing[likely] -= missing.sum()
        step[rest] = factors.solve(missing[rest])
        bound += step - step[likely] * share
        bound[likely] = 0.0
        holds = balance @ bound - unit * (size @ np.abs(bound)) >= wrong / 2
        if holds[others].all():
            return np.asarray(share / share.sum()), float(np.max(2 * bound[others] / share[others]))
    return share, np.inf
