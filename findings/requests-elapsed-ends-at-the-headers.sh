#!/bin/bash
# requests 2.34.2 and httpx 0.28.1, seen 2026-11-29.
# response.elapsed ends at the headers in requests and at the last byte in httpx; both time the last hop alone.
# Seen: headers at once, the body after 1 s: requests 0.0 s, httpx 1.0 s. A redirect of 0.5 s before it: still 0.0
# and 1.0 s, for a call of 1.5 s.
# Expected: the time of the call, or at least the same time from two clients with one interface. Misleads whoever
# writes a load script with .elapsed: streamed answers and slow bodies cost nothing, and a move
# to httpx looks like a slower server.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q requests==2.34.2 httpx==0.28.1 2> /dev/null
cat > t.py <<'P'
import http.server
import threading
import time
import httpx
import requests
print("requests", requests.__version__, "httpx", httpx.__version__)
assert (requests.__version__, httpx.__version__) == ("2.34.2", "0.28.1")
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/moved":
            time.sleep(0.5)
            self.send_response(302)
            self.send_header("Location", "/")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.flush()
        time.sleep(1)
        self.wfile.write(b"done")
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
threading.Thread(target=server.serve_forever, daemon=True).start()
for path, least in (("/", 1.0), ("/moved", 1.5)):
    url, shown = f"http://127.0.0.1:{server.server_port}{path}", {}
    for name, get in (("requests", requests.get), ("httpx", lambda u: httpx.get(u, follow_redirects=True))):
        start = time.perf_counter()
        shown[name] = get(url).elapsed.total_seconds()
        spent = time.perf_counter() - start
        print(f"{path} {name}: elapsed {shown[name]:.1f} s of {spent:.1f} s")
        assert spent >= least
    assert shown["requests"] < 0.4
    assert 1.0 <= shown["httpx"] < 1.4
P
v/bin/python t.py
