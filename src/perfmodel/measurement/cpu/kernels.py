"""Measuring kernels in LLVM assembly: multiply-adds, a pointer chase, reading and a triad.

Each function returns the text of one module with one function called `kernel`, which
`perfmodel.measurement.cpu.llvm` turns into machine code instruction by instruction.
"""

from __future__ import annotations

CHASE_UNROLL = 16
"""Loads in one turn of the chase's loop."""

STREAM_UNROLL = 8
"""Vectors in one turn of the reading and triad loops."""


def multiply_add(bits: int, vector_bits: int, accumulators: int, fused: bool) -> str:
    """Return `kernel(n, x, y)`: n times a_k = a_k x + y on each of some register-resident vectors.

    Accumulator k starts at k in every lane and the function returns the sum over all lanes of all
    accumulators, so that x = y = 1 counts the operations that were really done: the sum grows by
    `lanes * accumulators * n`. A register of 0 bits stands for scalar instructions.
    """
    number, lanes, vector, suffix = _types(bits, vector_bits)
    names = range(accumulators)
    zero = "zeroinitializer" if vector_bits else "0.0"
    starts = [_constant(k, number, lanes, vector_bits) for k in names]
    lines = [
        f"declare {vector} @llvm.fma.{suffix}({vector}, {vector}, {vector})",
        f"define {number} @kernel(i64 %n, {number} %x1, {number} %y1) {{",
        "entry:",
        *_spread("x", number, lanes, vector_bits),
        *_spread("y", number, lanes, vector_bits),
        "  br label %loop",
        "loop:",
        "  %i = phi i64 [0, %entry], [%next, %loop]",
        *(f"  %a{k} = phi {vector} [{starts[k]}, %entry], [%b{k}, %loop]" for k in names),
        *(line for k in names for line in _step(k, vector, suffix, fused)),
        "  %next = add i64 %i, 1",
        "  %more = icmp ult i64 %next, %n",
        "  br i1 %more, label %loop, label %done",
        "done:",
        f"  %s0 = fadd {vector} %b0, {zero}",
        *(f"  %s{k} = fadd {vector} %s{k - 1}, %b{k}" for k in names[1:]),
        *_lane_sum(f"%s{accumulators - 1}", number, lanes, vector_bits),
        "}",
    ]
    return "\n".join(lines)


def chase() -> str:
    """Return `kernel(address, turns)`: follow pointers, 16 a turn, and return the last one."""
    steps = []
    for k in range(CHASE_UNROLL):
        steps += [
            f"  %q{k} = inttoptr i64 %p{k} to ptr",
            f"  %p{k + 1} = load i64, ptr %q{k}",
        ]
    return "\n".join(
        [
            "define i64 @kernel(i64 %start, i64 %turns) {",
            "entry:",
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [0, %entry], [%next, %loop]",
            f"  %p0 = phi i64 [%start, %entry], [%p{CHASE_UNROLL}, %loop]",
            *steps,
            "  %next = add i64 %i, 1",
            "  %more = icmp ult i64 %next, %turns",
            "  br i1 %more, label %loop, label %done",
            "done:",
            f"  ret i64 %p{CHASE_UNROLL}",
            "}",
        ]
    )


def read(vector_bits: int) -> str:
    """Return `kernel(address, vectors, repeats)`: load all of an array, over and over.

    Registers are `vector_bits` wide and `vectors` is a multiple of `STREAM_UNROLL`. The result is
    the bitwise or of all that was read, so that no load can be left out.
    """
    lanes = vector_bits // 64
    vector = f"<{lanes} x i64>"
    names = range(STREAM_UNROLL)
    body = [
        *(f"  %a{k} = phi {vector} [zeroinitializer, %outer], [%o{k}, %inner]" for k in names),
        *(line for k in names for line in _address("p", "%start", k, vector)),
        *(f"  %v{k} = load {vector}, ptr %p{k}, align 8" for k in names),
        *(f"  %o{k} = or {vector} %a{k}, %v{k}" for k in names),
    ]
    joined = [f"  %j0 = or {vector} %o0, zeroinitializer"]
    joined += [f"  %j{k} = or {vector} %j{k - 1}, %o{k}" for k in names[1:]]
    joined += [f"  %seen = call i64 @llvm.vector.reduce.or.v{lanes}i64({vector} %j7)"]
    joined += ["  %all = or i64 %before, %seen"]
    head = (
        f"declare i64 @llvm.vector.reduce.or.v{lanes}i64({vector})\n"
        "define i64 @kernel(ptr %start, i64 %vectors, i64 %repeats) {"
    )
    carried = "  %before = phi i64 [0, %entry], [%all, %ended]"
    return _twice(head, carried, body, joined, "  ret i64 %all")


def triad(bits: int, vector_bits: int, non_temporal: bool) -> str:
    """Return `kernel(a, b, c, vectors, repeats)`: a = b + 3 c over and over.

    `vectors` is a multiple of `STREAM_UNROLL`; the arrays are aligned to 64 bytes. Non-temporal
    stores go round the caches: the lines of a aren't read before they are overwritten.
    """
    number, lanes, vector, _ = _types(bits, vector_bits)
    three = _constant(3, number, lanes, vector_bits)
    hint = ", !nontemporal !0" if non_temporal else ""
    names = range(STREAM_UNROLL)
    body: list[str] = []
    for k in names:
        body += _address("p", "%b", k, vector) + _address("q", "%c", k, vector)
        body += _address("r", "%a", k, vector)
        body += [
            f"  %u{k} = load {vector}, ptr %p{k}, align {vector_bits // 8}",
            f"  %v{k} = load {vector}, ptr %q{k}, align {vector_bits // 8}",
            f"  %m{k} = fmul {vector} %v{k}, {three}",
            f"  %w{k} = fadd {vector} %u{k}, %m{k}",
            f"  store {vector} %w{k}, ptr %r{k}, align {vector_bits // 8}{hint}",
        ]
    head = "define void @kernel(ptr %a, ptr %b, ptr %c, i64 %vectors, i64 %repeats) {"
    tail = "\n!0 = !{i32 1}" if non_temporal else ""
    return _twice(head, "", body, [], "  ret void") + tail


def _twice(head: str, carried: str, body: list[str], ended: list[str], finish: str) -> str:
    """Return a function that repeats a loop over the vectors of an array."""
    lines = [
        head,
        "entry:",
        "  br label %outer",
        "outer:",
        "  %round = phi i64 [0, %entry], [%round1, %ended]",
        *([carried] if carried else []),
        "  br label %inner",
        "inner:",
        "  %i = phi i64 [0, %outer], [%next, %inner]",
        *body,
        f"  %next = add i64 %i, {STREAM_UNROLL}",
        "  %more = icmp ult i64 %next, %vectors",
        "  br i1 %more, label %inner, label %ended",
        "ended:",
        *ended,
        "  %round1 = add i64 %round, 1",
        "  %again = icmp ult i64 %round1, %repeats",
        "  br i1 %again, label %outer, label %done",
        "done:",
        finish,
        "}",
    ]
    return "\n".join(lines)


def _types(bits: int, vector_bits: int) -> tuple[str, int, str, str]:
    """Return the type of a number, the lanes, the type of a vector, the intrinsic's suffix."""
    number = {32: "float", 64: "double"}[bits]
    if not vector_bits:
        return number, 1, number, f"f{bits}"
    lanes = vector_bits // bits
    return number, lanes, f"<{lanes} x {number}>", f"v{lanes}f{bits}"


def _constant(value: int, number: str, lanes: int, vector_bits: int) -> str:
    if not vector_bits:
        return f"{value}.0"
    return "<" + ", ".join([f"{number} {value}.0"] * lanes) + ">"


def _spread(name: str, number: str, lanes: int, vector_bits: int) -> list[str]:
    if not vector_bits:
        return [f"  %{name} = fadd {number} %{name}1, 0.0"]
    vector = f"<{lanes} x {number}>"
    return [
        f"  %{name}v = insertelement {vector} zeroinitializer, {number} %{name}1, i32 0",
        f"  %{name} = shufflevector {vector} %{name}v, {vector} zeroinitializer, "
        f"<{lanes} x i32> zeroinitializer",
    ]


def _step(k: int, vector: str, suffix: str, fused: bool) -> list[str]:
    if fused:
        call = f"call {vector} @llvm.fma.{suffix}"
        return [f"  %b{k} = {call}({vector} %a{k}, {vector} %x, {vector} %y)"]
    return [f"  %m{k} = fmul {vector} %a{k}, %x", f"  %b{k} = fadd {vector} %m{k}, %y"]


def _lane_sum(sums: str, number: str, lanes: int, vector_bits: int) -> list[str]:
    if not vector_bits:
        return [f"  ret {number} {sums}"]
    vector = f"<{lanes} x {number}>"
    lines = [f"  %e{j} = extractelement {vector} {sums}, i32 {j}" for j in range(lanes)]
    lines += [f"  %t0 = fadd {number} %e0, 0.0"]
    lines += [f"  %t{j} = fadd {number} %t{j - 1}, %e{j}" for j in range(1, lanes)]
    return [*lines, f"  ret {number} %t{lanes - 1}"]


def _address(name: str, array: str, k: int, vector: str) -> list[str]:
    return [
        f"  %{name}i{k} = add i64 %i, {k}",
        f"  %{name}{k} = getelementptr {vector}, ptr {array}, i64 %{name}i{k}",
    ]
