#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image.
set -euo pipefail
source=${AUTOGRADER:-/autograder}/source
prefix=${PREFIX:-/opt}

apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends bubblewrap python3-venv
# The image's Python may be too old. uv brings one, to where the sandbox may read it.
python3 -m venv "$prefix/uv"
"$prefix/uv/bin/pip" install --quiet uv
export UV_PYTHON_INSTALL_DIR=$prefix/python
"$prefix/uv/bin/uv" venv --quiet --python 3.12 "$prefix/perfcourse"
"$prefix/uv/bin/uv" pip install --quiet --python "$prefix/perfcourse/bin/python" "$source/course[course]"
