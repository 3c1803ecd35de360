"""What a child process of `perfmodel.measurement.child` runs: pin itself, then call, then answer.

Only the standard library is imported before the process is pinned, since a library may count the
cores it sees when it starts its threads. The answer goes out through what was standard output;
anything that the function prints goes to standard error.
"""

from __future__ import annotations

import os
import pickle
import sys
import traceback
from typing import BinaryIO


def main(source: BinaryIO) -> bytes:
    """Read `(cores, path, call)` from `source`, run the call and return the pickled answer."""
    cores, path, call = pickle.load(source)
    if cores is not None:
        os.sched_setaffinity(0, cores)
    sys.path[:] = path
    try:
        function, arguments = pickle.loads(call)
        return pickle.dumps((True, function(*arguments)))
    except Exception:
        return pickle.dumps((False, traceback.format_exc()))


if __name__ == "__main__":
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    answer.write(main(sys.stdin.buffer))
    answer.close()
