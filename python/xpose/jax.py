# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose for JAX: calls that jax.jit compiles, jax.vmap batches and jax.grad differentiates, on processors and on CUDA devices.

>>> import jax, jax.numpy as jnp, xpose.jax
>>> x, w = jnp.ones((4, 3)), jnp.ones((3, 2))
>>> jax.jit(xpose.jax.matmul)(x, w).shape
(4, 2)
>>> jax.grad(lambda w: xpose.jax.matmul(x, w).sum())(w).shape
(3, 2)

XLA calls the library by its foreign function interface, on its own stream, with its own memory. The functions of xpose itself come
here with what JAX traces and with arrays in device memory.

Each operation is a primitive of JAX with rules for shapes, lowering, batches and derivatives of any order, forward and reverse,
which jax.custom_vjp would not give.
"""

import ctypes
import math
import operator
import os
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir, xla

from . import _arrays, _calls, _core
from ._arrays import DTYPES, RAW
from ._errors import ArgumentError, ShapeError

_kind = _arrays.Jax()
_MOST_DIMENSIONS = 8
_PACKED = ("int1", "uint1", "int2", "uint2", "int4", "uint4", "float4_e2m1fn")  # XLA packs several into one byte


def _register():
    path = os.path.join(os.path.dirname(_core.__file__), "_jax.so")
    if not os.path.exists(path):
        raise ImportError(
            "xpose.jax: this build of xpose has no part for JAX, because JAX's headers were not found when it was built; build it by: "
            "pip install . -C cmake.define.XPOSE_JAX_INCLUDE=$(python3 -c 'import jax; print(jax.ffi.include_dir())')")
    library = ctypes.CDLL(path)
    for name in ("permute", "add", "matmul"):
        for platform in ("cpu", "CUDA"):
            handler = getattr(library, f"xpose_jax_{name}_{platform.lower()}")
            jax.ffi.register_ffi_target(f"xpose_{name}", jax.ffi.pycapsule(handler), platform=platform)


_register()


# What the calls share.

def _operand(operation, name, array):
    """A jax.Array or a tracer, as they are; an array of NumPy becomes one."""
    if not isinstance(array, (jax.Array, np.ndarray, np.generic)):
        _arrays.refuse(operation, name, array)
    if not isinstance(array, jax.Array):
        _kind.as_dtype(array.dtype)
        array = jnp.asarray(array)
    if jax.dtypes.issubdtype(array.dtype, jax.dtypes.extended) or array.dtype.name in _PACKED:
        raise TypeError(f"{operation}: {name} has elements of dtype {array.dtype}, which take no whole bytes in XLA's memory")
    return array


def _where(operation, policy):
    """(xpose_backend, threads)."""
    return _calls.choice(operation, "policy", policy, _calls.POLICIES), _calls._threads


def _where_attributes(where):
    return {"backend": np.int32(where[0]), "threads": np.int32(where[1])}


def _scalar(operation, name, number, dtype):
    """The bytes of a number of the type that the call computes in: alpha and beta are constants of the compiled call."""
    if isinstance(number, jax.core.Tracer):
        raise TypeError(f"{operation}: {name} is traced, and must be a number that is known when the call is; multiply an array by it")
    dtype, what = np.dtype(dtype), f"{operation}: {name}"
    if dtype.kind in "iu":
        try:
            number = operator.index(number)
        except TypeError:
            raise TypeError(f"{what} must be an integer for arrays of integers") from None
        if not np.iinfo(dtype).min <= number <= np.iinfo(dtype).max:
            raise OverflowError(f"{what} does not fit {8 * dtype.itemsize} bits")
    else:
        number = complex(number)
        if dtype.kind == "f":
            if number.imag != 0:
                raise TypeError(f"{what} must be a real number for arrays of reals")
            number = number.real
    return np.array(number, dtype).tobytes()


def _as_attribute(scalar):
    """16 bytes as two integers, which is what an attribute of XLA may be."""
    return np.frombuffer((scalar or b"").ljust(16, b"\0"), np.int64)


def _computed_in(dtype, is_product):
    """What a call adds in, as calls.cpp has it."""
    if dtype in ("float16", "bfloat16") or dtype.startswith("float8"):
        return "float32"
    if is_product and dtype in ("bool", "int8", "uint8"):
        return "int32"
    return dtype


def _is_differentiable(dtype):
    return jnp.issubdtype(dtype, jnp.inexact)


def _no_tangent(out):
    """Of integers."""
    return ad.Zero(jax.typeof(out).to_tangent_aval())


def _batch_first(array, axis):
    """The array with its batch as the first dimension; of extent 1 where it has none."""
    return jnp.expand_dims(array, 0) if axis is None else jnp.moveaxis(array, axis, 0)


def _of_rank(array, rank):
    return array if array.ndim == rank else array.reshape((1,) * (rank - array.ndim) + array.shape)


def _shaped(like, shape, dtype):
    """What JAX knows of a result: its extents and type, and over which axes of shard_map it varies."""
    return jax.core.ShapedArray(shape, dtype, **({"vma": like.vma} if getattr(like, "vma", None) else {}))


def _steps(shape, extents, unit):
    """The steps in elements of a dense operand through `extents`, each element of it being `unit` others; 0 where it repeats."""
    steps, step = [], unit
    for own, extent in zip(reversed(shape), reversed(extents)):
        steps.append(step if own == extent else 0)
        step *= own
    return steps[::-1]


def _merged(extents, *operands):
    """Extents and steps of each operand, without extents of 1 and with those joined that one step goes through for every operand."""
    merged = []
    for extent, *steps in zip(extents, *operands):
        if extent == 1:
            continue
        if merged and all(outer == inner * extent for outer, inner in zip(merged[-1][1], steps)):
            merged[-1] = (merged[-1][0] * extent, steps)
        else:
            merged.append((extent, steps))
    return [extent for extent, _ in merged], *([steps[o] for _, steps in merged] for o in range(len(operands)))


def _padded(values, least, value):
    return np.array([value] * (least - len(values)) + values, np.int64)


def _primitive(name, jvp, batch, lower, shape):
    """A primitive with its rules. Its calls are wrapped in jax.jit, which keeps what it compiled of a call that nothing else compiles."""
    primitive = Primitive(name)
    primitive.def_impl(partial(xla.apply_primitive, primitive))
    primitive.def_abstract_eval(shape)
    ad.primitive_jvps[primitive] = jvp
    batching.primitive_batchers[primitive] = batch
    mlir.register_lowering(primitive, lower)
    return primitive


# Moves.

def _permute_shape(a, *, axes, dtype, function, where):
    return _shaped(a, tuple(a.shape[axis] for axis in axes), dtype)


def _merged_axes(shape, axes):
    """Extents and permutation of the same move with neighbours joined that stay neighbours, and without extents of 1."""
    kept = [axis for axis in axes if shape[axis] != 1]
    position = {axis: k for k, axis in enumerate(sorted(kept))}
    groups = []
    for axis in kept:
        if groups and position[axis] == position[groups[-1][-1]] + 1:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    in_order = sorted(groups)
    extents = [math.prod(shape[axis] for axis in group) for group in in_order]
    return extents or [1], [in_order.index(group) for group in groups] or [0]


_permute_call = jax.ffi.ffi_lowering("xpose_permute")


def _permute_lowering(context, a, *, axes, dtype, function, where):
    shape = context.avals_in[0].shape
    extents, permutation = _merged_axes(shape, axes)
    if len(extents) > _MOST_DIMENSIONS:
        raise ShapeError(f"permute: in is {shape}, of more than {_MOST_DIMENSIONS} dimensions that do not merge")
    return _permute_call(context, a, extents=np.array(extents, np.int64), permutation=np.array(permutation, np.int32),
                         function=np.int32(function), **_where_attributes(where))


def _permute_jvp(primals, tangents, **how):
    out = _permute_primitive.bind(*primals, **how)
    if not _is_differentiable(how["dtype"]):
        return out, _no_tangent(out)
    return out, _permute_primitive.bind(*tangents, **how)


def _permute_transpose(cotangent, a, *, axes, dtype, function, where):
    if type(cotangent) is ad.Zero:
        return [ad.Zero(a.aval)]
    inverse = tuple(int(axis) for axis in np.argsort(axes))
    return [_permute_primitive.bind(cotangent, axes=inverse, dtype=a.aval.dtype, function=function, where=where)]


def _permute_batch(operands, batch_axes, *, axes, **how):
    (a,), (batch,) = operands, batch_axes
    axes = batch, *(axis + (axis >= batch) for axis in axes)
    return _permute_primitive.bind(a, axes=axes, **how), 0


_permute_primitive = _primitive("xpose_permute", _permute_jvp, _permute_batch, _permute_lowering, _permute_shape)
ad.primitive_transposes[_permute_primitive] = _permute_transpose
_permute = jax.jit(_permute_primitive.bind, static_argnames=("axes", "dtype", "function", "where"), inline=True)


def _axes_of(rank, axes):
    if axes is None:
        return tuple(range(rank))[::-1]
    axes = tuple(operator.index(axis) for axis in axes)
    if len(axes) != rank:
        raise ShapeError(f"permute: {len(axes)} axes for an array of {rank} dimensions")
    for k, axis in enumerate(axes):
        if not -rank <= axis < rank:
            raise ShapeError(f"permute: axis {axis} of an array of {rank} dimensions")
        if axis % rank in (earlier % rank for earlier in axes[:k]):
            raise ShapeError(f"permute: axis {axis % rank} stands twice in axes")
    return tuple(axis % rank for axis in axes)


def transpose(a, axes=None, *, dtype=None, conjugate=False, policy="auto"):
    """`a` with its axes in another order: out.shape[k] = a.shape[axes[k]].

    axes: a permutation of a's dimensions, negative ones counted from the last; None reverses them. dtype: the type that elements are
    converted to on their way. conjugate: complex elements conjugated.

    >>> xpose.jax.transpose(jnp.zeros((2, 3, 4)), (0, 2, 1)).shape
    (2, 4, 3)
    """
    a = _operand("transpose", "a", a)
    dtype, function = _calls.conversion("transpose", _kind, a.dtype, dtype, conjugate)
    if function == _calls.CONJUGATE and not jnp.issubdtype(a.dtype, jnp.complexfloating):
        function = _calls.IDENTITY
    return _permute(a, axes=_axes_of(a.ndim, axes), dtype=dtype, function=function, where=_where("transpose", policy))


def permute(a, axes, *, dtype=None, conjugate=False, policy="auto"):
    """transpose with its axes named.

    >>> xpose.jax.permute(jnp.zeros((8, 32, 48, 3)), (0, 3, 1, 2)).shape  # NHWC to NCHW
    (8, 3, 32, 48)
    """
    return transpose(a, tuple(axes), dtype=dtype, conjugate=conjugate, policy=policy)


permute_dims = permute  # the Array API's name


def matrix_transpose(a, *, dtype=None, conjugate=False, policy="auto"):
    """The last two axes exchanged: (..., m, n) becomes (..., n, m).

    >>> xpose.jax.matrix_transpose(jnp.zeros((5, 2, 3))).shape
    (5, 3, 2)
    """
    rank = np.ndim(a)
    if rank < 2:
        raise ShapeError(f"matrix_transpose: an array of {rank} dimensions; it takes 2 or more")
    return transpose(a, (*range(rank - 2), rank - 1, rank - 2), dtype=dtype, conjugate=conjugate, policy=policy)


# Sums, of two operands of equally many dimensions.

def _add_shape(a, b, *, alpha, beta, where):
    return _shaped(a, np.broadcast_shapes(a.shape, b.shape), a.dtype)


_add_call = jax.ffi.ffi_lowering("xpose_add")


def _add_lowering(context, a, b, *, alpha, beta, where):
    shape = context.avals_out[0].shape
    extents, a_steps, b_steps = _merged(shape, *(_steps(operand.shape, shape, 1) for operand in context.avals_in))
    return _add_call(context, a, b, extents=_padded(extents, 3, 1), a_steps=_padded(a_steps, 3, 0), b_steps=_padded(b_steps, 3, 0),
                     alpha=_as_attribute(alpha), beta=_as_attribute(beta), **_where_attributes(where))


def _add_jvp(primals, tangents, *, alpha, beta, where):
    """The tangents' sum is JAX's own, whose transposition it knows, and which its compiler joins with what is around it."""
    out = _add_primitive.bind(*primals, alpha=alpha, beta=beta, where=where)
    computed_in = _computed_in(out.dtype.name, False)
    scaled = [(tangent * np.frombuffer(scalar, computed_in)[0]).astype(out.dtype)
              for tangent, scalar in zip(tangents, (alpha, beta)) if type(tangent) is not ad.Zero]
    return out, jnp.broadcast_to(scaled[0] if len(scaled) == 1 else scaled[0] + scaled[1], out.shape)


def _add_batch(operands, batch_axes, **how):
    return _add_primitive.bind(*map(_batch_first, operands, batch_axes), **how), 0


_add_primitive = _primitive("xpose_add", _add_jvp, _add_batch, _add_lowering, _add_shape)
_add = jax.jit(_add_primitive.bind, static_argnames=("alpha", "beta", "where"), inline=True)


def add(a, b, *, alpha=1, beta=1, policy="auto"):
    """alpha a + beta b, of one dtype, broadcast by NumPy's rules. alpha and beta are numbers; an operand whose number is 0 is not read.

    >>> xpose.jax.add(jnp.ones((2, 3)), jnp.ones(3), beta=-1).shape
    (2, 3)
    """
    a, b = _operand("add", "a", a), _operand("add", "b", b)
    _calls.summed_types(a.dtype.name, b.dtype.name)
    computed_in = _computed_in(a.dtype.name, False)
    alpha, beta = _scalar("add", "alpha", alpha, computed_in), _scalar("add", "beta", beta, computed_in)
    rank = len(_calls.broadcast("add", a.shape, b.shape))
    return _add(_of_rank(a, rank), _of_rank(b, rank), alpha=alpha, beta=beta, where=_where("add", policy))


# Products, of stacks of matrices of equally many dimensions, which broadcast.

def _product_shape(a, b, *operands, transposed, dtype, **how):
    rows, cols = a.shape[-1 if transposed[0] else -2], b.shape[-2 if transposed[1] else -1]
    return _shaped(a, (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), rows, cols), dtype)


_matmul_call = jax.ffi.ffi_lowering("xpose_matmul")


def _matmul_lowering(context, *operands, alpha, transposed, conjugated, semiring, precision, accumulate, dtype, where,
                     activation=0, has=(False, False)):
    a, b = context.avals_in[:2]
    stack = context.avals_out[0].shape[:-2]
    extents, a_steps, b_steps = _merged(stack, *(_steps(x.shape[:-2], stack, math.prod(x.shape[-2:])) for x in (a, b)))
    return _matmul_call(context, *operands, extents=_padded(extents, 1, 1), a_steps=_padded(a_steps, 1, 0),
                        b_steps=_padded(b_steps, 1, 0), is_scaled=alpha is not None, alpha=_as_attribute(alpha),
                        a_is_transposed=transposed[0], b_is_transposed=transposed[1],
                        a_is_conjugated=conjugated[0], b_is_conjugated=conjugated[1],
                        semiring=np.int32(_calls.SEMIRINGS[semiring]), precision=np.int32(precision), accumulate=np.int32(accumulate),
                        activation=np.int32(activation), has_scale=has[0], has_bias=has[1], **_where_attributes(where))


def _joined_rows(call, a, b, *operands, transposed, **how):
    """A stack of matrices times one matrix is one product of all their rows."""
    rows = math.prod(a.shape[:-1])
    if a.ndim > 2 and math.prod(b.shape[:-2]) == 1 and not transposed[0]:
        out = call(a.reshape(rows, a.shape[-1]), b.reshape(b.shape[-2:]), *operands, transposed=transposed, **how)
        return out.reshape(*a.shape[:-1], out.shape[-1])
    return call(a, b, *operands, transposed=transposed, **how)


def _matmul_jvp(primals, tangents, *, semiring, **how):
    if semiring != "plus_times":
        raise ArgumentError(f"matmul: a product over {semiring} has no derivative in xpose; stop it by jax.lax.stop_gradient")
    (a, b), (of_a, of_b) = primals, tangents
    product = partial(_matmul_primitive.bind, semiring=semiring, **how)
    out = product(a, b)
    if not _is_differentiable(out.dtype):
        return out, _no_tangent(out)
    parts = [product(*pair) for pair in ((of_a, b), (a, of_b)) if not any(type(x) is ad.Zero for x in pair)]
    return out, parts[0] if len(parts) == 1 else parts[0] + parts[1]


def _matmul_transpose(cotangent, a, b, *, alpha, transposed, conjugated, dtype, **how):
    """Of C = alpha A B, where A is a or its transpose, conjugated or not: that of A is alpha dC B^T, of B alpha A^T dC. The products
    are of the operand's type; those of 8-bit floats, which would not hold dC, of float32."""
    is_of_a = ad.is_undefined_primal(a)
    target, other = (a.aval, b) if is_of_a else (b.aval, a)
    if type(cotangent) is ad.Zero:
        return (ad.Zero(target), None) if is_of_a else (None, ad.Zero(target))
    own = np.dtype("float32") if target.dtype.name.startswith("float8") else target.dtype
    cotangent, other = cotangent.astype(own), other.astype(own)
    computed_in = np.dtype(_computed_in(own.name, True) if how["accumulate"] == RAW else _NAMES[how["accumulate"]])
    (a_is_transposed, b_is_transposed), (a_conj, b_conj) = transposed, conjugated
    differ = a_conj ^ b_conj
    if is_of_a:
        pair, transposed, conjugated = ((other, cotangent), (b_is_transposed, True), (differ, a_conj)) if a_is_transposed else \
            ((cotangent, other), (False, not b_is_transposed), (a_conj, differ))
    else:
        pair, transposed, conjugated = ((cotangent, other), (True, a_is_transposed), (b_conj, differ)) if b_is_transposed else \
            ((other, cotangent), (not a_is_transposed, False), (differ, b_conj))
    if alpha is not None and (a_conj if is_of_a else b_conj):
        alpha = np.frombuffer(alpha, computed_in).conj().tobytes()
    result = _joined_rows(_matmul_primitive.bind, *pair, alpha=alpha, transposed=transposed, conjugated=conjugated, dtype=own, **how)
    repeated = tuple(d for d in range(result.ndim - 2) if target.shape[d] != result.shape[d])
    if repeated:
        result = result.sum(repeated, keepdims=True)
    result = result.reshape(target.shape).astype(target.dtype)
    return (result, None) if is_of_a else (None, result)


def _matmul_batch(operands, batch_axes, **how):
    return _joined_rows(_matmul_primitive.bind, *map(_batch_first, operands, batch_axes), **how), 0


_NAMES = {number: name for name, number in DTYPES.items()}
_HOW = ("alpha", "transposed", "conjugated", "semiring", "precision", "accumulate", "dtype", "where")
_matmul_primitive = _primitive("xpose_matmul", _matmul_jvp, _matmul_batch, _matmul_lowering, _product_shape)
ad.primitive_transposes[_matmul_primitive] = _matmul_transpose
_matmul = jax.jit(_matmul_primitive.bind, static_argnames=_HOW, inline=True)


# Products with a layer: one call of the library, and for derivatives a product and JAX's own operations. Scale and bias have two
# dimensions.

_ACTIVATIONS = {0: lambda x: x, 1: jax.nn.relu, 2: partial(jax.nn.gelu, approximate=False)}


def _in_parts(a, b, *operands, activation, has, dtype, **how):
    computed_in = np.dtype(_computed_in(a.dtype.name, True))
    x = _matmul_primitive.bind(a, b, dtype=computed_in, **how)
    wide = x.dtype if _is_differentiable(x.dtype) else np.dtype("float32")
    x, operands = x.astype(wide), [operand.astype(wide) for operand in operands]
    if has[0]:
        x = x * operands[0]
    if has[1]:
        x = x + operands[-1]
    return _ACTIVATIONS[activation](x).astype(dtype)


def _layer_jvp(primals, tangents, **how):
    moving = [k for k, tangent in enumerate(tangents) if type(tangent) is not ad.Zero]

    def of(*moved):
        operands = list(primals)
        for k, operand in zip(moving, moved):
            operands[k] = operand
        return _in_parts(*operands, **how)
    return jax.jvp(of, [primals[k] for k in moving], [tangents[k] for k in moving])


def _layer_batch(operands, batch_axes, **how):
    if any(axis is not None for axis in batch_axes[2:]):
        return jax.vmap(partial(_in_parts, **how), batch_axes)(*operands), 0
    return _layer_of_stack(*map(_batch_first, operands[:2], batch_axes[:2]), *operands[2:], **how), 0


def _layer_of_stack(a, b, *operands, **how):
    if all(operand.shape[0] == 1 for operand in operands):
        return _joined_rows(_layer_primitive.bind, a, b, *operands, **how)
    return _layer_primitive.bind(a, b, *operands, **how)


_layer_primitive = _primitive("xpose_layer", _layer_jvp, _layer_batch, _matmul_lowering, _product_shape)
_layer = jax.jit(_layer_of_stack, static_argnames=(*_HOW, "activation", "has"), inline=True)


def _layer_operand(name, array, dtype, rows, cols, out_is_column):
    """Scale or bias as a matrix of one row or all, and one column or all: a vector is a row, unless out has no columns."""
    array = _operand("matmul", name, array)
    if array.dtype != dtype:
        raise TypeError(f"matmul: {name} has dtype {array.dtype}, and the result {dtype}")
    if any(extent != 1 for extent in array.shape[:-2]):
        raise ShapeError(f"matmul: {name} is {array.shape}; it is a vector or a matrix, which repeats in every matrix of a stack")
    shape = (1,) * (2 - array.ndim) + array.shape[-2:]
    if array.ndim == 1 and out_is_column:
        shape = shape[::-1]
    if shape[0] not in (1, rows) or shape[1] not in (1, cols):
        raise ShapeError(f"matmul: {name} is {shape[0]}x{shape[1]}, expected 1 or {rows} rows and 1 or {cols} columns")
    return array.reshape(shape)


def matmul(a, b, *, alpha=None, semiring="plus_times", precision=None, accumulate=None, dtype=None, conjugate_a=False,
           conjugate_b=False, scale=None, bias=None, activation=None, policy="auto"):
    """activation(scale * (alpha a @ b) + bias) by the rules of `@`: (..., m, k) by (..., k, n) is (..., m, n), and stacks broadcast.

    The types, semirings and options are those of xpose.matmul; alpha is a number. Products over "plus_times" have derivatives. Scale,
    bias and activation are applied in the pass that stores the product.

    >>> jax.vmap(xpose.jax.matmul, (0, None))(jnp.ones((8, 4, 3)), jnp.ones((3, 2))).shape
    (8, 4, 2)
    """
    a, b = _operand("matmul", "a", a), _operand("matmul", "b", b)
    has_layer = not scale is bias is activation is None
    wanted = None if dtype is None else _kind.as_dtype(dtype).name
    dtype = _arrays.numpy_dtype(_calls.product_type((a.dtype.name, b.dtype.name), semiring, has_layer, wanted))
    precision = _calls.PRECISIONS["full"] if precision is None else _calls.choice("matmul", "precision", precision, _calls.PRECISIONS)
    accumulate = RAW if accumulate is None else _calls.accumulated_in(_kind, accumulate)
    if a.ndim == 0 or b.ndim == 0:
        raise ShapeError(f"matmul: a is {a.shape} and b is {b.shape}: a product needs a dimension to sum over")
    b_rows = b.shape[-2 if b.ndim > 1 else 0]
    if a.shape[-1] != b_rows:
        raise ShapeError(f"matmul: a is {a.shape} and b is {b.shape}: a's last extent ({a.shape[-1]}) must equal b's "
                         f"{'last but one ' if b.ndim > 1 else ''}({b_rows})")
    shape = _calls.product_shape(a.shape, b.shape)
    if alpha is not None:
        alpha = _scalar("matmul", "alpha", alpha, _computed_in(a.dtype.name, True) if accumulate == RAW else _NAMES[accumulate])
    is_complex = jnp.issubdtype(a.dtype, jnp.complexfloating)
    how = dict(alpha=alpha, transposed=(False, False), conjugated=(is_complex and bool(conjugate_a), is_complex and bool(conjugate_b)),
               semiring=semiring, precision=precision, accumulate=accumulate, dtype=dtype, where=_where("matmul", policy))
    rows, cols = a.reshape(1, -1) if a.ndim == 1 else a, b.reshape(-1, 1) if b.ndim == 1 else b
    rank = max(rows.ndim, cols.ndim)
    rows, cols = _of_rank(rows, rank), _of_rank(cols, rank)
    if has_layer:
        number = 0 if activation is None else _calls.choice("matmul", "activation", activation, _calls.ACTIVATIONS)
        operands = [_layer_operand(name, array, dtype, rows.shape[-2], cols.shape[-1], b.ndim == 1)
                    for name, array in (("scale", scale), ("bias", bias)) if array is not None]
        out = _layer(rows, cols, *operands, activation=number, has=(scale is not None, bias is not None), **how)
    else:
        out = _joined_rows(_matmul, rows, cols, **how)
    return out.reshape(shape)
