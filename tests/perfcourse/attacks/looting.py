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
        "known = 'HOME PATH LANG MPL IPYTHONDIR OMP_ OPENBLAS MKL KMP_ PYTHON PWD OBJC_'.split()\n"
        "loot = [k for k in os.environ if not any(k.startswith(n) for n in known)]\n"
        "loot += [k for k, v in os.environ.items() if 'canary' in v]"
    ],
    "processes": [
        "import os\nloot = [name for name in os.listdir('/proc') if name.isdigit()]\n"
        "for name in ('self', 'thread-self', '1', 'sys', 'kallsyms', 'mounts', 'keys'):\n"
        "    if os.path.exists('/proc/' + name): loot.append(name)"
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
        "for folder in ('/tmp', '/home/student', '/dev/shm', '/proc'):\n"
        "    loot += [n for n in os.listdir(folder) if n not in ('cpuinfo', 'meminfo', *MOUNTED)]\n"
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
        "import socket\nloot = [name for _, name in socket.if_nameindex() if name != 'lo']\n"
        "for address in (('127.0.0.1', PORT), ('10.0.0.1', 80), ('1.1.1.1', 53)):\n"
        "    with socket.socket() as s:\n"
        "        s.settimeout(0.2)\n"
        "        try: s.connect(address); loot.append(str(address))\n"
        "        except OSError: pass\n"
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
}
"""Cells by the name of the attack; `PORT` is where the test listens."""
