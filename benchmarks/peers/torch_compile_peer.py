# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""PyTorch's compiler on a CUDA device as a peer: Inductor's kernels for transpose, permute and add."""

import functools

import torch_peer as eager  # ends here, with a reason for each case, where torch is missing

import protocol
import torch

COMPLEX = "Inductor makes no kernels for complex elements"


def compiled(call):
    """Compiled for the case alone. Shapes are constants, as a user with one shape has them."""
    torch.compiler.reset()  # else the eighth shape is the last that is compiled
    return torch.compile(call, mode="max-autotune-no-cudagraphs", dynamic=False, fullgraph=True)


def copy(out, source):
    out.copy_(source)


def add(c, a, b, alpha, beta):
    c.copy_(alpha * a + beta * b)


def prepare_copy(prepare, case):
    if case["bytes"] == 16:
        return COMPLEX
    return prepare(case, call=compiled(copy), kernel="torch.compile of Tensor.copy_")


def prepare_add(case):
    if case["type"] in ("c64", "c128"):
        return COMPLEX
    return eager.prepare_add(case, call=compiled(add), kernel="torch.compile of alpha * a + beta * b")


eager.CYCLES_TO_ENQUEUE = 200_000  # a compiled call checks its guards first
protocol.serve({"transpose": functools.partial(prepare_copy, eager.prepare_transpose),
                "permute": functools.partial(prepare_copy, eager.prepare_permute), "add": prepare_add})
