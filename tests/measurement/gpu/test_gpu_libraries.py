"""What PyTorch and CuPy are asked, on stand-ins that compute with NumPy."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.gpu import registers, with_cupy, with_torch


class Clock:
    """Events of a stand-in: each is passed at once, a millisecond after the one before."""

    passed = 0

    def __init__(self, enable_timing=True):
        self.at = None

    def record(self):
        Clock.passed += 1
        self.at = Clock.passed

    def query(self):
        return True

    def synchronize(self):
        Clock.waited = self.at

    done = property(query)

    def elapsed_time(self, later):
        return float(later.at - self.at)


class Tensor(np.ndarray):
    """An array with the methods of PyTorch's that are used."""

    def normal_(self, generator):
        self[...] = generator.standard_normal(self.shape)
        return self

    def copy_(self, source, non_blocking):
        assert non_blocking
        self[...] = source


def torch(cuda="13.0", available=True, major=9):
    asked = []
    properties = SimpleNamespace(
        name="a card",
        multi_processor_count=7,
        total_memory=8 << 30,
        major=major,
        minor=0,
        pci_domain_id=0,
        pci_bus_id=27,
        pci_device_id=0,
    )

    def empty(shape, dtype, device):
        return np.zeros(shape, dtype).view(Tensor)

    return SimpleNamespace(
        asked=asked,
        __version__="2.11.0",
        version=SimpleNamespace(cuda=cuda),
        float64=np.float64,
        float32=np.float32,
        float16=np.float16,
        bfloat16=np.float16,
        empty=empty,
        zeros=lambda n, dtype=np.float32, device="cpu", pin_memory=False: (
            asked.append(("zeros", device, pin_memory)) or empty(n, dtype, device)
        ),
        Generator=lambda place: SimpleNamespace(manual_seed=np.random.default_rng),
        add=lambda b, c, alpha, out: np.add(b, alpha * c, out=out),
        mm=lambda a, b, out: np.matmul(a, b, out=out),
        neg=np.negative,
        set_float32_matmul_precision=asked.append,
        cuda=SimpleNamespace(
            Event=Clock,
            is_available=lambda: available,
            get_device_properties=lambda place: properties,
            current_stream=lambda: SimpleNamespace(cuda_stream=77),
            synchronize=lambda: asked.append("wait"),
        ),
    )


class FailedError(Exception):
    """What CuPy's runtime raises."""


def cupy(count=1):
    asked = []

    def device_count():
        if count is None:
            raise FailedError("insufficient driver")
        return count

    properties = {
        "name": b"a card",
        "multiProcessorCount": 7,
        "totalGlobalMem": 8 << 30,
        "l2CacheSize": 1 << 20,
        "pciDomainID": 0,
        "pciBusID": 27,
        "pciDeviceID": 0,
        "major": 9,
        "minor": 0,
    }
    return SimpleNamespace(
        asked=asked,
        __version__="14.2.0",
        zeros=np.zeros,
        copyto=np.copyto,
        matmul=np.matmul,
        negative=np.negative,
        ElementwiseKernel=lambda given, made, text, name: lambda b, c, a: np.copyto(a, b + 3 * c),
        random=SimpleNamespace(
            seed=asked.append,
            standard_normal=np.random.default_rng(1).standard_normal,
        ),
        cuda=SimpleNamespace(
            Event=Clock,
            Device=lambda: SimpleNamespace(id=0),
            alloc_pinned_memory=bytearray,
            get_elapsed_time=lambda first, last: first.elapsed_time(last),
            get_current_stream=lambda: SimpleNamespace(ptr=77),
            runtime=SimpleNamespace(
                CUDARuntimeError=FailedError,
                getDeviceCount=device_count,
                getDeviceProperties=lambda index: properties,
                runtimeGetVersion=lambda: 13020,
                deviceSynchronize=lambda: asked.append("wait"),
            ),
        ),
    )


@pytest.fixture(params=["torch", "cupy"])
def device(request):
    if request.param == "torch":
        return with_torch.TorchDevice(torch())
    return with_cupy.CupyDevice(cupy())


def test_products_and_triads(device):
    for precision in device.precisions:
        a, b, c = (device.random(shape, precision) for shape in ((5, 3), (3, 4), (5, 4)))
        assert a.std() > 0
        device.product(c, a, b, precision)
        assert np.allclose(c, a @ b)
    a, b, c = (device.random((6,), "fp32") for _ in range(3))
    device.triad(a, b, c)
    assert np.allclose(a, b + 3 * c)


def test_torch_copies():
    device = with_torch.TorchDevice(torch())
    a, b = (device.random((6,), "fp32") for _ in range(2))
    device.copy(b, a)
    assert np.array_equal(a, b)


def test_arrays_on_the_host():
    here = with_torch.TorchDevice(torch())
    here.host(4, pinned=True)
    here.host(4, pinned=False)
    assert [pinned for *_, pinned in here.torch.asked[1:]] == [True, False]
    other = with_cupy.CupyDevice(cupy())
    for pinned in (True, False):
        assert np.array_equal(other.host(4, pinned), np.ones(4, np.float32))


def test_cupy_copies():
    library, host = cupy(), np.zeros(3, np.float32)
    library.copyto = lambda target, source: library.asked.append((target, source))
    device = with_cupy.CupyDevice(library)
    there = SimpleNamespace(
        get=lambda out, blocking: out.fill(2 if not blocking else 0),
        set=lambda source, stream: host.__iadd__(source * (stream.ptr == 77)),
    )
    device.copy(host, there)
    device.copy(there, host)
    assert np.array_equal(host, [4, 4, 4])
    device.copy(there, there)
    assert library.asked[-1] == (there, there)


def test_tf32_is_asked_for_and_taken_back():
    device = with_torch.TorchDevice(torch())
    a, c = device.random((2, 2), "fp32"), device.random((2, 2), "fp32")
    for precision in ("tf32", "fp32"):
        device.product(c, a, a, precision)
    assert device.torch.asked[1:] == ["high", "highest"]


def test_marks_and_waits(device):
    first = device.record_event()
    device.empty_kernel()
    last = device.record_event()
    device.synchronize_event()
    device.synchronize_event(first)
    assert Clock.waited == first.at
    assert device.query_event(last)
    assert device.elapsed_time(first, last) == pytest.approx(1e-3)
    assert "wait" in (device.torch if hasattr(device, "torch") else device.cupy).asked
    assert device.now() <= device.now()


def test_what_the_gpu_is(device):
    about = device.about()
    assert (about.name, about.multiprocessors, about.memory) == ("a card", 7, 8 << 30)
    assert (about.capability, about.pci) == ("9.0", "00000000:1b:00.0")
    assert about.cuda in ("13.0", "13.2")


def test_multiply_adds_go_to_the_librarys_stream(device, monkeypatch):
    told = []

    class Loop:
        def __init__(self, precision, multiprocessors):
            told.append((precision, multiprocessors))

        def launch(self, turns, stream):
            told.append((turns, stream))
            return 10 * turns

    monkeypatch.setattr(registers, "Loop", Loop)
    assert device.multiply_adds("fp32", 3) == 30
    assert device.multiply_adds("fp32", 4) == 40
    assert told == [("fp32", 7), (3, 77), (4, 77)]


def opened(monkeypatch, module, name, library):
    monkeypatch.setitem(sys.modules, name, library)
    return module.open_device()


def test_a_library_that_sees_no_gpu_says_why(monkeypatch):
    with pytest.raises(Unavailable, match="torch 2.11.0 was built without CUDA"):
        opened(monkeypatch, with_torch, "torch", torch(None, False))
    with pytest.raises(Unavailable, match="torch 2.11.0 sees no NVIDIA GPU"):
        opened(monkeypatch, with_torch, "torch", torch(available=False))
    with pytest.raises(Unavailable, match=r"cupy 14.2.0 can't use .* \(insufficient driver"):
        opened(monkeypatch, with_cupy, "cupy", cupy(None))
    with pytest.raises(Unavailable, match="cupy 14.2.0 sees none"):
        opened(monkeypatch, with_cupy, "cupy", cupy(0))


def test_a_library_that_sees_a_gpu_opens_it(monkeypatch):
    assert opened(monkeypatch, with_torch, "torch", torch()).about().library == "torch 2.11.0"
    assert opened(monkeypatch, with_cupy, "cupy", cupy()).about().library == "cupy 14.2.0"


def test_older_gpus_have_no_products_that_they_would_only_emulate():
    older = with_torch.TorchDevice(torch(major=7))
    assert set(older.precisions) == {"fp64", "fp32", "fp16"}
