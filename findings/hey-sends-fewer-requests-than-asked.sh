#!/bin/bash
# hey 0.1.4-2+b4 (Debian 12), seen 2026-11-28.
# -n is divided by the number of workers and rounded down; the rest is never sent.
# Seen: -n 10 -c 3: 9 requests. -n 50 -c 20: 40. -n 19 -c 10: 10. No warning, exit status 0.
# Expected: 10, 50 and 19. The usage text calls -n the number of
# requests to run and says only that it must not be below -c. Misleads whoever divides a counted
# effect (bytes, rows, energy) by -n: too low by up to half, and sweeps over -c compare different
# amounts of work.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
apt-get download -qq hey=0.1.4-2+b4 2> /dev/null || { apt-get update -qq; apt-get download -qq hey=0.1.4-2+b4; }
dpkg-deb -x hey_*.deb root; echo "hey $(dpkg-deb -f hey_*.deb Version)"
cat > t.py <<'P'
import http.server
import subprocess
import threading
lock, served = threading.Lock(), [0]
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        with lock:
            served[0] += 1
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *args):
        pass
class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64
server = Server(("127.0.0.1", 0), Answer)
threading.Thread(target=server.serve_forever, daemon=True).start()
for n, c, want in ((10, 3, 9), (50, 20, 40), (19, 10, 10), (20, 10, 20)):
    served[0] = 0
    url = f"http://127.0.0.1:{server.server_port}/"
    subprocess.run(["root/usr/bin/hey", "-n", str(n), "-c", str(c), url], check=True, stdout=subprocess.DEVNULL)
    print(f"-n {n} -c {c}: served {served[0]}")
    assert served[0] == want
P
python3 t.py
