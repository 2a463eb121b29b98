# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""PyTorch on a CUDA device as a peer: copy_ of a transposed view, add and matmul."""

import itertools

import protocol

try:
    import numpy as np
    import torch
except ImportError as missing:
    protocol.serve_absent(str(missing))
    raise SystemExit(0) from missing

TYPES = {"f32": torch.float32, "f64": torch.float64, "c64": torch.complex64, "c128": torch.complex128,
         "f16": torch.float16, "bf16": torch.bfloat16}
MOVED = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}
CYCLES_TO_ENQUEUE = 40_000  # clock cycles, about 20 us, for a call
VERSION = f"{torch.__version__}, CUDA {torch.version.cuda}"


def on_device(file):
    return torch.from_numpy(np.fromfile(file, np.uint8)).cuda()


def matrices(memory, dtype, batch, rows, cols, ld, batch_stride):
    """A view of a batch in raw memory."""
    view = memory.view(dtype).as_strided((batch, rows, cols), (batch_stride, ld, 1))
    return view[0] if batch == 1 else view


def poisoned(count, dtype):
    return torch.full((count * dtype.itemsize,), protocol.POISON, dtype=torch.uint8, device="cuda")


def timed(slots, call):
    """run(calls) over the slots in turn, between two events. The device waits while the calls are enqueued."""
    turns = itertools.cycle(slots)
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def run(calls):
        torch.cuda._sleep(min(calls, 100) * CYCLES_TO_ENQUEUE)
        start.record()
        for _ in range(calls):
            call(*next(turns))
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1e-3

    return run


def finish(slots, call, case, kernel):
    call(*slots[0])
    slots[0][-1].cpu().numpy().tofile(case["out_file"])
    return timed(slots, call), kernel, VERSION


def copy(out, source):
    out.copy_(source)


def add(c, a, b, alpha, beta):
    torch.add(alpha * a, b, alpha=beta, out=c)


def prepare_moved(case, dtype, out_dtype, is_copy, call=copy, kernel="Tensor.copy_"):
    batch, rows, cols = case["batch"], case["rows"], case["cols"]
    out_rows, out_cols = (rows, cols) if is_copy else (cols, rows)
    data = on_device(case["in_file"])
    slots = []
    for slot in range(case["slots"]):
        source = matrices(data if slot == 0 else data.clone(), dtype, batch, rows, cols, case["in_ld"],
                          case["in_batch_stride"])
        memory = poisoned(batch * out_rows * case["out_ld"], out_dtype)
        out = matrices(memory, out_dtype, batch, out_rows, out_cols, case["out_ld"], case["out_batch_stride"])
        slots.append((out, source if is_copy else source.transpose(-1, -2), memory))
    return finish(slots, lambda out, source, _: call(out, source), case, kernel)


def prepare_transpose(case, **how):
    dtype = MOVED.get(case["bytes"])
    return "no element of this size" if dtype is None else prepare_moved(case, dtype, dtype, is_copy=False, **how)


def prepare_cast(case):
    return prepare_moved(case, TYPES[case["type"]], TYPES[case["out_type"]], case["is_copy"])


def prepare_permute(case, call=copy, kernel="Tensor.copy_"):
    dtype = MOVED.get(case["bytes"])
    if dtype is None:
        return "no element of this size"
    data = on_device(case["in_file"])
    slots = []
    for slot in range(case["slots"]):
        source = (data if slot == 0 else data.clone()).view(dtype).view(case["extents"]).permute(case["permutation"])
        slots.append((torch.empty(source.shape, dtype=dtype, device="cuda"), source))
    call(*slots[0])
    slots[0][0].view(torch.uint8).cpu().numpy().tofile(case["out_file"])
    return timed(slots, call), kernel, VERSION


def prepare_gemm(case):
    dtype = TYPES.get(case["type"])
    if dtype is None or case["c_type"] != case["type"] or case["ldc"] != case["n"]:
        return "no matmul of these types or this layout"
    batch, m, n, k = case["batch"], case["m"], case["n"], case["k"]
    slots = combined_slots(case, dtype, batch, (m, k), (k, n))
    return finish(slots, lambda a, b, c, _: torch.matmul(a, b, out=c), case, "torch.matmul")


def prepare_add(case, call=add, kernel="torch.add"):
    dtype = TYPES.get(case["type"])
    if dtype is None:
        return "no sum of these types"
    alpha, beta = case["alpha"], case["beta"]
    slots = combined_slots(case, dtype, 1, (case["rows"], case["cols"]), (case["rows"], case["cols"]))
    return finish(slots, lambda a, b, c, _: call(c, a, b, alpha, beta), case, kernel)


def combined_slots(case, dtype, batch, a_extents, b_extents):
    """(A, B, C, C's memory) for each slot."""
    files = on_device(case["a_file"]), on_device(case["b_file"])
    rows, cols = a_extents[0], b_extents[1]

    def operand(memory, name, extents):
        transposed = case["transposed_" + name]
        view = matrices(memory, dtype, batch, *(extents[::-1] if transposed else extents), case["ld" + name],
                        case.get(name + "_batch_stride", 0))
        return view.transpose(-1, -2) if transposed else view

    slots = []
    for slot in range(case["slots"]):
        a, b = (file if slot == 0 else file.clone() for file in files)
        memory = poisoned(batch * rows * case["ldc"], dtype)
        c = matrices(memory, dtype, batch, rows, cols, case["ldc"], case.get("c_batch_stride", 0))
        slots.append((operand(a, "a", a_extents), operand(b, "b", b_extents), c, memory))
    return slots


if __name__ == "__main__":
    torch.backends.cuda.matmul.allow_tf32 = False
    protocol.serve({"transpose": prepare_transpose, "cast": prepare_cast, "permute": prepare_permute,
                    "add": prepare_add, "gemm": prepare_gemm})
