# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Exceptions: each status of the library is a class, and a built-in class too where Python has one for it."""

import builtins


class Error(Exception):
    """What every exception of xpose is, but TypeError, ValueError and MemoryError of Python's own."""


class ArgumentError(Error, ValueError):
    """An argument is none of the values that it may have."""


class ShapeError(Error, ValueError):
    """Extents do not fit each other."""


class LayoutError(Error, ValueError):
    """Elements of an output share memory, or data lie at an address that their type does not allow."""


class AliasError(Error, ValueError):
    """An output overlaps an input."""


class OverflowError(Error, builtins.OverflowError):
    """More elements or bytes than 64 bits count."""


class ResidencyError(Error, ValueError):
    """An operand lies in memory that the policy's backend cannot reach."""


class BackendError(Error, RuntimeError):
    """The backend cannot run here, or has no kernel for these types."""


class CudaError(Error, RuntimeError):
    """CUDA refused a call. `code` is its cudaError_t."""

    code = 0


class DeviceLost(CudaError):
    """A kernel failed, and CUDA refuses every later call of this process."""


_OF_STATUS = {
    1: ArgumentError,
    2: ShapeError,
    3: LayoutError,
    4: AliasError,
    5: OverflowError,
    6: ResidencyError,
    7: BackendError,
    8: CudaError,
    9: MemoryError,
    11: DeviceLost,
}


def of_status(status, message, cuda_code):
    """The exception of an xpose_status."""
    error = _OF_STATUS.get(status, Error)(message)
    if isinstance(error, CudaError):
        error.code = cuda_code
    return error
