import contextlib
import json
import socket
import struct
import threading
import time

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from perfcourse.kernel.plain import Other, TooBigError, plain
from perfcourse.kernel.wire import (
    MAX_FRAME,
    MAX_REQUEST,
    Channel,
    LateError,
    WireError,
    carried,
    pack,
    unpack,
)

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
arrays = hnp.arrays(
    st.sampled_from(["f8", "f4", "i8", "u2", "b1", "c16"]), hnp.array_shapes(max_dims=3, max_side=4)
)
values = st.recursive(
    scalars | st.complex_numbers() | arrays,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


def same(one, other):
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(
            one, other, equal_nan=one.dtype.kind in "fc"
        )
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, float | complex):
        return type(one) is type(other) and (one == other or one != one)
    return type(one) is type(other) and one == other


def through(value):
    frame = pack(value)
    _, json_length = struct.unpack(">II", frame[:8])
    return unpack(frame[8:], json_length)


@given(values)
def test_plain_data_comes_through_as_it_was(value):
    assert same(plain(value), through(plain(value)))


@given(values)
def test_plain_is_a_fixed_point(value):
    once = plain(value)
    assert same(once, plain(once))


@given(st.binary(max_size=300), st.integers(0, 310))
def test_any_bytes_are_a_message_or_a_wire_error(body, json_length):
    try:
        message = unpack(body, json_length)
    except WireError:
        return
    assert only_plain(message)
    assert 0 < json_length <= len(body), "a message of JSON, of the length that was announced"
    json.loads(body[:json_length])


PLAIN_TYPES = (bool, int, float, complex, str, type(None), Other)


def only_plain(value):
    if isinstance(value, list):
        return all(map(only_plain, value))
    if isinstance(value, dict):
        return all(type(key) is str for key in value) and all(map(only_plain, value.values()))
    if type(value) is np.ndarray:
        return value.dtype.kind in "biufc" and not value.dtype.names
    return type(value) in PLAIN_TYPES


tags = st.sampled_from(["~array", "~other", "~complex", "~dict", "x"])
tagged = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(tags, inner, min_size=1, max_size=2)
    ),
    max_leaves=8,
)


@given(tagged, st.binary(max_size=200))
def test_any_tags_give_plain_data_or_a_wire_error(message, blob):
    text = json.dumps(message).encode()
    with contextlib.suppress(WireError):
        assert only_plain(unpack(text + blob, len(text)))


def npy(header, data=b""):
    head = repr(header).encode() if isinstance(header, dict) else header
    head = head.ljust(-len(head) % 64 + len(head) + 53) + b"\n"
    blob = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data
    text = json.dumps({"~array": len(blob)}).encode()
    return text + blob, len(text)


@pytest.mark.parametrize(
    ("header", "data"),
    [
        ({"descr": "|O", "fortran_order": False, "shape": (1,)}, b"cos\nsystem\n."),
        ({"descr": "<f8", "fortran_order": False, "shape": (10**12,)}, b""),
        ({"descr": "<f8", "fortran_order": False, "shape": (-1,)}, b""),
        ({"descr": "<f8", "fortran_order": False, "shape": (2,)}, bytes(8)),
        ({"descr": "<f8", "fortran_order": False, "shape": (0,) * 40}, b""),
        ({"descr": [("a", "<f8")], "fortran_order": False, "shape": (1,)}, bytes(8)),
        ({"descr": "<U4", "fortran_order": False, "shape": (1,)}, bytes(16)),
        (b"__import__('os').system('true')", b""),
        (b"{" * 200, b""),
        (b"(" * 400 + b")" * 400, b""),
    ],
)
def test_bad_arrays_are_refused(header, data):
    with pytest.raises(WireError):
        unpack(*npy(header, data))


def test_good_array_is_taken_and_is_our_own_copy():
    got = unpack(*npy({"descr": "<f8", "fortran_order": True, "shape": (2, 2)}, bytes(32)))
    assert got.shape == (2, 2)
    assert got.flags.owndata or got.base is None or got.flags.writeable


@pytest.mark.parametrize(
    "value",
    [
        "x" * 20_000,
        list(range(200_000)),
        np.zeros(200_000),
        [[[[[[[[[1]]]]]]]]],
        {str(n): n for n in range(150_000)},
    ],
)
def test_too_big_is_refused(value):
    with pytest.raises(TooBigError):
        plain(value)


def test_what_is_not_plain_keeps_only_its_types_name():
    class Mine:
        pass

    assert plain(Mine()) == Other("Mine")
    assert plain([{1}, b"bytes", open]) == [
        Other("set"),
        Other("bytes"),
        Other("builtin_function_or_method"),
    ]
    assert plain(np.array(["a", None], dtype=object)) == ["a", None]


@pytest.fixture
def ends():
    one, other = socket.socketpair()
    yield Channel(one), Channel(other)
    one.close()
    other.close()


def soon(seconds=1.0):
    return time.monotonic() + seconds


def test_messages_arrive_in_order(ends):
    for number in range(5):
        ends[0].send({"n": number}, soon())
    assert [ends[1].receive(soon())["n"] for _ in range(5)] == [0, 1, 2, 3, 4]


def test_a_reader_without_hurry_lets_messages_gather_and_is_late_at_the_deadline(ends, monkeypatch):
    def others(seconds):
        for number in range(3):
            ends[0].send({"n": number}, soon())

    monkeypatch.setattr(time, "sleep", others)
    assert [ends[1].receive(soon(), hurry=False)["n"] for _ in range(3)] == [0, 1, 2]
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    with pytest.raises(LateError):
        ends[1].receive(soon(0.1), hurry=False)


def test_kept_messages_leave_together_and_arrive_apart(ends):
    for number in range(4):
        ends[0].keep({"n": number})
    assert ends[0].kept > 0
    with pytest.raises(LateError):
        ends[1].receive(soon(0.05))
    ends[0].flush(soon())
    assert ends[0].kept == 0
    ends[0].send({"n": 4}, soon())
    assert [ends[1].receive(soon())["n"] for _ in range(5)] == [0, 1, 2, 3, 4]


def test_what_can_not_be_packed_leaves_the_kept_as_they_are(ends):
    ends[0].keep({"n": 0})
    with pytest.raises(TypeError):
        ends[0].keep({"n": {1, 2}})
    ends[0].flush(soon())
    assert ends[1].receive(soon()) == {"n": 0}


def test_large_message_crosses_in_pieces(ends):
    big = np.arange(90_000.0)
    sender = threading.Thread(target=ends[0].send, args=(big, soon(5)))
    sender.start()
    assert np.array_equal(ends[1].receive(soon(5)), big)
    sender.join()


def test_silence_is_late_and_a_closed_end_is_gone(ends):
    with pytest.raises(LateError):
        ends[0].receive(soon(0.05))
    ends[1].close()
    with pytest.raises(WireError, match="gone"):
        ends[0].receive(soon())


def test_dripping_does_not_stretch_the_deadline(ends):
    def drip():
        for _ in range(20):
            time.sleep(0.02)
            ends[1].end.send(b"\0")

    thread = threading.Thread(target=drip)
    thread.start()
    started = time.monotonic()
    with pytest.raises(WireError):
        ends[0].receive(soon(0.1))
    assert time.monotonic() - started < 0.3
    thread.join()


def test_announced_length_is_limited(ends):
    ends[1].end.send(struct.pack(">II", MAX_FRAME + 1, 5))
    with pytest.raises(WireError, match="larger"):
        ends[0].receive(soon())


def test_full_pipe_is_late_not_stuck(ends):
    def flood():
        for _ in range(100):
            ends[0].send(np.zeros(90_000), soon(0.1))

    with pytest.raises(LateError):
        flood()


REQUESTS = {
    "long text": "x" * 10_001,
    "very long text": "\u7b49\U0001f600" * 500_000,
    "65 brackets": "[" * 65,
    "brackets of all sorts": "([{<" * 20_000 + '\\"',
    "many elements": list(range(120_000)),
    "a large array": np.arange(1_000_000.0),
    "deeply nested": [[[[[[[[[[[[1.0]]]]]]]]]]]],
    "many keys": {f"k{n}": n for n in range(120_000)},
    "half a character": "a\ud800b",
}
"""What a notebook's code or a bank's inputs may hold."""


@pytest.mark.parametrize("part", REQUESTS.values(), ids=REQUESTS)
def test_every_request_arrives_as_it_was_sent(part):
    one, other = socket.socketpair()
    grader, inside = Channel(one), Channel(other, inside=True)
    request = {"op": "run", "cells": [part]}
    sender = threading.Thread(target=grader.send, args=(request, soon(20)))
    sender.start()
    assert same(inside.receive(soon(20)), request)
    sender.join()
    assert same(carried(request), request)
    grader.close()
    inside.close()


@pytest.mark.parametrize("text", ["[" * 65, "{" * 300, "[0, 1), " * 90, '"]}' * 99])
def test_brackets_in_a_text_are_no_nesting(ends, text):
    ends[1].send({"error": ["ValueError", text]}, soon())
    assert ends[0].receive(soon()) == {"error": ["ValueError", text]}


@pytest.mark.parametrize(
    "answer", [[[[[[[[1]]]]]]], list(range(99_999)), ["x" * 10_000] * 300, np.zeros(99_999)]
)
def test_answers_within_their_limits_arrive(answer):
    one, other = socket.socketpair()
    grader, inside = Channel(one), Channel(other, inside=True)
    value = plain(answer)
    sender = threading.Thread(target=inside.send, args=({"value": value}, soon(20)))
    sender.start()
    assert same(grader.receive(soon(20)), {"value": value})
    sender.join()


@pytest.mark.parametrize(
    "body",
    [b"[" * 5000, b'{"~dict": ' * 5000, b"[" * 900 + b"]" * 900, b"[" * 40 + b"]" * 40],
)
def test_deeply_nested_answers_are_refused(body):
    one, other = socket.socketpair()
    other.send(struct.pack(">II", len(body), len(body)) + body)
    with pytest.raises(WireError):
        Channel(one).receive(soon())


def test_lengths_are_limited_either_way():
    with pytest.raises(TooBigError, match="larger than"):
        pack(np.zeros(MAX_REQUEST // 8 + 1))
    one, other = socket.socketpair()
    one.send(struct.pack(">II", MAX_REQUEST + 1, 5))
    with pytest.raises(WireError, match="larger"):
        Channel(other, inside=True).receive(soon())
    with pytest.raises(TooBigError):
        Channel(other, inside=True).send("x" * MAX_FRAME, soon())


def test_single_numbers_of_numpy_are_numbers():
    assert carried([np.int64(3), np.float32(0.5), np.bool_(True), (1, 2)]) == [3, 0.5, True, [1, 2]]


UNSENT = [{1, 2}, object(), b"x", 10**5000, np.array(["a"]), np.array([{}])]


@pytest.mark.parametrize("odd", UNSENT, ids=lambda odd: type(odd).__name__)
def test_what_cannot_be_sent_is_refused_and_not_changed(odd):
    with pytest.raises((TypeError, ValueError, WireError)):
        carried({"x": odd})


@pytest.mark.parametrize("name", ["\ud800", "a\x1b[31m", "b\u202e\0", "c\n"])
def test_names_of_types_hold_only_signs_that_can_be_seen(name):
    assert plain(Other(name)).type_name.isprintable()
    assert plain({"a\ud800": "b\udfff"}) == {"a?": "b?"}
