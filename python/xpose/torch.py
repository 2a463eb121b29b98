# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""PyTorch's operators xpose::permute, xpose::add and xpose::matmul, with gradients and shapes, so that autograd and torch.compile
know them. xpose.transpose and the others call them where a tensor requires a gradient or the call is being compiled."""

import torch

from . import _calls


def _parts(scalar):
    """A scalar as an operator takes it: its real and its imaginary part, as floats."""
    if isinstance(scalar, int) and int(float(scalar)) != scalar:
        raise OverflowError(f"xpose: {scalar} is more than a call that PyTorch records or compiles can pass on, a float")
    scalar = complex(scalar)
    return [scalar.real, scalar.imag]


def _scalar(parts, a):
    """The scalar of a type that a's elements are multiplied with."""
    if a.is_complex():
        return complex(*parts)
    if parts[1] != 0 or not (a.is_floating_point() or parts[0].is_integer()):
        raise TypeError(f"xpose: a scalar of {complex(*parts)} for tensors of {a.dtype}")
    return parts[0] if a.is_floating_point() else int(parts[0])


def _conjugate(parts):
    return [parts[0], -parts[1]]


def _axes_of(a, axes):
    rank = a.dim()
    if axes is None:
        return list(range(rank))[::-1]
    return [int(axis) + rank if axis < 0 else int(axis) for axis in axes]


@torch.library.custom_op("xpose::permute", mutates_args=())
def _permute(a: torch.Tensor, axes: list[int], dtype: torch.dtype | None, conjugate: bool, policy: str) -> torch.Tensor:
    return _calls.move("permute", a, tuple(axes), None, dtype, conjugate, policy, None)


@_permute.register_fake
def _(a, axes, dtype, conjugate, policy):
    return a.new_empty([a.shape[axis] for axis in axes], dtype=dtype)


def _permute_setup(ctx, inputs, output):
    a, ctx.axes, _, ctx.conjugate, ctx.policy = inputs
    ctx.dtype = a.dtype


def _permute_backward(ctx, grad):
    inverse = [0] * len(ctx.axes)
    for k, axis in enumerate(ctx.axes):
        inverse[axis] = k
    dtype = ctx.dtype if ctx.dtype != grad.dtype else None
    return _permute(grad, inverse, dtype, ctx.conjugate, ctx.policy), None, None, None, None


_permute.register_autograd(_permute_backward, setup_context=_permute_setup)


@torch.library.custom_op("xpose::add", mutates_args=())
def _add(a: torch.Tensor, b: torch.Tensor, alpha: list[float], beta: list[float], policy: str) -> torch.Tensor:
    return _calls.add(a, b, _scalar(alpha, a), _scalar(beta, a), None, policy, None)


@_add.register_fake
def _(a, b, alpha, beta, policy):
    return a.new_empty(torch.broadcast_shapes(a.shape, b.shape))


def _add_setup(ctx, inputs, output):
    a, b, ctx.alpha, ctx.beta, _ = inputs
    ctx.shapes = a.shape, b.shape


def _add_backward(ctx, grad):
    def of(parts, shape):
        return (grad * _scalar(_conjugate(parts), grad)).sum_to_size(shape)
    return (of(ctx.alpha, ctx.shapes[0]) if ctx.needs_input_grad[0] else None,
            of(ctx.beta, ctx.shapes[1]) if ctx.needs_input_grad[1] else None, None, None, None)


_add.register_autograd(_add_backward, setup_context=_add_setup)


@torch.library.custom_op("xpose::matmul", mutates_args=())
def _matmul(a: torch.Tensor, b: torch.Tensor, alpha: list[float], dtype: torch.dtype | None, conjugate_a: bool, conjugate_b: bool,
            precision: str, policy: str) -> torch.Tensor:
    scalar = None if alpha == [1, 0] else _scalar(alpha, a)
    return _calls.matmul(a, b, None, scalar, None, "plus_times", precision, None, dtype, conjugate_a, conjugate_b, None, None, None,
                         policy, None)


@_matmul.register_fake
def _(a, b, alpha, dtype, conjugate_a, conjugate_b, precision, policy):
    shape = (*torch.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1])
    if dtype is None:
        dtype = {torch.int8: torch.int32, torch.uint8: torch.int32}.get(a.dtype, a.dtype)
        if "float8" in str(dtype):
            dtype = torch.float32
    return a.new_empty(shape, dtype=dtype)


def _matmul_setup(ctx, inputs, output):
    a, b, ctx.alpha, _, ctx.conjugate_a, ctx.conjugate_b, *ctx.how = inputs
    ctx.save_for_backward(a, b)


def _matmul_backward(ctx, grad):
    """Of C = alpha op(A) op(B): the gradient of op(A) is conj(alpha) dC op(B)^H, of op(B) conj(alpha) op(A)^H dC."""
    a, b = ctx.saved_tensors
    grad = grad.to(a.dtype)
    alpha = _conjugate(ctx.alpha)
    of_a = of_b = None
    if ctx.needs_input_grad[0]:
        of_a = _matmul(grad, b.mT, alpha, None, False, not ctx.conjugate_b and b.is_complex(), *ctx.how).sum_to_size(a.shape)
        of_a = of_a.conj() if ctx.conjugate_a and a.is_complex() else of_a
    if ctx.needs_input_grad[1]:
        of_b = _matmul(a.mT, grad, alpha, None, not ctx.conjugate_a and a.is_complex(), False, *ctx.how).sum_to_size(b.shape)
        of_b = of_b.conj() if ctx.conjugate_b and b.is_complex() else of_b
    return of_a, of_b, None, None, None, None, None, None


_matmul.register_autograd(_matmul_backward, setup_context=_matmul_setup)


def permute(a, axes, dtype, conjugate, policy):
    return _permute(a, _axes_of(a, axes), dtype, conjugate, policy)


def add(a, b, alpha, beta, policy):
    return _add(a, b, _parts(alpha), _parts(beta), policy)


_ACTIVATIONS = {None: lambda x: x, "relu": torch.relu, "gelu": torch.nn.functional.gelu}


def matmul(a, b, alpha, dtype, conjugate_a, conjugate_b, scale, bias, activation, precision, policy):
    """Vectors become matrices of one row or column: the operators know matrices and stacks of them alone. Scale, bias and
    activation are PyTorch's own, whose gradients it knows, and which its compiler joins into one pass."""
    if activation is not None:
        _calls.choice("matmul", "activation", activation, _calls.ACTIVATIONS)
    rows = a.unsqueeze(0) if a.dim() == 1 else a
    cols = b.unsqueeze(1) if b.dim() == 1 else b
    product = _matmul(rows, cols, _parts(1 if alpha is None else alpha), dtype, conjugate_a, conjugate_b,
                      precision or "full", policy)
    if b.dim() == 1:
        product = product.squeeze(-1)
    if a.dim() == 1:
        product = product.squeeze(-1 if b.dim() == 1 else -2)
    if scale is not None:
        product = product * scale
    return _ACTIVATIONS[activation](product if bias is None else product + bias)
