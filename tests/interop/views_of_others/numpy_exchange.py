# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""DLPack with NumPy, both ways: NumPy's arrays as xpose views, and an xpose view as NumPy's array.

usage: numpy_exchange.py LIBRARY   (numpy_exchange.cpp, compiled)
"""

import ctypes
import sys

import numpy as np

library = ctypes.CDLL(sys.argv[1])
library.transpose_tensors.restype = ctypes.c_char_p
library.transpose_tensors.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p]
library.tensor_of_ours.restype = ctypes.c_void_p

pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype = ctypes.c_void_p
pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def transpose(array, out, name=None):
    """The message of the refusal, or None."""
    capsules = array.__dlpack__(), out.__dlpack__()
    message = library.transpose_tensors(*(pointer_of(c, b"dltensor") for c in capsules),
                                        (name or array.dtype.name).encode())
    return message and message.decode()


def numbers(shape, dtype):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    return array * (1 + 2j) if dtype == "complex128" else array


def check_arrays():
    for dtype in ("int16", "uint64", "float16", "float32", "complex128"):
        for array in (numbers((5, 7), dtype), numbers((5, 7), dtype).T, numbers((9, 8), dtype)[1::2, ::3],
                      numbers((5, 7), dtype)[::-1], numbers((2, 5, 7), dtype), numbers((0, 7), dtype)):
            out = np.zeros(np.swapaxes(array, -1, -2).shape, dtype)
            assert transpose(array, out) is None
            assert np.array_equal(out, np.swapaxes(array, -1, -2)), (dtype, array.strides)


def check_refusals():
    array, out = np.zeros((5, 7)), np.zeros((7, 5))
    assert transpose(array, out, "float32") == "DLPack: elements of the tensor are float64, not float32"
    flat = np.zeros(35, "float32")
    assert transpose(flat, flat) == "DLPack: the tensor has 1 dimensions, expected 2"


class OurTensor:
    """What np.from_dlpack takes."""

    def __dlpack__(self, stream=None):
        return new_capsule(library.tensor_of_ours(), b"dltensor", None)

    def __dlpack_device__(self):
        return 1, 0


def check_our_tensor():
    array = np.from_dlpack(OurTensor())
    assert array.dtype == np.float32
    assert array.strides == (8, 24)
    assert np.array_equal(array, np.arange(12).reshape(3, 4))


check_arrays()
check_refusals()
check_our_tensor()
