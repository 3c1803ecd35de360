"""Random jobs and policies."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from perfmodel.labs.offloading.flexgen.inputs import SHAPES
from perfmodel.labs.offloading.flexgen.policy import Batch, Policy
from perfmodel.labs.offloading.flexgen.sizes import Job

triples = st.tuples(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(0.01, 1))
policies = st.builds(
    lambda size, count, *three: Policy(
        Batch(size, count), *(tuple(np.array(t) / np.sum(t)) for t in three)
    ),
    st.integers(1, 64),
    st.integers(1, 12),
    triples,
    triples,
    triples,
)
jobs = st.builds(Job, st.sampled_from(list(SHAPES.values())), st.integers(1, 900), st.just(32))
