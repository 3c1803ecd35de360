#!/bin/bash
# hey 0.1.4-2+b4 (Debian 12), seen 2026-11-29.
# A percentile takes the request after rank n p / 100, rounded up. Of fewer than 100 requests there is
# none for 99 %, and the report shows "0% in 0.0000 secs" in its place.
# Seen: 60 requests of 20 ms and more: rows up to 95 %, then "0% in 0.0000 secs". With 100 requests: 99 %.
# Expected: the longest time, or no row. Misleads scripts that read the last row of the table: 0 s.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
apt-get download -qq hey=0.1.4-2+b4 2> /dev/null || { apt-get update -qq; apt-get download -qq hey=0.1.4-2+b4; }
dpkg-deb -x hey_*.deb root; echo "hey $(dpkg-deb -f hey_*.deb Version)"
cat > t.py <<'P'
import http.server
import subprocess
import threading
import time
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        time.sleep(0.02)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
threading.Thread(target=server.serve_forever, daemon=True).start()
def rows(n):
    url = f"http://127.0.0.1:{server.server_port}/"
    command = ["root/usr/bin/hey", "-n", str(n), "-c", "2", url]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [line.strip() for line in text.splitlines() if "% in " in line]
few, enough = rows(60), rows(100)
print(few[-2:], enough[-1:])
assert few[-1] == "0% in 0.0000 secs" and few[-2].startswith("95% in ") and float(few[-2].split()[2]) >= 0.02
assert enough[-1].startswith("99% in ") and float(enough[-1].split()[2]) >= 0.02
P
python3 t.py
