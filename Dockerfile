# The course in JupyterLab: docker build -t course . && docker run --rm -p 8888:8888 course
FROM python:3.13-slim-trixie

# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap make \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home student

# hadolint ignore=DL3066
USER student
WORKDIR /home/student/course

# The lock first, so that a change of the course installs nothing again.
COPY --chown=student requirements.txt .
RUN python -m venv .venv \
    && .venv/bin/python -m pip install --no-cache-dir --require-hashes -r requirements.txt

COPY --chown=student . .
RUN make .venv/.ready

EXPOSE 8888
CMD [".venv/bin/python", "-m", "perfcourse.book", "lab", "--ip=0.0.0.0", "--no-browser"]
