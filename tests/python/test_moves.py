# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Moves have NumPy's bits, for arrays of any layout and type."""

import array
import itertools

import ml_dtypes
import numpy as np
import pytest
import xpose
from hypothesis import given, settings
from hypothesis import strategies as st

from arrays import POISON, arrays, bits, of_any_layout

POLICIES = ("auto", "omp", "seq", "reference")
REALS = ["int8", "uint8", "int16", "uint32", "int64", "float16", "float32", "float64", ml_dtypes.bfloat16]


@settings(max_examples=600, deadline=None)
@given(arrays(), st.data())
def test_transpose_moves_the_bits_that_numpy_shows(a, data):
    axes = data.draw(st.one_of(st.none(), st.permutations(range(a.ndim))))
    if axes is not None:
        axes = [axis - a.ndim if data.draw(st.booleans()) else axis for axis in axes]
    result = xpose.transpose(a, axes, policy=data.draw(st.sampled_from(POLICIES)))
    expected = a.transpose(axes)
    assert result.shape == expected.shape and result.dtype == a.dtype and result.flags.c_contiguous
    assert bits(result) == bits(expected)


@settings(max_examples=300, deadline=None)
@given(arrays(), st.data())
def test_out_of_any_layout_is_written_and_nothing_between_its_elements(a, data):
    axes = data.draw(st.permutations(range(a.ndim)))
    shape = tuple(a.shape[axis] for axis in axes)
    out = data.draw(of_any_layout(shape, a.dtype, may_repeat=False))
    base = out
    while base.base is not None:
        base = base.base
    memory = base.reshape(-1).view(np.uint8)
    memory.fill(POISON)
    assert xpose.permute(a, axes, out=out) is out
    assert bits(out) == bits(a.transpose(axes))
    written = np.zeros(memory.size, bool)
    start = out.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    for index in itertools.product(*map(range, out.shape)):
        at = start + sum(i * s for i, s in zip(index, out.strides))
        written[at:at + out.itemsize] = True
    assert (memory[~written] == POISON).all()


@settings(max_examples=200, deadline=None)
@given(arrays(dtypes=REALS), st.sampled_from(REALS))
def test_copy_converts_as_numpy_does(a, dtype):
    if np.dtype(dtype).kind == "u" and a.dtype.kind not in "iub":
        a = abs(a)  # what a negative fraction becomes, C++ leaves open
    result = xpose.copy(a, dtype=dtype)
    assert result.dtype == dtype and bits(result) == bits(a.astype(dtype))


def test_complex_elements_are_conjugated_and_real_ones_copied():
    z = (np.arange(6) + 1j * np.arange(6)[::-1]).reshape(2, 3)
    assert (xpose.transpose(z, conjugate=True) == z.conj().T).all()
    assert (xpose.transpose(z.real, conjugate=True) == z.real.T).all()
    assert xpose.copy(z, dtype=np.complex64).dtype == np.complex64


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 3), st.sampled_from(["u1", "f4", "c16", "V3"]))
def test_transpose_inplace_shows_the_same_memory(rows, cols, count, dtype):
    shape = (count, rows, cols) if count else (rows, cols)
    a = np.frombuffer(np.random.default_rng(rows).bytes(int(np.prod(shape)) * np.dtype(dtype).itemsize), dtype).reshape(shape).copy()
    expected = bits(np.swapaxes(a, -1, -2))
    result = xpose.transpose_inplace(a)
    assert result.shape == (*shape[:-2], cols, rows) and bits(result) == expected
    assert np.shares_memory(result, a) and (rows != cols or result is a)


def test_column_major_matrices_are_transposed_in_place():
    a = np.asfortranarray(np.arange(6).reshape(2, 3))
    expected = a.T.copy()
    assert (xpose.transpose_inplace(a) == expected).all()


def test_ascontiguous_returns_what_is_contiguous_already():
    a = np.arange(6.0).reshape(2, 3)
    assert xpose.ascontiguous(a) is a
    assert xpose.ascontiguous(a.T, "F").flags.f_contiguous
    f = xpose.ascontiguous(a[:, ::2], "F")
    assert f.flags.f_contiguous and (f == a[:, ::2]).all()


def test_more_dimensions_than_eight_merge():
    a = np.arange(2**12, dtype=np.int16).reshape((2,) * 12)
    axes = (*range(6, 12), *range(6))
    assert (xpose.permute(a, axes) == a.transpose(axes)).all()
    with pytest.raises(xpose.ShapeError, match="do not merge"):
        xpose.transpose(a)


def test_names_of_the_array_api():
    a = np.arange(24).reshape(2, 3, 4)
    assert (xpose.permute_dims(a, (2, 0, 1)) == a.transpose(2, 0, 1)).all()
    assert (xpose.matrix_transpose(a) == a.swapaxes(1, 2)).all()


@pytest.mark.parametrize("buffer", [bytearray(b"abcdef"), b"abcdef", array.array("d", [1, 2, 3]), memoryview(b"abcdef").cast("B", (2, 3))])
def test_buffers_are_inputs_and_results_are_numpys(buffer):
    result = xpose.transpose(buffer)
    assert isinstance(result, np.ndarray) and (result == np.asarray(memoryview(buffer)).T).all()


def test_a_scalar_of_no_dimensions_is_copied():
    a = np.array(3.5)
    result = xpose.transpose(a)
    assert result.shape == () and result == 3.5 and not np.shares_memory(result, a)


@pytest.mark.parametrize("scalar", [np.float64(3.5), ml_dtypes.bfloat16(5), np.datetime64(1, "s")])
def test_scalars_of_numpy_are_arrays_of_no_dimensions(scalar):
    result = xpose.transpose(scalar)
    assert isinstance(result, np.ndarray) and result.shape == () and result.dtype == scalar.dtype and result == scalar


def test_subclasses_are_arrays():
    assert (xpose.transpose(np.asmatrix([[1, 2], [3, 4]])) == np.array([[1, 3], [2, 4]])).all()
