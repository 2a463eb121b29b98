# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Arrays of other libraries come back as their own kind. Skipped where a library is not installed."""

import numpy as np
import pytest
import xpose


class Exported:
    """A library that has nothing but DLPack's protocol."""

    def __init__(self, array):
        self.array = array
        self.shape, self.dtype = array.shape, array.dtype

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_whatever_has_dlpack_is_an_input():
    a = np.arange(6.0).reshape(2, 3)
    result = xpose.transpose(Exported(a))
    assert isinstance(result, np.ndarray) and (result == a.T).all()


def test_a_library_of_the_array_api_gets_its_own_arrays():
    strict = pytest.importorskip("array_api_strict")
    a = strict.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert type(xpose.transpose(a)) is type(a)


def test_jax_arrays_come_back_as_jax_arrays():
    jax = pytest.importorskip("jax")
    with jax.default_device(jax.devices("cpu")[0]):
        read_by_xpose(jax)


def read_by_xpose(jax):
    a = jax.numpy.arange(6.0).reshape(2, 3)
    result = xpose.matmul(a, xpose.transpose(a))
    assert isinstance(result, jax.Array) and (result == a @ a.T).all()
    assert xpose.transpose(a.astype(jax.numpy.bfloat16)).dtype == jax.numpy.bfloat16
    with pytest.raises(TypeError, match="JAX keeps no float64 unless"):
        xpose.copy(a, dtype="float64")
    with pytest.raises(ValueError, match="out is read-only"):
        xpose.transpose(a, out=jax.numpy.zeros((3, 2)))


class TestTorch:
    @pytest.fixture(autouse=True)
    def torch(self):
        self.torch = pytest.importorskip("torch")

    def test_tensors_of_any_layout_come_back_as_tensors(self):
        a = self.torch.arange(24).reshape(2, 3, 4)
        for view in (a, a.permute(2, 0, 1), a[:, ::2], a.expand(2, 3, 4)):
            assert self.torch.equal(xpose.transpose(view), view.permute(2, 1, 0).contiguous())
        b = self.torch.randn(5, 3, dtype=self.torch.bfloat16)
        assert xpose.transpose(b).dtype == b.dtype and self.torch.equal(xpose.transpose(b), b.T)
        assert self.torch.equal(xpose.copy(b, dtype=self.torch.float32), b.float())

    def test_lazily_conjugated_and_negated_tensors_are_what_they_show(self):
        z = self.torch.randn(3, 4, dtype=self.torch.complex64)
        assert self.torch.equal(xpose.transpose(z.conj()), z.mH.resolve_conj())
        assert self.torch.allclose(xpose.matmul(z, z.mH), z @ z.mH)
        negated = z.conj().imag
        assert negated.is_neg() and self.torch.equal(xpose.transpose(negated), negated.T)

    def test_gradients_are_those_of_differences(self):
        double = dict(dtype=self.torch.float64, requires_grad=True)
        a, b, v = self.torch.randn(2, 3, 4, **double), self.torch.randn(4, 5, **double), self.torch.randn(4, **double)
        check = self.torch.autograd.gradcheck
        assert check(lambda x: xpose.transpose(x, (1, 2, 0)), (a,))
        assert check(lambda x, y: xpose.matmul(x, y, alpha=1.5), (a, b))
        assert check(lambda x, y: xpose.matmul(x, y), (a, v))
        assert check(lambda x, y: xpose.add(x, y, alpha=2, beta=-1), (a, v))
        z = self.torch.randn(3, 3, dtype=self.torch.complex128, requires_grad=True)
        assert check(lambda x: xpose.matmul(x, x, alpha=1j, conjugate_a=True), (z,))
        assert check(lambda x: xpose.transpose(x, conjugate=True), (z,))

    def test_operators_pass_torchs_own_checks(self):
        from xpose import torch as operators
        a, b = self.torch.randn(2, 3, 4, requires_grad=True), self.torch.randn(4, 5, requires_grad=True)
        for operator, arguments in ((operators._permute, (a, [2, 0, 1], None, False, "auto")),
                                    (operators._matmul, (a, b, [1.5, 0.0], None, False, False, "full", "auto")),
                                    (operators._add, (a, a, [2.0, 0.0], [1.0, 0.0], "auto"))):
            self.torch.library.opcheck(operator, arguments)

    def test_compiled_functions_have_no_graph_break(self):
        def layer(x, w):
            return xpose.matmul(xpose.transpose(x), w).relu()
        x, w = self.torch.randn(4, 3), self.torch.randn(4, 5)
        explained = self.torch._dynamo.explain(layer)(x, w)
        assert explained.graph_break_count == 0, explained.break_reasons
        compiled = self.torch.compile(layer, backend="aot_eager", fullgraph=True)
        assert self.torch.allclose(compiled(x, w), layer(x, w))

    def test_a_recorded_call_takes_no_stream_and_keeps_the_precision(self):
        a = self.torch.randn(3, 3, requires_grad=True)
        with pytest.raises(xpose.ArgumentError, match="takes no stream"):
            xpose.transpose(a, stream=1)
        xpose.matmul(a, self.torch.nn.Parameter(a.detach()), precision="tf32").sum().backward()
        assert a.grad is not None
        with pytest.raises(xpose.ArgumentError, match="precision is 'half'"):
            xpose.matmul(a, a, precision="half")

    def test_conjugate_bits_of_both_sides_cancel(self):
        z, o = self.torch.tensor([[1 + 2j, 3 + 4j]]), self.torch.zeros(1, 2, dtype=self.torch.complex64).conj()
        assert self.torch.equal(xpose.copy(z.conj(), conjugate=True), z)
        assert self.torch.equal(xpose.copy(z, out=o).resolve_conj(), z)
        with pytest.raises(TypeError, match="resolve_conj"):
            xpose.copy(z.conj(), dtype=self.torch.complex128)

    def test_autograd_sees_what_is_written(self):
        y = self.torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        r = y.exp()
        total = r.sum()
        xpose.transpose_inplace(r.detach())
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            total.backward()

    def test_a_leaf_that_requires_a_gradient_is_not_written(self):
        leaf = self.torch.zeros(3, 2, requires_grad=True)
        with pytest.raises(xpose.ArgumentError, match="out is a leaf that requires a gradient"):
            xpose.transpose(self.torch.ones(2, 3), out=leaf)
        with self.torch.no_grad():
            xpose.transpose(self.torch.ones(2, 3), out=leaf)
        assert bool((leaf == 1).all())

    def test_an_integer_that_no_float_holds_is_no_scalar_of_a_recorded_call(self):
        a = self.torch.ones(2, 2, requires_grad=True)
        with pytest.raises(OverflowError, match="more than a call that PyTorch records"):
            xpose.add(a, a, alpha=2**53 + 1)

    def test_more_dimensions_than_numpy_has_are_refused(self):
        with pytest.raises(ValueError, match="more than 64 dimensions"):
            xpose.transpose(self.torch.ones([1] * 200))

    def test_what_has_no_strides_is_refused(self):
        with pytest.raises(TypeError, match="layout torch.sparse_coo"):
            xpose.transpose(self.torch.eye(3).to_sparse())
        with pytest.raises(xpose.ResidencyError, match="meta"):
            xpose.transpose(self.torch.zeros(2, 2, device="meta"))
