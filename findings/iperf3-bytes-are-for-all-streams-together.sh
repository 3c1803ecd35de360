#!/bin/bash
# iperf3 3.12-1+deb12u2 and iperf 2.1.8+dfsg-1 (Debian 12), seen 2026-11-28.
# With -P 4, iperf3's -n is shared by all streams, whereas its -b is for each stream. iperf's -n is
# for each stream.
# Seen: -n 1M -P 4: iperf3 sends 262,144 bytes a stream, 1,048,576 in all; iperf 1,048,576 a stream,
# 4,194,304 in all.
# Expected: the same rule for -n and -b, and the same amount from both. iperf3's manual says of -b
# that it is applied separately to each stream, and of -n only that it is the number of bytes to transmit. Misleads
# whoever moves a transfer test from iperf or counts on -n for each stream: a quarter of the data,
# and times of transfer that no longer compare.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
packages="iperf3=3.12-1+deb12u2 libiperf0=3.12-1+deb12u2 libsctp1=1.0.19+dfsg-2 iperf=2.1.8+dfsg-1"
apt-get download -qq $packages 2> /dev/null || { apt-get update -qq; apt-get download -qq $packages; }
for file in *.deb; do dpkg-deb -x "$file" root; done
export LD_LIBRARY_PATH; LD_LIBRARY_PATH=$(dirname "$(find "$PWD/root" -name libiperf.so.0)")
root/usr/bin/iperf3 --version | head -n 1; root/usr/bin/iperf --version 2>&1 | head -n 1 || true
cat > t.py <<'P'
import json
import socket
import subprocess
import time
def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])
def client(command):
    for attempt in range(100):  # until the server listens
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0 and "refused" not in done.stdout + done.stderr:
            return done.stdout
        time.sleep(0.2)
    raise SystemExit(done.stdout + done.stderr)
asked = ["-c", "127.0.0.1", "-n", "1M", "-P", "4", "-l", "64K"]
at = port()
server = subprocess.Popen(["root/usr/bin/iperf3", "-s", "-p", at], stdout=subprocess.DEVNULL)
try:
    got = json.loads(client(["root/usr/bin/iperf3", *asked, "-p", at, "-J"]))
finally:
    server.kill()
assert got["start"]["version"] == "iperf 3.12"
three = [stream["sender"]["bytes"] for stream in got["end"]["streams"]]
print("iperf3", three, sum(three))
assert three == [262144] * 4
at = port()
server = subprocess.Popen(["root/usr/bin/iperf", "-s", "-p", at], stdout=subprocess.DEVNULL)
try:
    rows = client(["root/usr/bin/iperf", *asked, "-p", at, "-y", "C"]).split()
finally:
    server.kill()
two = [int(row.split(",")[7]) for row in rows if row.split(",")[5] != "-1"]
print("iperf", two, sum(two))
assert two == [1048576] * 4
P
python3 t.py
