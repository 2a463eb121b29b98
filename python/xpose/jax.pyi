# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

from collections.abc import Sequence
from typing import Any, TypeVar

from xpose import _Activation, _Policy, _Precision, _Semiring

_Array = TypeVar("_Array")

def transpose(a: _Array, axes: Sequence[int] | None = None, *, dtype: Any = None, conjugate: bool = False,
              policy: _Policy = "auto") -> _Array: ...
def permute(a: _Array, axes: Sequence[int], *, dtype: Any = None, conjugate: bool = False, policy: _Policy = "auto") -> _Array: ...

permute_dims = permute

def matrix_transpose(a: _Array, *, dtype: Any = None, conjugate: bool = False, policy: _Policy = "auto") -> _Array: ...
def add(a: _Array, b: _Array, *, alpha: complex = 1, beta: complex = 1, policy: _Policy = "auto") -> _Array: ...
def matmul(a: _Array, b: _Array, *, alpha: complex | None = None, semiring: _Semiring = "plus_times",
           precision: _Precision | None = None, accumulate: Any = None, dtype: Any = None, conjugate_a: bool = False,
           conjugate_b: bool = False, scale: Any = None, bias: Any = None, activation: _Activation | None = None,
           policy: _Policy = "auto") -> _Array: ...
