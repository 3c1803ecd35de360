"""New numbers of questions: each answer again, from the numbers that its text shows.

The models below share nothing with the pages: they are written for the test, by the laws that the
pages teach.
"""

import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import numpy as np
import pytest
from docutils.nodes import make_id
from scipy import integrate, optimize, stats

from perfcourse.book import sources
from perfmodel.labs.scaling.universal_scalability.inputs import RAY_TRACER, SERVER
from perfmodel.live.variants import COUNT

PROJECT = sources.root(Path(__file__))
VARIED = sorted(
    path
    for path in (*PROJECT.glob("book/*.md"), *PROJECT.glob("notebooks/*/*.ipynb"))
    if "variants=" in path.read_text("utf-8")
)
WORST_PAGE = 30_000
"""Bytes of new numbers that a page may hold."""


def amdahl(percent, n):
    return 1 / (percent / 100 + (1 - percent / 100) / n)


def karp_flatt(speedup, n):
    return (1 / speedup - 1 / n) / (1 - 1 / n)


def two_sided_power(effect, scatter, runs):
    freedom = 2 * runs - 2
    critical = stats.t.ppf(0.975, freedom)
    away = effect / (scatter * math.sqrt(2 / runs))
    upper = stats.nct.sf(critical, freedom, away)
    return 100 * (upper + stats.nct.cdf(-critical, freedom, away))


def best_of(n):
    """Return the mean of the largest of n standard normal numbers."""
    density = lambda x: x * n * stats.norm.pdf(x) * stats.norm.cdf(x) ** (n - 1)  # noqa: E731
    return integrate.quad(density, -10, 10)[0]


def wait(load, scv):
    return load / (1 - load) * (1 + scv) / 2


def erlang_response(count, rate):
    """Return the mean response of an M/M/c queue with servers of rate 1."""
    states = [rate**k / math.factorial(k) for k in range(count)]
    queued = rate**count / math.factorial(count) / (1 - rate / count)
    return 1 + queued / (sum(states) + queued) / (count - rate)


def big_core(parallel, area):
    """Return the area of a big core that makes a chip fastest, whose speed is its area's root."""
    size = np.arange(1, area + 1)
    speed = np.sqrt(size)
    seconds = (1 - parallel) / speed + parallel / (speed + area - size)
    return size[np.argmin(seconds)]


def too_low(load, scv, error):
    response = lambda service: service * (1 + wait(load * service, scv))  # noqa: E731
    return 100 * (1 - response(1 - error) / response(1))


def two_choices(load):
    """Return the mean response of Mitzenmacher's limit for two choices."""
    return sum(load ** (2**i - 2) for i in range(1, 40))


def years(life, repair):
    return (3 * repair + life) * life / (2 * repair) / 8766


def makespan(*stages, blocks=1000):
    return sum(stages) + (blocks - 1) * max(stages)


def traffic(n, cache):
    """Return the words that a blocked product moves at least: Smith et al. (2019)."""
    return 2 * n**3 / math.sqrt(cache) + 3 * n**2


NUMBERS = {
    "scaling-thousand": lambda serial, n: 60 / amdahl(serial, n),
    "scaling-sixteen": lambda s, n, more: amdahl(100 * karp_flatt(s, n), more),
    "scaling-check-1": lambda serial: 100 / serial - 1,
    "scaling-check-2": lambda n, alone: alone / 100 + (1 - alone / 100) * n,
    "roofline-check-1": lambda peak, rate, intensity: min(1000 * peak, rate * intensity),
    "roofline-check-4": lambda ridge: ridge**2,
    "measurement-power": lambda saves, scatter, runs, *_: two_sided_power(saves, scatter, runs),
    "measurement-launch": lambda _, launch: launch,
    "measurement-bytes": lambda rate, *_: rate / 2,
    "measurement-check-2": lambda between, within, processes, runs: math.sqrt(
        between**2 / processes + within**2 / (processes * runs)
    ),
    "measurement-check-3": lambda drift, runs, _: (
        100 * drift * runs / (100 + drift * (runs - 1) / 2)
    ),
    "measurement-check-4": lambda scatter, saving, *_: 16 * (scatter / saving) ** 2,
    "probability-check-1": lambda most, fast, few, slow: most / 100 * fast + few / 100 * slow,
    "probability-check-2": lambda a, b: math.sqrt(a * a + b * b),
    "probability-check-3": lambda runs, error, wanted: runs * error**2 / wanted**2,
    "probability-check-4": lambda bad, false: 100 / (1 + false * (100 - bad) / (100 * bad)),
    "queueing-closed": lambda _, __, rate, ___, users, think: users / rate - think,
    "queueing-check-1": lambda rate, inside: inside / rate * 1000,
    "queueing-check-2": lambda half, load: wait(load / 100, 3) / wait(half / 100, 3),
    "queueing-check-4": lambda users, think, rate: users / rate - think,
    "queueing-check-5": lambda a, b, c, think: (a + b + c + think) / max(a, b, c),
    "networks-check-1": lambda load, work: 100 * work / (100 - load),
    "networks-check-2": lambda life, after, before: years(life, after) / years(life, before),
    "networks-check-3": lambda load, jobs: (load / 100) ** (2**jobs - 1),
    "networks-check-4": lambda keep, start, _: start / keep,
    "communication-half": lambda latency, rate, half: latency * rate,
    "communication-bubble": lambda stages, _, micro: 100 * (1 - micro / (micro + stages - 1)),
    "communication-check-4": lambda machines, size: 2 * size * (1 - 1 / machines),
    "communication-check-5": lambda stages, bubble: (stages - 1) * (100 - bubble) / bubble,
    "offloading-drives": lambda drive, link, gpu, drives: drive / max(drive / drives, link, gpu),
    "offloading-pass": lambda weights, link, rate: rate * weights / link,
    "offloading-overlap": lambda a, b, c: 1000 * (a + b + c) / makespan(a, b, c),
    "offloading-check-4": lambda compute, _, link: 1000 * compute / link,
    "offloading-check-5": lambda price, step, more: 100 * price * more / step,
    "serving-weights": lambda params, size, rate, batch, _: batch * 1000 * rate / (size * params),
    "serving-context": lambda prompt, answer, spread: prompt + (answer**2 + spread**2) / answer / 2,
    "serving-check-2": lambda size, tokens, free: 1000 * free / size / tokens,
    "serving-check-3": lambda read, each, rate: read / (1 - each * rate / 1000),
    "prediction-check-1": lambda a, b, c, d: 50 * (abs(c / a - 1) + abs(d / b - 1)),
    "prediction-check-4": lambda noise, few, bias, many: (noise / bias) ** 2 * (many - few),
    "forecasting-ruler": lambda *n: n[5] * n[5] / n[3],
    "forecasting-check-4": lambda runs, width, wanted: runs * width**2 / wanted**2,
    "forecasting-check-5": lambda best, forecast, deviation: (
        100 * stats.norm.cdf((best - forecast) / deviation)
    ),
    "benchmarking-one-task": lambda most, tasks, usual, slow, _: tasks / (most / usual + 1 / slow),
    "benchmarking-best-of-twenty": lambda versions, error: error * best_of(int(versions)),
    "benchmarking-two-points": lambda p, q, *_: (
        7.84 * (p * (100 - p) + q * (100 - q)) / (p - q) ** 2
    ),
    "benchmarking-check-2": lambda a, b, c: 3 / (1 / a + 1 / b + 1 / c),
    "benchmarking-check-5": lambda true, _, error, gain: gain / (1 + (error / true) ** 2),
    "latency-ladder-flight": lambda latency, line, rate: rate * latency / line,
    "mixed-runs": lambda effect, scatter, *_: 16 * (scatter / effect) ** 2 + 1.5,
    "stream-size": lambda start, rate, share: start * rate / 1000 * share / (100 - share),
    "cxl-alloc-interleave": lambda dram, card: 2 * min(dram, card),
    "mpress-balance": lambda _, stages, *__: 100 * (1 - np.arange(1, stages + 1).mean() / stages),
    "launch-queue-knee": lambda launch, each: launch / each,
    "little-by-counters-cars": lambda cars, stay: cars * stay / 60,
    "who-is-sampling-trains": lambda trains, people: people / trains,
    "who-is-sampling-courses": lambda small, large, _: (small**2 + large**2) / (small + large),
    "nas-curve-chance": lambda best, end, error: 100 * stats.norm.cdf((best - end) / error),
    "frontier-bubble": lambda micro, stages: 100 * (1 - micro / (micro + stages - 1)),
    "sparse-updates-union": lambda machines, touched: (
        100 * (1 - math.exp(machines * math.log1p(-touched / 100)))
    ),
    "specee-mean-exit": lambda layers, left: layers / (left + 1),
    "melt-power": lambda energy, rate: 3.6 * energy * rate,
    "hep-daq-ratio": lambda before, after: after / before,
    "hep-daq-order": lambda cheap, half, costly, hundred: min(
        cheap + costly / half, costly + cheap / hundred
    ),
    "codex-hpc-all-correct": lambda right, count: 100 * (right / 100) ** count,
    "efficientllm-watts": lambda _, power, __, rate: power / rate,
    "kgym-three-clean": lambda fixes, crash: 100 / (1 + (100 / fixes - 1) * (1 - crash / 100) ** 3),
    "tulu-chance-agreement": lambda a, b, tie: (a * a + b * b + tie * tie) / 100,
    "chinchilla-runs": lambda runs, width, narrow: runs * width**2 / narrow**2,
    "cod-sixteen": lambda loss, _, more: 100 * math.exp(-loss / math.sqrt(more)),
    "scalerl-half": lambda start, ceiling: start + (ceiling - start) / 2,
    "mpirigen-loop-tree": lambda processes: (processes - 1) / (int(processes).bit_length() - 1),
    "swe-fficiency-four-tasks": lambda tasks, few, share, _: (1 - few / tasks) / (1 - share / 100),
    "power-of-d-gain": lambda load, *_: two_choices(load / 100),
    "one-program-build": lambda indexing, merging, count: indexing / count + merging,
    "one-program-load": lambda service, _, __, load: service / (1 - load / 100),
    "five-questions-bus": lambda short, long, mean: (9 * short**2 + long**2) / 20 / mean,
    "five-questions-double": lambda light, double: wait(double / 100, 1) / wait(light / 100, 1),
    "dnn-server-faster": lambda other, factor: amdahl(other, factor),
    "little-by-counters-disk": lambda done, busy, area: 1000 * (area - busy) / done,
    "continuous-batching-share": lambda slots, length: 100 * slots / length,
    "sysllmatic-suite": lambda _, factor: 3 / (2 + 1 / factor),
    "coffe-repeats": lambda scatter, _, wanted: (1.96 * scatter / wanted) ** 2,
    "dpe-evalperf-mean-speedup": lambda most, slow, fast: (most * slow + fast) / 100,
    "swe-fficiency-nothing": lambda usual, most, *_: 10 / (9 * usual + most),
    "cuda-llm-vector": lambda share: 100 / share,
    "zaya-amd-active": lambda share, count: 100 - share * (1 - 1 / count),
    "rl-congestion-target": lambda flows, times: times / math.sqrt(flows),
    "nas-curve-speedup": lambda nets, epochs, first, rest, stop: (
        nets * epochs / (first * epochs + rest * stop)
    ),
    "projektor-noise": lambda small, large, _, at: math.hypot(
        math.log(at / small) / math.log(large / small),
        math.log(at / large) / math.log(large / small),
    ),
    "gennape-share": lambda *far: 100 * far[0] ** -2 / sum(d**-2 for d in far),
    "mlir-cost-logarithm": lambda short, _, length: 2 ** (length / short - 1) / (length / short),
    "cloudformer-nine": lambda count, each, total, share: (
        100 / (1 - share / 100 * (1 - count * each / total))
    ),
    "wa-hls4ml-slices": lambda inputs, outputs, _, reuse: inputs * outputs / reuse,
    "amdahl-turbo": lambda slower, serial, *_: karp_flatt(
        1 / (serial / 100 + (1 - serial / 100) / 2 / (1 - slower / 100)), 2
    ),
    "multicore-asymmetric": lambda parallel, area: big_core(parallel / 100, area),
    "universal-scalability-peak": lambda contention, coherency: math.sqrt(
        (100 - contention) / coherency
    ),
    "cnn-tiling-chance": lambda all, tried: 100 * tried / all,
    "llm-gpus": lambda billions, free: math.ceil(16 * billions / free),
    "on-your-machine-error": lambda load, scv, error: too_low(load / 100, scv, error / 100),
    "moe-lens-prompt": lambda prompt, answer, longer: (
        100 * (prompt + answer / 2) / (longer + answer / 2)
    ),
    "sail-table": lambda width, entries: entries - 1 - width,
    "few-runs-random": lambda all, near, *_: (all + 1) / (near + 1),
    "your-roofline-triad": lambda clock, lanes, memory, _: memory * 2 / 32,
    "zo2-two-buffers": lambda blocks, load, compute: blocks / 2 * (2 * load + compute) + compute,
    "tulu-percent-better": lambda _, first, __, second: 50 * (first / second - 1),
    "mixed-chance": two_sided_power,
    "geb-bandwidth": lambda rate, size: 1.2 * rate * size,
    "algoperf-two-workloads": lambda first, second, _, other, *__: (
        (1 + (4 - second / other) / 3) / 2
    ),
    "sysllmatic-two-more": lambda three, five: (5 * five - 3 * three) / 2,
}
"""By key, the answer as a function of the numbers in the question's text, in their order."""

TEXTS = {
    "roofline-triad": lambda text: triad(text),
    "roofline-check-2": lambda text: intensity(text),
    "roofline-cache": lambda text: cache(*numbers(text)),
    "forecasting-noise": lambda text: noise(text),
    "amdahl-two": lambda text: amdahl(
        numbers(text)[0], {"two": 2, "four": 4, "eight": 8}[re.search(r"(\w+) cores", text)[1]]
    ),
}
"""Those whose answer depends on words of the text as well."""


def triad(text):
    prefixes = {"G": 1e9, "T": 1e12}
    (peak, p), (slope, s) = re.findall(r"([\d.]+)\s([GT])(?:FLOP|B)/s", text)
    return 100 * float(slope) * prefixes[s] * 2 / 32 / (float(peak) * prefixes[p])


def intensity(text):
    loop, precision = re.match(r"(.*) runs over large arrays in (\w+)", text).groups()
    left, right = loop.split(" = ")
    operations = len(re.findall(r"[*+]", right))
    arrays = set(re.findall(r"\w\[i\]", right))
    moved = (len(arrays) + ("[i]" in left)) * {"double": 8, "single": 4}[precision]
    return operations / moved


def cache(n, _, words, larger):
    return traffic(n, words) / traffic(n, larger * words)


def noise(text):
    error = float(re.search(r"standard error of ([\d.]+)", text)[1])
    far = float(re.search(r"line to ([\d,]+)", text)[1].replace(",", ""))
    steps = math.log10(far) - 4
    return error * math.hypot(steps + 1, steps)


def numbers(text):
    return [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?", text)]


CHOICES = {
    "scaling-check-3": lambda e4, e16, e64: (
        2 if e4 < 0 else 1 if e64 > 2 * e4 and e16 > 1.2 * e4 else 0
    ),
    "measurement-average": lambda first, second: 2,
    "measurement-check-5": lambda _, low, high, limit: (
        0 if high < 1 else 2 if max(high - 1, 1 - low) < limit / 100 else 3
    ),
    "benchmarking-check-4": lambda a, b, *_: int(stats.binomtest(int(a), int(a + b)).pvalue > 0.05),
    "offloading-check-1": lambda drive, link, gpu: 1 if link > gpu else 2,
    "roofline-check-3": lambda peak, bw, intensity, share: (
        0 if share < 100 else 1 if bw * intensity < 1000 * peak else 2
    ),
    "one-program-bound": lambda size, each, rate: int(size / rate < each),
    "roofline-check-5": lambda ridge, _, at: int(at > ridge),
    "queueing-gittins": lambda short, long, age: int(long - age > 2 * short),
    "queueing-check-3": lambda _, load, scv: 1 if scv > 1 else 2,
    "offloading-cache": lambda *n: 2,
    "offloading-check-2": lambda fetch, compute: 0,
    "communication-check-1": lambda size, latency, rate: 0 if size / rate > latency else 1,
    "serving-check-1": lambda tokens, size, bits, ridge: 0 if tokens > ridge else 1,
    "serving-variance": lambda mean, short, long, *_: int(
        np.argmin(np.abs(np.array([1, 2, 3, 10]) - (3 * short**2 + long**2) / (4 * mean**2)))
    ),
    "communication-many": lambda few, _, __, many: 0 if (1 - 1 / many) / (1 - 1 / few) < 1.5 else 1,
}
"""By key, which option is right, from the numbers in the question's text."""
NAMED = {
    "networks-backlog": lambda load, down: down * load / (100 - load),
    "networks-two-choices": lambda load, *_: two_choices(load / 100),
    "communication-share": lambda wide, narrow: narrow,
    "roofline-precision": lambda before, after, peak: before / after,
}
"""By key, the number with which the right option begins, to two digits."""


def prompts(page):
    """Return by key the data of a page's prompts, as they were recorded."""
    recorded = sources.recording(page)
    notebook = nbformat.read(recorded, 4)
    if stale(notebook, page):
        pytest.skip(f"{page.stem} has changed since it was recorded, which another test tells")
    return {data["key"]: data for data in told(notebook)}


def stale(notebook, page):
    return notebook.metadata.get("outputs_of") != sources.key(sources.read(page), page)


def told(notebook):
    """Yield the data of the prompts that a notebook's outputs show."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            scripts = Scripts()
            scripts.feed(output.get("data", {}).get("text/html", ""))
            yield from scripts.found


class Scripts(HTMLParser):
    """Collects the data that an element holds for the script, and the options of its form."""

    def __init__(self):
        super().__init__()
        self.found, self.options, self.inside = [], [], False

    def handle_starttag(self, tag, attrs):
        self.inside = tag == "script"
        if tag == "input" and ("type", "radio") in attrs:
            self.options.append(dict(attrs).get("value"))

    def handle_data(self, data):
        if self.inside and data.startswith('{"key":'):
            self.found.append(json.loads(data))
        self.inside = False


def filled(text, given):
    return re.sub(r"\{(\d+)\}", lambda field: given[int(field[1])], text)


def variants(data):
    """Yield each set of new numbers of a prompt: its text, and the place in the lists."""
    for place, given in enumerate(data["fresh"]["given"]):
        yield filled(data["fresh"]["question"], given), given, place


def check(data):
    """Compare each variant's answer with the test's own, and its replies with what they say."""
    key, fresh = data["key"], data["fresh"]
    assert len(fresh["given"]) == COUNT
    assert len({text for text, *_ in variants(data)} | {data["question"]}) == COUNT + 1
    for text, given, place in variants(data):
        assert "{" not in text + filled(fresh["why"], given), text
        if "options" in fresh:
            check_choice(key, fresh, text, given, place)
        else:
            check_number(data, text, place)


def check_number(data, text, place):
    key, fresh = data["key"], data["fresh"]
    right = TEXTS[key](text) if key in TEXTS else NUMBERS[key](*numbers(text))
    answer, tolerance = fresh["answers"][place], data["tolerance"]
    assert answer == pytest.approx(right, rel=max(0.6 * tolerance, 1e-4)), text
    shown = numbers(fresh["shown"][place])
    if "10" not in fresh["shown"][place]:
        assert shown[0] == pytest.approx(answer, rel=1e-3), text
    for wrong in fresh.get("mistakes_at", [[]] * COUNT)[place]:
        assert abs(wrong - answer) > tolerance * abs(answer), text


def check_choice(key, fresh, text, given, place):
    options = [filled(option, given) for option in fresh["options"]]
    assert len(set(options)) == len(options)
    right = fresh["answers"][place]
    assert fresh["shown"][place] == options[right]
    for option, reason in zip(fresh["options"], fresh["reasons"], strict=True):
        assert reason or fresh["options"].index(option) == right, f"{text}: {option}"
    if key in CHOICES:
        assert right == CHOICES[key](*signed(text)), text
    elif key in NAMED:
        number = numbers(options[right])[0]
        assert number == pytest.approx(NAMED[key](*numbers(text)), rel=0.05), text
    else:
        OTHERS[key](text, options, right)


def signed(text):
    return [
        float(n.replace(",", ""))
        for n in re.findall(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?", text.split("fractions of")[-1])
    ]


def check_mirror(text, options, right):
    life, _, repair = numbers(text)
    (bound,) = numbers(options[right])
    assert right == 3
    assert bound < years(life, repair)
    assert numbers(options[2])[0] < bound / 2


def check_peak(text, options, right):
    contention, coherency = (n / 100 for n in numbers(text))
    by = 2 if "halve" in text else 4
    after = (
        (contention / by, coherency) if "the contention" in text else (contention, coherency / by)
    )
    moved = math.sqrt((1 - after[0]) / after[1] / ((1 - contention) / coherency))
    assert right == int(np.argmin(np.abs(np.array([2, math.sqrt(2), 1]) - moved)))


def check_interval(text, options, right):
    """Fit again, by SciPy: the peak is in the interval told, whose end is not measured yet."""
    data = RAY_TRACER if "ray tracer" in text else SERVER
    last, *ends = numbers(text)
    loads, measured = (values[data[0] <= last] for values in data)
    law = lambda n, one, sigma, kappa: one * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))  # noqa: E731
    bounds = (0, [np.inf, 1, 1])
    fit, _ = optimize.curve_fit(law, loads, measured, [measured[0], 0.01, 1e-4], bounds=bounds)
    low, high = (*ends, math.inf)[:2]
    assert low * 0.97 <= math.sqrt((1 - fit[1]) / fit[2]) <= high * 1.03, text
    assert {4: "four", 5: "five"}.get(loads.size, "loads") in text
    assert high > last
    assert right == 1


def check_wait(text, options, right):
    busy, *_ = numbers(text)
    scv = numbers(text)[2] if "times" in text else 1
    waits = [numbers(option)[0] for option in options]
    assert waits[right] == pytest.approx(wait(busy / 100, scv), rel=0.05), text
    assert waits == sorted(waits)


def check_servers(text, options, right):
    rate, many = numbers(text)[1], text.split(": ")[1].split()[0]
    count = {"two": 2, "three": 3, "four": 4, "eight": 8}[many]
    slow, fast = erlang_response(count, rate), 1 / (count - rate)
    if "wait before service" in text:
        slow, fast = slow - 1, fast - 1 / count
    assert right == int(slow < fast), text


OTHERS = {
    "networks-mirror": check_mirror,
    "queueing-one-or-four": check_servers,
    "queueing-waiting": check_wait,
    "scaling-check-4": check_peak,
    "scaling-check-5": check_interval,
}


@pytest.mark.parametrize("page", VARIED, ids=lambda page: page.stem)
def test_each_new_answer_again_and_the_page_stays_light(page):
    found = {key: data for key, data in prompts(page).items() if "fresh" in data}
    assert found
    for data in found.values():
        check(data)
    sizes = [len(json.dumps(d["fresh"], ensure_ascii=False).encode()) for d in found.values()]
    assert sum(sizes) <= WORST_PAGE


@pytest.mark.parametrize("page", sorted((PROJECT / "book").glob("*.md")), ids=lambda p: p.stem)
def test_a_question_says_where_it_is_taught_by_a_section_of_its_page(page):
    text = page.read_text("utf-8")
    titles = re.findall(r"^#{2,3} (.+)$", text, re.M)
    anchors = {make_id(title.replace("'", "’")) for title in titles}
    assert set(re.findall(r'taught="([^"]+)"', text)) <= anchors


PAGES = [*PROJECT.glob("book/*.md"), *PROJECT.glob("notebooks/*/*.ipynb")]


def test_each_distractor_has_its_reason():
    """Pages that changed since they were recorded are left out; another test tells of them."""
    choices, without = 0, []
    for page in PAGES:
        if (recorded := sources.recording(page)).is_file():
            notebook = nbformat.read(recorded, 4)
            asked, missing = unexplained(notebook)
            choices += asked
            without += missing if missing and not stale(notebook, page) else []
    assert choices > 150
    assert without == []


def unexplained(notebook):
    """Return how many choices a notebook asks, and their wrong options that have no reason."""
    choices, missing = 0, []
    for data in told(notebook):
        form = Scripts()
        form.feed(data["form"])
        choices += bool(form.options)
        reasons = {data["answer"], *data.get("reasons", {})}
        missing += [(data["key"], option) for option in form.options if option not in reasons]
    return choices, missing


def test_every_new_number_is_recomputed_here():
    tested = set(NUMBERS) | set(TEXTS) | set(CHOICES) | set(NAMED) | set(OTHERS)
    total = sum(page.read_text("utf-8").count("variants={") for page in VARIED)
    assert len(tested) == total
