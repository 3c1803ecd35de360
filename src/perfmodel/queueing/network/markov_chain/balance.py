"""The long-run probabilities of a chain's states: flows into and out of each are equal."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from perfmodel.queueing.network.markov_chain.chain import MarkovChain, checked_chain
from perfmodel.validation import Floats


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
    return np.asarray(share / share.sum())


def _factorise(rates: sparse.csr_array) -> Floats:
    from scipy.sparse.linalg import splu

    exits = np.asarray(rates.sum(axis=1)).ravel()
    balance = (rates.T - sparse.diags_array(exits)).tocsc()
    share = np.ones(exits.size)
    share[1:] = splu(balance[1:, 1:].tocsc()).solve(-balance[1:, [0]].toarray().ravel())
    share = np.maximum(share, 0.0)
    return np.asarray(share / share.sum())
