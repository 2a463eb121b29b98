# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""NumPy's and PyTorch's half of docs/from_pytorch_numpy.md.

usage: from_pytorch_numpy.py numpy|pytorch PROGRAM

PROGRAM is from_pytorch_numpy.cpp: it prints "name: values" for each piece of code that the document shows. The same numbers
must come out here. Ends with 77, which ctest takes for skipped, where there is no PyTorch.
"""

import subprocess
import sys

import numpy as np

try:
    import torch
except ImportError:
    torch = None


def with_numpy():
    """(name, array) of every piece of code."""
    a = np.arange(24, dtype=np.float32).reshape(4, 6)
    z = (a + 1j * (1 - 2 * a)).astype(np.complex64)
    images = np.arange(60, dtype=np.float32).reshape(5, 4, 3)
    bias = np.arange(6, dtype=np.float32)

    turned = a.T  # a view: nothing moves
    packed = np.ascontiguousarray(turned)  # moves
    yield "transposed", packed
    yield "transposed in one", packed

    by_columns = np.asfortranarray(a)
    yield "by columns", by_columns.ravel(order="K")

    packed = a[::-1, 1::2].copy()
    yield "slice", packed

    channels_first = np.ascontiguousarray(images.transpose(2, 0, 1))
    yield "permuted", channels_first

    half = a.T.astype(np.float16)
    yield "cast", half

    roots = np.sqrt(a).T.copy()
    yield "roots", roots

    h = z.conj().T.copy()
    yield "conjugate transpose", h

    b = np.ascontiguousarray(a.T)  # other memory
    yield "in place", b
    yield "in place, read by the view", b[[0, 0, 5], [0, 1, 3]]
    yield "tensor", a.T

    c = a + bias
    yield "broadcast sum", c

    c = np.broadcast_to(bias, (4, 6)).copy()
    yield "broadcast copy", c

    a = np.arange(24, dtype=np.float32).reshape(4, 6)
    b = np.arange(20, dtype=np.float32).reshape(4, 5)
    c = np.arange(30, dtype=np.float32).reshape(6, 5)
    c = 2 * a.T @ b - c
    yield "product", c

    batch = np.arange(72, dtype=np.float32).reshape(3, 6, 4)
    c = batch @ b
    yield "batched product", c

    a8 = np.full((6, 4), 100, np.int8)
    b8 = np.full((4, 5), 3, np.int8)
    c = a8.astype(np.int32) @ b8.astype(np.int32)  # a8 @ b8 is int8, and wraps around
    yield "product of int8", c

    q = k = np.arange(120, dtype=np.float32).reshape(2, 5, 3, 4)  # batch, place, head, depth
    s = np.einsum("bqhd,bkhd->bhqk", q, k)
    yield "scores", s


def with_torch():
    """The same for the pieces that PyTorch writes in another way."""
    a = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    images = torch.arange(60, dtype=torch.float32).reshape(5, 4, 3)

    packed = a.t().contiguous()
    yield "transposed", packed

    channels_first = images.permute(2, 0, 1).contiguous()
    yield "permuted", channels_first

    half = a.t().to(torch.float16, memory_format=torch.contiguous_format)
    yield "cast", half

    a = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    b = torch.arange(20, dtype=torch.float32).reshape(4, 5)
    c = torch.arange(30, dtype=torch.float32).reshape(6, 5)
    c = torch.addmm(c, a.t(), b, beta=-1, alpha=2)
    yield "product", c

    q = k = torch.arange(120, dtype=torch.float32).reshape(2, 5, 3, 4)
    s = torch.matmul(q.transpose(1, 2), k.permute(0, 2, 3, 1))
    yield "scores", s


def words(array):
    """What the program prints for these values."""
    values = np.asarray(array)
    if values.dtype == np.complex64:
        values = np.ascontiguousarray(values).view(np.float32)
    return ["%.9g" % value for value in values.ravel()]


def main():
    library, program = sys.argv[1:]
    if library == "pytorch" and torch is None:
        print("skipped: no PyTorch")
        return 77
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    of_xpose = {name: values.split() for name, values in (line.split(":") for line in printed.splitlines())}
    here = {name: words(array) for name, array in (with_torch() if library == "pytorch" else with_numpy())}
    wrong = [name for name in here if of_xpose.get(name) != here[name]]
    for name in wrong:
        print(f"{name}: {library} has\n  {here[name]}, xpose\n  {of_xpose.get(name)}")
    alone = of_xpose.keys() - here.keys() if library == "numpy" else set()
    for name in alone:
        print(f"{name}: only xpose has it")
    return 1 if wrong or alone else 0


if __name__ == "__main__":
    sys.exit(main())
