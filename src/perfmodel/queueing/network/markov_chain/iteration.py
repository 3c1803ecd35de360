"""The long-run probabilities of a large chain by iteration, in the memory that its rates take.

A decomposition of a network's chain fills up: at 27,000 states of six stations it takes minutes
and gigabytes. An incomplete one, that leaves out what is small, takes seconds, and is good enough
to correct a guess by until nothing changes.

Source: Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd edition, SIAM, 2003, chapters
6 and 10 (GMRES, incomplete factorisations); W. J. Stewart, "Introduction to the Numerical Solution
of Markov Chains", Princeton, 1994, chapter 4.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from perfmodel.queueing.network.markov_chain.balance import steady_state
from perfmodel.queueing.network.markov_chain.chain import MarkovChain
from perfmodel.validation import Floats

_SMALL = 20_000
_CORRECTIONS, _CORRECTED = 20, 1e-12
_APART = 1e6
"""Largest rate over the least beyond which small corrections may leave a large error."""


def iterated_state(chain: MarkovChain) -> Floats:
    """Return the long-run probability of each state, as `steady_state` does, of a large chain too.

    `chain`: every state can be reached from every other. Shape (states,). Up to 20,000 states those
    of `steady_state`; beyond, corrected until a correction is below 1e-12 in all. Those of
    `steady_state` after all where that doesn't come about, or where the rates are more than a
    million times apart.
    """
    rates = chain.rates.data[chain.rates.data > 0]
    if len(chain.states) > _SMALL and rates.max() <= _APART * rates.min():
        share = _corrected(chain.rates)
        if share is not None:
            return share
    return steady_state(chain)


def _corrected(rates: sparse.csr_array) -> Floats | None:
    """Return a guess after the last correction was small; None if that doesn't come about."""
    from scipy.sparse.linalg import LinearOperator, gmres, spilu

    exits = np.asarray(rates.sum(axis=1)).ravel()
    balance = sparse.csc_array(rates.T - sparse.diags_array(exits))
    shifted = balance - sparse.diags_array(1e-10 * exits)
    solve = spilu(shifted.tocsc(), drop_tol=0.1, fill_factor=3).solve
    near = LinearOperator(balance.shape, solve)
    share = np.full(exits.size, 1 / exits.size)
    for _ in range(_CORRECTIONS):
        step, _ = gmres(balance, -(balance @ share), M=near, rtol=1e-3, restart=30, maxiter=4)
        before, share = share, (share + step) / (share + step).sum()
        if np.abs(share - before).sum() < _CORRECTED:
            return np.asarray(np.maximum(share, 0.0))
    return None
