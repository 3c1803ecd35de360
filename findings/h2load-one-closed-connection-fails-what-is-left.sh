#!/bin/bash
# h2load 1.52.0-1+deb12u3 (nghttp2-client, Debian 12), seen 2026-11-29.
# A client whose connection is closed without an answer stops; all requests that it had still to send are failed and errored.
# Seen: -n 9 -c 1 --h1, where the server closes each third request: 3 sent, 2 done, "7 failed, 7 errored", exit status 0.
# Expected: 3 of 9 failed, or a rest that isn't called failed. Misleads whoever computes an error rate: 78 % for 33 %,
# and the more requests are asked for, the higher.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
packages="nghttp2-client=1.52.0-1+deb12u3 libev4 libjemalloc2 libnghttp2-14 libc-ares2 libjansson4"
apt-get download -qq $packages 2> /dev/null || { apt-get update -qq; apt-get download -qq $packages; }
for file in *.deb; do dpkg-deb -x "$file" root; done; echo "h2load $(dpkg-deb -f nghttp2-client_*.deb Version)"
export LD_LIBRARY_PATH="$tmp/root/usr/lib/x86_64-linux-gnu"
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
import subprocess
from server import serve
for asked in (9, 90):
    server, url = serve([(0.02, 200), (0.02, 200), (0.02, 0)])
    command = ["root/usr/bin/h2load", "--h1", "-t", "1", "-c", "1", "-n", str(asked), url]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    line = re.search(r"requests: .*", text)[0]
    print(f"-n {asked}: served {server.count}; {line}")
    assert server.count == 3
    assert f"2 done, 2 succeeded, {asked - 2} failed, {asked - 2} errored" in line
P
python3 t.py
