"""Stations in a row, each with one server, first come, first served: Lindley's recursion.

A customer leaves a station one service after the later of two moments: when they came, and when
the one before them left. In a closed row, customer n comes when customer n - N leaves it. So no
event is looked for; customers are taken in blocks, station by station, and counted up to the moment
when one of them leaves the row.

References
----------
D. V. Lindley, Proceedings of the Cambridge Philosophical Society 48(2), 1952.
"""

from __future__ import annotations

from perfmodel.engine.fields import NONE
from perfmodel.queueing.simulation.loops.trail import note, take_stock
from perfmodel.queueing.simulation.state import (
    CAME,
    DEPARTED,
    DONE,
    DUE,
    FILL,
    PAUSE,
    RESPONSE,
    SPARE,
    STRIDE,
    TALLY,
    WORK,
    Plan,
    State,
    Window,
)

FEW = 32
"""Customers from outside that are let in at a time to see who comes before a moment."""


def run_chain(plan: Plan, state: State) -> bool:
    """Run until a buffer must be seen to (False), or the run is over (True)."""
    count, gone = state.counter, state.window.gone
    while count[DONE] < plan.target:
        make_room(plan, state.window)
        steps = min(count[DUE], plan.target) - count[DONE]
        mark = gone[plan.nodes] + min(steps, STRIDE) - 1
        while not is_known(plan, state.window, mark):
            if not extend(plan, state, mark):
                return False
        now = state.window.row[plan.nodes * plan.slots + mark]
        if not settle(plan, state, mark, now):
            return False
        if count[DONE] >= count[DUE]:
            count_all(plan, state)
            note(plan, count, state.record, now)
    return True


def make_room(plan: Plan, window: Window) -> None:
    """Drop customers that are gone from all stations, once the window is half full."""
    slots, nodes, fill = plan.slots, plan.nodes, window.at[FILL]
    first = min(window.gone[nodes], fill - max(plan.population, 1))
    if 2 * fill < slots or first <= 0:
        return
    for row in range(2 * nodes + 1):
        for i in range(first, fill):
            window.row[row * slots + i - first] = window.row[row * slots + i]
    window.at[FILL] = fill - first
    for i in range(nodes + 1):
        window.gone[i] -= first


def is_known(plan: Plan, window: Window, mark: int) -> bool:
    """Tell whether all are known who come before the customer at `mark` leaves."""
    fill = window.at[FILL]
    if plan.population > 0:
        return fill > mark + plan.population
    leaves = plan.nodes * plan.slots + mark
    return fill > mark + 1 and window.row[fill - 1] >= window.row[leaves]


def extend(plan: Plan, state: State, mark: int) -> bool:
    """Let more customers pass all stations; False if there is no room or too few draws."""
    count, window, streams = state.counter, state.window, state.streams
    fill, population, nodes = window.at[FILL], plan.population, plan.nodes
    many = plan.slots - fill
    if many == 0:
        count[SPARE] = 0
    many = min(many, population if population > 0 else max(mark + 1 - fill, FEW))
    for stream in range(nodes if population > 0 else nodes + 1):
        many = min(many, streams.low[stream] - streams.at[stream])
    if many <= 0:
        count[PAUSE] = 1
        return False
    come(plan, state, many)
    for node in range(nodes):
        serve(plan, state, node, many)
    window.at[FILL] = fill + many
    return True


def come(plan: Plan, state: State, many: int) -> None:
    """Write down when the next customers come: from outside, or from the row's end."""
    window, streams, fill = state.window, state.streams, state.window.at[FILL]
    nodes, population = plan.nodes, plan.population
    if population > 0:
        back = nodes * plan.slots + fill - population
        for i in range(many):
            window.row[fill + i] = window.row[back + i]
        return
    begin = streams.at[nodes]
    now = window.row[fill - 1]
    for i in range(many):
        now += streams.pool[begin + i]
        window.row[fill + i] = now
    streams.at[nodes] = begin + many


def serve(plan: Plan, state: State, node: int, many: int) -> None:
    """Write down when the next customers leave `node`, and their sizes."""
    row, pool, slots = state.window.row, state.streams.pool, plan.slots
    come = node * slots + state.window.at[FILL]
    leave = come + slots
    work = leave + plan.nodes * slots
    begin = state.streams.at[node]
    now = row[leave - 1]
    for i in range(many):
        size = pool[begin + i]
        now = (row[come + i] if row[come + i] > now else now) + size
        row[leave + i] = now
        row[work + i] = size
    state.streams.at[node] = begin + many


def settle(plan: Plan, state: State, mark: int, now: float) -> bool:
    """Count who has left each station by `now`, the moment when the customer at `mark` leaves.

    False where a column of samples is full, and the rest is counted next time.
    """
    window, nodes, slots = state.window, plan.nodes, plan.slots
    came = mark + plan.population + 1
    while plan.population == 0 and came < window.at[FILL] and window.row[came] < now:
        came += 1
    window.at[CAME] = came
    for node in range(nodes):
        ahead = came if node < nodes - 1 else mark + 1
        if not leave(plan, state, node, node * slots, ahead, now):
            return False
        came = window.gone[node]
    before = window.gone[nodes]
    whole = leave(plan, state, nodes, 0, mark + 1, now)
    state.counter[DONE] += window.gone[nodes] - before
    return whole


def leave(plan: Plan, state: State, place: int, come: int, ahead: int, now: float) -> bool:
    """Count those before position `ahead` that leave by `now`: a station, or at last the row."""
    window, record, slots = state.window, state.record, plan.slots
    nodes, column, begin = plan.nodes, plan.column[place], window.gone[place]
    gone = (place + 1 if place < nodes else nodes) * slots
    work = gone + nodes * slots
    end, to = ahead, 0
    if column != NONE:
        end = min(ahead, begin + plan.column_size - record.filled[column])
        to = column * plan.column_size + record.filled[column] - begin
    row, at = TALLY * place, begin
    response, worked = record.tally[row + RESPONSE], record.tally[row + WORK]
    while at < end and window.row[gone + at] <= now:
        time = window.row[gone + at] - window.row[come + at]
        response += time
        worked += window.row[work + at]
        if column != NONE:
            record.sample[to + at] = time
        at += 1
    record.tally[row + RESPONSE] = response
    if place < nodes:
        record.tally[row + WORK] = worked
    record.tally[row + DEPARTED] += at - begin
    if column != NONE:
        record.filled[column] += at - begin
    window.gone[place] = at
    if at == end and end < ahead:
        state.counter[PAUSE] = 1
        return False
    return True


def count_all(plan: Plan, state: State) -> None:
    """Bring the tally of all stations and of the row up to date."""
    window, nodes, slots = state.window, plan.nodes, plan.slots
    came = window.at[CAME]
    for place in range(nodes + 1):
        come = place * slots if place < nodes else 0
        end = came if place == 0 or place == nodes else window.gone[place - 1]
        since = 0.0
        for i in range(window.gone[place], end):
            since += window.row[come + i]
        take_stock(state.record, place, end - window.gone[place], since)
