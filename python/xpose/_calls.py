# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The calls: which output, which policy, which types. _core does the rest."""

from collections import namedtuple

import numpy as np

from . import _arrays, _core
from ._arrays import DTYPES, RAW, kind_of
from ._errors import ArgumentError, ResidencyError, ShapeError

POLICIES = {"auto": 0, "seq": 1, "omp": 2, "cuda": 3, "reference": 4}
_OMP, _CUDA = 2, 3
_NOSYNC, _STRICT = 1, 2
IDENTITY, CONJUGATE, CAST = range(3)
SEMIRINGS = {"plus_times": 0, "min_plus": 1, "max_plus": 2, "or_and": 3}
PRECISIONS = {"full": 0, "fast_f32": 1, "tf32": 2, "three_products": 3}
ACTIVATIONS = {"relu": 1, "gelu": 2}

Explanation = namedtuple("Explanation", "backend kernel reason")
Explanation.__doc__ = "What a call would run on: the backend, the kernel, and why."

_threads = 0
_AUTOMATIC = (0, 0, 0, 0)


def set_threads(count):
    """Sets how many threads later calls on the processor take, and returns what it was.

    0, the default, is what OpenMP offers (OMP_NUM_THREADS, else the cores). Calls on `seq` take one whatever is set.

    >>> before = xpose.set_threads(2)
    >>> xpose.set_threads(before)
    2
    """
    global _threads
    if not isinstance(count, int) or not 0 <= count < 2**31:
        raise ArgumentError(f"set_threads: {count!r} is not a number of threads; 0 is OpenMP's own choice")
    before, _threads = _threads, count
    return before


def choice(operation, name, value, choices):
    """The number of one of several names."""
    number = choices.get(value) if isinstance(value, str) else None
    if number is None:
        raise ArgumentError(f"{operation}: {name} is {value!r}; it is one of {', '.join(map(repr, choices))}")
    return number


def stream_handle(operation, stream):
    """A cudaStream_t of a number, or of a stream of CuPy, PyTorch, or anything with __cuda_stream__."""
    for attribute in ("cuda_stream", "ptr"):
        handle = getattr(stream, attribute, None)
        if isinstance(handle, int):
            return handle
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return (protocol() if callable(protocol) else protocol)[1]
    if isinstance(stream, int) and not isinstance(stream, bool):
        if stream < 0:
            raise ArgumentError(f"{operation}: stream is {stream}, which is no address")
        return stream
    raise TypeError(f"{operation}: stream is a {type(stream).__name__}; pass a stream of PyTorch or CuPy, or its address")


def resolve(operation, policy, stream, kind, array):
    """(xpose_backend, threads, cudaStream_t, flags) of a call whose output is `array`. Calls on device memory are enqueued on the
    library's current stream, as its own are."""
    if policy == "auto" and stream is None and kind.device(array) is None:
        return (_OMP, _threads, 0, 0) if _threads else _AUTOMATIC
    backend = choice(operation, "policy", policy, POLICIES)
    on_device = kind.device(array) is not None
    if backend == 0 and on_device:
        backend = _CUDA
    handle = 0
    if stream is not None:
        handle = stream_handle(operation, stream)
    elif on_device and backend == _CUDA:
        handle = kind.stream(array)
    flags = _NOSYNC | _STRICT if on_device and backend == _CUDA else 0
    return (backend, _threads if backend == _OMP else 0, handle, flags)


def _written(kind, array):
    """The array, after a call wrote it."""
    kind.written(array)
    return array


def _record(resolved, stream, *operands):
    """Memory that a call enqueues work on must not be given to another stream before that is done. Libraries see to it for their
    current stream, where the call is if no other was named."""
    if stream is not None and resolved[3] & _NOSYNC:
        for kind, array in operands:
            kind.record(array, resolved[2])


# numpy.ndarray and torch.Tensor without options take a short way to _core, because a small call is mostly the questions that others
# need: 4 us of a product of 2x3 by 3x2, where _core and the library take 0.9.

def _plain_numpy(inputs, out):
    """The policy of a call on arrays of NumPy, or None where the long way has to ask more."""
    dtype = inputs[0].dtype
    for array in inputs if out is None else (*inputs, out):
        if type(array) is not np.ndarray or array.dtype is not dtype:
            return None
    return (_OMP, _threads, 0, 0) if _threads else _AUTOMATIC


_tensors = None  # the kind of torch.Tensor, once one was seen


def _plain_torch(inputs, out):
    """The same of tensors that nothing records, on one device."""
    first = inputs[0]
    dtype, place = first.dtype, first.get_device()
    for tensor in inputs if out is None else (*inputs, out):
        if type(tensor) is not _tensors.torch.Tensor or tensor.requires_grad or tensor.dtype is not dtype \
                or tensor.get_device() != place:
            return None
    if place >= 0:
        return (_CUDA, 0, _tensors.stream(first), _NOSYNC | _STRICT)
    return (_OMP, _threads, 0, 0) if _threads else _AUTOMATIC


_cupy = None  # the kind of cupy.ndarray


def _plain_cupy(inputs, out):
    """The same of arrays on CuPy's current device."""
    dtype, place = inputs[0].dtype, _cupy.current_device()
    for array in inputs if out is None else (*inputs, out):
        if type(array) is not _cupy.cupy.ndarray or array.dtype is not dtype or array.data.device_id != place:
            return None
    return (_CUDA, 0, _cupy.current_stream().ptr, _NOSYNC | _STRICT)


def _plain(inputs, out):
    """(policy, kind) of a plain call."""
    global _tensors, _cupy
    kind = type(inputs[0])
    if kind is np.ndarray:
        return _plain_numpy(inputs, out), _arrays.NUMPY
    if _tensors is not None and kind is _tensors.torch.Tensor:
        return (None, None) if _tensors.is_compiling() else (_plain_torch(inputs, out), _tensors)
    if _cupy is not None and kind is _cupy.cupy.ndarray:
        return _plain_cupy(inputs, out), _cupy
    if _tensors is None and kind.__module__ == "torch" and kind.__name__ == "Tensor":
        _tensors = kind_of(inputs[0], "", "")
    elif _cupy is None and kind.__module__.startswith("cupy") and kind.__name__ == "ndarray":
        _cupy = kind_of(inputs[0], "", "")
    return None, None


_PLAIN_NAMES = frozenset(("float32", "float64", "float16", "bfloat16", "complex64", "complex128", "int32", "int64"))
_PLAIN_OPTIONS = (SEMIRINGS["plus_times"], PRECISIONS["full"], RAW, False, False)


def plain_transpose(a, axes, out):
    policy, kind = _plain((a,), out)
    if policy is None:
        return None
    target = kind.empty(_permuted(a.shape, axes), a.dtype, a) if out is None else out
    _core.permute(policy, a, target, axes, IDENTITY, False)
    if out is not None:
        kind.written(out)
    return target


def plain_matmul(a, b, out):
    policy, kind = _plain((a, b), out)
    if policy is None or kind.dtype_name(a.dtype) not in _PLAIN_NAMES:
        return None
    target = kind.empty(product_shape(a.shape, b.shape), a.dtype, a) if out is None else out
    _core.matmul(policy, None, a, b, None, target, _PLAIN_OPTIONS, None, False)
    if out is not None:
        kind.written(out)
    return target


def plain_add(a, b, alpha, beta, out):
    policy, kind = _plain((a, b), out)
    if policy is None or kind.dtype_name(a.dtype) not in _PLAIN_NAMES:
        return None
    target = kind.empty(broadcast("add", a.shape, b.shape), a.dtype, a) if out is None else out
    _core.add(policy, alpha, a, beta, b, target, False)
    if out is not None:
        kind.written(out)
    return target


def _permuted(shape, axes):
    if axes is None:
        return shape[::-1]
    try:
        return tuple(shape[axis] for axis in axes)
    except (IndexError, TypeError):
        raise ShapeError(f"permute: axes {axes!r} of an array of {len(shape)} dimensions") from None


def _output(operation, kind, out, shape, dtype, like, has_to_be=None):
    """A new array, or `out` where it has the type that the result has."""
    if out is None:
        return kind.empty(shape, dtype, like), kind
    out_kind = kind_of(out, operation, "out")
    out_kind.require_writable(out, operation, "out")
    out_dtype = out_kind.dtype(out)
    if out_kind.dtype_name(out_dtype) != kind.dtype_name(dtype) or (out_kind is kind and out_dtype != dtype):
        raise TypeError(f"{operation}: out has dtype {out_dtype}, and the result {dtype}{has_to_be or ''}")
    return out, out_kind


def conversion(operation, kind, own, dtype, conjugate):
    """The dtype of a move's result, and the function that elements go through."""
    if dtype is None or kind.as_dtype(dtype) == own:
        return own, CONJUGATE if conjugate else IDENTITY
    dtype = kind.as_dtype(dtype)
    if conjugate:
        raise TypeError(f"{operation}: conjugate and a change of dtype from {own} to {dtype} are two calls")
    for name in (kind.dtype_name(own), kind.dtype_name(dtype)):
        if name not in DTYPES:
            raise TypeError(f"{operation}: no cast from {own} to {dtype}; casts are among {', '.join(sorted(DTYPES))}")
    return dtype, CAST


def _in_xla(operation, stream, explains, out, *operands):
    """xpose.jax, where it has to make the call: for operands that JAX traces or has in device memory."""
    for name, array in zip(("a", "b", "scale", "bias"), operands):
        calls = None if array is None else kind_of(array, operation, name).calls(array)
        if calls is None:
            continue
        for name, value in (("out", out), ("stream", stream), ("explain", explains or None)):
            if value is not None:
                raise ArgumentError(f"{operation}: a call on arrays that JAX traces or has on a GPU takes no {name}; XLA gives the "
                                    "memory and the stream, and makes the call")
        return calls
    return None


def move(operation, a, axes, out, dtype, conjugate, policy, stream, explains=False):
    """out(i) = the element of a whose dimension axes[k] has the index i[k]."""
    kind = kind_of(a, operation, "a")
    if kind.is_jax:
        calls = _in_xla(operation, stream, explains, out, a)
        if calls is not None:
            return calls.transpose(a, axes, dtype=dtype, conjugate=conjugate, policy=policy)
    dtype, function = conversion(operation, kind, kind.dtype(a), dtype, conjugate)
    target, out_kind = _output(operation, kind, out, None if out is not None else _permuted(kind.shape(a), axes), dtype, a,
                               "; dtype=... converts" if function != CAST else None)
    resolved = resolve(operation, policy, stream, out_kind, target)
    answer = _core.permute(resolved, a, target, axes, function, explains)
    if explains:
        return Explanation(*answer)
    _record(resolved, stream, (kind, a), (out_kind, target))
    return _written(out_kind, target) if out is not None else kind.finish(target, a)


def broadcast(operation, first, second):
    if first == second:
        return first
    try:
        return np.broadcast_shapes(first, second)
    except ValueError:
        raise ShapeError(f"{operation}: a is {first} and b is {second}, which do not broadcast") from None


_SUMMED = [name for name in DTYPES if name != "bool" and not name.startswith("float8")]


def _names(operation, a_kind, a, b_kind, b):
    names = a_kind.dtype_name(a_kind.dtype(a)), b_kind.dtype_name(b_kind.dtype(b))
    for kind, array, which in ((a_kind, a, "a"), (b_kind, b, "b")):
        if not getattr(kind.dtype(array), "isnative", True):
            raise TypeError(f"{operation}: {which} has dtype {kind.dtype(array).str}, of foreign byte order; convert it first, by "
                            "NumPy's astype")
    return names


def summed_types(a, b):
    """TypeError for names of dtypes that add does not take."""
    if a != b or a not in _SUMMED:
        raise TypeError(f"add: a has dtype {a} and b {b}; both must be one of {', '.join(_SUMMED)}")


def add(a, b, alpha, beta, out, policy, stream, explains=False):
    a_kind, b_kind = kind_of(a, "add", "a"), kind_of(b, "add", "b")
    if a_kind.is_jax or b_kind.is_jax:
        calls = _in_xla("add", stream, explains, out, a, b)
        if calls is not None:
            return calls.add(a, b, alpha=alpha, beta=beta, policy=policy)
    summed_types(*_names("add", a_kind, a, b_kind, b))
    shape = None if out is not None else broadcast("add", a_kind.shape(a), b_kind.shape(b))
    target, out_kind = _output("add", a_kind, out, shape, a_kind.dtype(a), a)
    resolved = resolve("add", policy, stream, out_kind, target)
    answer = _core.add(resolved, alpha, a, beta, b, target, explains)
    if explains:
        return Explanation(*answer)
    _record(resolved, stream, (a_kind, a), (b_kind, b), (out_kind, target))
    return _written(out_kind, target) if out is not None else a_kind.finish(target, a)


_SAME = ("float32", "float64", "int32", "int64")
# (dtype of a, dtype of b) -> dtypes of the result, the default first.
_PRODUCTS = {(name, name): (name,) for name in (*_SAME, "complex64", "complex128")}
_PRODUCTS.update({
    ("float16", "float16"): ("float16", "float32"),
    ("bfloat16", "bfloat16"): ("bfloat16", "float32"),
    ("int8", "int8"): ("int32",),
    ("uint8", "uint8"): ("int32",),
    ("float8_e4m3fn", "float8_e4m3fn"): ("float32", "bfloat16"),
    ("float8_e5m2", "float8_e5m2"): ("float32",),
    ("float8_e4m3fn", "float8_e5m2"): ("float32",),
    ("float8_e5m2", "float8_e4m3fn"): ("float32",),
})
# With scale, bias or an activation.
_LAYERS = {(name, name): (name,) for name in ("float32", "float64", "float16", "bfloat16")}
_LAYERS["int8", "int8"] = ("float32",)
_TROPICAL = {(name, name): (name,) for name in _SAME}
_TYPES_OF_SEMIRING = {
    "plus_times": _PRODUCTS,
    "min_plus": _TROPICAL,
    "max_plus": _TROPICAL,
    "or_and": {("bool", "bool"): ("bool",), ("uint8", "uint8"): ("uint8",)},
}


def product_shape(a, b):
    """The shape of a @ b; what does not fit, _core refuses."""
    if len(a) == 2 and len(b) == 2:
        return a[0], b[1]
    rows, cols = a[-2:-1], b[-1:] if len(b) > 1 else ()
    return (*broadcast("matmul", a[:-2], b[:-2]), *rows, *cols)


def _layer(scale, bias, activation, result, target_kind, target):
    """(scale, bias, number of the activation) for _core, or None; (kind, array) of the operands."""
    if scale is bias is activation is None:
        return None, ()
    number = 0 if activation is None else choice("matmul", "activation", activation, ACTIVATIONS)
    operands = []
    for name, array in (("scale", scale), ("bias", bias)):
        if array is None:
            continue
        kind = kind_of(array, "matmul", name)
        if kind.dtype_name(kind.dtype(array)) != result:
            raise TypeError(f"matmul: {name} has dtype {kind.dtype_name(kind.dtype(array))}, and the result {result}")
        if kind.device(array) != target_kind.device(target):
            raise ResidencyError(f"matmul: {name} is not on the result's device")
        operands.append((kind, array))
    return (scale, bias, number), operands


def product_type(names, semiring, has_layer, wanted):
    """The dtype of the product of two dtypes: the wanted one of those that it may have, the first where that is None."""
    choice("matmul", "semiring", semiring, SEMIRINGS)
    types, over = _TYPES_OF_SEMIRING[semiring], f"over {semiring}"
    if has_layer:
        if semiring != "plus_times":
            raise ArgumentError(f"matmul: scale, bias and activation belong to plus_times, and semiring is {semiring!r}")
        types, over = _LAYERS, "with scale, bias or activation"
    results = types.get(names)
    if results is None:
        known = ", ".join(x if x == y else f"{x} by {y}" for x, y in types)
        raise TypeError(f"matmul: a has dtype {names[0]} and b {names[1]}; {over} it multiplies {known}")
    if wanted is None:
        return results[0]
    if wanted not in results:
        raise TypeError(f"matmul: the product of {names[0]} and {names[1]} is {' or '.join(results)}, not {wanted}")
    return wanted


def accumulated_in(kind, dtype):
    """The number of the dtype that a product's sums are kept in."""
    name = kind.dtype_name(kind.as_dtype(dtype))
    if name not in DTYPES:
        raise TypeError(f"matmul: accumulate is {name}, which no sum is kept in")
    return DTYPES[name]


def matmul(a, b, out, alpha, beta, semiring, precision, accumulate, dtype, conjugate_a, conjugate_b, scale, bias, activation, policy,
           stream, explains=False):
    a_kind, b_kind = kind_of(a, "matmul", "a"), kind_of(b, "matmul", "b")
    has_layer = not scale is bias is activation is None
    if a_kind.is_jax or b_kind.is_jax or has_layer:
        calls = _in_xla("matmul", stream, explains, out, a, b, scale, bias)
        if calls is not None:
            if beta is not None:
                raise ArgumentError("matmul: beta scales what out holds, and arrays of JAX are never out")
            return calls.matmul(a, b, alpha=alpha, semiring=semiring, precision=precision, accumulate=accumulate, dtype=dtype,
                                conjugate_a=conjugate_a, conjugate_b=conjugate_b, scale=scale, bias=bias, activation=activation,
                                policy=policy)
    exact = PRECISIONS["full"] if precision is None else choice("matmul", "precision", precision, PRECISIONS)
    wanted = None
    if dtype is not None:
        wanted = a_kind.dtype_name(a_kind.as_dtype(dtype))
    elif out is not None:
        out_kind = kind_of(out, "matmul", "out")
        wanted = out_kind.dtype_name(out_kind.dtype(out))
    wanted = product_type(_names("matmul", a_kind, a, b_kind, b), semiring, has_layer, wanted)
    if beta is not None and out is None:
        raise ArgumentError("matmul: beta scales what out holds, so it needs out")
    ring = SEMIRINGS[semiring]
    if accumulate is not None:
        accumulate = accumulated_in(a_kind, accumulate)
    shape = None if out is not None else product_shape(a_kind.shape(a), b_kind.shape(b))
    target, out_kind = _output("matmul", a_kind, out, shape, a_kind.as_dtype(wanted), a)
    resolved = resolve("matmul", policy, stream, out_kind, target)
    layer, operands = _layer(scale, bias, activation, wanted, out_kind, target)
    answer = _core.matmul(resolved, alpha, a, b, beta, target,
                          (ring, exact, accumulate or RAW, bool(conjugate_a), bool(conjugate_b)), layer, explains)
    if explains:
        return Explanation(*answer)
    _record(resolved, stream, (a_kind, a), (b_kind, b), (out_kind, target), *operands)
    return _written(out_kind, target) if out is not None else a_kind.finish(target, a)


def transpose_inplace(a, policy, stream, explains=False):
    kind = kind_of(a, "transpose_inplace", "a")
    if isinstance(kind, (_arrays.Jax, _arrays.DLPack)):
        raise TypeError(f"transpose_inplace: a is a {type(a).__name__}; of other libraries than NumPy, PyTorch and CuPy, arrays are "
                        "only read")
    kind.require_writable(a, "transpose_inplace", "a")
    shape = kind.shape(a)
    resolved = resolve("transpose_inplace", policy, stream, kind, a)
    answer = _core.transpose_inplace(resolved, a, explains)
    if explains:
        return Explanation(*answer)
    _record(resolved, stream, (kind, a))
    _written(kind, a)
    if shape[-1] == shape[-2]:
        return a
    itemsize = a.itemsize if not callable(getattr(a, "element_size", None)) else a.element_size()
    strides = a.stride() if callable(getattr(a, "stride", None)) else tuple(s // itemsize for s in a.strides)
    return kind.restride(a, (*shape[:-2], shape[-1], shape[-2]), (*strides[:-2], *answer))


def contiguous(a, order, policy, stream):
    kind = kind_of(a, "ascontiguous", "a")
    if kind.is_contiguous(a, order):
        return a
    axes = tuple(range(len(kind.shape(a))))
    if order == "C":
        return move("ascontiguous", a, axes, None, None, False, policy, stream)
    return kind.reversed(move("ascontiguous", a, axes[::-1], None, None, False, policy, stream))


def _explained_move(operation):
    def explained(a, axes=None, *, out=None, dtype=None, conjugate=False, policy="auto", stream=None):
        if operation == "copy":
            axes = tuple(range(len(kind_of(a, operation, "a").shape(a))))
        return move(operation, a, axes, out, dtype, conjugate, policy, stream, True)
    return explained


def _explained_add(a, b, *, alpha=1, beta=1, out=None, policy="auto", stream=None):
    return add(a, b, alpha, beta, out, policy, stream, True)


def _explained_matmul(a, b, *, out=None, alpha=None, beta=None, semiring="plus_times", precision=None, accumulate=None, dtype=None,
                      conjugate_a=False, conjugate_b=False, scale=None, bias=None, activation=None, policy="auto", stream=None):
    return matmul(a, b, out, alpha, beta, semiring, precision, accumulate, dtype, conjugate_a, conjugate_b, scale, bias, activation,
                  policy, stream, True)


def _explained_inplace(a, *, policy="auto", stream=None):
    return transpose_inplace(a, policy, stream, True)


_EXPLAINED = {
    "transpose": _explained_move("transpose"), "permute": _explained_move("permute"), "copy": _explained_move("copy"),
    "transpose_inplace": _explained_inplace, "add": _explained_add, "matmul": _explained_matmul,
}


def explain(operation, *arrays, **options):
    if operation not in _EXPLAINED:
        raise ArgumentError(f"explain: operation is {operation!r}; it is one of {', '.join(map(repr, _EXPLAINED))}")
    return _EXPLAINED[operation](*arrays, **options)


def info():
    import os
    import platform
    probe = np.zeros((0, 2), np.float32)  # without elements, so that it lies where every backend reaches it
    backends = {}
    for policy in ("reference", "seq", "omp", "cuda"):
        answer = explain("transpose", probe, policy=policy)
        backends[policy] = answer.backend if answer.backend == policy or policy == "seq" else answer.reason
    variables = {name: value for name, value in sorted(os.environ.items())
                 if name.startswith(("XPOSE_", "OMP_")) or name == "CUDA_VISIBLE_DEVICES"}
    return {"version": _core.version(), "library": _core.__file__, "python": platform.python_version(), "numpy": np.__version__,
            "backends": backends, "environment": variables}
