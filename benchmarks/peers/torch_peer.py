# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""PyTorch as a peer, on the processor or a CUDA device: copy_ of a transposed view, add and matmul."""

import protocol
from array_peer import ArrayPeer, serve

try:
    import numpy as np
    import torch
except ImportError as missing:
    protocol.serve_absent(str(missing))
    raise SystemExit(0) from missing


class Events:
    """The device waits while calls are enqueued, so that the host's time does not appear between them."""

    def __init__(self, cycles_to_enqueue):
        self.cycles = cycles_to_enqueue
        self.first, self.last = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def start(self, calls):
        torch.cuda._sleep(min(calls, 100) * self.cycles)
        self.first.record()

    def stop(self):
        self.last.record()
        self.last.synchronize()
        return self.first.elapsed_time(self.last) * 1e-3


class TorchPeer(ArrayPeer):
    types = {"f32": torch.float32, "f64": torch.float64, "c64": torch.complex64, "c128": torch.complex128,
             "f16": torch.float16, "bf16": torch.bfloat16}
    moved = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}
    version = f"{torch.__version__}, CUDA {torch.version.cuda}"
    cycles_to_enqueue = 40_000  # of the device's clock, about 20 us, for a call

    def __init__(self, case):
        self.device = "cuda" if case["is_device"] else "cpu"

    def load(self, file):
        return torch.from_numpy(np.fromfile(file, np.uint8)).to(self.device)

    def duplicate(self, memory):
        return memory.clone()

    def poisoned(self, count):
        return torch.full((count,), protocol.POISON, dtype=torch.uint8, device=self.device)

    def view(self, memory, dtype, extents, strides):
        return memory.view(dtype).as_strided(extents, strides)

    def permuted(self, array, axes):
        return array.permute(*axes)

    def store(self, memory, file):
        memory.cpu().numpy().tofile(file)

    def timed(self, slots, call):
        return super().timed(slots, call, Events(self.cycles_to_enqueue) if self.device == "cuda" else None)

    def moved_type(self, case):
        return self.moved.get(case["bytes"])

    def copying(self, case, axes):
        def copy(out, source):
            out.copy_(source)
        return "Tensor.copy_", copy

    def adding(self, case):
        alpha, beta = case["alpha"], case["beta"]

        def add(a, b, c):
            torch.add(alpha * a, b, alpha=beta, out=c)
        return "torch.add", add

    def multiplying(self, case):
        if case["c_type"] != case["type"] or case["ldc"] != case["n"]:
            return "no matmul of these types or this layout"

        def multiply(a, b, c):
            torch.matmul(a, b, out=c)
        return "torch.matmul", multiply


if __name__ == "__main__":
    torch.backends.cuda.matmul.allow_tf32 = False
    serve(TorchPeer)
