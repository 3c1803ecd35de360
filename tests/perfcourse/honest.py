"""Odd but honest notebooks: whatever Jupyter runs, around one and the same right solution.

`made(kind, solved)` returns some notebooks of a kind. Each adds to the solution what students and
their tools add, drawn from a seed, and is stored in one of the forms in which tools store a file.
"""

import base64
import json
import random

EACH = 6
"""Notebooks of one kind, one in each form."""
WORDS = [
    "queue",
    "server",
    "batch",
    "latency",
    "throughput",
    "löwe",
    "等待时间",
    "ожидание",
    "μ→∞",
    "🚀",
    "naïve",
]


def words(rng, length):
    """Return a text of about this many characters."""
    text = ""
    while len(text) < length:
        text += " ".join(rng.choices(WORDS, k=50)) + "\n"
    return text[:length]


def table(rng, rows):
    return "\n".join(f"{n},{rng.random():.6f},run" for n in range(rows))


def intervals(rng, count):
    return " ".join(f"[{n}, {n + 1})" for n in range(count)) + "".join(rng.choices("([{<", k=90))


KINDS = {
    "a long comment": lambda r: [f"# {'x' * r.randint(10_001, 300_000)}"],
    "a pasted table": lambda r: [f'table = """{table(r, r.randint(700, 9000))}"""\nrows = 1'],
    "half a million characters": lambda r: [f"note = {words(r, 500_000)!r}"],
    "a long list of numbers": lambda r: [
        f"data = {[round(r.random(), 6) for _ in range(20_000)]}\nassert len(data) == 20_000"
    ],
    "a long docstring": lambda r: [f'def f():\n    """{words(r, 40_000)}"""', "help(f)"],
    "intervals in comments": lambda r: [f"# bins: {intervals(r, r.randint(60, 3000))}"],
    "brackets in texts": lambda r: [f"a = {intervals(r, 70)!r}", "b = '{' * 1000 + '[' * 1000"],
    "brackets in docstrings": lambda r: [f"def g(x):\n    '''{intervals(r, 99)}'''\n    return x"],
    "nested data": lambda r: [f"deep = {'[' * 60}1{']' * 60}\nassert deep"],
    "many small cells": lambda r: [f"v{n} = {n}" for n in range(r.randint(200, 700))],
    "a module of its own": lambda r: [
        "%%writefile helper.py\nimport numpy as np\nhalf = 0.5\n\ndef twice(x):\n    return 2 * x",
        "import helper\nfrom helper import twice\nassert twice(helper.half) == 1",
    ],
    "a package of its own": lambda r: [
        "from pathlib import Path\nPath('tools').mkdir()\nPath('tools/__init__.py').touch()\n"
        "Path('tools/inner.py').write_text('value = 7')",
        "from tools.inner import value\nassert value == 7",
    ],
    "a module that is reloaded": lambda r: [
        "%load_ext autoreload\n%autoreload 2",
        "open('mine.py', 'w').write('x = 1')\nimport mine, importlib\nimportlib.reload(mine)",
        "%run mine.py\nassert x == 1",
    ],
    "a program of its own": lambda r: [
        "%%file script.py\nprint(6 * 7)",
        "out = !python script.py\nassert out == ['42'], out",
        "import subprocess, sys\nsubprocess.run([sys.executable, 'script.py'], check=True)",
    ],
    "a module and processes": lambda r: [
        "%%writefile work.py\ndef square(x):\n    return x * x",
        "import multiprocessing, work\n"
        "with multiprocessing.get_context('spawn').Pool(2) as pool:\n"
        "    squares = pool.map(work.square, range(4))\nassert squares == [0, 1, 4, 9]",
    ],
    "forked processes": lambda r: [
        "from concurrent.futures import ProcessPoolExecutor\nimport multiprocessing as mp\n"
        "def cube(x): return x ** 3",
        "with ProcessPoolExecutor(2, mp_context=mp.get_context('fork')) as pool:\n"
        "    assert list(pool.map(cube, [1, 2])) == [1, 8]",
    ],
    "threads": lambda r: [
        "import threading, queue, time\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(4) as pool: assert sum(pool.map(abs, range(9))) == 36",
        "line = queue.Queue()\n"
        "def wait():\n    while line.get() is not None: time.sleep(0.001)\n"
        "thread = threading.Thread(target=wait, daemon=True); thread.start()",
        f"for n in range({r.randint(5, 40)}): line.put(n)",
    ],
    "await at the margin": lambda r: [
        "import asyncio\nasync def later(x):\n    await asyncio.sleep(0.001)\n    return x",
        "both = await asyncio.gather(later(1), later(2))\nassert both == [1, 2]",
        "async def some():\n    for n in range(3): yield n",
        "assert [n async for n in some()] == [0, 1, 2]",
    ],
    "line magics": lambda r: [
        "%matplotlib inline\n%config InlineBackend.figure_format = 'retina'\n%precision 3",
        "%time a = 5\nassert a == 5\nb = %timeit -o -q -n1 -r1 sum(range(9))",
        "%env MODE=fast\n%pwd\n%who\n%lsmagic\n%xmode Plain",
        "import os; assert os.environ['MODE'] == 'fast'",
    ],
    "cell magics": lambda r: [
        "%%time\nc = 3",
        "%%capture out\nprint('hidden'); d = 4",
        "%%timeit -n1 -r1\nsum(range(10))",
        "%%bash\necho hello > made.txt",
        "%%html\n<b>bold</b>",
        "%%javascript\nconsole.log(1)",
        "assert (c, d) == (3, 4) and open('made.txt').read() == 'hello\\n'",
    ],
    "questions to the system": lambda r: [
        "!ls\nfiles = !echo a b\nassert files == ['a b']",
        "len?",
        "?print",
        "get_ipython().run_line_magic('matplotlib', 'inline')",
        "get_ipython().system('true')",
    ],
    "widgets": lambda r: [
        "import ipywidgets as w\nfrom ipywidgets import interact\n"
        "slider = w.IntSlider(value=3, max=9)\nslider.observe(print, 'value')\nslider.value = 5",
        "@interact(n=(1, 9))\ndef show(n=4): print(n)",
        "w.VBox([slider, w.Output()])",
    ],
    "results by number": lambda r: [
        "6 * 7",
        "seven = _ // 6\nassert seven == 7 == Out[max(Out)] // 6",
    ],
    "figures": lambda r: [
        "import matplotlib.pyplot as plt\nplt.style.use('ggplot')\n"
        f"for n in range({r.randint(1, 6)}):\n    plt.figure(); plt.plot([1, 2], label=str(n))\n"
        "    plt.legend(); plt.savefig(f'{n}.png'); plt.show()",
    ],
    "files": lambda r: [
        "import csv, json, pickle, sqlite3, tempfile, zipfile\nimport numpy as np\n"
        "np.savetxt('x.csv', np.eye(3)); assert np.loadtxt('x.csv').shape == (3, 3)",
        "import pandas as pd\npd.DataFrame({'a': [1]}).to_csv('y.csv')\npd.read_csv('y.csv')",
        "with sqlite3.connect('z.db') as base: base.execute('create table t (n integer)')",
        "with tempfile.NamedTemporaryFile('w') as file: json.dump([1], file)",
        "pickle.loads(pickle.dumps({'a': 1}))",
    ],
    "other folders": lambda r: [
        "import os\nos.makedirs('results/plots', exist_ok=True)\nos.chdir('results')",
        "open('plots/a.txt', 'w').write('a')\n%cd ..",
    ],
    "the program's own settings": lambda r: [
        "import logging, random, sys, warnings\nimport numpy as np\nsys.setrecursionlimit(9000)\n"
        "logging.basicConfig(level=logging.DEBUG); np.seterr(all='raise')\n"
        "np.set_printoptions(precision=2); random.seed(1); warnings.simplefilter('error')",
    ],
    "names of Python's own": lambda r: [
        "list_ = list\nsum = 0\nmax = 3\ntype = 'fast'\nid = 7\nlen = 9\ninput = 'x'\nstr = 'y'",
        "del sum, max, type, id, len, input, str",
    ],
    "code of all sorts": lambda r: [
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Point:\n    x: float = 1\n    y: list[int] | None = None",
        "match Point(2):\n    case Point(x=2): kind = 'two'\n    case _: kind = 'other'\n"
        "assert kind == 'two' and (n := 3) == 3 and f'{n!r:>{4}}' == '   3'",
        "class Meta(type): pass\nclass Thing(metaclass=Meta):\n    def __repr__(self): return '}{'",
        "Thing()",
    ],
    "looking at itself": lambda r: [
        "import doctest, inspect, timeit\ndef one():\n    '''\n    >>> one()\n    1\n    '''\n"
        "    return 1",
        "assert 'return 1' in inspect.getsource(one)\nassert doctest.testmod().failed == 0",
        "timeit.timeit('one()', setup='from __main__ import one', number=2)\n"
        "if __name__ == '__main__': globals()['two'] = 2\nassert two == 2",
    ],
    "much output": lambda r: [f"print('x' * {r.randint(10**6, 9 * 10**6)})", "range(10**6)"],
    "errors that are caught": lambda r: [
        "try: 1 / 0\nexcept ZeroDivisionError as error: print(error)",
        f"import traceback\ntry: raise ValueError({intervals(r, 20)!r})\n"
        "except ValueError: traceback.print_exc()",
    ],
    "a time limit of its own": lambda r: [
        "import signal\ndef late(*_): raise TimeoutError\n"
        "signal.signal(signal.SIGALRM, late)\nsignal.alarm(30)\nx = 1\nsignal.alarm(0)",
    ],
    "a limit of its own": lambda r: [
        "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (3600, 3600))\n"
        "soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (min(64, hard), hard))",
    ],
    "progress bars and display": lambda r: [
        "from IPython.display import HTML, Image, Markdown, clear_output, display\n"
        "for n in range(3):\n    clear_output(wait=True)\n"
        "    display(Markdown(f'**{n}**'), HTML('a'))",
        "handle = display(1, display_id=True)\nhandle.update(2)",
    ],
    "large arrays": lambda r: [
        f"import numpy as np\nbig = np.random.default_rng({r.randint(0, 9)}).random(4 * 10**6)\n"
        "big.sort(); (big[:100_000, None] * big[None, :4]).sum()",
    ],
    "spaces of all sorts": lambda r: [
        "\n\n  \n",
        "if True:\n\tx = 1\n\ty = 2\n",
        "z = 'a\u2028b'",
        "",
    ],
    "a fresh start": lambda r: ["stale = 1", "%reset -f", "assert 'stale' not in globals()"],
    "notes of nbgrader and of a course": lambda r: [
        "#@title Setup { display-mode: 'form' }\nrate = 3 #@param {type: 'slider'}",
        "# %% [markdown]\n# text\n### BEGIN HIDDEN TESTS\nassert rate\n### END HIDDEN TESTS",
    ],
    "tasks that outlive their cell": lambda r: [
        "import asyncio\nseen = []\nasync def tick():\n    for n in range(3):\n"
        "        seen.append(n); await asyncio.sleep(0)",
        "task = asyncio.create_task(tick())\nassert asyncio.get_running_loop()",
        "later = asyncio.ensure_future(tick())\nawait asyncio.gather(task, later)",
        "async with asyncio.timeout(60):\n    assert await asyncio.to_thread(len, seen) == 6",
    ],
    "magics without their sign": lambda r: ["ls", "pwd", "ls -l", "who\n", "%automagic on", "cd ."],
    "magics of its own": lambda r: [
        "from IPython.core.magic import register_cell_magic, register_line_magic\n"
        "@register_line_magic\ndef twice(line): return 2 * line\n"
        "@register_cell_magic\ndef again(line, cell):\n    for _ in line: exec(cell, globals())",
        "count = 0",
        "%%again abc\ncount += 1",
        "text = %twice x\nassert (text, count) == ('xx', 3)",
        "%timeit -n1 -r1 \\\n  sum(range(9))",
    ],
    "an extension of its own": lambda r: [
        "%%writefile mine_too.py\n"
        "def load_ipython_extension(shell):\n    shell.push({'loaded': 1})",
        "%load_ext mine_too",
        "assert loaded == 1",
    ],
    "a package in a subfolder": lambda r: [
        "import os, sys\nos.makedirs('src/model', exist_ok=True); sys.path.append('src')",
        "%%writefile src/model/__init__.py\nfrom .jobs import Job, double",
        "%%writefile src/model/jobs.py\nfrom dataclasses import dataclass\n@dataclass\nclass Job:\n"
        "    n: int\ndef double(job):\n    return Job(2 * job.n)",
        "import multiprocessing as mp\nfrom model import Job, double\n"
        "os.environ['PYTHONPATH'] = os.path.abspath('src')\n"
        "with mp.get_context('spawn').Pool(2) as pool:\n"
        "    assert pool.map(double, [Job(1), Job(2)]) == [Job(2), Job(4)]",
    ],
    "pickles of its own classes": lambda r: [
        "import pickle\nfrom collections import namedtuple\nfrom enum import Enum\n"
        "class Mode(Enum): FAST = 1\nRun = namedtuple('Run', 'mode seconds')\n"
        "with open('runs.pkl', 'wb') as file: pickle.dump([Run(Mode.FAST, 1.5)], file)",
        "with open('runs.pkl', 'rb') as file: assert pickle.load(file)[0].mode is Mode.FAST",
    ],
    "many threads": lambda r: [
        "import threading\nbarrier = threading.Barrier(51)\n"
        "threads = [threading.Thread(target=barrier.wait) for _ in range(50)]\n"
        "for thread in threads: thread.start()\nbarrier.wait()\n"
        "for thread in threads: thread.join()",
    ],
    "many processes and files": lambda r: [
        "import multiprocessing as mp\ncontext = mp.get_context('fork')\n"
        "running = [context.Process(target=abs, args=(1,)) for _ in range(40)]\n"
        "for one in running: one.start()\nfor one in running: one.join()\n"
        "assert {one.exitcode for one in running} == {0}",
        "files = [open(f'{n}.txt', 'w') for n in range(150)]\nfor file in files: file.close()",
    ],
    "a large file": lambda r: [
        "import numpy as np\nnp.save('large.npy', np.zeros(10**7))\n"
        "assert np.load('large.npy', mmap_mode='r').shape == (10**7,)",
    ],
    "questions about the machine": lambda r: [
        "import getpass, os, platform, psutil, resource\ngetpass.getuser(); platform.uname()\n"
        "assert len(os.getloadavg()) == 3 and os.cpu_count() and psutil.cpu_count()",
        "me = psutil.Process()\nassert me.memory_info().rss and me.pid == os.getpid()\n"
        "me.cpu_percent(); me.num_threads(); me.children(); psutil.virtual_memory().percent",
        "open('/proc/self/status').read(); open('/proc/cpuinfo').read()\n"
        "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss",
        "!nproc\n!uname -a\n!cat /proc/loadavg",
    ],
    "an interrupt that is caught": lambda r: [
        "import signal\ntry: signal.raise_signal(signal.SIGINT)\n"
        "except KeyboardInterrupt: caught = 1\nassert caught",
    ],
    "a question that has a default": lambda r: [
        "try: answer = int(input('How many servers? '))\nexcept EOFError: answer = 4",
    ],
    "another standard output": lambda r: [
        "import contextlib, io, sys\nsys.stdout = io.StringIO()\nprint('a')",
        "with contextlib.redirect_stderr(io.StringIO()): print('b', file=sys.stderr)",
    ],
    "a folder that is gone": lambda r: [
        "import os, tempfile\nfolder = tempfile.mkdtemp(); os.chdir(folder); os.rmdir(folder)",
    ],
    "all values shown": lambda r: [
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "InteractiveShell.ast_node_interactivity = 'all'",
        "1\n[2]\n'three'",
    ],
    "a million characters of data": lambda r: [f"data = {words(r, 1_500_000)!r}"],
    "shell variables and loops": lambda r: [
        "name = 'made'\n!echo $name {name}\nfor _ in range(3):\n    !true",
        "if name:\n    %time pass",
    ],
}


def made(kind, solved):
    """Return the notebooks of a kind as bytes, each with the cells of a right solution."""
    return [
        _stored(random.Random(f"{kind} {n}"), KINDS[kind], list(solved), n) for n in range(EACH)
    ]


def _stored(rng, odd, solved, number):
    place = rng.choice([0, 0, rng.randint(0, len(solved))])
    cells = [*solved[:place], *odd(rng), *solved[place:]]
    return FORMS[number % len(FORMS)](rng, cells)


def _code(rng, source, as_list=False, **more):
    outputs = [{"output_type": "stream", "name": "stdout", "text": [intervals(rng, 9)]}]
    return {
        "cell_type": "code",
        "execution_count": rng.randint(1, 999),
        "metadata": {},
        "outputs": outputs,
        "source": source.splitlines(keepends=True) if as_list else source,
        **more,
    }


def _text(rng, **more):
    return {"cell_type": "markdown", "metadata": {}, "source": words(rng, 900), **more}


def _plain(rng, cells):
    made = [_code(rng, cell, id=f"c{n}") for n, cell in enumerate(cells)]
    whole = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole).encode()


def _of_colab(rng, cells):
    made = [_text(rng, metadata={"id": "top"})]
    made += [
        _code(rng, cell, as_list=True, metadata={"id": f"x{n}", "colab": {"base_uri": "https://x"}})
        for n, cell in enumerate(cells)
    ]
    about = {
        "accelerator": "GPU",
        "colab": {"provenance": [], "toc_visible": True},
        "kernelspec": {"display_name": "Python 3", "name": "python3"},
        "language_info": {"name": "python"},
    }
    whole = {"nbformat": 4, "nbformat_minor": 0, "metadata": about, "cells": made}
    return json.dumps(whole, ensure_ascii=False).encode()


def _of_vs_code(rng, cells):
    made = [
        _code(rng, cell, metadata={"vscode": {"languageId": "python"}, "tags": ["a"]})
        for cell in cells
    ]
    about = {
        "kernelspec": {"display_name": ".venv (3.12)", "language": "python", "name": "python3"},
        "language_info": {"name": "python", "file_extension": ".py", "version": "3.12.1"},
        "orig_nbformat": 4,
        "vscode": {"interpreter": {"hash": "f" * 64}},
    }
    whole = {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 2}
    return b"\xef\xbb\xbf" + json.dumps(whole, indent=4).replace("\n", "\r\n").encode()


def _with_much_beside(rng, cells):
    picture = base64.b64encode(rng.randbytes(200_000)).decode()
    shown = {"output_type": "display_data", "metadata": {}, "data": {"image/png": picture}}
    data = {"application/json": [[n, [n]] for n in range(20_000)]}
    result = {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": data}
    failed = {"output_type": "error", "ename": "E", "evalue": "\ud800", "traceback": ["\x1b[31m"]}
    made = [_text(rng, attachments={"a.png": {"image/png": picture}}), {"cell_type": "raw"}]
    for cell in cells:
        made += [_code(rng, cell, as_list=True), _text(rng, source=f"import {intervals(rng, 70)}")]
    made[2]["outputs"] = [shown, result, failed]
    about = {"widgets": {"application/vnd.jupyter.widget-state+json": {"state": {}}}}
    whole = {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1).encode()


def _of_an_old_windows(rng, cells):
    made = [_code(rng, cell.replace("\n", "\r\n"), as_list=True) for cell in cells]
    points = [{"x": n} for n in range(600_000 if rng.random() < 0.1 else 9)]
    chart = {"application/vnd.vegalite.v5+json": {"data": points}}
    made[0]["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": chart}]
    made += [{"cell_type": "heading", "level": 2, "metadata": {}, "source": "End"}]
    made += [_text(rng)] * rng.choice([9, 2500])
    about = {"kernelspec": {"display_name": "course", "language": "ipython3", "name": "course"}}
    whole = {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": rng.randint(0, 4)}
    return json.dumps(whole, indent=2).replace("\n", "\r\n").encode()


def _of_format_3(rng, cells):
    made = [
        {"cell_type": "code", "language": "python", "input": cell, "outputs": [], "metadata": {}}
        for cell in cells
    ]
    whole = {"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0}
    return json.dumps({**whole, "worksheets": [{"cells": made, "metadata": {}}]}).encode()


FORMS = (
    _plain,
    _of_colab,
    _of_vs_code,
    _with_much_beside,
    _of_format_3,
    _of_an_old_windows,
)
