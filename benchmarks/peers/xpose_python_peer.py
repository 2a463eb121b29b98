# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The Python package xpose as a candidate: what a call costs from Python. On NumPy's arrays or, on a CUDA device, PyTorch's.

The package is the one in the build folder of xpose-bench, else the one that is installed.
"""

import pathlib
import sys

import protocol
from array_peer import serve

# The bench starts this file by its place in the build folder, which is benchmarks/peers/.
BUILT = pathlib.Path(sys.argv[0]).absolute().parents[2] / "python"
if (BUILT / "xpose" / "__init__.py").exists():
    sys.path.insert(0, str(BUILT))
try:
    import numpy as np
    import xpose
    from numpy_peer import NumPyPeer
except ImportError as missing:
    protocol.serve_absent(str(missing))
    raise SystemExit(0) from missing


class Calls:
    """Those of the package, on the arrays of an ArrayPeer."""

    version = xpose.__version__

    def shown(self, source, axes):
        return source

    def copying(self, case, axes):
        options = {"dtype": self.types[case["out_type"]]} if case["operation"] == "cast" else {}

        def transpose(out, source):
            xpose.transpose(source, axes, out=out, **options)
        return lambda out, source: xpose.explain("transpose", source, axes, out=out, **options).kernel, transpose

    def adding(self, case):
        alpha, beta = case["alpha"], case["beta"]

        def add(a, b, c):
            xpose.add(a, b, alpha=alpha, beta=beta, out=c)
        return lambda a, b, c: xpose.explain("add", a, b, alpha=alpha, beta=beta, out=c).kernel, add

    def multiplying(self, case):
        options = {name: case[name] for name, usual in (("semiring", "plus_times"), ("precision", "full")) if case[name] != usual}

        def multiply(a, b, c):
            xpose.matmul(a, b, out=c, **options)
        return lambda a, b, c: xpose.explain("matmul", a, b, out=c, **options).kernel, multiply


class CallsOnNumPy(Calls, NumPyPeer):
    types = dict(NumPyPeer.types)
    try:
        import ml_dtypes
        types.update({"bf16": np.dtype(ml_dtypes.bfloat16), "e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
                      "e5m2": np.dtype(ml_dtypes.float8_e5m2)})
    except ImportError:
        pass  # NumPy alone has no such types


def peer_of(case):
    if not case["is_device"]:
        return CallsOnNumPy()
    try:
        import torch
    except ImportError as missing:
        return str(missing)
    from torch_peer import TorchPeer

    class CallsOnTorch(Calls, TorchPeer):
        types = {**TorchPeer.types, "i8": torch.int8, "u8": torch.uint8, "i32": torch.int32, "i64": torch.int64,
                 "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}

    return CallsOnTorch(case)


if __name__ == "__main__":
    serve(peer_of)
