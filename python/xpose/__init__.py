# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Transposes, permutes, adds and multiplies arrays of NumPy, PyTorch, CuPy, JAX and others, on the processor or a GPU.

>>> import numpy as np, xpose
>>> a = np.arange(6.0).reshape(2, 3)
>>> xpose.transpose(a)
array([[0., 3.],
       [1., 4.],
       [2., 5.]])
>>> xpose.matmul(a, xpose.transpose(a))
array([[ 5., 14.],
       [14., 50.]])

Every call takes `policy`: where it runs. "auto", the default, is where the arrays are; "omp" is the processor's cores, "seq" one
thread, "cuda" the GPU, "reference" plain loops to compare with. `stream` is a CUDA stream; without one, calls on arrays of PyTorch
and CuPy are enqueued on the library's current stream. `out` receives the result; else it is a new array of the inputs' kind.
"""

import sys

from . import _calls, _core
from ._calls import Explanation, set_threads
from ._errors import (AliasError, ArgumentError, BackendError, CudaError, DeviceLost, Error, LayoutError, OverflowError,
                      ResidencyError, ShapeError)

__version__ = _core.version()


def _is_traced(*arrays):
    """Whether PyTorch records or compiles the call. A tensor comes from a PyTorch that is imported already."""
    torch = sys.modules.get("torch")
    return torch is not None and any(
        isinstance(a, torch.Tensor) and (torch.compiler.is_compiling() or (a.requires_grad and torch.is_grad_enabled()))
        for a in arrays)


def _operators(operation, **refused):
    """The operators of PyTorch; refuses the options that they have not."""
    for name, value in refused.items():
        if value is not None:
            raise ArgumentError(f"{operation}: a call that PyTorch records or compiles takes no {name}; it runs as PyTorch's own do")
    from . import torch as operators
    return operators


def transpose(a, axes=None, *, out=None, dtype=None, conjugate=False, policy="auto", stream=None):
    """A copy of `a` with its axes in another order, contiguous: what numpy.transpose shows, moved.

    axes: a permutation of a's dimensions, negative ones counted from the last; None reverses them. dtype: the result's type, to
    which elements are converted on their way. conjugate: complex elements conjugated. Moves the bits of every type of fixed size.

    >>> xpose.transpose(np.zeros((2, 3, 4), np.uint8), (0, 2, 1)).shape
    (2, 4, 3)
    """
    if dtype is stream is None and policy == "auto" and not conjugate:
        plain = _calls.plain_transpose(a, axes, out)
        if plain is not None:
            return plain
    if _is_traced(a) and out is None:
        return _operators("transpose", stream=stream).permute(a, axes, dtype, conjugate, policy)
    return _calls.move("transpose", a, axes, out, dtype, conjugate, policy, stream)


def permute(a, axes, *, out=None, dtype=None, conjugate=False, policy="auto", stream=None):
    """transpose with its axes named.

    >>> xpose.permute(np.zeros((8, 32, 48, 3)), (0, 3, 1, 2)).shape  # NHWC to NCHW
    (8, 3, 32, 48)
    """
    return transpose(a, tuple(axes), out=out, dtype=dtype, conjugate=conjugate, policy=policy, stream=stream)


permute_dims = permute  # the Array API's name


def matrix_transpose(a, *, out=None, dtype=None, conjugate=False, policy="auto", stream=None):
    """The last two axes exchanged: a matrix, or each matrix of a stack.

    >>> xpose.matrix_transpose(np.zeros((5, 2, 3))).shape
    (5, 3, 2)
    """
    rank = len(a.shape) if hasattr(a, "shape") else 2
    if rank < 2:
        raise ShapeError(f"matrix_transpose: an array of {rank} dimensions; it takes 2 or more")
    return transpose(a, (*range(rank - 2), rank - 1, rank - 2), out=out, dtype=dtype, conjugate=conjugate, policy=policy,
                     stream=stream)


def copy(a, *, out=None, dtype=None, conjugate=False, policy="auto", stream=None):
    """A contiguous copy, from any layout and, with dtype, to any type.

    >>> xpose.copy(np.ones((2, 3))[::-1], dtype=np.float32).dtype
    dtype('float32')
    """
    rank = len(a.shape) if hasattr(a, "shape") else memoryview(a).ndim
    return transpose(a, tuple(range(rank)), out=out, dtype=dtype, conjugate=conjugate, policy=policy, stream=stream)


def ascontiguous(a, order="C", *, policy="auto", stream=None):
    """`a` itself if it is contiguous in that order ("C": the last axis, "F": the first one is contiguous), else a copy that is.

    >>> a = np.ones((2, 3))
    >>> xpose.ascontiguous(a) is a, xpose.ascontiguous(a, "F").flags.f_contiguous
    (True, True)
    """
    if order not in ("C", "F"):
        raise ArgumentError(f"ascontiguous: order is {order!r}; it is one of 'C', 'F'")
    if _is_traced(a) and order == "C" and not a.is_contiguous():
        return copy(a, policy=policy, stream=stream)
    return _calls.contiguous(a, order, policy, stream)


def transpose_inplace(a, *, policy="auto", stream=None):
    """Transposes within the memory of `a`, and returns the array that shows it so: `a` itself where its matrices are square.

    Square matrices may have any strides; others must be contiguous. Of more than two dimensions, each matrix of the last two.

    >>> a = np.arange(6).reshape(2, 3)
    >>> xpose.transpose_inplace(a)
    array([[0, 3],
           [1, 4],
           [2, 5]])
    """
    return _calls.transpose_inplace(a, policy, stream)


def add(a, b, *, alpha=1, beta=1, out=None, policy="auto", stream=None):
    """alpha a + beta b, of one dtype, broadcast by NumPy's rules. `out` may be a or b. An operand whose scalar is 0 is not read.

    >>> xpose.add(np.ones((2, 2)), np.eye(2), beta=-1)
    array([[0., 1.],
           [1., 0.]])
    """
    if stream is None and policy == "auto":
        plain = _calls.plain_add(a, b, alpha, beta, out)
        if plain is not None:
            return plain
    if _is_traced(a, b) and out is None:
        return _operators("add", stream=stream).add(a, b, alpha, beta, policy)
    return _calls.add(a, b, alpha, beta, out, policy, stream)


def matmul(a, b, *, out=None, alpha=None, beta=None, semiring="plus_times", precision=None, accumulate=None, dtype=None,
           conjugate_a=False, conjugate_b=False, scale=None, bias=None, activation=None, policy="auto", stream=None):
    """alpha a @ b + beta out, by the rules of `@`: vectors, matrices, and stacks of them that broadcast.

    Types are not promoted: float32, float64, complex64, complex128, int32 and int64 give their own type; float16 and bfloat16
    theirs or, with dtype, float32; int8 and uint8 int32; the 8-bit floats float32.
    semiring: what adds and multiplies. "min_plus" and "max_plus" take the smallest or largest sum over k, "or_and" works on uint8
    and bool. alpha and beta are of the semiring: None does not scale, and without beta `out` is not read.
    precision: "full", or how a GPU may multiply float32: "fast_f32" (as three products of bfloat16), "tf32"; complex numbers:
        "three_products" (real ones).
    scale, bias, activation: what is stored is activation(scale * (alpha a @ b + beta out) + bias), in the pass that stores it.
    "relu" and "gelu" (by erf); scale and bias broadcast to the rows and columns of the result and have its dtype, which is that of
    a and b: float32, float64, float16 or bfloat16, or float32 where a and b are int8.

    >>> distances = np.array([[0.0, 3.0, np.inf], [np.inf, 0.0, 1.0], [2.0, np.inf, 0.0]])
    >>> xpose.matmul(distances, distances, semiring="min_plus")
    array([[0., 3., 4.],
           [3., 0., 1.],
           [2., 5., 0.]])
    """
    if (alpha is beta is precision is accumulate is dtype is scale is bias is activation is stream is None and semiring == "plus_times" and policy == "auto"
            and not conjugate_a and not conjugate_b):
        plain = _calls.plain_matmul(a, b, out)
        if plain is not None:
            return plain
    if _is_traced(a, b, scale, bias) and out is None and semiring == "plus_times":
        operators = _operators("matmul", stream=stream, accumulate=accumulate, beta=beta)
        return operators.matmul(a, b, alpha, dtype, conjugate_a, conjugate_b, scale, bias, activation, precision, policy)
    return _calls.matmul(a, b, out, alpha, beta, semiring, precision, accumulate, dtype, conjugate_a, conjugate_b, scale, bias,
                         activation, policy, stream)


def explain(operation, *arrays, **options):
    """What a call would run on, without running it: (backend, kernel, reason). Raises what the call would raise.

    >>> xpose.explain("matmul", np.eye(3), np.eye(3), policy="seq").backend
    'omp'
    """
    return _calls.explain(operation, *arrays, **options)


def info():
    """What a report of a bug needs, as a dict: versions, backends and why one cannot run, and the environment's variables.

    >>> sorted(xpose.info())
    ['backends', 'environment', 'library', 'numpy', 'python', 'version']
    """
    return _calls.info()


def reload_environment():
    """Later calls read XPOSE_VERBOSE, XPOSE_LOG, XPOSE_FALLBACK, XPOSE_ISA and XPOSE_TUNING anew."""
    _core.reload_environment()


__all__ = [
    "AliasError", "ArgumentError", "BackendError", "CudaError", "DeviceLost", "Error", "Explanation", "LayoutError", "OverflowError",
    "ResidencyError", "ShapeError", "add", "ascontiguous", "copy", "explain", "info", "matmul", "matrix_transpose", "permute",
    "permute_dims", "reload_environment", "set_threads", "transpose", "transpose_inplace",
]
