"""The long-run probabilities of a chain's states: flows into and out of each are equal."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from perfmodel.queueing.network.markov_chain.chain import MarkovChain, checked_chain
from perfmodel.validation import Floats

_LARGE = 1e100
"""Shares are brought back to 1 beyond, lest rates far apart make one overflow."""
_UNBALANCED = 1e-9
"""Share of all moves that may be missing from the balance before another state is the measure."""


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
    ValueError
        If the chain ends in a part that it cannot leave; names a state of it.

    References
    ----------
    Up to 400 states by elimination without subtractions: W. Grassmann, M. Taksar, D. Heyman,
    Operations Research 33(5), 1985. Beyond, by a sparse LU decomposition.
    """
    parts, label = connected_components(
        checked_chain(chain).rates, directed=True, connection="strong"
    )
    if parts > 1:
        leaves = {
            int(label[i])
            for i, j in zip(*chain.rates.nonzero(), strict=True)
            if label[i] != label[j]
        }
        stuck = next(i for i in range(len(label)) if int(label[i]) not in leaves)
        raise ValueError(
            f"every state must be left again, got state {chain.states[stuck]!r}, which absorbs"
        )
    if len(chain.states) <= 400:
        return _eliminate(chain.rates.toarray())
    return _factorise(chain.rates)


def _eliminate(rates: Floats) -> Floats:
    size = len(rates)
    for n in range(size - 1, 0, -1):
        rates[:n, n] /= rates[n, :n].sum()
        rates[:n, :n] += np.outer(rates[:n, n], rates[n, :n])
    share = np.ones(size)
    for n in range(1, size):
        share[n] = share[:n] @ rates[:n, n]
        if share[n] > _LARGE:
            share[: n + 1] /= share[n]
    return np.asarray(share / share.sum())


def _factorise(rates: sparse.csr_array) -> Floats:
    exits = np.asarray(rates.sum(axis=1)).ravel()
    balance = sparse.csc_array(rates.T - sparse.diags_array(exits))
    share = _relative_to(0, balance)
    if not np.abs(balance @ share).sum() <= _UNBALANCED * (exits @ share):
        share = _relative_to(_likely_state(balance, exits), balance)
    return np.asarray(share / share.sum())


def _relative_to(state: int, balance: sparse.csc_array) -> Floats:
    """Return the states' shares over that of `state`, which must not be too unlikely."""
    from scipy.sparse.linalg import splu

    others = np.flatnonzero(np.arange(balance.shape[0]) != state)
    share = np.ones(balance.shape[0])
    column = balance[:, [state]].toarray().ravel()[others]
    share[others] = splu(balance[others][:, others].tocsc()).solve(-column)
    return np.maximum(share, 0.0)


def _likely_state(balance: sparse.csc_array, exits: Floats) -> int:
    """Return a state that is among the likeliest, by inverse iteration near the eigenvalue 0."""
    from scipy.sparse.linalg import splu

    near = splu((balance - 1e-9 * exits.max() * sparse.eye_array(exits.size)).tocsc())
    share = np.ones(exits.size)
    for _ in range(3):
        share = near.solve(share)
        share /= np.abs(share).sum()
    return int(np.argmax(np.abs(share)))
