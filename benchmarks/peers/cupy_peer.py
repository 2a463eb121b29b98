# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""CuPy as a peer: NumPy's calls on a CUDA device."""

import protocol
from array_peer import serve

try:
    import cupy
    import numpy as np
    from numpy_peer import NumPyPeer
except ImportError as missing:
    protocol.serve_absent(str(missing))
    raise SystemExit(0) from missing

NANOSECONDS_TO_ENQUEUE = 20_000  # of a call
WAIT = cupy.RawKernel(r"""
extern "C" __global__ void wait_for(unsigned long long nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < nanoseconds);
}""", "wait_for")


class Events:
    """The device waits while calls are enqueued, so that the host's time does not appear between them."""

    def __init__(self):
        self.first, self.last = cupy.cuda.Event(), cupy.cuda.Event()

    def start(self, calls):
        WAIT((1,), (1,), (np.uint64(min(calls, 100) * NANOSECONDS_TO_ENQUEUE),))
        self.first.record()

    def stop(self):
        self.last.record()
        self.last.synchronize()
        return cupy.cuda.get_elapsed_time(self.first, self.last) * 1e-3


class CuPyPeer(NumPyPeer):
    version = cupy.__version__
    module = cupy

    def load(self, file):
        return cupy.asarray(np.fromfile(file, np.uint8))

    def duplicate(self, memory):
        return memory.copy()

    def poisoned(self, count):
        return cupy.full(count, protocol.POISON, np.uint8)

    def view(self, memory, dtype, extents, strides):
        return cupy.ndarray(extents, dtype, memory.data, [stride * dtype.itemsize for stride in strides])

    def timed(self, slots, call):
        return super().timed(slots, call, Events())

    def moved_type(self, case):
        return self.types.get(case["type"], self.moved.get(case["bytes"]))


if __name__ == "__main__":
    serve(lambda _: CuPyPeer())
