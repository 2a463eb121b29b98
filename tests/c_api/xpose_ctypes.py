# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose.h for ctypes, written by hand as a user of another language would."""

import ctypes
import os

import numpy as np

LIBRARY = ctypes.CDLL(os.environ["XPOSE_LIBRARY"])

DTYPES = dict(
    zip(
        "raw bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 "
        "float32 float64 complex64 complex128".split(),
        range(16),
    )
)
AUTOMATIC, SEQ, OMP, CUDA, REFERENCE = range(5)
IDENTITY, CONJUGATE, CAST = range(3)
PLUS_TIMES, MIN_PLUS, MAX_PLUS, OR_AND = range(4)


class Matrix(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("rows", ctypes.c_int64),
        ("cols", ctypes.c_int64),
        ("row_stride", ctypes.c_int64),
        ("col_stride", ctypes.c_int64),
        ("element_bytes", ctypes.c_int64),
        ("dtype", ctypes.c_int32),
        ("conjugated", ctypes.c_int32),
    ]


class Batch(ctypes.Structure):
    _fields_ = [("first", Matrix), ("count", ctypes.c_int64), ("batch_stride", ctypes.c_int64)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("extents", ctypes.c_int64 * 8),
        ("strides", ctypes.c_int64 * 8),
        ("element_bytes", ctypes.c_int64),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
    ]


class Policy(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint64),
        ("backend", ctypes.c_int32),
        ("threads", ctypes.c_int32),
        ("stream", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
    ]


class GemmOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint64),
        ("accumulate", ctypes.c_int32),
        ("semiring", ctypes.c_int32),
        ("precision", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
    ]


class XposeError(Exception):
    def __init__(self, status):
        name = LIBRARY.xpose_status_name(status).decode()
        super().__init__(f"{name}: {LIBRARY.xpose_last_error().decode()}")


for name in ("xpose_status_name", "xpose_last_error", "xpose_version"):
    getattr(LIBRARY, name).restype = ctypes.c_char_p


def call(function, *arguments):
    """Raises XposeError unless the status is 0. Structs and NumPy's scalars go by reference."""
    scalars = [np.asarray(a) if isinstance(a, np.generic) else a for a in arguments]  # kept alive

    def passed(argument):
        if isinstance(argument, np.ndarray):
            return ctypes.c_void_p(argument.ctypes.data)
        return ctypes.byref(argument) if isinstance(argument, ctypes.Structure) else argument

    status = getattr(LIBRARY, "xpose_" + function)(*map(passed, scalars))
    if status != 0:
        raise XposeError(status)


def policy(backend=OMP, threads=0):
    return Policy(ctypes.sizeof(Policy), backend, threads, None, 0)


def element(array):
    """dtype and element_bytes of an array: raw if xpose has no name for the type."""
    if array.dtype.isnative and array.dtype.name in DTYPES:
        return DTYPES[array.dtype.name], 0
    return DTYPES["raw"], array.dtype.itemsize


def in_elements(array):
    """The strides of an array, which NumPy counts in bytes."""
    assert all(s % array.itemsize == 0 for s in array.strides)
    return [s // array.itemsize for s in array.strides]


def matrix(array, conjugated=False):
    dtype, element_bytes = element(array)
    strides = in_elements(array)
    return Matrix(array.ctypes.data, *array.shape, *strides, element_bytes, dtype, conjugated)


def batch(array, conjugated=False):
    return Batch(matrix(array[0], conjugated), len(array), in_elements(array)[0])


def tensor(array):
    dtype, element_bytes = element(array)
    eight = ctypes.c_int64 * 8
    return Tensor(
        array.ctypes.data, eight(*array.shape), eight(*in_elements(array)), element_bytes, dtype, array.ndim
    )
