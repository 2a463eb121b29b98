# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose.jax on each device that JAX has: jit, vmap, grad, types, errors. Skipped without JAX, or where the package is built without
its headers."""

import doctest
import os
import re
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jnp = jax.numpy
ml_dtypes = pytest.importorskip("ml_dtypes")
import xpose  # noqa: E402

try:
    import xpose.jax
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

from arrays import bits  # noqa: E402


def found(platform):
    try:
        return jax.devices(platform)[:1]
    except RuntimeError:
        return []


DEVICES = found("cpu") + found("cuda")
REALS = ["float32", "float64", "complex64", "complex128"]
MOVED = ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128",
         ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz]


@pytest.fixture(autouse=True, params=DEVICES, ids=lambda device: device.platform)
def device(request):
    """Every test runs with 64 bits, on each device."""
    with jax.enable_x64(True), jax.default_device(request.param):
        yield request.param


def random(shape, dtype, seed=0):
    """Normal numbers; of integers and small floats, small whole ones."""
    generator = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.name in REALS:
        values = generator.standard_normal(shape)
        return (values + 1j * generator.standard_normal(shape) if dtype.kind == "c" else values).astype(dtype)
    return generator.integers(0 if dtype.kind in "ub" else -4, 2 if dtype.kind == "b" else 5, shape).astype(dtype)


def near(result, a, b, alpha=1):
    """Whether alpha a b is within the error bound of docs/semantics.md."""
    dtype = np.asarray(result).dtype
    wide = "complex256" if dtype.kind == "c" else "float128"
    unit = np.finfo(dtype).eps / 2
    steps = (a.shape[-1] + 2) * (4 if dtype.kind == "c" else 1)
    bound = abs(alpha) * steps * unit / (1 - steps * unit) * (abs(a).astype(wide) @ abs(b).astype(wide))
    expected = alpha * (a.astype(wide) @ b.astype(wide))
    return result.shape == expected.shape and (abs(np.asarray(result) - expected) <= bound).all()


class TestMoves:
    @pytest.mark.parametrize("dtype", MOVED, ids=str)
    @pytest.mark.parametrize("shape, axes", [
        ((3, 5), None), ((130, 67), (1, 0)), ((2, 3, 5, 7), (0, 3, 1, 2)), ((2, 3, 4), (0, 1, 2)), ((7,), (0,)), ((), None),
        ((3, 0, 2), (2, 0, 1)), ((1, 4, 1, 5), (-1, 2, 1, 0)), ((2,) * 11, (1, 0, *range(2, 11))),
    ], ids=str)
    def test_elements_are_numpys_bit_by_bit(self, shape, axes, dtype):
        a = random(shape, dtype)
        expected = np.transpose(a, axes)
        for call in (xpose.jax.transpose, jax.jit(xpose.jax.transpose, static_argnums=1), jax.jit(xpose.transpose, static_argnums=1)):
            result = call(jnp.asarray(a), axes)
            assert result.dtype == a.dtype and result.shape == expected.shape and bits(np.asarray(result)) == bits(expected)

    @settings(max_examples=60, deadline=None)
    @given(st.data())
    def test_random_permutations_are_numpys(self, data):
        shape = tuple(data.draw(st.lists(st.integers(0, 5), max_size=6)))
        axes = tuple(data.draw(st.permutations(range(len(shape)))))
        for where in DEVICES:
            with jax.default_device(where):
                a = random(shape, "int32")
                np.testing.assert_array_equal(xpose.jax.permute(jnp.asarray(a), axes), np.transpose(a, axes))

    def test_nan_payloads_and_signs_of_zero_stay(self):
        a = np.array([[0x7fc00001, 0x80000000, 0xffc12345], [1, 2, 3]], np.uint32).view(np.float32)
        assert bits(np.asarray(xpose.jax.transpose(jnp.asarray(a)))) == bits(a.T)

    @pytest.mark.parametrize("to", ["float32", "float16", "int32", ml_dtypes.bfloat16], ids=str)
    def test_elements_are_converted_on_their_way(self, to):
        a = random((5, 9), "float64") * 10
        result = jax.jit(partial(xpose.jax.transpose, dtype=to))(a)
        assert result.dtype == to and bits(np.asarray(result)) == bits(np.asarray(xpose.transpose(a, dtype=to)))

    def test_complex_elements_are_conjugated_and_real_ones_stay(self):
        a = random((3, 4), "complex64")
        assert (xpose.jax.transpose(jnp.asarray(a), conjugate=True) == a.conj().T).all()
        assert (xpose.jax.transpose(jnp.asarray(a.real), conjugate=True) == a.real.T).all()

    @pytest.mark.parametrize("batch", [0, 1, 2, -1])
    def test_vmap_permutes_each(self, batch):
        a = random((3, 4, 5), "float32")
        result = jax.vmap(partial(xpose.jax.transpose, axes=(1, 0)), batch)(jnp.asarray(a))
        np.testing.assert_array_equal(result, np.moveaxis(a, batch, 0).transpose(0, 2, 1))

    def test_matrix_transpose_exchanges_the_last_axes(self):
        a = random((2, 3, 4), "int16")
        np.testing.assert_array_equal(xpose.jax.matrix_transpose(jnp.asarray(a)), a.transpose(0, 2, 1))
        np.testing.assert_array_equal(jax.jit(xpose.matrix_transpose)(jnp.asarray(a)), a.transpose(0, 2, 1))

    def test_gradients_move_back(self):
        a, weights = random((2, 3, 4), "float64"), random((4, 2, 3), "float64", 1)
        moved = partial(xpose.jax.permute, axes=(2, 0, 1))
        np.testing.assert_array_equal(jax.grad(lambda x: (moved(x) * weights).sum())(a), weights.transpose(1, 2, 0))
        check_grads(moved, (a,), 2)
        check_grads(partial(xpose.jax.transpose, conjugate=True), (random((2, 3), "complex128"),), 2)
        check_grads(partial(xpose.jax.transpose, dtype="float64"), (random((2, 3), "float32"),), 1, eps=1e-2)

    def test_integers_have_no_gradient(self):
        a = random((2, 3), "float64")
        to_integers = partial(xpose.jax.transpose, dtype="int32")
        assert not jax.grad(lambda x: to_integers(x).astype("float64").sum())(a).any()

    def test_many_calls_in_one_program_run_in_order(self):
        """Enough of them for XLA to record them in a CUDA graph, which it replays."""
        def chain(x, y):
            for _ in range(8):
                x = xpose.jax.transpose(x)
                y = xpose.jax.add(x, y, beta=0.5)
                x = xpose.jax.transpose(x)
                x = xpose.jax.add(x, xpose.jax.transpose(y), alpha=2)
            return x, y
        compiled = jax.jit(chain)
        for seed in range(5):
            x, y = random((30, 20), "float64", seed), random((20, 30), "float64", seed + 50)
            expected = x, y
            for _ in range(8):
                later = expected[0].T + 0.5 * expected[1]
                expected = 2 * expected[0] + later.T, later
            for result, wanted in zip(compiled(x, y), expected):
                np.testing.assert_allclose(result, wanted, rtol=1e-13)


class TestSums:
    @pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float16", "float32", "float64", "complex64", ml_dtypes.bfloat16],
                             ids=str)
    @pytest.mark.parametrize("first, second", [
        ((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((), (3, 4)), ((), ()), ((2, 1, 3, 1, 5), (4, 1, 2, 1)), ((0, 3), (1, 3)),
        ((2, 3, 4, 5, 6), (2, 1, 4, 1, 6)),
    ], ids=str)
    def test_operands_broadcast_as_numpys_do(self, first, second, dtype):
        a, b = random(first, dtype), random(second, dtype, 1)
        expected = np.asarray(xpose.add(a, b, alpha=2, beta=3))
        if np.dtype(dtype).kind in "iu":
            np.testing.assert_array_equal(expected, 2 * a + 3 * b)
        for call in (xpose.jax.add, xpose.add):
            result = jax.jit(partial(call, alpha=2, beta=3))(a, b)
            assert result.dtype == a.dtype and result.shape == expected.shape
            np.testing.assert_array_equal(result, expected)

    @pytest.mark.parametrize("first, second, axes", [
        ((3, 4, 3), (3, 3), (0, 0)), ((3, 4, 3), (4, 3), (0, None)), ((2, 4), (4, 3), (None, 1)), ((4, 2, 3), (2, 3), (2, 1)),
    ], ids=str)
    def test_vmap_adds_each(self, first, second, axes):
        a, b = random(first, "float64"), random(second, "float64", 1)
        reference = jax.vmap(lambda x, y: x - 2 * y, axes)(a, b)
        np.testing.assert_array_equal(jax.vmap(partial(xpose.jax.add, beta=-2), axes)(a, b), reference)

    def test_gradients_are_those_of_the_formula(self):
        a, b = random((3, 1, 4), "float64"), random((2, 4), "float64", 1)
        check_grads(partial(xpose.jax.add, alpha=2, beta=-3), (a, b), 2)
        check_grads(partial(xpose.jax.add, alpha=2j, beta=1 - 1j), (a + 1j, b.astype("complex128")), 2)

    def test_an_operand_whose_number_is_0_is_not_read(self):
        a = jnp.full((2, 2), jnp.nan)
        np.testing.assert_array_equal(xpose.jax.add(a, jnp.ones((2, 2)), alpha=0, beta=3), np.full((2, 2), 3.0))


SHAPES = [((3, 4), (4, 5)), ((70, 33), (33, 130)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)),
          ((3, 4), (2, 4, 5)), ((2, 1, 3, 4), (6, 4, 5)), ((2, 3, 4), (2, 4, 5)), ((5, 2, 1, 3, 4), (2, 6, 4, 5)), ((0, 4), (4, 5)),
          ((3, 0), (0, 5)), ((0, 3, 4), (4, 5))]


class TestProducts:
    @pytest.mark.parametrize("dtype", REALS)
    @pytest.mark.parametrize("first, second", SHAPES, ids=str)
    def test_reals_are_within_the_bound(self, first, second, dtype):
        a, b = random(first, dtype), random(second, dtype, 1)
        for call in (xpose.jax.matmul, jax.jit(xpose.jax.matmul), jax.jit(xpose.matmul)):
            result = call(jnp.asarray(a), jnp.asarray(b))
            assert result.dtype == dtype and near(result, a, b)

    @pytest.mark.parametrize("dtype, result_dtype", [
        ("int32", "int32"), ("int64", "int64"), ("int8", "int32"), ("uint8", "int32"), ("float16", "float16"), ("float16", "float32"),
        (ml_dtypes.bfloat16, ml_dtypes.bfloat16), (ml_dtypes.bfloat16, "float32"), (ml_dtypes.float8_e4m3fn, "float32"),
        (ml_dtypes.float8_e5m2, "float32"), (ml_dtypes.float8_e4m3fn, ml_dtypes.bfloat16),
    ], ids=str)
    @pytest.mark.parametrize("first, second", SHAPES, ids=str)
    def test_small_integers_are_exact_in_every_type(self, first, second, dtype, result_dtype):
        a, b = random(first, dtype), random(second, dtype, 1)
        result = jax.jit(partial(xpose.jax.matmul, dtype=result_dtype))(a, b)
        expected = (a.astype("float64") @ b.astype("float64")).astype(result_dtype)
        assert result.dtype == result_dtype and result.shape == expected.shape
        np.testing.assert_array_equal(np.asarray(result), expected)

    @pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
    def test_semirings_take_the_smallest_and_the_largest_sum(self, dtype):
        a, b = (np.random.default_rng(seed).integers(-50, 50, shape).astype(dtype) for seed, shape in ((0, (2, 9, 7)), (1, (7, 5))))
        sums = a[..., None] + b
        np.testing.assert_array_equal(jax.jit(partial(xpose.jax.matmul, semiring="min_plus"))(a, b), sums.min(-2))
        np.testing.assert_array_equal(jax.jit(partial(xpose.matmul, semiring="max_plus"))(a, b), sums.max(-2))

    @pytest.mark.parametrize("dtype", ["bool", "uint8"])
    def test_or_and_takes_truth(self, dtype):
        a, b = random((4, 6), "bool").astype(dtype), random((6, 3), "bool", 1).astype(dtype)
        result = xpose.jax.matmul(jnp.asarray(a), jnp.asarray(b), semiring="or_and")
        assert result.dtype == dtype
        np.testing.assert_array_equal(result, (a[:, :, None] & b).any(1))

    def test_alpha_scales_and_operands_are_conjugated(self):
        a, b = random((3, 4), "complex128"), random((4, 5), "complex128", 1)
        assert near(xpose.jax.matmul(jnp.asarray(a), jnp.asarray(b), alpha=2 - 1j, conjugate_a=True), a.conj(), b, 2 - 1j)
        assert near(xpose.jax.matmul(jnp.asarray(a), jnp.asarray(b), conjugate_b=True), a, b.conj())

    @pytest.mark.parametrize("precision, error", [("full", 1e-6), ("fast_f32", 1e-5), ("tf32", 2e-3)])
    def test_precision_is_passed_on(self, precision, error):
        a, b = random((64, 96), "float32"), random((96, 80), "float32", 1)
        result = xpose.jax.matmul(jnp.asarray(a), jnp.asarray(b), precision=precision, accumulate="float32")
        np.testing.assert_allclose(result, a.astype("f8") @ b.astype("f8"), atol=error * 96)

    @pytest.mark.parametrize("first, second, axes", [
        ((6, 3, 4), (4, 5), (0, None)), ((3, 4), (6, 4, 5), (None, 0)), ((6, 3, 4), (6, 4, 5), (0, 0)), ((3, 6, 4), (4, 5, 6), (1, 2)),
        ((6, 4), (4, 5), (0, None)), ((6, 4), (6, 4), (0, 0)), ((6, 2, 3, 4), (6, 4, 5), (0, 0)), ((3, 4), (4, 6), (None, 1)),
        ((0, 3, 4), (4, 5), (0, None)),
    ], ids=str)
    def test_vmap_multiplies_each(self, first, second, axes):
        a, b = random(first, "int32"), random(second, "int32", 1)
        reference = jax.vmap(jnp.matmul, axes)(a, b)
        np.testing.assert_array_equal(jax.vmap(xpose.jax.matmul, axes)(a, b), reference)
        np.testing.assert_array_equal(jax.jit(jax.vmap(xpose.matmul, axes))(a, b), reference)

    @pytest.mark.parametrize("first, second", [shapes for shapes in SHAPES if 0 not in shapes[0] and 70 not in shapes[0]], ids=str)
    @pytest.mark.parametrize("dtype", ["float64", "complex128"])
    def test_gradients_are_those_of_the_formula(self, first, second, dtype):
        a, b = random(first, dtype), random(second, dtype, 1)
        check_grads(xpose.jax.matmul, (a, b), 2)
        options = {"alpha": 2 - 1j, "conjugate_a": True} if dtype == "complex128" else {"alpha": -3}
        check_grads(partial(xpose.jax.matmul, **options), (a, b), 2)
        if dtype == "complex128":
            check_grads(partial(xpose.jax.matmul, alpha=1j, conjugate_a=True, conjugate_b=True), (a, b), 1)
            each = [jax.grad(lambda x: jnp.abs(multiply(x.conj(), b)).sum())(a) for multiply in (xpose.jax.matmul, jnp.matmul)]
            np.testing.assert_allclose(*each, rtol=1e-12)

    @pytest.mark.parametrize("dtype", ["float16", ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2], ids=str)
    def test_gradients_have_the_operands_type(self, dtype):
        a, b = random((3, 4), dtype), random((4, 5), dtype, 1)
        def of(x, y):
            return xpose.jax.matmul(x, y, dtype="float32").sum()
        for result, expected in zip(jax.grad(of, (0, 1))(a, b), jax.grad(lambda x, y: (x @ y).sum(), (0, 1))(
                a.astype("float32"), b.astype("float32"))):
            assert result.dtype == dtype
            np.testing.assert_array_equal(result.astype("float32"), expected.astype(dtype).astype("float32"))

    def test_hessians_and_batches_of_gradients(self):
        a, b = random((3, 4), "float64"), random((6, 4, 2), "float64", 1)
        def of(multiply):
            return lambda x, y: (multiply(x, y) ** 3).sum()
        for derive in (jax.grad, jax.hessian, jax.jacfwd):
            each = [jax.vmap(derive(of(multiply)), (None, 0))(a, b) for multiply in (xpose.jax.matmul, jnp.matmul)]
            np.testing.assert_allclose(*each, rtol=1e-11, atol=1e-11)

    def test_a_gradient_over_a_batch_of_the_other_operand(self):
        """Its products are of transposed matrices of a stack by one matrix."""
        a, b = random((6, 3, 4), "float64"), random((4, 2), "float64", 1)
        result = jax.vmap(lambda x: jax.grad(lambda y: xpose.jax.matmul(x, y).sum())(b))(a)
        np.testing.assert_allclose(result, np.repeat(a.sum(1)[..., None], 2, 2), rtol=1e-12)

    def test_scan_and_checkpoint_take_the_primitives(self):
        a, x = random((4, 4), "float64"), random((4, 2), "float64", 1)
        def of(multiply):
            def step(x, _):
                return jax.checkpoint(multiply)(a, x), None
            return lambda x: jax.lax.scan(step, x, length=3)[0].sum()
        np.testing.assert_allclose(jax.grad(of(xpose.jax.matmul))(x), jax.grad(of(jnp.matmul))(x), rtol=1e-12)

    @pytest.mark.parametrize("semiring", ["min_plus", "max_plus"])
    def test_semirings_have_no_gradient_and_say_so(self, semiring):
        a = jnp.ones((2, 2))
        with pytest.raises(xpose.ArgumentError, match=f"product over {semiring} has no derivative"):
            jax.grad(lambda x: xpose.jax.matmul(x, a, semiring=semiring).sum())(a)
        assert (jax.grad(lambda x: (x * xpose.jax.matmul(jax.lax.stop_gradient(x), a, semiring=semiring)).sum())(a) == 2).all()


class TestLayers:
    @pytest.mark.parametrize("dtype", ["float32", "float64", "float16", ml_dtypes.bfloat16, "int8"], ids=str)
    @pytest.mark.parametrize("activation", [None, "relu", "gelu"])
    @pytest.mark.parametrize("outer", [(), (3,)], ids=str)
    @pytest.mark.parametrize("scale, bias", [((5,), None), (None, (4, 1)), ((), (4, 5)), ((1, 5), (5,))], ids=str)
    def test_the_result_is_the_librarys(self, dtype, activation, outer, scale, bias):
        result_dtype = "float32" if dtype == "int8" else dtype
        a, b = random((*outer, 4, 6), dtype), random((6, 5), dtype, 1)
        operands = {name: random(shape, result_dtype, 2) for name, shape in (("scale", scale), ("bias", bias)) if shape is not None}
        wide = {"scale": np.ones(()), "bias": np.zeros(()), **{name: operand.astype("f8") for name, operand in operands.items()}}
        x = (a.astype("f8") @ b.astype("f8")) * wide["scale"] + wide["bias"]
        expected = {None: lambda x: x, "relu": jax.nn.relu, "gelu": partial(jax.nn.gelu, approximate=False)}[activation](x)
        error = float(ml_dtypes.finfo(result_dtype).eps) * 8
        for call in (xpose.jax.matmul, xpose.matmul):
            result = jax.jit(partial(call, activation=activation))(a, b, **operands)
            assert result.dtype == result_dtype and result.shape == (*outer, 4, 5)
            np.testing.assert_allclose(np.asarray(result).astype("f8"), expected, rtol=error, atol=error * 8)

    def test_a_vector_operand_runs_along_the_result(self):
        a, v = random((2, 3), "float64"), random((3,), "float64", 1)
        np.testing.assert_allclose(xpose.jax.matmul(a, v, bias=np.array([10.0, 20.0])), a @ v + [10, 20])
        np.testing.assert_allclose(xpose.jax.matmul(v, a.T, bias=np.array([10.0, 20.0])), v @ a.T + [10, 20])

    @pytest.mark.parametrize("activation", [None, "relu", "gelu"])
    def test_gradients_and_batches(self, activation):
        a, b, scale, bias = (random(shape, "float64", seed) for seed, shape in enumerate(((3, 4), (4, 5), (5,), (3, 1))))
        def layer(a, b, scale, bias):
            return xpose.jax.matmul(a, b, scale=scale, bias=bias, activation=activation)
        check_grads(layer, (a, b, scale, bias), 2)
        stacked_scale, stacked_a = random((6, 5), "float64", 4), random((3, 2, 4), "float64")
        for axes, operands in (((None, None, 0, None), (a, b, stacked_scale, bias)),
                               ((1, None, None, None), (stacked_a, b, scale, bias)),
                               ((0, None, None, None), (stacked_a, b, scale, bias[:1]))):
            batches = [np.moveaxis(x, axis, 0) if axis is not None else x for x, axis in zip(operands, axes)]
            count = next(len(x) for x, axis in zip(batches, axes) if axis is not None)
            each = [layer(*(x[k] if axis is not None else x for x, axis in zip(batches, axes))) for k in range(count)]
            np.testing.assert_allclose(jax.vmap(layer, axes)(*operands), each, rtol=1e-12, atol=1e-12)


class TestErrors:
    @pytest.mark.parametrize("call, error, says", [
        (lambda a: xpose.jax.matmul(a, a), xpose.ShapeError, r"a's last extent \(3\) must equal b's last but one \(2\)"),
        (lambda a: xpose.matmul(a, a), xpose.ShapeError, r"a is \(2, 3\) and b is \(2, 3\)"),
        (lambda a: xpose.jax.matmul(a, a[0, 0]), xpose.ShapeError, "a product needs a dimension"),
        (lambda a: xpose.jax.transpose(a, (0, 0)), xpose.ShapeError, "axis 0 stands twice"),
        (lambda a: xpose.transpose(a, (0, 1, 2)), xpose.ShapeError, "3 axes for an array of 2 dimensions"),
        (lambda a: xpose.jax.add(a, a.T), xpose.ShapeError, "do not broadcast"),
        (lambda a: xpose.jax.add(a, a.astype("int32")), TypeError, "a has dtype float64 and b int32"),
        (lambda a: xpose.jax.add(a, a, alpha=1j), TypeError, "alpha must be a real number"),
        (lambda a: xpose.jax.add(a, a, alpha=a[0, 0]), TypeError, "alpha is traced"),
        (lambda a: xpose.jax.matmul(a, a.T, semiring="plus"), xpose.ArgumentError, "semiring is 'plus'"),
        (lambda a: xpose.jax.matmul(a, a.T, bias=jnp.ones(3)), xpose.ShapeError, "bias is 1x3, expected 1 or 2 rows and 1 or 2 columns"),
        (lambda a: xpose.jax.matmul(a, a.T, dtype="float32"), TypeError, "product of float64 and float64 is float64, not float32"),
        (lambda a: xpose.jax.matmul(a, a.T, policy="gpu"), xpose.ArgumentError, "policy is 'gpu'"),
        (lambda a: xpose.jax.transpose([[1]]), TypeError, "a is a list"),
        (lambda a: xpose.transpose(a, out=np.zeros((3, 2))), xpose.ArgumentError, "takes no out"),
        (lambda a: xpose.jax.transpose(a.astype("int4")), TypeError, "take no whole bytes"),
        (lambda a: xpose.transpose_inplace(a), TypeError, "only read"),
    ])
    def test_what_does_not_fit_is_refused_and_named(self, call, error, says):
        with pytest.raises(error, match=says):
            jax.jit(call)(jnp.ones((2, 3)))

    def test_moves_of_more_dimensions_than_merge(self):
        with pytest.raises(xpose.ShapeError, match="more than 8 dimensions that do not merge"):
            xpose.jax.transpose(jnp.ones((2,) * 9))

    def test_the_librarys_own_sentence_comes_through(self):
        """Sums of another type are a kernel that the library has not, and finds when XLA runs the call."""
        a = jnp.ones((2, 2), "float32")
        with pytest.raises(jax.errors.JaxRuntimeError, match="gemm: .*accumulate"):
            jax.block_until_ready(jax.jit(partial(xpose.jax.matmul, accumulate="int8"))(a, a))

    def test_without_64_bits_no_type_is_lost(self):
        with jax.enable_x64(False), pytest.raises(TypeError, match="JAX keeps no float64"):
            xpose.jax.transpose(np.ones((2, 3)))


class TestArrays:
    def test_xpose_itself_takes_arrays_of_the_device(self, device):
        a, b = jax.device_put(random((3, 4), "float32"), device), jax.device_put(random((4, 5), "float32", 1), device)
        for result, expected in ((xpose.transpose(a), np.asarray(a).T), (xpose.matmul(a, b), np.asarray(a) @ np.asarray(b)),
                                 (xpose.add(a, a, beta=2), 3 * np.asarray(a)), (xpose.ascontiguous(a, "F"), np.asarray(a)),
                                 (xpose.copy(a, dtype="float64"), np.asarray(a, "float64")),
                                 (xpose.matmul(a, b, activation="relu"), np.maximum(np.asarray(a) @ np.asarray(b), 0))):
            assert isinstance(result, jax.Array) and result.devices() == {device}
            np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
        assert xpose.ascontiguous(a) is a

    def test_a_result_stays_on_its_operands_device(self, device):
        a = jax.device_put(random((3, 4), "float32"), device)
        with jax.default_device(DEVICES[-1]):
            assert xpose.transpose(a).devices() == xpose.matmul(a, xpose.transpose(a)).devices() == {device}

    def test_calls_run_where_the_policy_says(self, device):
        a, b = random((3, 4), "int32"), random((4, 5), "int32", 1)
        for policy in ("auto", "cuda") if device.platform == "gpu" else ("auto", "omp", "seq", "reference"):
            np.testing.assert_array_equal(jax.jit(partial(xpose.jax.matmul, policy=policy))(a, b), a @ b)
        if device.platform == "gpu":
            with pytest.raises(jax.errors.JaxRuntimeError):
                jax.block_until_ready(xpose.jax.matmul(jnp.asarray(a), jnp.asarray(b), policy="omp"))

    def test_without_jit_the_same_comes_out(self):
        a, b = random((3, 4), "int32"), random((4, 5), "int32", 1)
        with jax.disable_jit():
            np.testing.assert_array_equal(xpose.jax.matmul(jnp.asarray(a), jnp.asarray(b)), a @ b)
            np.testing.assert_array_equal(xpose.jax.transpose(jnp.asarray(a)), a.T)

    def test_shard_map_runs_each_part(self, device):
        mesh = jax.sharding.Mesh([device], "x")
        spec = jax.sharding.PartitionSpec("x")
        a, b = random((4, 3, 5), "float64"), random((4, 5, 2), "float64", 1)
        product = jax.jit(jax.shard_map(xpose.jax.matmul, mesh=mesh, in_specs=(spec, spec), out_specs=spec))
        np.testing.assert_allclose(product(a, b), a @ b, rtol=1e-12)


def test_the_examples_run():
    found = doctest.DocTestFinder().find(xpose.jax, "xpose.jax", globs={"jax": jax, "jnp": jnp, "xpose": xpose})
    assert len([test for test in found if test.examples]) == 6  # the module, and each call
    runner = doctest.DocTestRunner()
    for test in found:
        runner.run(test)
    assert runner.summarize().failed == 0


def test_the_documents_example_runs():
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "docs", "python.md"), encoding="utf-8") as file:
        block, = re.findall(r"^```py\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    exec(compile(block, "docs/python.md", "exec"), {})


def test_xpose_imports_no_jax():
    assert subprocess.run([sys.executable, "-c", "import sys, numpy, xpose; xpose.transpose(numpy.eye(2)); "
                           "sys.exit('jax' in sys.modules)"]).returncode == 0
