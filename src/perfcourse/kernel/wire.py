"""Frames across the wall: JSON for scalars and structure, npy bytes for arrays, never pickle.

A frame is a length, the length of its JSON, the JSON, and the arrays' bytes one after the other.
Whatever arrives is treated as hostile: lengths are limited before anything is read, array headers
are checked before anything is allocated, and the result is plain data and nothing else. The
grader also limits how large an answer is. A student's process doesn't limit the grader's requests
in this way, because a request holds the student's own notebook or what a question bank drew.
"""

from __future__ import annotations

import io
import json
import select
import socket
import struct
import time
from typing import Any

import numpy as np
from numpy.lib import format as npy

from perfcourse.kernel.plain import Other, TooBigError, plain

MAX_FRAME = 4 * 2**20
MAX_REQUEST = 64 * 2**20
"""Bytes of a frame: of an answer to the grader, and of a request to a student's process."""
MAX_HEADER = 512
PIECE = 2**15
"""Bytes that are read at a time."""
MOMENT = 0.001
"""Seconds for which an unhurried reader lets messages gather, so that they wake it only once."""
DAY = 86400.0
_LENGTHS = struct.Struct(">II")
_AS_IN_JSON = frozenset((float, int, str, bool, type(None)))
_ARRAY, _OTHER, _COMPLEX, _DICT = "~array", "~other", "~complex", "~dict"


class WireError(Exception):
    """The other side is gone, is late, or sent something that is not a frame."""


class LateError(WireError):
    """The other side did not answer in time."""


def pack(message: Any, most: int = MAX_REQUEST) -> bytes:
    """Return plain data as one frame, of `most` bytes at most (else `TooBigError`).

    >>> frame = pack({"x": np.arange(3), "y": [1.5, None]})
    >>> length, json_length = struct.unpack(">II", frame[:8])
    >>> unpack(frame[8:], json_length)
    {'x': array([0, 1, 2]), 'y': [1.5, None]}
    """
    blobs: list[bytes] = []
    text = json.dumps(_encoded(message, blobs)).encode()
    body = text + b"".join(blobs)
    if len(body) > most:
        raise TooBigError(f"a message of {len(body)} bytes is larger than the {most} allowed")
    return _LENGTHS.pack(len(body), len(text)) + body


def unpack(body: bytes, json_length: int) -> Any:
    """Return the plain data of a frame's body.

    Broken JSON, deep nesting, an object array or a length that doesn't fit raise `WireError`.
    """
    if not 0 < json_length <= len(body):
        raise WireError("the lengths of a message don't fit")
    try:
        return _decoded(json.loads(body[:json_length].decode()), io.BytesIO(body[json_length:]))
    except Exception as error:
        raise WireError("not a message") from error


def carried(value: Any, most: int = MAX_REQUEST) -> Any:
    """Return plain data as it arrives on the other side; raise what `pack` and `unpack` raise.

    >>> carried({"n": (1, 2)})
    {'n': [1, 2]}
    """
    frame = pack(value, most)
    return unpack(frame[_LENGTHS.size :], _LENGTHS.unpack_from(frame)[1])


class Channel:
    """One end of the wall: sends and receives frames before a deadline.

    The end `inside` a student's process takes requests and sends answers.
    """

    def __init__(self, end: socket.socket, inside: bool = False) -> None:
        self.end = end
        self._inside = inside
        self._kept, self._came = bytearray(), bytearray()
        end.setblocking(False)

    def keep(self, message: Any, most: int = MAX_REQUEST) -> None:
        """Have a message of `most` bytes leave with the next one that is sent, or by `flush`."""
        self._kept += pack(message, min(most, MAX_FRAME) if self._inside else most)

    @property
    def kept(self) -> int:
        """Return how many bytes wait to leave."""
        return len(self._kept)

    def send(self, message: Any, deadline: float, most: int = MAX_REQUEST) -> None:
        """Send one message, or raise a WireError at the deadline (by `time.monotonic`)."""
        self.keep(message, most)
        self.flush(deadline)

    def flush(self, deadline: float) -> None:
        """Send what was kept, or raise a WireError at the deadline."""
        whole, self._kept = bytes(self._kept), bytearray()
        rest = memoryview(whole)
        while rest:
            _in_time(deadline)
            try:
                rest = rest[self.end.send(rest) :]
            except BlockingIOError:
                self._wait(deadline, writing=True)
            except OSError as error:
                raise WireError("the other side is gone") from error

    def receive(self, deadline: float, hurry: bool = True) -> Any:
        """Return the next message, or raise a WireError at the deadline."""
        length, json_length = _LENGTHS.unpack(self._read(_LENGTHS.size, deadline, hurry))
        if length > (MAX_REQUEST if self._inside else MAX_FRAME):
            raise WireError("a message is larger than any answer needs to be")
        message = unpack(self._read(length, deadline), json_length)
        try:
            return message if self._inside else _answer(message)
        except TooBigError as error:
            raise WireError("not an answer") from error

    def _read(self, size: int, deadline: float, hurry: bool = True) -> bytes:
        while len(self._came) < size:
            _in_time(deadline)
            try:
                part = self.end.recv(PIECE)
            except BlockingIOError:
                if hurry:
                    self._wait(deadline, writing=False)
                else:
                    time.sleep(MOMENT)
                    hurry = True
                continue
            except OSError as error:
                raise WireError("the other side is gone") from error
            if not part:
                raise WireError("the other side is gone")
            self._came += part
        found = bytes(self._came[:size])
        del self._came[:size]
        return found

    def _wait(self, deadline: float, writing: bool) -> None:
        poll = select.poll()
        poll.register(self.end, select.POLLOUT if writing else select.POLLIN)
        if not poll.poll(min(_in_time(deadline), DAY) * 1000):
            raise LateError("no answer in time")

    def close(self) -> None:
        """Close this end."""
        self.end.close()


def _in_time(deadline: float) -> float:
    """Return the seconds that are left, or raise a LateError."""
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise LateError("no answer in time")
    return remaining


def _answer(message: Any) -> Any:
    """Return a message whose parts are no larger than an answer may be."""
    if isinstance(message, dict):
        return {key: plain(part) for key, part in message.items()}
    return plain(message)


def _encoded(value: Any, blobs: list[bytes]) -> Any:
    if type(value) in _AS_IN_JSON:
        return value
    if isinstance(value, np.generic):
        return _encoded(value.item(), blobs)
    if isinstance(value, np.ndarray):
        blobs.append(_npy_bytes(value))
        return {_ARRAY: len(blobs[-1])}
    if isinstance(value, Other):
        return {_OTHER: value.type_name}
    if isinstance(value, complex):
        return {_COMPLEX: [value.real, value.imag]}
    if isinstance(value, dict):
        return {_DICT: [[str(key), _encoded(part, blobs)] for key, part in value.items()]}
    if isinstance(value, list | tuple):
        return [_encoded(part, blobs) for part in value]
    return value


def _decoded(value: Any, blobs: io.BytesIO) -> Any:
    if isinstance(value, list):
        return [_decoded(part, blobs) for part in value]
    if not isinstance(value, dict):
        return value
    ((tag, content),) = value.items()
    if tag == _ARRAY:
        return _array(blobs.read(content if type(content) is int and content >= 0 else 0))
    if tag == _OTHER:
        return Other(str(content)[:80])
    if tag == _COMPLEX:
        return complex(float(content[0]), float(content[1]))
    if tag == _DICT:
        return {str(key): _decoded(part, blobs) for key, part in content}
    raise WireError("not a message: unknown tag")


def _npy_bytes(array: np.ndarray[Any, Any]) -> bytes:
    stream = io.BytesIO()
    npy.write_array(stream, array, version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def _array(data: bytes) -> np.ndarray[Any, Any]:
    stream = io.BytesIO(data)
    if npy.read_magic(stream) != (1, 0):
        raise ValueError("only npy version 1.0 is understood")
    shape, fortran, dtype = npy.read_array_header_1_0(stream, max_header_size=MAX_HEADER)
    if dtype.kind not in "biufc" or dtype.itemsize > 16 or len(shape) > 8:
        raise ValueError("not an array of plain numbers")
    count = 1
    for size in shape:
        count *= size
    rest = data[stream.tell() :]
    if min(shape, default=0) < 0 or count * dtype.itemsize != len(rest):
        raise ValueError("the array's shape doesn't fit its bytes")
    return np.frombuffer(rest, dtype).reshape(shape, order="F" if fortran else "C").copy()
