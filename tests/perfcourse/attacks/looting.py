"""Notebooks that look for what they should not see. Each leaves its finds in `loot`, as text.

PORT stands for a port that the host listens on, MOUNTED for the names of folders in which the
sandbox shows Python where Python lies below /tmp.
"""

SYSCALL = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
loot = []
def attempt(name, *arguments):
    ctypes.set_errno(0)
    if libc.syscall(*arguments) >= 0:
        loot.append(name)
"""

LOOTING = {
    "environment": [
        "import os\n"
        "known = 'HOME PATH LANG MPL IPYTHONDIR OMP_ OPENBLAS MKL KMP_ PYTHON PWD OBJC_ USER '\n"
        "known = (known + 'LOGNAME MALLOC_').split()\n"
        "known += ['TF_CPP_MIN_LOG_LEVEL', 'TPU_SKIP_MDS_QUERY']  # JAX sets them, if installed\n"
        "loot = [k for k in os.environ if not any(k.startswith(n) for n in known)]\n"
        "loot += [k for k, v in os.environ.items() if 'canary' in v]"
    ],
    "processes": [
        "import os\nof_itself = {'1', '1/stat', '1/statm', '1/status'}\n"
        "allowed = {*of_itself, 'self', 'cpuinfo', 'meminfo', 'loadavg', 'uptime', 'stat'}\n"
        "loot = [name for name in os.listdir('/proc') if name not in allowed]\n"
        "loot += [name for name in os.listdir('/proc/self') if '1/' + name not in allowed]\n"
        "loot += [name for name in allowed if os.access('/proc/' + name, os.W_OK)]\n"
        "loot += [line for line in open('/proc/stat') if line[3].isdigit()]"
    ],
    "files of the course": [
        "import os\nloot = []\n"
        "wanted = 'solutions exercises submissions grades.csv journal.jsonl bank.py judge.py '\n"
        "wanted = (wanted + 'example.py grading.py secret.txt .git .ssh shadow').split()\n"
        "for folder, folders, files in os.walk('/'):\n"
        "    if folder.startswith(('/usr/share', '/usr/lib/python')): folders.clear()\n"
        "    if folder.endswith('/site-packages') or '/lib/python3' in folder: folders.clear()\n"
        "    for name in folders + files:\n"
        "        if name in wanted or name.endswith('.ipynb'):\n"
        "            if '/site-packages/' not in folder and not folder.startswith('/usr/'):\n"
        "                if '/lib/python3' not in folder:\n"
        "                    loot.append(os.path.join(folder, name))"
    ],
    "other homes": [
        "import os\nloot = []\n"
        "for folder in '/root /home /work /var /opt /srv /mnt /run /sys'.split():\n"
        "    for top, folders, files in os.walk(folder):\n"
        "        if '.venv' in top or '.pyenv' in top or top.startswith('/home/student'):\n"
        "            folders.clear()\n"
        "            continue\n"
        "        loot += [os.path.join(top, name) for name in files]"
    ],
    "places to leave a message": [
        "import os\nloot = []\n"
        "mine = ('/tmp', '/home/student', '/dev/shm', '/proc')\n"
        "for folder, folders, files in os.walk('/'):\n"
        "    if folder in mine or folder.startswith(('/usr/share', '/usr/lib/python')):\n"
        "        folders.clear()\n"
        "        continue\n"
        "    if os.path.dirname(folder).endswith('/site-packages'): folders.clear()\n"
        "    try:\n"
        "        open(os.path.join(folder, 'message'), 'w').close()\n"
        "        loot.append(folder)\n"
        "    except OSError: pass\n"
        "    for name in files:\n"
        "        path = os.path.join(folder, name)\n"
        "        if os.access(path, os.W_OK) and not os.path.realpath(path).startswith('/dev/'):\n"
        "            loot.append(path)"
    ],
    "what another submission left": [
        "import os\nloot = []\n"
        "same = 'cpuinfo meminfo loadavg uptime stat self 1'.split()\n"
        "for folder in ('/tmp', '/home/student', '/dev/shm', '/proc'):\n"
        "    loot += [n for n in os.listdir(folder) if n not in (*same, *MOUNTED)]\n"
        "    try: open(folder + '/left', 'w').write('for the next')\n"
        "    except OSError: pass\n"
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "if libc.shmget(4242, 4096, 0) >= 0: loot.append('shm')\n"
        "libc.shmget(4242, 4096, 0o1666)\n"
        "if libc.msgget(4242, 0) >= 0: loot.append('msg')\n"
        "libc.msgget(4242, 0o1666)"
    ],
    "secrets in memory": [
        "import gc, sys\nloot = []\n"
        "word = ' '.join(('a', 'secret', 'of', 'the', 'tests'))\n"
        "for thing in gc.get_objects():\n"
        "    if isinstance(thing, dict):\n"
        "        loot += [str(k) for k, v in list(thing.items()) if v is not word and v == word\n"
        "                 and isinstance(v, str) and k != 'word']\n"
        "loot += [m for m in sys.modules if m.startswith('perfcourse') and 'kernel' not in m\n"
        "         and m != 'perfcourse']"
    ],
    "frames of whoever runs it": [
        "import sys\nloot = []\nframe = sys._getframe()\n"
        "while frame:\n"
        "    for name, value in list(frame.f_locals.items()):\n"
        "        if any(w in name for w in ('reference', 'expected', 'secret', 'bank')):\n"
        "            loot.append(name)\n"
        "    frame = frame.f_back"
    ],
    "open descriptors": [
        "import os\nloot = []\n"
        "for number in range(4, 1024):\n"
        "    try: os.fstat(number); loot.append(str(number))\n"
        "    except OSError: pass\n"
        "import stat\n"
        "for number in (0, 1, 2):\n"
        "    if not stat.S_ISCHR(os.fstat(number).st_mode): loot.append(str(number))"
    ],
    "network": [
        "import socket\nloot = []\n"
        "try: loot += [name for _, name in socket.if_nameindex() if name != 'lo']\n"
        "except OSError: pass\n"
        "for address in (('127.0.0.1', PORT), ('10.0.0.1', 80), ('1.1.1.1', 53)):\n"
        "    try:\n"
        "        with socket.socket() as s:\n"
        "            s.settimeout(0.2); s.connect(address); loot.append(str(address))\n"
        "    except OSError: pass\n"
        "with socket.socket(socket.AF_UNIX) as s:\n"
        "    try: s.connect('\\0perfcourse-canary-PORT'); loot.append('abstract')\n"
        "    except OSError: pass\n"
        "try: socket.getaddrinfo('example.org', 80); loot.append('names')\n"
        "except OSError: pass"
    ],
    "privileges": [
        "import os, ctypes\nloot = []\n"
        "for name in ('setuid', 'setgid', 'seteuid'):\n"
        "    try: getattr(os, name)(0); loot.append(name)\n"
        "    except OSError: pass\n"
        "header = (ctypes.c_uint32 * 2)(0x20080522, 0)\ndata = (ctypes.c_uint32 * 6)()\n"
        "ctypes.CDLL(None).capget(header, data)\n"
        "if any(data): loot.append('capabilities')\n"
        "if ctypes.CDLL(None).prctl(39, 0, 0, 0, 0) != 1: loot.append('may gain privileges')"
    ],
    "namespaces and mounts": [
        SYSCALL,
        "attempt('unshare user', 272, 0x10000000)\nattempt('unshare net', 272, 0x40000000)\n"
        "attempt('clone user', 56, 0x10000000 | 17, 0, 0, 0, 0)\n"
        "attempt('clone3', 435, 0, 0)\n"
        "attempt('umount', 166, b'/tmp', 2)\nattempt('umount proc', 166, b'/proc', 2)\n"
        "attempt('mount', 165, b'proc', b'/tmp', b'proc', 0, 0)\n"
        "attempt('remount', 165, 0, b'/', 0, 32, 0)\n"
        "attempt('chroot', 161, b'/tmp')\nattempt('pivot_root', 155, b'/tmp', b'/tmp')\n"
        "attempt('open_by_handle_at', 304, -100, 0, 0)",
    ],
    "other processes' memory": [
        SYSCALL,
        "buffer = ctypes.create_string_buffer(64)\n"
        "iov = (ctypes.c_uint64 * 2)(ctypes.addressof(buffer), 64)\n"
        "for pid in range(1, 50):\n"
        "    attempt(f'attach {pid}', 101, 16, pid, 0, 0)\n"
        "    attempt(f'read {pid}', 310, pid, iov, 1, iov, 1, 0)\n"
        "    if pid > 1: attempt(f'pidfd {pid}', 434, pid, 0)",
    ],
    "kernel doors": [
        SYSCALL,
        "for name, number in dict(bpf=321, perf=298, userfaultfd=323, io_uring=425, keyctl=250,\n"
        "                         add_key=248, memfd=319, module=175, kexec=246, syslog=103,\n"
        "                         personality=135).items():\n"
        "    attempt(name, number, 0, 0, 0, 0, 0)",
    ],
    "devices": [
        "import os, stat\nloot = []\n"
        "plain = {'null', 'zero', 'full', 'random', 'urandom', 'tty'}\n"
        "for top, _, files in os.walk('/dev'):\n"
        "    for name in files:\n"
        "        mode = os.lstat(os.path.join(top, name)).st_mode\n"
        "        if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and name not in plain | {'ptmx'}):\n"
        "            loot.append(name)\n"
        "try: os.mknod('/tmp/disk', stat.S_IFBLK | 0o666, os.makedev(8, 0)); loot.append('mknod')\n"
        "except OSError: pass"
    ],
    "leases and watches on files that all can read": [
        SYSCALL,
        "import fcntl, json, os\n"
        "for command, value in ((1024, 0), (1024, 1), (1026, 63), (1031, 2**20)):\n"
        "    for path in (json.__file__, os.path.dirname(json.__file__)):\n"
        "        try: fcntl.fcntl(os.open(path, os.O_RDONLY), command, value)\n"
        "        except OSError: continue\n"
        "        loot.append(f'{command} {path}')\n"
        "attempt('inotify', 253)\nattempt('inotify1', 294, 0)\n"
        "attempt('fanotify', 300, 0, 0)\nattempt('mark', 301, 0, 1, 1, -100, b'/')",
    ],
    "locks that another could feel": [
        "import fcntl, json, os\nloot = []\n"
        "def lock(how):\n"
        "    handle = os.open(json.__file__, os.O_RDONLY)\n"
        "    how(handle)\n"
        "    return handle\n"
        "hold = [lock(lambda h: fcntl.flock(h, fcntl.LOCK_EX)),\n"
        "        lock(lambda h: fcntl.lockf(h, fcntl.LOCK_SH))]\n"
        "if os.fork() == 0:\n"
        "    code = 0\n"
        "    try: lock(lambda h: fcntl.flock(h, fcntl.LOCK_EX | fcntl.LOCK_NB))\n"
        "    except OSError: code = 1\n"
        "    os._exit(code)\n"
        "if os.wait()[1]: loot.append('flock')\n"
        "import struct\n"
        "try:\n"
        "    fcntl.fcntl(hold[0], fcntl.F_GETLK, struct.pack('hhqqi', fcntl.F_WRLCK, 0, 0, 0, 0))\n"
        "    loot.append('who holds a lock')\n"
        "except OSError: pass",
    ],
    "terminals of others": [
        "import os\nloot = sorted(set(os.listdir('/dev/pts')) - {'ptmx'})\n"
        "mine = os.openpty()\n"
        "loot += sorted(set(os.listdir('/dev/pts')) - {'ptmx', '0'})\n"
        "import fcntl\n"
        "try: fcntl.ioctl(mine[1], 0x5412, b'x'); loot.append('types into a terminal')\n"
        "except OSError: pass",
    ],
    "families of sockets": [
        "import socket\nloot = []\n"
        "for family in range(60):\n"
        "    for kind in (1, 2, 3, 5, 10):\n"
        "        for protocol in (0, 16):\n"
        "            try: socket.socket(family, kind, protocol).close()\n"
        "            except OSError: continue\n"
        "            if family != socket.AF_UNIX: loot.append(f'{family} {kind} {protocol}')\n"
        "for family in (2, 10, 16, 40):\n"
        "    try: socket.socketpair(family); loot.append(f'pair {family}')\n"
        "    except OSError: pass",
    ],
    "what the machine is doing": [
        SYSCALL,
        "buffer = ctypes.create_string_buffer(4096)\n"
        "attempt('sysinfo', 99, buffer)\nattempt('page cache', 27, 0, 0, buffer)\n"
        "attempt('cachestat', 451, 3, buffer, buffer, 0)\n"
        "attempt('mounts', 457, buffer, buffer, 4096, 0)\nattempt('aio', 206, 1, buffer)",
    ],
    "larger buffers": [
        "import socket\nloot = []\nmine, other = socket.socketpair()\n"
        "before = mine.getsockopt(1, 7), mine.getsockopt(1, 8)\n"
        "for option in (7, 8, 32, 33):\n"
        "    try: mine.setsockopt(1, option, 2**24)\n"
        "    except OSError: pass\n"
        "if before != (mine.getsockopt(1, 7), mine.getsockopt(1, 8)): loot.append('larger')\n"
        "listening = socket.socket(socket.AF_UNIX)\nlistening.bind('/tmp/listening')\n"
        "try: listening.listen(4096); loot.append('many waiting')\n"
        "except OSError: pass",
    ],
    "marks on devices that all can see": [
        "import os\nloot = []\n"
        "for name in os.listdir('/dev'):\n"
        "    path = '/dev/' + name\n"
        "    if name in ('pts', 'ptmx', 'shm', 'fd') or name.startswith('std'): continue\n"
        "    for how in (lambda: os.utime(path), lambda: os.utime(path, (1, 1)),\n"
        "                lambda: os.chmod(path, 0o666), lambda: os.chown(path, os.getuid(), -1),\n"
        "                lambda: os.setxattr(path, 'user.mark', b'1')):\n"
        "        try: how(); loot.append(path)\n"
        "        except OSError: pass\n"
        "with open('/dev/null', 'w') as file: file.write('x')",
    ],
    "what others have read": [
        "import json, os\nloot = []\n"
        "for flags in (8, 1, 4, 128, 255):\n"
        "    try: os.preadv(os.open(json.__file__, os.O_RDONLY), [bytearray(9)], 0, flags)\n"
        "    except OSError: continue\n"
        "    loot.append(str(flags))\n"
        "if os.preadv(os.open(json.__file__, os.O_RDONLY), [bytearray(9)], 0) != 9: loot.append(9)",
    ],
    "calls in the kernel's other languages": [
        SYSCALL,
        "import mmap, os, platform\n"
        "for number in (0, 1, 20, 39, 41, 57, 101, 272, 520, 521, 541):\n"
        "    attempt(f'x32 {number}', 0x40000000 + number, 0, 0, 0, 0, 0)\n"
        "page = mmap.mmap(-1, 4096, prot=7)\n"
        "page.write(bytes.fromhex('b814000000cd80c3'))\n"
        "address = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
        "if platform.machine() == 'x86_64':\n"
        "    if os.fork() == 0:\n"
        "        ctypes.CFUNCTYPE(ctypes.c_int)(address)()\n"
        "        os._exit(0)\n"
        "    status = os.wait()[1]\n"
        "    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != 31: loot.append('32 bits')",
    ],
    "calls younger than the filter": [
        SYSCALL,
        "for number in (*range(453, 520), 1000, 2**20, -1, -2**31):\n"
        "    attempt(str(number), number, 0, 0, 0, 0, 0)\n"
        "    if number > 0 and ctypes.get_errno() != 38: loot.append(str(number))",
    ],
}
"""Cells by the name of the attack; `PORT` is where the test listens."""
