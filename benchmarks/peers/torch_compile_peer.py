# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""PyTorch's compiler on a CUDA device as a peer: Inductor's kernels for transpose, permute and add."""

from torch_peer import TorchPeer  # ends here, with a reason for each case, where torch is missing

from array_peer import serve
import torch

COMPLEX = "Inductor makes no kernels for complex elements"


def compiled(call):
    """Compiled for the case alone. Shapes are constants, as a user with one shape has them."""
    torch.compiler.reset()  # else the eighth shape is the last that is compiled
    return torch.compile(call, mode="max-autotune-no-cudagraphs", dynamic=False, fullgraph=True)


class CompilingPeer(TorchPeer):
    cycles_to_enqueue = 200_000  # a compiled call checks its guards first

    def copying(self, case, axes):
        if case["bytes"] == 16:
            return COMPLEX
        kernel, copy = super().copying(case, axes)
        return f"torch.compile of {kernel}", compiled(copy)

    def adding(self, case):
        if case["type"] in ("c64", "c128"):
            return COMPLEX
        alpha, beta = case["alpha"], case["beta"]

        def add(a, b, c):
            c.copy_(alpha * a + beta * b)
        return "torch.compile of alpha * a + beta * b", compiled(add)

    def multiplying(self, case):
        return "Inductor calls a library's product"

    def prepare_cast(self, case):
        return "not compiled"


if __name__ == "__main__":
    serve(CompilingPeer)
