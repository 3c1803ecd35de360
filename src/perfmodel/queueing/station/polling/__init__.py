"""Polling: one server goes round several queues and needs time to switch from one to the next.

A robot that fetches tapes, an accelerator that loads one model's weights after the other's, a lift.
At each queue the server stays until nobody is left (exhaustive) or serves those whom it found on
its arrival (gated). Switching is wasted work, yet who stays longer switches less often.

The means are exact. Let a queue's age be the time since its customers were last cleared, so that
given all ages the numbers in the queues are independent Poisson variables. The ages' first two
moments when the server arrives follow from queue to queue, all sums being of positive terms, and
a round must lead back to where it began.

Sources: M. J. Ferguson and Y. J. Aminetzah, "Exact results for nonsymmetric token ring systems",
IEEE Transactions on Communications 33(3), 1985 (the ages, as station times); H. Takagi, "Analysis
of Polling Systems", MIT Press, 1986; O. J. Boxma and W. P. Groenendijk, "Pseudo-conservation laws
in cyclic-service systems", Journal of Applied Probability 24(4), 1987.

>>> print(polling([0.3, 0.3], mean_services=1.0, mean_switchovers=0.5).waiting_time)
[2.375 2.375]
"""

from perfmodel.queueing.station.polling.waiting_times import (
    PollingQueues,
    polling,
    pseudo_conserved_wait,
)

__all__ = ["PollingQueues", "polling", "pseudo_conserved_wait"]
