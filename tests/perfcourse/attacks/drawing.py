"""Notebooks that want marks for words, plots, parts and data files without right answers.

Each is asked every question of the bank `kinds`; every one must earn nothing.
"""

from forging import EQUAL, FRAME

PLT = "import matplotlib.pyplot as plt, numpy as np\nfigure, axes = plt.subplots()"
LABELS = "axes.set(xlabel='processors', ylabel='time [s]', xscale='log')"

DRAWING = {
    "a million points": [PLT, "axes.plot(np.zeros(10**6))", LABELS, "drawn = figure"],
    "ten thousand curves": [
        PLT,
        "axes.plot(np.random.rand(2, 10_000))",
        LABELS,
        "drawn = figure",
    ],
    "all guesses in one plot": [
        PLT,
        "for total in range(10, 60):\n"
        "    axes.plot([1, 2, 4, 8], total / np.array([1, 2, 4, 8]), label='measured')",
        LABELS + "; axes.legend()",
        "drawn = figure",
    ],
    "a guess in each panel": [
        "import matplotlib.pyplot as plt, numpy as np\nfigure, many = plt.subplots(5, 5)",
        "for total, axes in zip(range(10, 35), many.ravel()):\n"
        "    axes.plot([1, 2, 4, 8], total / np.array([1, 2, 4, 8]))",
        "drawn = figure",
    ],
    "labels of 10 MB": [PLT, "axes.set(xlabel='x' * 10**7, title='t' * 10**7)", "drawn = figure"],
    "a label that is no text": [PLT, "axes.get_xlabel = lambda: [1] * 10**6", "drawn = axes"],
    "a curve that changes on every look": [
        PLT,
        "from matplotlib.lines import Line2D\n"
        "class Line(Line2D):\n"
        "    n = 0\n"
        "    def get_ydata(self, orig=True):\n"
        "        Line.n += 1\n"
        "        return Line.n / np.array([1, 2, 4, 8])\n"
        "axes.add_line(Line([1, 2, 4, 8], [1, 2, 4, 8]))",
        LABELS,
        "drawn = figure",
    ],
    "data that lies as an array": [
        PLT,
        "class Liar:\n"
        "    def __array__(self, *a, **k): return np.ones(10**7)\n"
        "    def __len__(self): return 4\n"
        "class Lying(np.ndarray):\n"
        "    def __eq__(self, other): return True\n"
        "    def __array_ufunc__(self, *a, **k): return np.zeros(4)\n"
        "    def __array_function__(self, *a): return True\n"
        "    size = 1\n"
        "line, = axes.plot([1, 2, 4, 8])\n"
        "line.get_xdata = lambda orig: Liar()\n"
        "line.get_ydata = lambda orig: np.ones(4).view(Lying)",
        "drawn = figure",
    ],
    "a figure that is none": [
        "class Axes:\n"
        "    def __getattr__(self, name): return lambda *a, **k: self\n"
        "drawn = Axes(); drawn.axes = [drawn] * 9",
    ],
    "a figure of its own making": [
        PLT,
        "import sys, types\n"
        "module = types.ModuleType('matplotlib.figure')\n"
        "class Figure: axes = property(lambda self: 1 / 0)\n"
        "module.Figure = Figure; sys.modules['matplotlib.figure'] = module",
        "drawn = Figure()",
    ],
    "what describes a plot": [
        "axis = {'label': 'processors time [s] s', 'scale': 'log', 'limits': [1, 8]}\n"
        "series = [{'label': 'measured', 'x': [1, 2, 4, 8], 'y': [float('nan')] * 4}]\n"
        "drawn = {'panels': 1, 'x': axis, 'y': axis, 'title': '', 'legend': ['measured'],\n"
        "         'series': series}",
    ],
    "a description that isn't one": [
        "drawn = {'panels': 1, 'series': [[{}]] * 99, 'x': None, 'legend': 'x' * 9000}",
    ],
    "a function that draws for ever": ["def drawn():\n    while True: pass"],
    "a function that draws and exits": ["def drawn():\n    raise SystemExit"],
    "a function that returns itself": ["def drawn():\n    return drawn"],
    "patches the extraction": [
        "import sys\n"
        "module = sys.modules['perfcourse.kernel.figure']\n"
        "module.shown = lambda answer: {'panels': 1, 'right': True, 'earned': 4}\n"
        "module.MAX_POINTS = 10**9",
        PLT,
        "axes.plot(np.zeros(10**6)); drawn = figure",
    ],
    "text of 10 MB": ["named = 'x' * 10**7", "several = {'word': 'x' * 10**7, 'twice': 1}"],
    "all texts at once": [
        "named = ['memory bound', 'bandwidth']\nlarger = ['arrivals', 'service']\n"
        "stable = [True, False]\nseveral = [[1, 2], [1, 2], ['yes', 'no']]",
    ],
    "text that matches anything": ["named = '*'\nlarger = '*'\nstable = '*'"],
    "text that equals anything": [
        "class Any(str):\n"
        "    __hash__ = str.__hash__\n"
        "    def __eq__(self, other): return True\n"
        "    def replace(self, *a): return 'memory bound'\n"
        "    def casefold(self): return 'memory bound'\n"
        "    def translate(self, *a): return 'memory bound'",
        "named = Any('no'); larger = Any('no'); stable = Any('no')",
    ],
    "neither true nor false": [EQUAL, "stable = Equal(1)", "larger = Equal(1)"],
    "parts that change on every look": [
        "class Parts(dict):\n"
        "    n = 0\n"
        "    def items(self):\n"
        "        Parts.n += 1\n"
        "        return [('twice', Parts.n), ('word', 'no')]\n"
        "    def get(self, key, default=None): return 'yes'\n"
        "several = Parts(twice=1)",
    ],
    "a dataclass that lies": [
        "import dataclasses\n"
        "@dataclasses.dataclass\n"
        "class Answer:\n"
        "    twice: float = 0\n"
        "    def __getattribute__(self, name):\n"
        "        if name == 'twice': raise SystemExit\n"
        "        return object.__getattribute__(self, name)\n"
        "several = Answer()",
    ],
    "a dataclass without an end": [
        "import dataclasses\n"
        "@dataclasses.dataclass\n"
        "class Answer:\n    twice: object = None\n"
        "several = Answer(); several.twice = several",
    ],
    "dataclass fields of another kind": [
        "class Answer: __dataclass_fields__ = {'twice': 3}\n"
        "several = Answer(); mean = Answer(); named = Answer()",
    ],
    "a plot on the channel": [
        FRAME,
        "os.write(3, frame({'~dict': [['value', {'~dict': [['panels', 1], ['series', []]]}]]}))",
        "drawn = 3",
    ],
    "typed from the file that students have": ["mean = 3.0"],
    "another file in its place": [
        "import os\ntry: os.unlink('kinds.csv')\nexcept OSError: pass\n"
        "open('kinds.csv', 'w').write('1\\n2\\n6\\n')",
        "import numpy as np; mean = np.loadtxt('kinds.csv').mean()",
    ],
}
