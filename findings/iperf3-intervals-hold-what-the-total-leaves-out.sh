#!/bin/bash
# iperf3 3.12-1+deb12u2 (Debian 12), seen 2026-11-29.
# With -O the first seconds are left out of the totals, but stand in the intervals, and -t comes on top of them.
# Seen: -t 2 -O 1: the run takes 3 s, the intervals are three, and their bytes are about 1.5 times the total's. The first is
# marked "omitted" in the JSON.
# Expected: -t 2 takes 2 s, or intervals that add up to the total. Misleads whoever adds up intervals, or
# multiplies the rate by the time that the run took.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
packages="iperf3=3.12-1+deb12u2 libiperf0=3.12-1+deb12u2 libsctp1=1.0.19+dfsg-2"
apt-get download -qq $packages 2> /dev/null || { apt-get update -qq; apt-get download -qq $packages; }
for file in *.deb; do dpkg-deb -x "$file" root; done
export LD_LIBRARY_PATH; LD_LIBRARY_PATH=$(dirname "$(find "$PWD/root" -name libiperf.so.0)")
root/usr/bin/iperf3 --version | head -n 1
cat > t.py <<'P'
import json
import socket
import subprocess
import time
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = str(free.getsockname()[1])
server = subprocess.Popen(["root/usr/bin/iperf3", "-s", "-p", port], stdout=subprocess.DEVNULL)
try:
    for attempt in range(50):
        start = time.monotonic()
        command = ["root/usr/bin/iperf3", "-c", "127.0.0.1", "-p", port, "-b", "40M", "-t", "2", "-O", "1", "-J"]
        done = subprocess.run(command, capture_output=True, text=True)
        took = time.monotonic() - start
        if done.returncode == 0 and "sum_sent" in done.stdout:
            break
        time.sleep(0.2)
finally:
    server.kill()
got = json.loads(done.stdout)
assert got["start"]["version"] == "iperf 3.12"
total, rows = got["end"]["sum_sent"], [row["sum"] for row in got["intervals"]]
share = sum(row["bytes"] for row in rows) / total["bytes"]
print(f"took {took:.1f} s, total of {total['seconds']:.1f} s, {len(rows)} intervals with {share:.2f} of its bytes")
assert took > 2.8 and total["seconds"] < 2.3 and len(rows) == 3 and 1.3 < share < 1.7
assert [row["omitted"] for row in rows] == [True, False, False]
P
python3 t.py
