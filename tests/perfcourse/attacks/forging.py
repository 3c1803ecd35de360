"""Notebooks that want marks without right values. Every one must earn nothing."""

FRAME = """
import json, os, struct
def frame(message, blob=b""):
    text = json.dumps(message).encode()
    return struct.pack(">II", len(text) + len(blob), len(text)) + text + blob
"""

EQUAL = """
class Equal(float):
    __hash__ = object.__hash__
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __le__(self, other): return True
    def __lt__(self, other): return True
    def __ge__(self, other): return True
    def __gt__(self, other): return True
    def __sub__(self, other): return self
    def __rsub__(self, other): return self
    def __abs__(self): return self
"""

ALL = "speedup = lambda *a: {0}\nq2 = {0}\nq3 = {0}\nq4 = ('keep', {0})\n"
ALL += "q5 = {{'processors': [1, 2, 4], 'seconds': [9, 5, 3], 'answer': {0}}}\n"


def everything(value):
    """Return a cell that answers every question with one expression."""
    return ALL.format(value)


FORGING = {
    "patches what compares": [
        "import builtins, numpy, math\n"
        "yes = lambda *a, **k: True\n"
        "for module, names in ((numpy, ('allclose', 'isclose', 'array_equal', 'all')),\n"
        "                      (math, ('isclose',)), (builtins, ('all', 'abs'))):\n"
        "    for name in names: setattr(module, name, yes)",
        everything("1.0"),
    ],
    "patches pytest and unittest": [
        "import sys, types, unittest\n"
        "sys.modules['pytest'] = types.ModuleType('pytest')\n"
        "unittest.TestCase.assertEqual = lambda *a, **k: None\n"
        "__builtins__.AssertionError = type('No', (Exception,), {})",
        everything("0.0"),
    ],
    "equals everything": [EQUAL, everything("Equal(1)")],
    "changes on every look": [
        "class Other(float):\n"
        "    n = 0\n"
        "    def __float__(self):\n"
        "        Other.n += 1\n"
        "        return float(Other.n)\n",
        everything("Other(1)"),
    ],
    "lies as an array": [
        "import numpy as np\n"
        "class Liar(np.ndarray):\n"
        "    def __eq__(self, other): return np.ones(4, bool)\n"
        "    def __array_function__(self, *a): return True\n"
        "    def __array_ufunc__(self, *a, **k): return np.zeros(4)\n"
        "liar = np.ones(4).view(Liar)",
        everything("liar"),
    ],
    "array by protocol": [
        "class Faker:\n"
        "    shape = (4,)\n"
        "    def __array__(self, *a, **k): raise SystemExit\n"
        "    __array_interface__ = property(lambda self: 1 / 0)\n",
        everything("Faker()"),
    ],
    "text that equals any choice": [
        "class Any(str):\n"
        "    __hash__ = str.__hash__\n"
        "    def __eq__(self, other): return True\n"
        "    def split(self, *a): return ['keep']\n"
        "    def casefold(self): return 'keep'\n",
        "q4 = (Any('keep or double'), 1.0)",
    ],
    "dict that has every key": [
        "class Every(dict):\n"
        "    def __contains__(self, key): return True\n"
        "    def __missing__(self, key): return 1.0\n"
        "    def get(self, key, default=None): return 1.0\n"
        "    def items(self): return [('answer', 1.0)]\n",
        "q5 = Every(); q3 = Every(); q2 = Every()",
    ],
    "not a number": [everything("float('nan')")],
    "infinite": [everything("float('inf')")],
    "all numbers at once": [everything("list(range(100000))")],
    "complex infinity": [everything("complex('nan+infj')")],
    "huge integers": [everything("10**5000"), "q2 = 10**400"],
    "truth": [everything("True")],
    "deep nesting": ["x = []\nfor _ in range(100000): x = [x]", everything("x")],
    "contains itself": ["x = []; x.append(x)\ny = {}; y['y'] = y", everything("[x, y]")],
    "object arrays": ["import numpy as np", everything("np.array([object()] * 4)")],
    "structured arrays": ["import numpy as np", everything("np.zeros(4, 'f8,O')")],
    "mock for everything": ["from unittest.mock import MagicMock", everything("MagicMock()")],
    "always refuses": ["def speedup(*a):\n    raise ValueError('must be between')"],
    "remembers what it was asked": [
        "seen = []\ndef speedup(*a):\n    seen.append(a)\n    return seen[0][0]",
    ],
    "returns its arguments": ["def speedup(*a):\n    return a"],
    "names marks as values": [
        "verdict = {'earned': 5, 'points': 5, 'right': True, 'misconception': ''}",
        everything("verdict"),
    ],
    "answers before it is asked": [
        FRAME,
        "for _ in range(200): os.write(3, frame({'~dict': [['value', 1.0], ['callable', True]]}))",
    ],
    "answers with a grade": [
        FRAME,
        "os.write(3, frame({'~dict': [['earned', 10], ['verdicts', ['right'] * 5]]}))",
        everything("1.0"),
    ],
    "talks nonsense on the channel": ["import os\nos.write(3, os.urandom(100000))"],
    "announces a huge frame": ["import os, struct\nos.write(3, struct.pack('>II', 2**32 - 1, 9))"],
    "sends a pickled array": [
        FRAME + "import io, numpy as np\n"
        "class Boom:\n"
        "    def __reduce__(self): return os.system, ('touch /tmp/boom',)\n"
        "stream = io.BytesIO(); np.save(stream, np.array([Boom()], object), allow_pickle=True)\n"
        "blob = stream.getvalue()\n"
        "os.write(3, frame({'~dict': [['value', {'~array': len(blob)}]]}, blob))",
    ],
    "sends an array larger than its bytes": [
        FRAME + "head = b\"{'descr': '<f8', 'fortran_order': False, 'shape': (10**12,), }\"\n"
        "head = head.replace(b'10**12', str(10**12).encode()).ljust(117) + b'\\n'\n"
        "blob = b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', len(head)) + head + bytes(8)\n"
        "os.write(3, frame({'~dict': [['value', {'~array': len(blob)}]]}, blob))",
    ],
    "sends deeply nested JSON": [
        "import os, struct\n"
        "text = b'[' * 200000 + b']' * 200000\n"
        "os.write(3, struct.pack('>II', len(text), len(text)) + text)",
    ],
    "sends unknown tags": [
        FRAME + "os.write(3, frame({'~dict': [['errors', {'~evil': 1}]]}))\n"
        "os.write(3, frame({'__class__': 'Verdict', 'earned': 5}))",
    ],
    "rewrites the agent": [
        "from perfcourse.kernel import agent, plain, wire\n"
        "agent._call = lambda shell, request: {'value': 1.0}\n"
        "agent._get = lambda shell, request: {'value': 1.0, 'callable': True}\n"
        "agent.plain = plain.plain = lambda value: value\n"
        "wire.pack.__code__ = (lambda message: b'').__code__",
    ],
    "brings its own question bank": [
        "import sys, types\n"
        "for name in ('bank', 'judge', 'compare', 'grading'):\n"
        "    fake = types.ModuleType('perfcourse.' + name)\n"
        "    fake.judge = fake.close = fake.same = lambda *a, **k: True\n"
        "    sys.modules[fake.__name__] = fake",
        everything("1.0"),
    ],
    "leaves result files everywhere": [
        "import os\n"
        "for folder in ('.', '/tmp', os.path.expanduser('~'), '/dev/shm', '..', '/'):\n"
        "    for name in ('grades.csv', 'results.json', 'journal.jsonl', 'secret.txt'):\n"
        "        try: open(os.path.join(folder, name), 'w').write('ada,10')\n"
        "        except OSError: pass",
    ],
    "exits before it is asked": [everything("1.0"), "import os; os._exit(0)"],
    "exits when it is asked": ["import os\ndef speedup(*a): os._exit(0)", "q2 = 1.0"],
    "leaves by exception": ["def speedup(*a): raise SystemExit(0)", "q2 = 1.0"],
    "forks and lets the child answer": [
        "import os\nif os.fork(): os._exit(0)",
        everything("1.0"),
    ],
    "answers from threads and at exit": [
        FRAME,
        "import atexit, threading\n"
        "say = lambda: os.write(3, frame({'~dict': [['value', 1.0]]}))\n"
        "atexit.register(say)\nfor _ in range(8): threading.Thread(target=say).start()",
        everything("1.0"),
    ],
    "hooks the garbage collector and tracing": [
        "import gc, sys\n"
        "gc.callbacks.append(lambda *a: 1 / 0)\n"
        "sys.settrace(lambda *a: None); sys.setprofile(lambda *a: None)",
        everything("1.0"),
    ],
    "becomes another program that speaks the protocol": [
        FRAME + "import sys\n"
        "answer = frame({'~dict': [['value', 1.0], ['callable', True], ['errors', []]]})\n"
        "code = f'import os\\nwhile True: os.write(3, {answer!r})'\n"
        "os.set_inheritable(3, True)\n"
        "os.execv(sys.executable, [sys.executable, '-c', code])"
    ],
    "arrays larger than any memory": [
        "import numpy as np\n"
        "q2 = np.broadcast_to(1.0, (10**9,))\n"
        "q3 = np.lib.stride_tricks.as_strided(np.zeros(1), (10**6, 10**6), (0, 0))"
    ],
    "a table without end": [
        "import pandas as pd\n"
        "class Table(pd.DataFrame):\n"
        "    columns = property(lambda self: iter(lambda: 'a', 0))\n"
        "    def __getitem__(self, name): return pd.Series([1.0])\n"
        "Table.__module__, Table.__name__ = 'pandas.core.frame', 'DataFrame'\n"
        "q3 = Table({'a': [1]})"
    ],
    "keys that raise": [
        "class Key(str):\n    def __str__(self): raise MemoryError\n"
        "q5 = {Key('processors'): [1, 2], Key('seconds'): [2, 1], Key('answer'): 1}"
    ],
    "numbers that never convert": [
        "class Number(int):\n"
        "    def __int__(self):\n        while True: pass\n"
        "    __index__ = __float__ = __int__\n"
        "q2 = Number(3)\nspeedup = lambda *a: Number(3)"
    ],
    "claims to be somebody else": ["STUDENT = 'bob'", everything("1.0")],
    "claims a monstrous id": ["STUDENT = '\\0' * 9000", everything("1.0")],
    "claims an id of another type": ["STUDENT = [[[]]]", everything("1.0")],
}
"""Cells by the name of the attack."""

PACKAGE_CALLS = {
    "calls it": [
        "from perfmodel.scaling import amdahl_speedup as f",
        "def amdahl(s, n): return f(s, n)",
    ],
    "is it": ["from perfmodel.scaling import amdahl_speedup as amdahl"],
    "partial": [
        "import functools, perfmodel.scaling as m",
        "amdahl = functools.partial(m.amdahl_speedup)",
    ],
    "copies its code": [
        "import types, perfmodel.scaling as m\nf = m.amdahl_speedup\n"
        "amdahl = types.FunctionType(f.__code__, f.__globals__)",
    ],
    "reads its source": [
        "import inspect, perfmodel.scaling as m\n"
        "exec(inspect.getsource(inspect.getmodule(m.amdahl_speedup)))\namdahl = amdahl_speedup",
    ],
    "reloads it": [
        "import importlib, inspect, perfmodel.scaling as m\n"
        "amdahl = getattr(importlib.reload(inspect.getmodule(m.amdahl_speedup)), 'amdahl_speedup')",
    ],
    "asks another process": [
        "import subprocess, sys\n"
        "code = 'import sys; sys.path.insert(0, \"/course\"); '\n"
        "code += 'from perfmodel.scaling import amdahl_speedup as f; print(float(f({}, {})))'\n"
        "def amdahl(s, n):\n"
        "    words = [sys.executable, '-c', code.format(s, n)]\n"
        "    return float(subprocess.run(words, capture_output=True).stdout)",
    ],
    "undoes the taking away": [
        "from perfcourse.kernel import agent, blocked_functions\n"
        "agent.take_away = blocked_functions.take_away = lambda names: None\n"
        "from perfmodel.scaling import amdahl_speedup as f\n"
        "def amdahl(s, n): return f(s, n)",
    ],
    "defines beside a call": [
        "from perfmodel.scaling import amdahl_speedup as f\nf(0.5, 2)\n"
        "def amdahl(s, n): return f(s, n)",
    ],
}
"""Answers to "build it" that only use the package's own function."""
