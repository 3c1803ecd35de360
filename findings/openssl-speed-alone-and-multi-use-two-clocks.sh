#!/bin/bash
# openssl 3.0.22-1~deb12u2 (Debian 12), seen 2026-11-29.
# `openssl speed` counts bytes per second of CPU time; with -multi it counts per second of the wall clock.
# Seen: one core shared with two busy loops: SHA-256 1,812 MB/s alone, 207 MB/s with -multi 1, 180 MB/s with
# -elapsed.
# Expected: -multi 1 as without it. Misleads whoever divides -multi n by the single run for a speedup: on a shared
# machine, or where a container has a share of a core, two processes seem slower than one.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
packages="openssl=3.0.22-1~deb12u2 libssl3=3.0.22-1~deb12u2"
apt-get download -qq $packages 2> /dev/null || { apt-get update -qq; apt-get download -qq $packages; }
for file in *.deb; do dpkg-deb -x "$file" root; done
cat > t.py <<'P'
import glob
import os
import subprocess
import sys
folder = os.path.dirname(glob.glob("root/**/libcrypto.so.3", recursive=True)[0])
tool, env = "root/usr/bin/openssl", {**os.environ, "LD_LIBRARY_PATH": os.path.abspath(folder)}
version = subprocess.run([tool, "version"], env=env, capture_output=True, text=True, check=True).stdout.split()[1]
print("openssl", version)
assert version == "3.0.22"
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
try:
    def speed(*options):
        command = [tool, "speed", *options, "-seconds", "2", "-bytes", "8192", "-evp", "sha256"]
        last = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.split()[-1]
        return float(last.rstrip("k")) / 1e3
    seen = {name: speed(*name.split()) for name in ("", "-multi 1", "-elapsed")}
finally:
    for process in busy:
        process.kill()
for name, rate in seen.items():
    print(f"openssl speed {name}: {rate:.0f} MB/s")
assert seen["-multi 1"] < 0.7 * seen[""]
assert seen["-elapsed"] < 0.7 * seen[""]
P
python3 t.py
