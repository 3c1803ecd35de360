#!/bin/bash
# siege 4.0.7-1+b1 (Debian 12), seen 2026-11-29.
# An answer of 401 is a successful transaction, and siege asks again up to five times for each request, without a password.
# Seen: -r 4 -c 1 on a page of 401: 20 requests, 20 transactions, 20 successful, availability 100 %. On 403: 4 requests,
# none successful.
# Expected: 4 requests, none successful. Misleads whoever tests behind a login: all is refused, nothing failed, and the
# server had five times the load.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
packages="siege=4.0.7-1+b1"
apt-get download -qq $packages 2> /dev/null || { apt-get update -qq; apt-get download -qq $packages; }
for file in *.deb; do dpkg-deb -x "$file" root; done; echo "siege $(dpkg-deb -f siege_*.deb Version)"
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
printf 'json_output = false\nverbose = false\ncolor = off\n' > siegerc; export HOME="$tmp" PATH="$tmp/root/usr/bin:$PATH"
cat > t.py <<'P'
import re
import subprocess
from server import serve
for status, want in ((401, (20, 20, 20)), (403, (4, 4, 0))):
    server, url = serve([(0.02, status)])
    command = ["root/usr/bin/siege", "-R", "siegerc", "-b", "-c", "1", "-r", "4", url]
    text = subprocess.run(command, capture_output=True, text=True, check=True)
    text = text.stdout + text.stderr
    hits = int(re.search(r"Transactions:\s+(\d+)", text)[1])
    good = int(re.search(r"Successful transactions:\s+(\d+)", text)[1])
    print(f"{status}: served {server.count}, transactions {hits}, successful {good}")
    assert (server.count, hits, good) == want
P
python3 t.py
