"""What a simulated run of serving leaves: times of each request, counts of each server."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.queueing.simulation.statistics import Estimate, ratio
from perfmodel.serving.batching.requests import Requests
from perfmodel.validation import Floats, non_negative

Ints = NDArray[np.int64]
WARM_UP = 10
"""One request in this many, the first ones, counts as warm-up."""
MEASURES = ("first_token", "per_token", "waiting", "response")


@dataclass(frozen=True, eq=False)
class ServingRun:
    """A run of `simulate_serving`: arrays in the order of `requests`, times in seconds.

    Examples
    --------
    >>> from perfmodel.serving import BatchRules, StepPieces, poisson_requests, simulate_serving
    >>> requests = poisson_requests(2.0, 5000, prompt=400, output=100, seed=1)
    >>> steps = StepPieces(0.01, 1e-4, 1e-4, 0)
    >>> run = simulate_serving(requests, steps, BatchRules(max_num_seqs=16))
    >>> mean = run.interval("first_token")
    >>> print(f"{mean.value:.3f} s, from {mean.low:.3f} to {mean.high:.3f}")
    0.058 s, from 0.057 to 0.058
    >>> print(f"{run.goodput(first_token=0.1, per_token=0.02):.2f} of {requests.rate:.2f} a second")
    1.97 of 1.99 a second
    """

    requests: Requests
    admitted: Floats
    """(n,) when the request first got into a batch."""
    first_token_time: Floats
    """(n,) when its first output token was there."""
    finish: Floats
    """(n,) when its last output token was there."""
    preempted: Ints
    """(n,) how often it was preempted."""
    replica: Ints
    """(n,) the server that ended it; servers for prefill alone are counted after the others."""
    replica_busy: Floats
    """(servers,) seconds spent in iterations."""
    replica_iterations: Ints
    """(servers,) iterations."""
    replica_scheduled: Ints
    """(servers,) sequences in an iteration, summed over the iterations."""
    replica_prefill_tokens: Ints
    """(servers,) prefill tokens: of prompts, and again after a preemption."""
    replica_output_tokens: Ints
    """(servers,) generated tokens."""
    replica_peak: Ints
    """(servers,) most tokens of the KV cache that were held in blocks at a time."""
    second_token_time: Floats
    """(n,) when the token after the first was there; infinite for one token."""
    largest_later_latency: Floats
    """(n,) largest seconds between two tokens after the second; 0 where there are none."""

    @property
    def first_token(self) -> Floats:
        """(n,) seconds from arrival to the first token (TTFT)."""
        return self.first_token_time - self.requests.arrival

    @property
    def per_token(self) -> Floats:
        """(n,) mean seconds of each output token after the first (TPOT); nan for one token."""
        more = self.requests.output - 1
        span = self.finish - self.first_token_time
        return np.asarray(np.divide(span, more, out=np.full(span.shape, np.nan), where=more > 0))

    @property
    def largest_inter_token_latency(self) -> Floats:
        """(n,) largest seconds between two tokens; nan for one token.

        The mean of the gaps, `per_token`, hides a single long pause.
        """
        gap = np.maximum(self.second_token_time - self.first_token_time, self.largest_later_latency)
        return np.where(self.requests.output > 1, gap, np.nan)

    @property
    def waiting(self) -> Floats:
        """(n,) seconds from arrival to the first admission."""
        return self.admitted - self.requests.arrival

    @property
    def response(self) -> Floats:
        """(n,) seconds from arrival to the last token."""
        return self.finish - self.requests.arrival

    @property
    def iterations(self) -> int:
        """Iterations of all servers."""
        return int(self.replica_iterations.sum())

    @property
    def busy(self) -> float:
        """Seconds that servers spent in iterations, summed over the servers."""
        return float(self.replica_busy.sum())

    @property
    def span(self) -> float:
        """Seconds from the first arrival to the last token."""
        return float(self.finish.max() - self.requests.arrival[0])

    @property
    def utilization(self) -> float:
        """Share of the servers' time of the span that they spent in iterations."""
        return self.busy / (self.span * self.replica_busy.size)

    @property
    def mean_batch(self) -> float:
        """Mean number of sequences in an iteration: those that decode or read a prompt in it."""
        return float(self.replica_scheduled.sum() / self.replica_iterations.sum())

    @property
    def peak_kv_tokens(self) -> int:
        """Most tokens of a server's cache that were held at a time, in whole blocks."""
        return int(self.replica_peak.max())

    @property
    def prefill_tokens(self) -> int:
        """Prefill tokens; above the sum of prompts where preempted prompts were prefilled again."""
        return int(self.replica_prefill_tokens.sum())

    @property
    def throughput(self) -> float:
        """Output tokens a second of the span."""
        return self.requests.tokens / self.span

    def meets_slo(self, first_token: float = np.inf, per_token: float = np.inf) -> np.ndarray:
        """Return where (n,) a request met both limits, in seconds.

        Parameters
        ----------
        first_token : float
            Limit of the time to first token.
        per_token : float
            Limit of the mean time of each token after the first; one token alone keeps any.
        """
        for name, limit in (("first_token", first_token), ("per_token", per_token)):
            if not np.isposinf(limit):
                non_negative(name, limit)
        # A comparison with nan is false: not above the limit.
        return np.asarray((self.first_token <= first_token) & ~(self.per_token > per_token))

    def goodput(self, first_token: float = np.inf, per_token: float = np.inf) -> float:
        """Return the requests a second of the span that met both limits; see `meets_slo`."""
        return float(self.meets_slo(first_token, per_token).sum() / self.span)

    def interval(self, measure: str | ArrayLike, confidence: float = 0.95) -> Estimate:
        """Return the mean of a measure over the requests, with its interval from batch means.

        Requests count in the order of their arrival; the first tenth is dropped as warm-up,
        whatever its values. A rule that looks at them, such as MSER-5, also drops a long queue that
        chance brought early: with service times of large variance its means came out 3 % too small.

        Parameters
        ----------
        measure : str or array_like, shape (n,)
            "first_token", "per_token", "waiting", "response", or a value of your own for each
            request, such as what `meets_slo` returns; those that aren't finite are left out.
        confidence : float
            Of the interval.

        Returns
        -------
        Estimate
            Infinite ends where the run is too short.

        Raises
        ------
        ValueError
            If there is no such measure, or the values aren't one for each request.
        """
        if isinstance(measure, str) and measure not in MEASURES:
            raise ValueError(f"measure must be one of {', '.join(MEASURES)}, got {measure!r}")
        given = getattr(self, measure) if isinstance(measure, str) else measure
        values: Floats = np.asarray(given, np.float64)
        if values.shape != (len(self.requests),):
            raise ValueError(f"measure must be a value for each request, got shape {values.shape}")
        values = values[np.isfinite(values)]
        kept = values[values.size // WARM_UP :]
        return ratio(kept, np.ones(kept.shape), confidence)

    def joules(self, power_idle: float, power_busy: float) -> float:
        """Return the energy of all servers over the span.

        Parameters
        ----------
        power_idle, power_busy : float
            Watts of a server outside and in an iteration.
        """
        idle, busy = non_negative("power_idle", power_idle), non_negative("power_busy", power_busy)
        spare = self.span * self.replica_busy.size - self.busy
        return float(idle * spare + busy * self.busy)

    def cost(self, per_hour: float) -> float:
        """Return the price of all servers over the span.

        Parameters
        ----------
        per_hour : float
            Price of a server's hour, in any currency.
        """
        hours = self.span * self.replica_busy.size / 3600
        return float(non_negative("per_hour", per_hour) * hours)
