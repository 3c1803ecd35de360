#!/bin/bash
# hey 0.1.4-2+b4 (Debian 12), seen 2026-11-29.
# "Requests/sec" counts requests that failed, also those that never reached a server; all times leave them out.
# Seen: nothing listens at the port: 6 refused connections are 200 and more requests a second, with an average of NaN. A
# timeout on each fourth request (-t 1): 12 requests in 3.2 s, 3.7 a second, slowest 0.03 s.
# Expected: the rate of answers; "Slowest" of at least the timeout. Misleads whoever looks for the largest rate: a
# server that refuses is the fastest, and one that hangs has the shortest times.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
apt-get download -qq hey=0.1.4-2+b4 2> /dev/null || { apt-get update -qq; apt-get download -qq hey=0.1.4-2+b4; }
dpkg-deb -x hey_*.deb root; echo "hey $(dpkg-deb -f hey_*.deb Version)"
cat > server.py <<'P'
import http.server
import threading
import time
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        number = self.server.count
        self.server.count += 1
        delay, status = self.server.plan[number % len(self.server.plan)]
        time.sleep(delay)
        if status:
            self.send_response(status)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")
        else:
            self.close_connection = True
    def log_message(self, *args):
        pass
class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    def handle_error(self, *args):
        pass
def serve(plan):
    server = Server(("127.0.0.1", 0), Answer)
    server.plan, server.count = plan, 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/"
P
cat > t.py <<'P'
import re
import socket
import subprocess
from server import serve
def hey(url, *options):
    command = ["root/usr/bin/hey", *options, url]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {name: re.search(rf"{name}:\s+(\S+)", text)[1] for name in ("Total", "Slowest", "Average", "Requests/sec")}
    print(" ".join(options), found)
    return {name: float(value) for name, value in found.items()}
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    refused = hey(f"http://127.0.0.1:{free.getsockname()[1]}/", "-n", "6", "-c", "1")
assert refused["Average"] != refused["Average"]
assert abs(refused["Requests/sec"] * refused["Total"] / 6 - 1) < 0.3 and refused["Requests/sec"] > 20
server, url = serve([(0.02, 200)] * 3 + [(1.5, 200)])
late = hey(url, "-n", "12", "-c", "1", "-t", "1")
assert late["Total"] > 3 and late["Slowest"] < 1
assert abs(late["Requests/sec"] * late["Total"] - 12) < 0.1
P
python3 t.py
