# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Products and sums: integers exactly, reals within the bound of docs/semantics.md, by NumPy's rules of shapes."""

import ml_dtypes
import numpy as np
import pytest
import xpose
from hypothesis import given, settings
from hypothesis import strategies as st

from arrays import bits, of_any_layout

RESULTS = {"float32": "float32", "float64": "float64", "complex64": "complex64", "complex128": "complex128", "int32": "int32",
           "int64": "int64", "float16": "float16", "int8": "int32", "uint8": "int32"}


@st.composite
def operands(draw, dtype):
    """a and b whose shapes numpy.matmul takes."""
    m, n, k = (draw(st.integers(0, 12)) for _ in range(3))
    batch = draw(st.lists(st.integers(1, 3), max_size=3))
    a_batch, b_batch = (tuple(1 if draw(st.integers(0, 3)) == 0 else extent for extent in batch[draw(st.integers(0, len(batch))):])
                        for _ in range(2))
    a_shape = (k,) if not a_batch and draw(st.integers(0, 4)) == 0 else (*a_batch, m, k)
    b_shape = (k,) if not b_batch and draw(st.integers(0, 4)) == 0 else (*b_batch, k, n)
    return draw(of_any_layout(a_shape, dtype)), draw(of_any_layout(b_shape, dtype))


@settings(max_examples=600, deadline=None)
@given(st.data(), st.sampled_from(sorted(RESULTS)), st.sampled_from(["auto", "seq", "reference"]))
def test_matmul_is_numpys_of_small_integers(data, dtype, policy):
    a, b = data.draw(operands(dtype))
    wide = "complex128" if dtype.startswith("complex") else "float64"
    expected = np.matmul(a.astype(wide), b.astype(wide))
    result = xpose.matmul(a, b, policy=policy)
    assert result.dtype == RESULTS[dtype] and result.shape == np.shape(expected)
    assert (result == expected).all()


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 70), st.integers(1, 70), st.integers(1, 300), st.sampled_from(["float32", "float64", "complex64"]),
       st.integers(0, 99))
def test_the_error_of_random_products_is_within_the_bound(m, n, k, dtype, seed):
    random = np.random.default_rng(seed)
    a, b = (random.standard_normal(shape).astype(dtype) for shape in ((m, k), (k, n)))
    wide = "complex256" if dtype.startswith("complex") else "float128"
    expected = a.astype(wide) @ b.astype(wide)
    unit = np.finfo(dtype).eps / 2
    steps = (k + 2) * (4 if dtype.startswith("complex") else 1)
    bound = steps * unit / (1 - steps * unit) * (abs(a).astype(wide) @ abs(b).astype(wide))
    assert (abs(xpose.matmul(a, b) - expected) <= bound).all()


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
def test_types_of_ml_dtypes_multiply(dtype):
    a, b = np.arange(-4, 4).reshape(2, 4).astype(dtype), np.eye(4, 3).astype(dtype)
    result = xpose.matmul(a, b, dtype="float32")
    assert result.dtype == np.float32 and (result == a.astype("f4") @ b.astype("f4")).all()
    assert xpose.matmul(a, b).dtype == (dtype if dtype == ml_dtypes.bfloat16 else np.float32)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 8), st.sampled_from(["float64", "int32"]))
def test_semirings_take_the_smallest_and_the_largest_sum(m, n, k, dtype):
    random = np.random.default_rng(m * 100 + n * 10 + k)
    a, b = random.integers(-50, 50, (m, k)).astype(dtype), random.integers(-50, 50, (k, n)).astype(dtype)
    sums = a[:, :, None] + b[None]
    assert (xpose.matmul(a, b, semiring="min_plus") == sums.min(1)).all()
    assert (xpose.matmul(a, b, semiring="max_plus") == sums.max(1)).all()
    p, q = a > 0, b > 0
    assert (xpose.matmul(p, q, semiring="or_and") == (p[:, :, None] & q[None]).any(1)).all()
    assert xpose.matmul(p, q, semiring="or_and").dtype == bool


def test_alpha_and_beta_scale_and_out_is_updated():
    a, b, c = np.arange(6.0).reshape(2, 3), np.ones((3, 2)), np.full((2, 2), 10.0)
    expected = 2 * (a @ b) - 0.5 * c
    assert xpose.matmul(a, b, out=c, alpha=2, beta=-0.5) is c and (c == expected).all()
    z = a + 1j
    assert (xpose.matmul(z, b.astype(complex), alpha=1j, conjugate_a=True) == 1j * (z.conj() @ b)).all()


def test_out_without_beta_is_never_read():
    out = np.full((2, 2), np.nan)
    assert (xpose.matmul(np.eye(2), np.eye(2), out=out) == np.eye(2)).all()


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from(["int8", "uint32", "int64", "float16", "float32", "float64", "complex64"]))
def test_add_broadcasts_as_numpy_does(data, dtype):
    shape = tuple(data.draw(st.lists(st.integers(1, 5), max_size=5)))
    of = [tuple(1 if data.draw(st.integers(0, 4)) == 0 else e for e in shape[data.draw(st.integers(0, len(shape))):]) for _ in range(2)]
    a, b = (data.draw(of_any_layout(s, dtype)) for s in of)
    expected = np.asarray(a + np.asarray(2, dtype) * b)
    result = xpose.add(a, b, beta=2)
    assert result.dtype == dtype and result.shape == expected.shape and bits(result + np.asarray(0, dtype)) == bits(
        expected.astype(dtype) + np.asarray(0, dtype))


def test_add_writes_into_an_operand():
    a, b = np.arange(6.0).reshape(2, 3), np.ones((2, 3))
    assert xpose.add(a, b, alpha=2, beta=1, out=a) is a and (a == 2 * np.arange(6.0).reshape(2, 3) + 1).all()


@pytest.mark.parametrize("policy, backend", [("auto", "omp"), ("omp", "omp"), ("seq", "omp"), ("reference", "reference")])
def test_explain_names_the_backend_and_runs_nothing(policy, backend):
    a, out = np.ones((3, 4)), np.zeros((4, 3))
    answer = xpose.explain("transpose", a, out=out, policy=policy)
    assert answer.backend == backend and answer.kernel and policy in ("auto", "omp") or answer.reason
    assert not out.any()
    assert xpose.explain("matmul", a, out, policy=policy).backend == backend
    assert xpose.explain("add", a, a, policy=policy).backend == backend
    assert xpose.explain("transpose_inplace", a, policy=policy).backend == backend and (a == 1).all()
