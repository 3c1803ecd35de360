"""Max-min rates kept up to date while flows come and go, compiled by numba and kept on disk.

Think of water that rises in all links at once. A link that is full at some level holds its flows
back there. When a flow comes or goes, only its links are looked at first, in the order of levels:

- a link that fills at a level below the rate of a flow on it takes that flow into the set of those
  whose rates are found again;
- a link that doesn't fill at the level at which it held flows back until now lets them go: they
  join as well.

Who joins has its other links looked at, all of which matter only at higher levels, so that one pass
upwards is enough. All others keep their rates; most often they are many.
"""

from __future__ import annotations

import numba
import numpy as np

from perfmodel.communication.shared_links.fluid_state import Clock, Ints, LinkState, Network
from perfmodel.validation import Floats

_NEAR = 1e-9
"""Relative difference below which rates are equal and a link is full."""
_compiled = numba.njit(cache=True, error_model="numpy")


@_compiled
def run(
    network: Network,
    sharing: LinkState,
    clock: Clock,
    arrivals: Floats,
    order: Ints,
    finish: Floats,
) -> int:
    """Let flows come and go until the last has ended; return how many rates were set.

    `order` sorts the flows by arrival; `finish` is filled.
    """
    coming, gone, changes, flows = 0, 0, 0, order.size
    while gone < flows:
        now = clock.ends[clock.soonest[1]]
        if coming < flows:
            now = min(now, arrivals[order[coming]])
        soon, left, came = now + 1e-3 * _NEAR * abs(now), gone, coming
        while clock.ends[clock.soonest[1]] <= soon:
            flow = clock.soonest[1]
            finish[flow], clock.remaining[flow] = now, 0.0
            _play(clock.soonest, clock.ends, flow, np.inf)
            _unlink(network, sharing, flow)
            order[gone] = flow
            gone += 1
        while coming < flows and arrivals[order[coming]] <= soon:
            _link(network, sharing, order[coming])
            coming += 1
        for place in range(left, gone):
            _touch_all(network, sharing, order[place])
            _look_again(network, sharing, order[place])
        for place in range(came, coming):
            clock.since[order[place]] = now
            _join(network, sharing, clock, order[place], now)
        changes += _settle(network, sharing, clock, now)
    return changes


@_compiled
def _play(winners: Ints, keys: Floats, player: int, key: float) -> None:
    """Give a player another key and play its games again, up to the first that can't change."""
    keys[player] = key
    place = (winners.size // 2 + player) // 2
    while place:
        one, other = winners[2 * place], winners[2 * place + 1]
        winner = one if keys[one] <= keys[other] else other
        if winner == winners[place] and winner != player:
            return
        winners[place] = winner
        place //= 2


@_compiled
def _link(network: Network, sharing: LinkState, flow: int) -> None:
    for crossing in range(network.starts[flow], network.starts[flow + 1]):
        link = network.links[crossing]
        head = sharing.heads[link]
        sharing.after[crossing] = head
        if head >= 0:
            sharing.before[head] = crossing
        sharing.heads[link] = crossing


@_compiled
def _unlink(network: Network, sharing: LinkState, flow: int) -> None:
    for crossing in range(network.starts[flow], network.starts[flow + 1]):
        ahead, behind = sharing.before[crossing], sharing.after[crossing]
        if ahead >= 0:
            sharing.after[ahead] = behind
        else:
            sharing.heads[network.links[crossing]] = behind
        if behind >= 0:
            sharing.before[behind] = ahead


@_compiled
def _touch_all(network: Network, sharing: LinkState, flow: int) -> None:
    """Look at all links of a flow: their room, and the level at which they held others back."""
    for crossing in range(network.starts[flow], network.starts[flow + 1]):
        link = network.links[crossing]
        if sharing.is_touched[link]:
            continue
        sharing.is_touched[link] = 1
        sharing.touched[sharing.counts[1]] = link
        sharing.counts[1] += 1
        taken, fastest, held = 0.0, 0.0, np.inf
        other = sharing.heads[link]
        while other >= 0:
            rate = sharing.rates[network.owners[other]]
            taken += rate
            fastest = max(fastest, rate)
            if sharing.bottlenecks[network.owners[other]] == link:
                held = rate
            other = sharing.after[other]
        sharing.residual_capacity[link] = network.capacities[link] - taken
        sharing.users[link], sharing.outside_level[link], sharing.fastest[link] = 0, held, fastest


@_compiled
def _join(network: Network, sharing: LinkState, clock: Clock, flow: int, now: float) -> None:
    """Take a flow into the set, with what it has sent until now; its rate is open again."""
    _touch_all(network, sharing, flow)
    rate = sharing.rates[flow]
    sharing.is_open[flow] = 1
    sharing.members[sharing.counts[0]] = flow
    sharing.counts[0] += 1
    clock.remaining[flow] -= rate * (now - clock.since[flow])
    clock.since[flow] = now
    sharing.bottlenecks[flow] = -1
    for crossing in range(network.starts[flow], network.starts[flow + 1]):
        link = network.links[crossing]
        sharing.residual_capacity[link] += rate
        sharing.users[link] += 1
    _look_again(network, sharing, flow)


@_compiled
def _look_again(network: Network, sharing: LinkState, flow: int) -> None:
    """Note the levels of a flow's links where they are lower than known."""
    for crossing in range(network.starts[flow], network.starts[flow + 1]):
        link = network.links[crossing]
        level = _level(sharing, link)
        if level < sharing.levels[link]:
            _play(sharing.lowest, sharing.levels, link, level)


@_compiled
def _level(sharing: LinkState, link: int) -> float:
    """Return the level at which a link fills, or held flows back, whichever comes first."""
    users = sharing.users[link]
    share = max(sharing.residual_capacity[link], 0.0) / users if users else np.inf
    return float(min(share, sharing.outside_level[link]))


@_compiled
def _settle(network: Network, sharing: LinkState, clock: Clock, now: float) -> int:
    """Go through the touched links upwards until none is left; return the size of the set."""
    while True:
        link = sharing.lowest[1]
        known = sharing.levels[link]
        if known == np.inf:
            break
        level = _level(sharing, link)
        if level > known:
            _play(sharing.lowest, sharing.levels, link, level)
        elif not _take_in(network, sharing, clock, link, now):
            _hold_back(network, sharing, link)
    size = int(sharing.counts[0])
    for place in range(size):
        flow = sharing.members[place]
        sharing.is_open[flow] = 0
        end = now + max(clock.remaining[flow], 0.0) / sharing.rates[flow]
        _play(clock.soonest, clock.ends, flow, end)
    for place in range(sharing.counts[1]):
        sharing.is_touched[sharing.touched[place]] = 0
    sharing.counts[:] = 0
    return size


@_compiled
def _take_in(network: Network, sharing: LinkState, clock: Clock, link: int, now: float) -> bool:
    """Let flows join that a link lets go, or that are too fast for it; tell if it must wait."""
    users, room = sharing.users[link], sharing.residual_capacity[link]
    share = max(room, 0.0) / users if users else np.inf
    most = share * (1 + _NEAR)
    lets_go = most > sharing.outside_level[link] * (1 + 2 * _NEAR)
    if not users and room <= _NEAR * network.capacities[link]:
        lets_go = False
    if not lets_go and sharing.fastest[link] <= most:
        return False
    if lets_go:
        sharing.outside_level[link] = np.inf
    else:
        sharing.fastest[link] = most
    waits = bool(lets_go)
    crossing = sharing.heads[link]
    while crossing >= 0:
        flow = network.owners[crossing]
        freed = lets_go and sharing.bottlenecks[flow] == link
        too_fast = not lets_go and sharing.rates[flow] > most
        if not sharing.is_open[flow] and (freed or too_fast):
            _join(network, sharing, clock, flow, now)
            waits = True
        crossing = sharing.after[crossing]
    return waits


@_compiled
def _hold_back(network: Network, sharing: LinkState, link: int) -> None:
    """Give the open flows of a link that is full their rate, and be done with it."""
    if sharing.users[link]:
        level = max(sharing.residual_capacity[link], 0.0) / sharing.users[link]
        crossing = sharing.heads[link]
        while crossing >= 0:
            flow = network.owners[crossing]
            if sharing.is_open[flow] == 1:
                sharing.rates[flow], sharing.bottlenecks[flow] = level, link
                sharing.is_open[flow] = 2
                for other in range(network.starts[flow], network.starts[flow + 1]):
                    sharing.residual_capacity[network.links[other]] -= level
                    sharing.users[network.links[other]] -= 1
            crossing = sharing.after[crossing]
    sharing.outside_level[link] = np.inf
    _play(sharing.lowest, sharing.levels, link, np.inf)
