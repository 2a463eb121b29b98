# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Arrays of several libraries: what lies in them, and new ones of the caller's kind on the same device.

A kind is chosen by the module that defines the array's class, so that no library is imported before its arrays are seen.
NumPy's arrays and other buffers go to the extension as they are; describe() makes a tuple of what the buffer protocol cannot
say: bfloat16 and the 8-bit floats, dates, and arrays of PyTorch, CuPy and whatever has __dlpack__.
"""

import numpy as np

from . import _core
from ._errors import ArgumentError, LayoutError, ResidencyError

RAW = 0
# Numbers of xpose_dtype, by NumPy's names.
DTYPES = {
    "bool": 1, "int8": 2, "uint8": 3, "int16": 4, "uint16": 5, "int32": 6, "uint32": 7, "int64": 8, "uint64": 9,
    "float16": 10, "bfloat16": 11, "float32": 12, "float64": 13, "complex64": 14, "complex128": 15,
    "float8_e4m3fn": 16, "float8_e5m2": 17,
}
_FROM_ML_DTYPES = ("bfloat16", "float8_e4m3fn", "float8_e5m2")


def refuse(operation, name, array):
    """TypeError for what is no array."""
    kind = type(array)
    told = f"{operation}: {name} is a {kind.__module__}.{kind.__qualname__}" if kind.__module__ != "builtins" \
        else f"{operation}: {name} is a {kind.__name__}"
    raise TypeError(f"{told}; pass an array of NumPy, PyTorch, CuPy or JAX, or another with __dlpack__ or the buffer protocol")


class _Names(dict):
    """dtype -> its name, which NumPy takes a microsecond to make."""

    def __missing__(self, dtype):
        name = self[dtype] = dtype.name
        return name


_names = _Names()


def numpy_dtype(name):
    """np.dtype of a name or type, also of those that ml_dtypes defines."""
    if isinstance(name, np.dtype):
        return name
    if isinstance(name, str) and name in _FROM_ML_DTYPES:
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError(f"dtype {name!r} needs the package ml_dtypes, which is not installed") from None
        return np.dtype(getattr(ml_dtypes, name))
    try:
        return np.dtype(name)
    except TypeError:
        raise TypeError(f"dtype is {name!r}, which NumPy does not know") from None


def describe(array, operation, name):
    """(address, shape, strides in elements, xpose_dtype, element_bytes, is read-only, is conjugated, owner)."""
    if isinstance(array, np.ndarray):
        return _describe_numpy(array, operation, name)
    if isinstance(array, np.generic):
        address, shape, strides, code, size, _, conjugated, owner = _describe_numpy(np.asarray(array), operation, name)
        return address, shape, strides, code, size, True, conjugated, owner  # a copy: what is written to it is lost
    return kind_of(array, operation, name).describe(array, operation, name)


def _describe_numpy(array, operation, name):
    dtype = array.dtype
    if dtype.hasobject:
        raise TypeError(f"{operation}: {name} has elements of dtype {dtype}, which refer to Python's objects")
    size = dtype.itemsize
    if size == 0:
        raise TypeError(f"{operation}: {name} has elements of dtype {dtype}, which take no bytes")
    if any(stride % size for stride, extent in zip(array.strides, array.shape) if extent > 1):
        raise LayoutError(f"{operation}: {name}'s strides of {array.strides} bytes are no multiples of its elements' {size}; "
                          "copy it first, by numpy.ascontiguousarray")
    code = DTYPES.get(dtype.name, RAW) if dtype.isnative and dtype.names is None and dtype.subdtype is None else RAW
    return (array.__array_interface__["data"][0], array.shape, tuple(stride // size for stride in array.strides), code, size,
            not array.flags.writeable, False, array)


class Kind:
    """What most libraries do alike: dtypes of NumPy, host memory, results made as arrays of NumPy."""

    shape = staticmethod(lambda array: array.shape)
    dtype = staticmethod(lambda array: array.dtype)
    as_dtype = staticmethod(numpy_dtype)
    dtype_name = _names.__getitem__  # bound to the dict, so it takes the dtype alone
    empty = staticmethod(lambda shape, dtype, like: np.empty(shape, dtype))
    device = staticmethod(lambda array: None)
    reversed = staticmethod(lambda array: array.T)
    finish = staticmethod(lambda array, like: array)
    require_writable = staticmethod(lambda array, operation, name: None)  # beyond what describe() says
    written = staticmethod(lambda array: None)
    record = staticmethod(lambda array, stream: None)
    is_jax = False
    calls = staticmethod(lambda array: None)  # a module whose functions make the call in place of _core

    @staticmethod
    def is_contiguous(array, order):
        return array.flags.c_contiguous if order == "C" else array.flags.f_contiguous


class NumPy(Kind):
    """NumPy's arrays, and as inputs all that has the buffer protocol."""

    @staticmethod
    def shape(array):
        return array.shape if isinstance(array, (np.ndarray, np.generic)) else memoryview(array).shape

    @staticmethod
    def dtype(array):
        return array.dtype if isinstance(array, (np.ndarray, np.generic)) else np.asarray(memoryview(array)).dtype

    @staticmethod
    def is_contiguous(array, order):
        return Kind.is_contiguous(array if isinstance(array, (np.ndarray, np.generic)) else np.asarray(memoryview(array)), order)

    @staticmethod
    def restride(array, shape, strides):
        """The same memory with other extents and strides (in elements)."""
        return np.lib.stride_tricks.as_strided(array, shape, [s * array.itemsize for s in strides])


class Torch(Kind):
    """torch.Tensor on a processor or a CUDA device. Autograd and torch.compile are in torch.py."""

    def __init__(self):
        import torch
        self.torch = torch
        _core.know_tensors(torch.Tensor)
        self.dtypes = {str(dtype).removeprefix("torch."): dtype for dtype in vars(torch).values() if isinstance(dtype, torch.dtype)}
        self.names = {dtype: name for name, dtype in self.dtypes.items()}
        self.is_compiling = torch.compiler.is_compiling
        self.written = torch.autograd.graph.increment_version  # tells autograd, which keeps tensors that it will read again
        self.raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # builds no torch.cuda.Stream, which takes 2 us

    @staticmethod
    def shape(array):
        return tuple(array.shape)

    def as_dtype(self, dtype):
        if isinstance(dtype, self.torch.dtype):
            return dtype
        name = dtype if isinstance(dtype, str) else numpy_dtype(dtype).name
        if name not in self.dtypes:
            raise TypeError(f"torch has no dtype {name}")
        return self.dtypes[name]

    def dtype_name(self, dtype):
        return self.names[dtype]

    def empty(self, shape, dtype, like):
        return self.torch.empty(shape, dtype=dtype, device=like.device)

    def describe(self, array, operation, name):
        torch = self.torch
        if array.layout != torch.strided or array.is_quantized:
            raise TypeError(f"{operation}: {name} is a tensor of layout {array.layout}{' and quantised' if array.is_quantized else ''}; "
                            "only dense ones have strides")
        if array.device.type not in ("cpu", "cuda"):
            raise ResidencyError(f"{operation}: {name} is on device {array.device}; only cpu and cuda can be reached")
        is_copy = array.is_neg()
        if is_copy:
            array = array.resolve_neg()
        is_conjugated = array.is_conj()
        return (array.data_ptr(), tuple(array.shape), array.stride(), DTYPES.get(self.names[array.dtype], RAW),
                array.element_size(), is_copy, is_conjugated, array)

    def require_writable(self, array, operation, name):
        if array.requires_grad and array.is_leaf and self.torch.is_grad_enabled():
            raise ArgumentError(f"{operation}: {name} is a leaf that requires a gradient, which a call that writes to it would falsify; "
                                "pass its .detach()")

    @staticmethod
    def device(array):
        return array.get_device() if array.is_cuda else None

    def stream(self, array):
        if self.raw_stream is not None:
            return self.raw_stream(array.get_device())
        return self.torch.cuda.current_stream(array.device).cuda_stream

    def record(self, array, stream):
        array.record_stream(self.torch.cuda.ExternalStream(stream, array.device))

    def restride(self, array, shape, strides):
        return array.as_strided(shape, strides)

    def is_contiguous(self, array, order):
        return (array if order == "C" else self.reversed(array)).is_contiguous() and not array.is_conj() and not array.is_neg()

    reversed = staticmethod(lambda array: array.permute(*reversed(range(array.dim()))))


class CuPy(Kind):
    """cupy.ndarray. Its memory pool keeps blocks for the stream that they were used on."""

    def __init__(self):
        import cupy
        self.cupy = cupy
        _core.know_cupy(cupy.ndarray)
        self.current_device = cupy.cuda.runtime.getDevice
        self.current_stream = cupy.cuda.get_current_stream

    def empty(self, shape, dtype, like):
        with like.device:
            return self.cupy.empty(shape, dtype)

    @staticmethod
    def describe(array, operation, name):
        size = array.dtype.itemsize
        code = DTYPES.get(array.dtype.name, RAW) if array.dtype.isnative else RAW
        return (array.data.ptr, array.shape, tuple(stride // size for stride in array.strides), code, size, False, False, array)

    device = staticmethod(lambda array: array.device.id)

    def stream(self, array):
        with array.device:
            return self.cupy.cuda.get_current_stream().ptr

    def restride(self, array, shape, strides):
        return self.cupy.lib.stride_tricks.as_strided(array, shape, [s * array.itemsize for s in strides])


class Jax(Kind):
    """jax.Array: in host memory read as NumPy's, without a copy; results become a jax.Array. Never an output: it is immutable. What
    JAX traces and what is on a GPU has no address here: XLA makes the call, by jax.py."""

    def __init__(self):
        import jax
        self.jax = jax

    is_jax = True

    def calls(self, array):
        if isinstance(array, self.jax.core.Tracer) or any(device.platform == "gpu" for device in array.devices()):
            from . import jax as calls
            return calls
        return None

    def describe(self, array, operation, name):
        if isinstance(array, self.jax.core.Tracer) or any(device.platform != "cpu" for device in array.devices()):
            raise ResidencyError(f"{operation}: {name} is a jax.Array that is not in host memory")
        return _describe_numpy(np.asarray(array), operation, name)

    is_contiguous = staticmethod(lambda array, order: order == "C" or array.ndim < 2)

    def as_dtype(self, dtype):
        dtype = numpy_dtype(dtype)
        if self.jax.dtypes.canonicalize_dtype(dtype) != dtype:
            raise TypeError(f"JAX keeps no {dtype} unless jax_enable_x64 is set")
        return dtype

    def finish(self, array, like):
        return self.jax.device_put(array, next(iter(like.devices())))


class DLPack(Kind):
    """Whatever else has __dlpack__, in host memory. Results are of the same library where its namespace has from_dlpack (the Array API
    standard), else NumPy's."""

    @staticmethod
    def shape(array):
        return tuple(array.shape)

    @staticmethod
    def dtype(array):
        return np.dtype(str(array.dtype).rpartition(".")[2])

    @staticmethod
    def describe(array, operation, name):
        device_type, _ = array.__dlpack_device__()
        if device_type not in (1, 3):  # kDLCPU, kDLCUDAHost
            raise ResidencyError(f"{operation}: {name} is on a device of DLPack's type {device_type}; of libraries other than PyTorch "
                                 "and CuPy, xpose reads what is in host memory")
        return _describe_numpy(np.from_dlpack(array), operation, name)

    is_contiguous = staticmethod(lambda array, order: Kind.is_contiguous(np.from_dlpack(array), order))

    @staticmethod
    def finish(array, like):
        namespace = getattr(like, "__array_namespace__", None)
        if namespace is None or not hasattr(namespace(), "from_dlpack"):
            return array
        return namespace().from_dlpack(array)


_KINDS = {"torch": Torch, "cupy": CuPy, "jaxlib": Jax, "jax": Jax}
NUMPY = NumPy()
_found = {np.ndarray: NUMPY}


def kind_of(array, operation, name):
    """The kind of an array, by its class; TypeError for what is no array."""
    kind = _found.get(type(array))
    if kind is None:
        kind = _found[type(array)] = _find(array, operation, name)
    return kind


def _find(array, operation, name):
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{operation}: {name} is a masked array, and masks are not moved; pass its .data or .filled()")
    if isinstance(array, (np.ndarray, np.generic)):
        return NUMPY
    for base in type(array).__mro__:
        made = _KINDS.get(base.__module__.partition(".")[0])
        if made is not None and base.__name__ in ("Tensor", "ndarray", "ArrayImpl", "Array", "Tracer"):
            return made()
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        return DLPack()
    try:
        memoryview(array)
        return NUMPY
    except TypeError:
        refuse(operation, name, array)
