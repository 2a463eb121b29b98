# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Products with scale, bias and activation, against NumPy's formulas."""

import math

import numpy as np
import pytest
import xpose
from hypothesis import given, settings
from hypothesis import strategies as st

from arrays import of_any_layout

gelu = np.vectorize(lambda x: x / 2 * (1 + math.erf(x / math.sqrt(2))), otypes=[float])
ACTIVATIONS = {None: lambda x: x, "relu": lambda x: np.maximum(x, 0), "gelu": gelu}


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_scale_bias_and_activation_are_applied_to_the_product(data):
    m, n, k = (data.draw(st.integers(1, 40)) for _ in range(3))
    dtype = data.draw(st.sampled_from(["float32", "float64", "int8"]))
    result_dtype = "float32" if dtype == "int8" else dtype
    outer = data.draw(st.sampled_from([(), (3,), (2, 3)]))
    a = data.draw(of_any_layout((*outer, m, k), dtype))
    b = data.draw(of_any_layout((k, n), dtype))
    operand = st.sampled_from([None, (n,), (1, n), (m, 1), (m, n), ()])
    scale, bias = (None if shape is None else data.draw(of_any_layout(shape, result_dtype)) for shape in (data.draw(operand) for _ in "sb"))
    activation = data.draw(st.sampled_from([None, "relu", "gelu"]))
    policy = data.draw(st.sampled_from(["auto", "seq", "reference"]))
    if scale is bias is activation is None:
        return
    result = xpose.matmul(a, b, scale=scale, bias=bias, activation=activation, policy=policy)
    x = a.astype("float64") @ b.astype("float64")
    expected = ACTIVATIONS[activation]((x if scale is None else x * scale) + (0 if bias is None else bias))
    assert result.dtype == result_dtype
    np.testing.assert_allclose(result, expected, rtol=1e-12 if dtype == "float64" else 1e-6, atol=1e-9 if dtype == "float64" else 1e-5)


def test_a_vector_operand_runs_along_the_result():
    a, v = np.arange(6.0).reshape(2, 3), np.ones(3)
    np.testing.assert_array_equal(xpose.matmul(a, v, bias=np.array([10.0, 20.0])), a @ v + [10, 20])
    np.testing.assert_array_equal(xpose.matmul(v, a.T, bias=np.array([10.0, 20.0])), v @ a.T + [10, 20])


def test_out_is_scaled_and_added_before_the_bias():
    a, out = np.eye(3), np.full((3, 3), 2.0)
    xpose.matmul(a, a, out=out, alpha=-1, beta=1, bias=np.array([0.0, 1.0, -9.0]), activation="relu")
    np.testing.assert_array_equal(out, np.maximum(np.full((3, 3), 2.0) - a + [0, 1, -9], 0))


@pytest.mark.parametrize("options, error, says", [
    ({"bias": np.ones(3)}, xpose.ShapeError, "bias is 1x3, expected 1 or 2 rows and 1 or 2 columns"),
    ({"bias": np.ones((2, 2), "float32")}, TypeError, "bias has dtype float32, and the result float64"),
    ({"scale": "loud"}, TypeError, "scale is a str"),
    ({"activation": "swish"}, xpose.ArgumentError, "activation is 'swish'; it is one of 'relu', 'gelu'"),
    ({"activation": "relu", "semiring": "min_plus"}, xpose.ArgumentError, "belong to plus_times"),
    ({"bias": np.ones((3, 2, 2))}, xpose.ShapeError, "it is a vector or a matrix"),
])
def test_what_does_not_fit_is_refused_and_named(options, error, says):
    a, out = np.ones((2, 3)), np.full((2, 2), 7.0)
    with pytest.raises(error, match=says):
        xpose.matmul(a, np.ones((3, 2)), out=out, **options)
    assert (out == 7).all()


def test_types_without_a_layer_are_refused():
    a = np.ones((2, 2), "complex64")
    with pytest.raises(TypeError, match="with scale, bias or activation it multiplies float32"):
        xpose.matmul(a, a, activation="relu")


def test_gradients_pass_through_bias_and_activation():
    torch = pytest.importorskip("torch")
    double = dict(dtype=torch.float64, requires_grad=True)
    x, w, bias, scale = (torch.randn(*shape, **double) for shape in ((2, 3, 4), (4, 5), (5,), (5,)))
    assert torch.autograd.gradcheck(lambda *o: xpose.matmul(o[0], o[1], scale=o[2], bias=o[3], activation="gelu"), (x, w, scale, bias))
    with torch.no_grad():
        fused = xpose.matmul(x, w, scale=scale, bias=bias, activation="gelu")
    assert torch.allclose(fused, xpose.matmul(x, w, scale=scale, bias=bias, activation="gelu"))
