#!/bin/bash
# redis-benchmark 7.0.15 (redis-tools 5:7.0.15-1~deb12u10, Debian 12), seen 2026-11-29.
# With -P N the latency of all N requests of a pipeline ends at the first answer. What the other answers take is lost.
# Seen: a server that takes 10 ms a request, 100 requests, one client. -P 10: each pipeline lasts 100 ms, printed are an average
# of 13 to 15 ms and a p50 of 10 ms, at fewer than 100 requests a second. By Little's law ten requests in flight at this rate
# wait 100 ms.
# Expected: a mean between 55 ms (each request to its own answer) and 100 ms. Misleads whoever reads from it that pipelines cost
# no latency.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
packages="redis-tools=5:7.0.15-1~deb12u10 liblzf1 libjemalloc2"
apt-get download -qq $packages 2> /dev/null || { apt-get update -qq; apt-get download -qq $packages; }
for file in *.deb; do dpkg-deb -x "$file" root; done; echo "redis-tools $(dpkg-deb -f redis-tools_*.deb Version)"
LD_LIBRARY_PATH=$(dirname "$(find "$tmp/root" -name 'liblzf.so*' | head -n 1)"); export LD_LIBRARY_PATH
cat > t.py <<'P'
import csv
import socketserver
import subprocess
import threading
import time
class Answer(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            words = []
            for _ in range(int(line[1:])):
                size = int(self.rfile.readline()[1:])
                words.append(self.rfile.read(size + 2)[:size])
            if words[0].upper() == b"PING":
                time.sleep(0.01)
                self.wfile.write(b"+PONG\r\n")
            else:
                self.wfile.write(b"*2\r\n$4\r\nsave\r\n$0\r\n\r\n")
class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
server = Server(("127.0.0.1", 0), Answer)
threading.Thread(target=server.serve_forever, daemon=True).start()
for depth in (1, 10):
    command = ["root/usr/bin/redis-benchmark", "-p", str(server.server_address[1]), "-c", "1", "-n", "100"]
    command += ["-P", str(depth), "-t", "ping_mbulk", "--csv"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    row = {name: float(value) for name, value in list(csv.DictReader(text.splitlines()))[0].items() if name != "test"}
    rate, mean, median = row["rps"], row["avg_latency_ms"], row["p50_latency_ms"]
    print(f"-P {depth}: {rate} requests/s, average {mean} ms, p50 {median} ms; Little's law: {1000 * depth / rate:.0f} ms")
    assert rate < 100
    if depth == 10:
        assert max(median, mean) < 0.4 * 1000 * depth / rate
P
python3 t.py
