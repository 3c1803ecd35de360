"""Networks learn what is planted, and say what they can't read."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from perfmodel.prediction.nets import arrays, layers, learners
from perfmodel.prediction.nets.learners import AttentionPool, Mlp

needs_jax = pytest.mark.skipif(
    not learners.jax_installed(), reason="JAX is not installed: pip install jax"
)
COUNT = 128
"""Samples everywhere, in one batch: compiling for another shape takes seconds."""


def rows(seed):
    """Return rows, and the product of two columns, of which a straight line can learn nothing."""
    features = np.random.default_rng(seed).uniform(-1, 1, (COUNT, 3))
    return features, 5 + features[:, 0] * features[:, 1]


def sets(seed):
    """Return sets of vectors, and the largest first component of each."""
    random = np.random.default_rng(seed)
    result = [random.normal(size=(1 + number % 6, 2)) for number in range(COUNT)]
    return result, np.array([item[:, 0].max() for item in result])


FULL = {"batch": COUNT, "rate": 1e-2}
SMALL = {
    "mlp": (Mlp((32, 32), epochs=300, **FULL), rows),
    "attention": (AttentionPool(8, heads=2, blocks=1, expansion=2, epochs=300, **FULL), sets),
}


@pytest.fixture(params=SMALL)
def small(request):
    estimator, sample = SMALL[request.param]
    return clone(estimator).set_params(epochs=2), *sample(0)


@pytest.fixture(scope="module")
def attention():
    return clone(SMALL["attention"][0]).set_params(epochs=2).fit(*sets(0))


class TestWithoutJax:
    def test_says_what_to_install(self, small, monkeypatch):
        net, samples, target = small
        monkeypatch.setattr(layers, "jax", None)
        assert not learners.jax_installed()
        with pytest.raises(learners.NeedsJaxError, match=r"pip install jax") as result:
            net.fit(samples, target)
        assert isinstance(result.value, ImportError)


@needs_jax
class TestEveryNet:
    @pytest.mark.parametrize(("name", "least"), [("mlp", 0.95), ("attention", 0.8)])
    def test_learns_what_holds_for_samples_it_has_not_seen(self, name, least):
        estimator, sample = SMALL[name]
        assert clone(estimator).fit(*sample(0)).score(*sample(1)) > least

    def test_same_seed_same_net(self, small):
        net, samples, target = small
        first = net.fit(samples, target).predict(samples)
        assert first.shape == target.shape
        assert (clone(net).fit(samples, target).predict(samples) == first).all()
        other = clone(net).set_params(seed=1).fit(samples, target).predict(samples)
        assert not np.allclose(other, first)

    def test_steps_along_the_gradient_that_finite_differences_give(self, small):
        net, samples, target = small
        net.fit(samples, target)
        function, inputs = net._net(layers), net._inputs(samples)
        scaled = ((target - net.shift_) / net.scale_).astype(np.float32)
        leaves, shape = layers.jax.tree.flatten(net.params_)
        random = np.random.default_rng(1)
        way = [random.normal(size=leaf.shape) for leaf in leaves]
        length = np.sqrt(sum((item**2).sum() for item in way))

        def loss(along):
            moved = [leaf + along * item / length for leaf, item in zip(leaves, way, strict=True)]
            params = layers.jax.tree.unflatten(shape, [item.astype("f4") for item in moved])
            return np.log(np.cosh(layers.apply(function, params, inputs) - scaled)).mean()

        zero = layers.jax.tree.map(np.zeros_like, net.params_)
        state = (net.params_, zero, zero, np.float32(1))
        everything, rate = np.arange(COUNT)[None], np.zeros(1, np.float32)
        epoch = layers._compiled()[0]
        after = epoch(function, state, (*inputs, scaled), everything, rate, 0.0)
        # From zero, the first moment is a tenth of the gradient.
        slope = [10 * np.asarray(leaf) for leaf in layers.jax.tree.leaves(after[1])]
        got = sum(float((a * b).sum()) for a, b in zip(way, slope, strict=True)) / length
        assert got == pytest.approx((loss(0.01) - loss(-0.01)) / 0.02, rel=0.03, abs=3e-4)

    def test_refuses_what_does_not_fit_together(self, small):
        net, samples, target = small
        with pytest.raises(ValueError, match="X must have 127 samples as y has, got 128"):
            net.fit(samples, target[:-1])
        with pytest.raises(ValueError, match=r"bounds must be .* got \(0.0, 0.1\)"):
            net.set_params(bounds=(0.0, 0.1)).fit(samples, target)
        with pytest.raises(NotFittedError):
            clone(net).predict(samples)


@needs_jax
class TestMlp:
    def test_counts_its_parameters(self):
        net = clone(SMALL["mlp"][0]).set_params(epochs=1).fit(*rows(0))
        assert net.parameters_ == (3 * 32 + 32) + (32 * 32 + 32) + (32 + 1)

    def test_scale_and_shift_of_a_feature_change_nothing(self):
        features, target = rows(0)
        net = clone(SMALL["mlp"][0]).set_params(epochs=2)
        first = net.fit(features, target).predict(features)
        frame = pd.DataFrame(features * [1e6, 1e-6, 1] + [0, 5, 0], columns=list("abc"))
        assert net.fit(frame, target).predict(frame) == pytest.approx(first, abs=1e-3)

    def test_keeps_its_bounds_far_outside(self):
        features, target = rows(0)
        net = clone(SMALL["mlp"][0]).set_params(bounds=(3.9, 6.1), epochs=50).fit(features, target)
        answer = net.predict(features * 1000)
        assert answer.min() >= 3.9
        assert answer.max() <= 6.1
        assert np.ptp(answer) > 1

    def test_refuses_bad_features(self):
        features, target = rows(0)
        net = clone(SMALL["mlp"][0]).set_params(epochs=1).fit(features, target)
        with pytest.raises(ValueError, match="X must have 3 columns, got 2"):
            net.predict(features[:, :2])
        with pytest.raises(ValueError, match=r"X must have shape \(n, p\), got \(128,\)"):
            net.fit(features[:, 0], target)


@needs_jax
class TestAttentionPool:
    def test_any_order_of_a_set_gives_one_answer(self, attention):
        samples, _ = sets(0)
        turned = [one[::-1] for one in samples]
        assert attention.predict(turned) == pytest.approx(attention.predict(samples), abs=1e-4)
        ordered = layers.Attention(heads=2, ordered=True)
        one, other = (
            layers.apply(ordered, attention.params_, attention._inputs(which))
            for which in (samples, turned)
        )
        assert np.abs(one - other).max() > 1e-3

    def test_larger_neighbours_change_nothing(self, attention):
        samples, _ = sets(0)
        alone = attention.predict([samples[0]] * COUNT)[0]
        assert attention.predict(samples)[0] == pytest.approx(alone, abs=1e-4)

    def test_attention_agrees_with_plain_loops(self):
        random = np.random.default_rng(0)
        params = layers.attention_parameters(random, 3, 4, 1, 2)["blocks"]
        block = {name: {"w": params[name]["w"][0], "b": 0.0} for name in params if name != "norms"}
        values = random.normal(size=(1, 3, 4))
        query, key, value = (values[0] @ block[item]["w"] for item in ("query", "key", "value"))
        heads = np.zeros((3, 4))
        for head in (slice(0, 2), slice(2, 4)):
            for index in range(3):
                weights = np.exp(key[:2, head] @ query[index, head] / np.sqrt(2))
                heads[index, head] = weights @ value[:2, head] / weights.sum()
        net = layers.Attention(heads=2, ordered=False)
        got = layers.jax.jit(net._attend)(block, values, np.array([[1.0, 1.0, 0.0]]))
        assert np.asarray(got)[0] == pytest.approx(heads @ block["out"]["w"], rel=1e-3, abs=1e-4)

    def test_has_about_ten_thousand_parameters(self):
        """Embedding, class token, three blocks of attention, norms and layers, and the head."""
        params = layers.attention_parameters(np.random.default_rng(0), 24, 16, 3, 4)
        block = 4 * (16 * 16 + 16) + 2 * 2 * 16 + (16 * 64 + 64) + (64 * 16 + 16)
        whole = (24 * 16 + 16) + 16 + 3 * block + (16 * 16 + 16) + (16 + 1)
        assert layers.size(params) == whole == 10545

    def test_takes_a_frame_with_one_column(self, attention):
        samples, _ = sets(0)
        frame = pd.DataFrame({"sets": samples})
        assert (attention.predict(frame) == attention.predict(samples)).all()
        with pytest.raises(ValueError, match="X must have one column of samples"):
            attention.predict(frame.assign(more=1))

    def test_refuses_bad_widths_and_sets(self):
        samples, target = sets(0)
        with pytest.raises(ValueError, match="width must be even and a multiple of 4 heads"):
            AttentionPool(width=6, epochs=1).fit(samples, target)
        with pytest.raises(ValueError, match=r"one p, got \(2, 3\) as sample 1"):
            AttentionPool(epochs=1).fit([np.ones((2, 2)), np.ones((2, 3))], [1.0, 2.0])
        with pytest.raises(ValueError, match="X must hold one sample or more, got none"):
            AttentionPool(epochs=1).fit([], target)


@needs_jax
def test_log_cosh_is_a_square_when_small_and_a_size_when_large():
    got = np.asarray(layers.log_cosh(np.array([0.0, 0.1, -2.0, 500.0])))
    want = [0, np.log(np.cosh(0.1)), np.log(np.cosh(2)), 500 - np.log(2)]
    assert got == pytest.approx(want, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_a_column_that_does_not_vary_stays_in_its_unit(unit):
    """The standard deviation of three times 0.1 is rounding, not 0."""
    values = unit * np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 3.0]])
    mean, spread = arrays.scale(values)
    assert spread == pytest.approx([1.0, unit * np.sqrt(2 / 3)])
    assert (values - mean) / spread == pytest.approx(
        np.array([[0, -np.sqrt(1.5)], [0, 0], [0, np.sqrt(1.5)]]), abs=1e-6
    )
