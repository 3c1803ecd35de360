#!/bin/bash
# httperf 0.9.0-9+b2 (Debian 12), seen 2026-11-29.
# The reply rate is a mean over whole periods of 5 s. A run of less than 5 s has a reply rate of 0.0, and of 7 s the last 2 count
# for nothing.
# Seen: 20 requests at 10 a second, 20 answers of 200: "Reply rate [replies/s]: min 0.0 avg 0.0 max 0.0 stddev 0.0 (0 samples)".
# Expected: 10 a second, or no number. Misleads scripts that read the rate: the server answered all, and the column says 0.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
packages="httperf=0.9.0-9+b2"
apt-get download -qq $packages 2> /dev/null || { apt-get update -qq; apt-get download -qq $packages; }
for file in *.deb; do dpkg-deb -x "$file" root; done; echo "httperf $(dpkg-deb -f httperf_*.deb Version)"
cat > t.py <<'P'
import http.server
import re
import subprocess
import threading
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
for count, samples in ((20, 0), (70, 1)):
    command = ["root/usr/bin/httperf", "--hog", "--server", "127.0.0.1", "--port", str(server.server_port)]
    command += ["--num-conns", str(count), "--rate", "10"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    total = re.search(r"Total: .*replies (\d+) test-duration ([\d.]+) s", text)
    line = re.search(r"Reply rate .*avg ([\d.]+) .*\((\d+) samples\)", text)
    print(f"{total[0]}\n{line[0]}")
    assert int(total[1]) == count and f"2xx={count} " in text and int(line[2]) == samples
    assert (float(line[1]) == 0) == (samples == 0)
P
python3 t.py
