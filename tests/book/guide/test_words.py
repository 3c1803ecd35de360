"""No page uses an acronym or a term of art that nobody explains."""

import re
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest

from perfcourse.book import jupyter, sources
from perfcourse.book.guide.terms import entries, spoken

PROJECT = sources.root(Path(__file__))
UNITS = "MW FLOP FLOPs GFLOP MFLOP TFLOP TFlops KB MB GB TB KiB MiB GiB MHz GHz SI"
SYSTEMS = (
    "AdamW ADeLe AdRM AIO AlgoPerf AlpacaFarm AMD APEX ATLAS BioJava CASPR ChatGPT CIFAR "
    "CloudFormer CloudPerfTrace COD CPython CuPy DaCapo DeepSeek EfficientLLM EfficientNet EPYC "
    "EvalPerf FBNet FlashAttention FLAT FlexGen FuseMax GEB GENNAPE GH200 GPipe GPT GPUSVM "
    "CatBoost COCOMO "
    "GraphChi HELP HPCG HPX HybriMoE ImageNet JAX JupyterLab KGym LAWA LFM2 LIBSVM LLaMA LogGP "
    "McNemar LightGBM NVLink OpenBLAS TeaPACS AppArmor GitHub GitLab JUnit "
    "MELT MetaQNN MIC MLIR MobileNet MoE MPIrigen MPress NadamW NCCL NCPP NumPy NVIDIA OGBG OpenAI "
    "OpenHands OpenTuner OPT Parallax PerfCastDB PIE PMD PyTorch ResNet RL RTX SAIL ScaleRL "
    "SciMark SciPy SGI SLURM SODA SOR SPARCcenter SPEC SpecEE SPECrate SSD STREAM SuperNI SVHN SWE "
    "SysLLMatic TinyLlama UNIX XLM ZAYA ZeRO ZO2 HdrHistogram LINE OpenTelemetry ReFrame SimGrid "
    "SimPy BERT DeepEP DeepGEMM JMeter JMT OSU UCCL AIME BBH CLOCK COFFE DDSketch GB200 GSM "
    "LINPACK MMLU SGLang TensorRT TydiQA"
)
REST = (
    "CSV JavaScript SIMULATED XML "
    "BY CC NC MIT DOI EuroSys ScalPerf HPCA HiPC ISPASS SDM91 TAAS README HTML JPEG JSON UTF RAM "
    "IV CM QK SN NaN NP AI"
)
"""Licences, conferences, an appendix, file formats, Roman numbers, names within one lab."""
KNOWN = frozenset(f"{UNITS} {SYSTEMS} {REST}".split())
WORD = r"[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?<!Error)\d*"
"""An acronym: a capital letter, and another one."""
OF_ART = (
    "BIC|t-test|bootstrap|exchangeable|GEMM|SpMV|SIMD|FMA|random forest|Gaussian process|M/M/1|"
    "M/G/1|hazard rate|bounded Pareto|SITA|SERPT|LCFS|prefetching|boosting|attention|roofline|"
    "write-allocate|cache line|standard error|heavy tail|least squares|cross-validation|whitebox"
)
"""Words that readers stumbled over; each is in the glossary."""


def prose(text):
    """Return Markdown text without code, maths, addresses and roles."""
    text = jupyter.roles(text)
    for pattern in (
        r"\A---\n.*?\n---\n",
        r"^(`{3,})\{(?:code-cell|math|bibliography).*?^\1`*$",
        r"^(`{3,}).*?^\1`*$",
        r"\$\$.*?\$\$",
        r"\$[^$\n]+\$",
        r"\{[\w:]+\}`[^`]*`",
        r"`[^`]*`",
        r"\]\([^)]*\)",
        r"<[^>]+>",
    ):
        text = re.sub(pattern, " ", text, flags=re.S | re.M)
    return text


def text_of(page):
    path = sources.path(PROJECT, page)
    if path.suffix == ".md":
        return prose(path.read_text("utf-8"))
    cells = nbformat.read(path, as_version=4).cells
    return prose("\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown"))


@pytest.fixture(scope="module")
def explained():
    said = entries((PROJECT / "book" / "glossary.md").read_text("utf-8"))
    return {form for entry in said for form in [entry, *spoken(entry)]}


def unexplained(text, explained):
    """Return the acronyms of a text that neither it nor the glossary explains."""
    known = KNOWN | explained
    found = set(re.findall(rf"(?<![\w.]){WORD}(?!\w)", text)) - known
    spelled = set(re.findall(rf"\(\**({WORD})\**[,;)]", text))
    spelled |= set(re.findall(rf"({WORD})\** \(\w+ \w+", text))
    return {word for word in found - spelled if word.removesuffix("s") not in known | spelled}


def test_an_acronym_is_found_unless_it_is_explained(explained):
    text = "A new ABC and an old DEF (Dutch engine factory), the three-lettered word (TLW)."
    assert unexplained(text, explained) == {"ABC"}


PAGES = [
    page
    for page in sources.pages(PROJECT)
    if not page.startswith("book/api") and sources.path(PROJECT, page)
]


@pytest.mark.parametrize("page", PAGES)
def test_every_acronym_is_in_the_glossary_or_explained_on_the_page(page, explained):
    assert unexplained(text_of(page), explained) == set()


@pytest.mark.parametrize("page", PAGES)
def test_links_to_the_glossary_name_an_entry(page, explained):
    path = sources.path(PROJECT, page)
    links = re.findall(r"glossary\.md#([^)\s]+)\)", path.read_text("utf-8")) if path else []
    links += (
        re.findall(r"\{term\}`(?:[^`<]*<)?([^`<>]+)>?`", path.read_text("utf-8")) if path else []
    )
    assert [link for link in map(unquote, links) if link not in explained] == []


def test_terms_of_art_are_in_the_glossary(explained):
    assert set(OF_ART.split("|")) <= explained
