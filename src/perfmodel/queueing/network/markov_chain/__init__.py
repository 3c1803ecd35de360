"""Markov chains in continuous time, from a description in words: a state, and where it can go.

Say what the next states are and at what rates; `explore_chain` finds all states, `steady_state`
and `transient_state` their probabilities, `first_passage_time` how long until one of them is
reached. A room of two for an M/M/1 queue that arrivals leave when full:

>>> def moves(jobs):
...     return [(jobs + 1, 1.0)] * (jobs < 2) + [(jobs - 1, 2.0)] * (jobs > 0)
>>> chain = explore_chain(0, moves)
>>> print(chain.states, steady_state(chain).round(4))
(0, 1, 2) [0.5714 0.2857 0.1429]
>>> print(first_passage_time(chain, [2]))
[4. 3. 0.]
"""

from perfmodel.queueing.network.markov_chain.absorption import (
    first_passage_distribution,
    first_passage_time,
)
from perfmodel.queueing.network.markov_chain.balance import steady_state
from perfmodel.queueing.network.markov_chain.chain import (
    MarkovChain,
    birth_death_chain,
    explore_chain,
    state_at,
)
from perfmodel.queueing.network.markov_chain.transient import transient_state

__all__ = [
    "MarkovChain",
    "birth_death_chain",
    "explore_chain",
    "first_passage_distribution",
    "first_passage_time",
    "state_at",
    "steady_state",
    "transient_state",
]
