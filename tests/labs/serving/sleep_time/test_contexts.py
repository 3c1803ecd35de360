import numpy as np
import pytest
from scipy.sparse.csgraph import floyd_warshall

from perfmodel.labs.serving.sleep_time.contexts import random_graph, range_sums, shortest_paths


def test_both_contexts_answer_alike_by_an_independent_method():
    sums = range_sums(500)
    index = sums.build()
    rng = np.random.default_rng(4)
    for question in sums.ask(rng, 50):
        assert sums.look_up(index, question) == sums.scratch(question)
    paths = shortest_paths(nodes=40)
    table = paths.build()
    lengths = [[paths.scratch((i, j)) for j in range(40)] for i in range(40)]
    assert np.array(lengths) == pytest.approx(table)
    assert floyd_warshall(random_graph(40, 0)) == pytest.approx(table)


def test_covered_share_is_that_of_the_questions_drawn():
    subject = shortest_paths(rows=10, exponent=1.0, nodes=80)
    asked = subject.ask(np.random.default_rng(0), 20_000)
    assert np.mean([source < 10 for source, _ in asked]) == pytest.approx(subject.covered, abs=0.02)
    index = subject.build()
    assert subject.look_up(index, (9, 3)) is not None
    assert subject.look_up(index, (10, 3)) is None
    assert shortest_paths(nodes=50, rows=50).covered == pytest.approx(1)


def test_refuses():
    with pytest.raises(ValueError, match="rows must be at most nodes = 10, got 11"):
        shortest_paths(rows=11, nodes=10)
    with pytest.raises(ValueError, match="elements must be a whole number, 1 or more, got 0"):
        range_sums(0)
