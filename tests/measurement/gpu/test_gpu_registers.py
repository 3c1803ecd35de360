"""The kernel of multiply-adds: its text, what a launch counts, and what the driver is told."""

import ctypes
import re
import shutil
import subprocess

import pytest

from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.gpu import registers


class Driver:
    """Accepts a kernel and keeps what it was told; says `status` to the call named `fails`."""

    def __init__(self, fails="", status=209):
        self.fails, self.status, self.launched, self.source = fails, status, [], b""

    def cuModuleLoadData(self, module, source):  # noqa: N802
        self.source = source
        return self._said("cuModuleLoadData")

    def cuModuleGetFunction(self, function, module, name):  # noqa: N802
        assert f".entry {name.decode()}(".encode() in self.source
        return self._said("cuModuleGetFunction")

    def cuLaunchKernel(self, function, *told):  # noqa: N802
        *sizes, stream, arguments, extra = told
        kinds = (ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint32)
        values = [
            ctypes.cast(arguments[index], ctypes.POINTER(kind)).contents.value
            for index, kind in enumerate(kinds)
        ]
        self.launched.append((sizes, stream.value, values, extra))
        return self._said("cuLaunchKernel")

    def _said(self, name):
        return self.status if name == self.fails else 0


@pytest.mark.parametrize("precision", registers.PRECISIONS)
def test_every_chain_is_used_as_often_and_depends_only_on_itself(precision):
    text = registers.text(precision)
    name = re.escape(registers.PRECISIONS[precision].multiply_add)
    links = re.findall(rf"{name} (%a\d), (%a\d), %x, %y;", text)
    assert len(links) == registers.CHAINS * registers.UNROLL
    assert all(target == source for target, source in links)
    assert {target for target, _ in links} == {f"%a{k}" for k in range(registers.CHAINS)}
    stored = re.findall(r"st\.global\S+ \[%out\+\d+\], (%a\d);", text)
    assert len(stored) == registers.CHAINS


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas is not installed")
@pytest.mark.parametrize("precision", registers.PRECISIONS)
def test_the_assembler_keeps_all_chains_in_registers(precision, tmp_path):
    file = tmp_path / "kernel.ptx"
    file.write_text(registers.text(precision))
    target = registers.PRECISIONS[precision].target.replace("70", "75")
    command = ["ptxas", "-v", f"-arch={target}", str(file), "-o", str(tmp_path / "kernel.cubin")]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    assert "0 bytes spill stores, 0 bytes spill loads" in said
    used = int(re.search(r"Used (\d+) registers", said).group(1))
    width = 2 if precision == "fp64" else 1
    # Two blocks of 1,024 threads find room among 65,536 registers, and no chain was merged away.
    assert registers.CHAINS * width <= used <= 32


def test_a_launch_fills_the_gpu_and_counts_its_operations():
    driver = Driver()
    loop = registers.Loop("fp16", 132, driver)
    flop = loop.launch(1000, 77)
    ((sizes, stream, values, extra),) = driver.launched
    assert sizes == [264, 1, 1, 1024, 1, 1, 0]
    assert (stream, values, extra) == (77, [0, 1000, 0], None)
    threads = sizes[0] * sizes[3]
    assert flop == threads * 1000 * driver.source.count(b"fma.rn.f16x2") * 2 * 2


@pytest.mark.parametrize("fails", ["cuModuleLoadData", "cuModuleGetFunction", "cuLaunchKernel"])
def test_a_driver_that_refuses_is_quoted(fails):
    with pytest.raises(Unavailable, match=f"the peak of bf16 .* {fails} .* says error 209"):
        registers.Loop("bf16", 4, Driver(fails)).launch(1, 0)


def test_a_missing_driver_is_said(monkeypatch):
    monkeypatch.setattr(registers, "DRIVER", "no-such-library.so")
    with pytest.raises(Unavailable, match="the GPU's driver is unavailable"):
        registers.Loop("fp32", 4)
