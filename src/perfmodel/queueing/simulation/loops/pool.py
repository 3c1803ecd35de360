"""One station of a few servers, first come, first served: the recursion of Kiefer and Wolfowitz.

A customer takes the server that is free first: one service after the later of two moments, when
they came and when it is free, they leave. Servers are kept in the order in which they become free,
which is that of the departures.

References
----------
J. Kiefer, J. Wolfowitz, Transactions of the American Mathematical Society 78(1), 1955.
"""

from __future__ import annotations

from perfmodel.engine.fields import NONE, Reals
from perfmodel.queueing.simulation.loops.chain import FEW
from perfmodel.queueing.simulation.loops.trail import note, take_stock_of_one
from perfmodel.queueing.simulation.state import (
    CAME,
    DEPARTED,
    DONE,
    DUE,
    FILL,
    PAUSE,
    RESPONSE,
    SPARE,
    WORK,
    Plan,
    State,
    Window,
)


def run_pool(plan: Plan, state: State) -> bool:
    """Run until a buffer must be seen to (False), or the run is over (True)."""
    count, window, streams = state.counter, state.window, state.streams
    while count[DONE] < plan.target:
        drop_served(plan, window)
        due = min(count[DUE], plan.target) - count[DONE]
        idle = max(plan.limit[0] - window.gone[0], 0)
        last = idle == 0 and due == 1
        while not sees(plan, window, last):
            if not let_in(plan, state):
                return False
        many = min(window.at[FILL] - window.at[CAME], streams.low[0] - streams.at[0])
        many = min(many, 1 if last else idle + due - 1)
        column = plan.column[0]
        if column != NONE:
            many = min(many, plan.column_size - state.record.filled[column])
        if many <= 0:
            count[PAUSE] = 1
            return False
        now = serve_pool(plan, state, many)
        if count[DONE] >= count[DUE]:
            count_present(plan, state, now)
            note(plan, count, state.record, now)
    return True


def drop_served(plan: Plan, window: Window) -> None:
    """Drop customers that have a server, once the window is half full."""
    fill, first = window.at[FILL], window.at[CAME] - 1
    if 2 * fill < plan.slots or first <= 0:
        return
    for i in range(first, fill):
        window.row[i - first] = window.row[i]
    window.at[FILL] = fill - first
    window.at[CAME] -= first


def sees(plan: Plan, window: Window, last: bool) -> bool:
    """Tell whether a customer is there to serve; `last`, all who come before the next departs."""
    fill = window.at[FILL]
    if fill == window.at[CAME]:
        return False
    return not last or window.row[fill - 1] >= window.row[plan.slots]


def let_in(plan: Plan, state: State) -> bool:
    """Write down when more customers come; False if there is no room or too few draws."""
    count, window, streams = state.counter, state.window, state.streams
    fill, begin = window.at[FILL], streams.at[1]
    if plan.slots == fill:
        count[SPARE] = 0
    many = min(FEW, plan.slots - fill, streams.low[1] - begin)
    if many <= 0:
        count[PAUSE] = 1
        return False
    now = window.row[fill - 1]
    for i in range(many):
        now += streams.pool[begin + i]
        window.row[fill + i] = now
    streams.at[1] = begin + many
    window.at[FILL] = fill + many
    return True


def serve_pool(plan: Plan, state: State, many: int) -> float:
    """Give servers to the next customers, and count those who leave for it; return when."""
    window, record, pool = state.window, state.record, state.streams.pool
    row, slots, servers = window.row, plan.slots, plan.limit[0]
    begin, come, column = state.streams.at[0], window.at[CAME], plan.column[0]
    to = 0 if column == NONE else column * plan.column_size + record.filled[column]
    response, work = record.tally[RESPONSE], record.tally[WORK]
    idle = max(servers - window.gone[0], 0)
    free = 0.0
    for i in range(many):
        free = row[slots]
        if i >= idle:
            time = free - row[2 * slots]
            response += time
            work += row[3 * slots]
            if column != NONE:
                record.sample[to] = time
                to += 1
        came, size = row[come + i], pool[begin + i]
        enter(row, slots, servers, (came if came > free else free) + size, came, size)
    gone = max(many - idle, 0)
    state.streams.at[0] = begin + many
    window.at[CAME] = come + many
    window.gone[0] += many
    state.counter[DONE] += gone
    if column != NONE:
        record.filled[column] += gone
    record.tally[WORK], record.tally[RESPONSE] = work, response
    record.tally[DEPARTED] += gone
    return free


def enter(row: Reals, slots: int, servers: int, leaves: float, came: float, size: float) -> None:
    """Replace the first customer to leave by another, and restore the order of leaving."""
    at = slots
    while at + 1 < slots + servers and row[at + 1] <= leaves:
        row[at] = row[at + 1]
        row[at + slots] = row[at + slots + 1]
        row[at + 2 * slots] = row[at + 2 * slots + 1]
        at += 1
    row[at] = leaves
    row[at + slots] = came
    row[at + 2 * slots] = size


def count_present(plan: Plan, state: State, now: float) -> None:
    """Bring the tally up to date: those in service, and those who wait."""
    window, slots = state.window, plan.slots
    present, since = 0, 0.0
    for i in range(2 * slots, 2 * slots + plan.limit[0]):
        if window.row[i] < now:
            present += 1
            since += window.row[i]
    at = window.at[CAME]
    while at < window.at[FILL] and window.row[at] < now:
        present += 1
        since += window.row[at]
        at += 1
    take_stock_of_one(state.record, present, since)
