"""Notebooks that want to break the grader, its machine, or other students' grades."""

BREAKING = {
    "fork bomb": ["import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"],
    "thread bomb": [
        "import threading, time\n"
        "while True:\n"
        "    try: threading.Thread(target=time.sleep, args=(99,)).start()\n"
        "    except RuntimeError: pass"
    ],
    "memory bomb": ["x = []\nwhile True: x.append(bytearray(10**7))"],
    "memory bomb of many processes": [
        "import os, time\n"
        "for _ in range(20):\n"
        "    if os.fork() == 0:\n"
        "        x = b'x' * 10**8\n"
        "        time.sleep(60)\n"
        "time.sleep(60)"
    ],
    "disk bomb": [
        "import os\n"
        "for folder in ('/tmp', '/dev/shm', os.path.expanduser('~')):\n"
        "    for n in range(100):\n"
        "        try: open(f'{folder}/{n}', 'wb').write(bytes(10**7))\n"
        "        except OSError: break"
    ],
    "inode bomb": [
        "n = 0\nwhile n < 20000:\n    n += 1\n    try: open(f'/tmp/{n}', 'w').close()\n"
        "    except OSError: break"
    ],
    "output bomb": [
        "print('x' * 10**8)\nimport os\nfor _ in range(100): os.write(1, b'y' * 10**6)"
    ],
    "descriptor bomb": ["x = []\nwhile True: x.append(open('/dev/null'))"],
    "loop in C that can't be interrupted": ["import re\nre.match('(a+)+$', 'a' * 40 + 'b')"],
    "deep recursion": [
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1) + 1\nf(0)"
    ],
    "segmentation fault": ["import ctypes\nctypes.string_at(0)"],
    "kills everybody": [
        "import os, signal\n"
        "for pid in (-1, 0, 1, *range(2, 3000)):\n"
        "    try: os.kill(pid, signal.SIGKILL)\n"
        "    except OSError: pass"
    ],
    "stops itself and its group": [
        "import os, signal\nos.killpg(0, signal.SIGSTOP)\nos.kill(os.getpid(), signal.SIGSTOP)"
    ],
    "closes every file": ["import os\nos.closerange(0, 1024)"],
    "floods the channel": [
        "import os\nos.set_blocking(3, True)\nwhile True: os.write(3, bytes(2**16))"
    ],
    "never reads the channel": [
        "import time\ndef speedup(*a): time.sleep(99)",
        "time.sleep(99)",
    ],
    "ignores every signal": [
        "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass"
    ],
    "leaves a daemon behind": [
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork(): os._exit(0)\n"
        "    while True: time.sleep(1)"
    ],
    "hangs while it is looked at": [
        "import numpy as np\n"
        "class Slow(np.ndarray):\n"
        "    def __getattribute__(self, name):\n"
        "        while True: pass\n"
        "q2 = np.ones(3).view(Slow)"
    ],
    "error with a monstrous message": ["raise ValueError('x' * 10**8)"],
    "error whose text hangs": [
        "class Bad(Exception):\n    def __str__(self):\n        while True: pass\nraise Bad"
    ],
    "error whose type lies": [
        "class Meta(type):\n    __name__ = property(lambda self: 1 / 0)\n"
        "class Bad(Exception, metaclass=Meta): pass\nraise Bad"
    ],
    "replaces the shell": [
        "get_ipython().run_cell = None\nget_ipython().user_ns = None\n"
        "import builtins\nbuiltins.compile = builtins.exec = builtins.isinstance = None"
    ],
    "breaks the standard library": [
        "import json, os, socket, signal, sys\n"
        "json.dumps = json.loads = signal.setitimer = socket.socket.send = None\n"
        "sys.modules.clear()"
    ],
    "raises the alarm itself": [
        "import signal, threading\nsignal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\n"
        "while True: pass"
    ],
    "fills the kernel's buffers": [
        "import fcntl, os, socket\nx = []\n"
        "def fill(write):\n"
        "    try:\n"
        "        while True: write(bytes(2**16))\n"
        "    except BlockingIOError: pass\n"
        "try:\n"
        "    while True:\n"
        "        one, other = socket.socketpair()\n"
        "        reading, writing = os.pipe()\n"
        "        fcntl.fcntl(writing, 1031, 2**20)\n"
        "        one.setblocking(False)\n"
        "        os.set_blocking(writing, False)\n"
        "        fill(one.send)\n"
        "        fill(lambda data: os.write(writing, data))\n"
        "        x += [one, other]\n"
        "except OSError: pass"
    ],
    "overwrites the C library": [
        "import ctypes\nlibc = ctypes.CDLL(None)\n"
        "libc.mprotect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int\n"
        "page = ctypes.cast(libc.send, ctypes.c_void_p).value & ~4095\n"
        "libc.mprotect(page, 8192, 7)\nctypes.memset(page, 0xCC, 4096)"
    ],
    "empties every dict": [
        "import gc\nfor thing in gc.get_objects():\n    if isinstance(thing, dict): thing.clear()"
    ],
    "half a character everywhere": ["q4 = ('\\ud800', 1.0)\nraise ValueError('\\ud800' * 50)"],
    "waits for what never settles": [
        "import asyncio\nasync def forever():\n    while True: await asyncio.sleep(0)\n"
        "await forever()"
    ],
    "hangs before each fork": [
        "import os, subprocess, time\nos.register_at_fork(before=lambda: time.sleep(99))\nos.fork()"
    ],
    "sends descriptors over the channel": [
        "import os, socket, struct\nchannel = socket.socket(fileno=os.dup(3))\n"
        "for _ in range(200): socket.send_fds(channel, [struct.pack('>II', 9, 9)], [1, 2])"
    ],
    "allocates shared memory": [
        "from multiprocessing import shared_memory\nx = []\n"
        "try:\n"
        "    while True: x.append(shared_memory.SharedMemory(create=True, size=10**7))\n"
        "except OSError: pass"
    ],
    "touches every page that it shares": [
        "import gc, os, time\n"
        "for _ in range(25):\n"
        "    if os.fork() == 0:\n"
        "        gc.unfreeze(); gc.collect(); every = gc.get_objects()\n"
        "        time.sleep(60)\n"
        "time.sleep(60)"
    ],
    "fills sockets that nobody has open": [
        "import os, socket, time\nlisteners = []\n"
        "for k in range(100):\n"
        "    listener = socket.socket(socket.AF_UNIX)\n"
        "    listener.bind(f'/tmp/{k}'); listener.listen(128); listeners.append(listener)\n"
        "    for n in range(128):\n"
        "        with socket.socket(socket.AF_UNIX) as one:\n"
        "            one.setblocking(False); one.connect(f'/tmp/{k}')\n"
        "            try:\n"
        "                while True: one.send(bytes(2**16))\n"
        "            except BlockingIOError: pass\n"
        "time.sleep(60)"
    ],
    "holds what all can read": [
        "import fcntl, os, sys, time\n"
        "for top, folders, files in os.walk(os.path.dirname(os.__file__)):\n"
        "    for name in files[:5]:\n"
        "        try:\n"
        "            handle = os.open(os.path.join(top, name), os.O_RDONLY)\n"
        "            fcntl.flock(handle, fcntl.LOCK_EX)\n"
        "            fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_RDLCK)\n"
        "        except OSError: pass\n"
        "time.sleep(60)"
    ],
    "keeps pages in sockets by one byte each": [
        "import os, socket, time\nkeep = []\nreading, writing = os.pipe()\n"
        "for _ in range(60):\n"
        "    one, other = socket.socketpair(); one.setblocking(False); keep += [one, other]\n"
        "    try:\n"
        "        while True:\n"
        "            file = os.open('/tmp/pages', os.O_RDWR | os.O_CREAT | os.O_TRUNC)\n"
        "            os.write(file, bytes(16 * 4096))\n"
        "            try: os.sendfile(one.fileno(), file, 4095, 1)\n"
        "            except PermissionError: pass\n"
        "            for page in range(16): os.splice(file, writing, 1, offset_src=page * 4096)\n"
        "            os.close(file)\n"
        "            os.splice(reading, one.fileno(), 16, flags=2)\n"
        "    except BlockingIOError: os.read(reading, 16)\n"
        "time.sleep(60)"
    ],
    "shatters its memory": [
        "import ctypes, mmap, os, time\nlibc = ctypes.CDLL(None)\n"
        "libc.mprotect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int\n"
        "for _ in range(125):\n"
        "    if os.fork() == 0: break\n"
        "whole = mmap.mmap(-1, 2**28)\n"
        "start = ctypes.addressof(ctypes.c_char.from_buffer(whole))\n"
        "for place in range(start, start + 2**28, 8192): libc.mprotect(place, 4096, 1)\n"
        "time.sleep(60)"
    ],
}
"""Cells by the name of the attack; none of them answers a question."""
