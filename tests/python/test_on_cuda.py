# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Arrays of PyTorch and CuPy on a GPU: results against NumPy's, streams, graphs, lifetimes. Skipped without a GPU."""

import threading

import numpy as np
import pytest
import xpose
from hypothesis import given, settings
from hypothesis import strategies as st

from arrays import arrays, of_any_layout

ON_CUPY = ["bool", "int8", "uint16", "int32", "float16", "float32", "float64", "complex64", "complex128"]


def gpu_of(module):
    """The library, or a skip where it sees no GPU."""
    library = pytest.importorskip(module)
    if not library.cuda.is_available():
        pytest.skip("no GPU in this machine")
    return library


@pytest.fixture(scope="module")
def cupy():
    return gpu_of("cupy")


@pytest.fixture(scope="module")
def torch():
    return gpu_of("torch")


class TestCuPy:
    @staticmethod
    def copied(cupy, array):
        """The array on the GPU, with its strides, behind the same number of bytes."""
        root = array
        while isinstance(root.base, np.ndarray):
            root = root.base
        memory = cupy.zeros(max(root.nbytes, 1), np.uint8)
        if root.nbytes:
            memory.set(root.reshape(-1).view(np.uint8))
        first = array.__array_interface__["data"][0] - root.__array_interface__["data"][0] if array.size else 0
        return cupy.ndarray(array.shape, array.dtype, memory.data + first, array.strides)

    @settings(max_examples=150, deadline=None)
    @given(st.data())
    def test_layers_of_random_sizes_are_numpys(self, cupy, data):
        m, n, k = (data.draw(st.sampled_from([1, 3, 16, 65, 200, 256])) for _ in range(3))
        dtype = data.draw(st.sampled_from(["float16", "float32", "float64", "int8"]))
        result_dtype = "float32" if dtype == "int8" else dtype
        shape = st.sampled_from([None, (n,), (m, 1), (m, n)])
        def operand(extents, of):
            return None if extents is None else np.random.default_rng(sum(extents) + m).integers(-3, 4, extents).astype(of)
        a, b = operand((m, k), dtype), operand((n, k), dtype)
        scale, bias = (operand(data.draw(shape), result_dtype) for _ in "sb")
        activation = data.draw(st.sampled_from([None, "relu"]))
        def on_gpu(array):
            return None if array is None else cupy.asarray(array)
        how = {"scale": on_gpu(scale), "bias": on_gpu(bias), "activation": activation}
        result = xpose.matmul(on_gpu(a), on_gpu(b).T, **how)
        x = a.astype("float64") @ b.T.astype("float64")
        x = (x if scale is None else x * scale) + (0 if bias is None else bias)
        np.testing.assert_array_equal(result.get(), (np.maximum(x, 0) if activation else x).astype(result.dtype))
        assert result.dtype == (result_dtype if any(o is not None for o in how.values()) else xpose.matmul(on_gpu(a), on_gpu(b).T).dtype)
        assert xpose.explain("matmul", on_gpu(a), on_gpu(b).T, **how).backend == "cuda"

    @settings(max_examples=400, deadline=None)
    @given(st.data())
    def test_transposes_of_random_arrays_are_numpys(self, cupy, data):
        a = data.draw(arrays(dtypes=ON_CUPY))
        axes = data.draw(st.permutations(range(a.ndim)))
        result = xpose.transpose(self.copied(cupy, a), axes)
        assert isinstance(result, cupy.ndarray) and result.dtype == a.dtype
        np.testing.assert_array_equal(result.get(), np.transpose(a, axes))

    @settings(max_examples=200, deadline=None)
    @given(st.data())
    def test_casts_and_sums_of_random_arrays_are_numpys(self, cupy, data):
        a = data.draw(arrays(dtypes=["int8", "int32", "float32"]))
        b = data.draw(of_any_layout(a.shape, a.dtype))
        np.testing.assert_array_equal(xpose.copy(self.copied(cupy, a), dtype="float64").get(), a.astype("float64"))
        np.testing.assert_array_equal(xpose.add(self.copied(cupy, a), self.copied(cupy, b), alpha=2, beta=-1).get(), 2 * a - b)

    @settings(max_examples=200, deadline=None)
    @given(st.data())
    def test_products_of_random_arrays_are_numpys(self, cupy, data):
        dtype = data.draw(st.sampled_from(["float32", "float64", "int32", "int64", "complex64"]))
        m, n, k = (data.draw(st.integers(0, 40)) for _ in range(3))
        outer = data.draw(st.sampled_from([(), (3,), (2, 3)]))
        a = data.draw(of_any_layout((*outer, m, k), dtype))
        b = data.draw(of_any_layout((k, n), dtype))
        np.testing.assert_array_equal(xpose.matmul(self.copied(cupy, a), self.copied(cupy, b)).get(), a @ b)

    @pytest.mark.parametrize("semiring, dtype", [("min_plus", "float32"), ("max_plus", "int32"), ("or_and", "bool")])
    def test_semirings_are_those_of_the_processor(self, cupy, semiring, dtype):
        random = np.random.default_rng(1)
        a, b = random.integers(0, 2 if dtype == "bool" else 99, (2, 61, 61)).astype(dtype)
        result = xpose.matmul(cupy.asarray(a), cupy.asarray(b), semiring=semiring)
        np.testing.assert_array_equal(result.get(), xpose.matmul(a, b, semiring=semiring))

    def test_a_call_runs_on_the_current_stream_and_keeps_host_arrays_out(self, cupy):
        a = cupy.arange(6.0).reshape(2, 3)
        assert xpose.explain("transpose", a).backend == "cuda"
        with cupy.cuda.Stream(non_blocking=True) as stream:
            result = xpose.matmul(a, xpose.transpose(a))
            stream.synchronize()
        assert bool((result == a @ a.T).all())
        with pytest.raises(xpose.ResidencyError):
            xpose.transpose(np.ones((2, 3)), out=cupy.empty((3, 2)))
        with pytest.raises(xpose.ResidencyError):
            xpose.transpose(a, out=np.empty((3, 2)))
        with pytest.raises(xpose.AliasError):
            xpose.transpose(a, out=a.reshape(3, 2))

    def test_a_rectangle_is_transposed_in_place(self, cupy):
        a = cupy.arange(35.0).reshape(5, 7)
        expected = a.T.get()
        result = xpose.transpose_inplace(a)
        assert result.shape == (7, 5) and result.data.ptr == a.data.ptr
        np.testing.assert_array_equal(result.get(), expected)


class TestTorch:
    def test_a_call_does_not_wait_for_the_device(self, torch):
        a = torch.randn(1000, 700, device="cuda")
        xpose.transpose(a)  # loads the kernel
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            torch.cuda._sleep(200_000_000)
            result = xpose.transpose(a)
            product = xpose.matmul(a, result)
            total = xpose.add(a, a)
        assert not stream.query(), "a call has waited for its stream"
        stream.synchronize()
        assert torch.equal(result, a.T) and torch.equal(total, a + a)
        assert torch.allclose(product, a @ a.T, rtol=1e-3, atol=1e-2)

    def test_memory_that_a_call_uses_is_kept_until_its_stream_has_passed(self, torch):
        stream = torch.cuda.Stream()
        a = torch.ones(300, 500, device="cuda")
        xpose.transpose(a)
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(200_000_000)
        result = xpose.transpose(a, stream=stream)
        address = a.data_ptr()
        del a
        reused = [torch.zeros(300, 500, device="cuda") for _ in range(8)]
        assert address not in [r.data_ptr() for r in reused]
        # The result too: it came from the current stream's memory and is written on another.
        address = result.data_ptr()
        kept = xpose.copy(result, stream=stream)
        del result
        reused += [torch.zeros(500, 300, device="cuda") for _ in range(8)]
        assert address not in [r.data_ptr() for r in reused]
        torch.cuda.synchronize()
        assert bool((kept == 1).all())

    def test_calls_are_captured_into_a_graph(self, torch):
        a, w = torch.randn(100, 70, device="cuda"), torch.randn(100, 30, device="cuda")
        out, product = torch.empty(70, 100, device="cuda"), torch.empty(70, 30, device="cuda")
        xpose.matmul(xpose.transpose(a), w, out=product)  # loads the kernels
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            xpose.transpose(a, out=out)
            xpose.matmul(out, w, out=product)
            made = xpose.add(product, product)
        a.fill_(3)
        graph.replay()
        torch.cuda.synchronize()
        assert bool((out == 3).all())
        assert torch.allclose(product, a.T @ w, rtol=1e-3, atol=1e-3) and torch.equal(made, product + product)

    @pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
    def test_short_floats_multiply_on_the_tensor_cores(self, torch, name):
        dtype = getattr(torch, name)
        a = torch.randint(-4, 5, (65, 48), device="cuda").to(dtype)
        b = torch.randint(-4, 5, (48, 33), device="cuda").to(dtype)
        result = xpose.matmul(a, b, dtype="float32")
        assert result.is_cuda and torch.equal(result, a.float() @ b.float())
        assert torch.equal(xpose.transpose(a).float(), a.float().T)

    def test_gradients_are_those_of_differences(self, torch):
        double = dict(dtype=torch.float64, requires_grad=True, device="cuda")
        a, b = torch.randn(2, 3, 4, **double), torch.randn(4, 5, **double)
        check = torch.autograd.gradcheck
        assert check(lambda x: xpose.transpose(x, (1, 2, 0)), (a,))
        assert check(lambda x, y: xpose.matmul(x, y, alpha=1.5), (a, b))

    def test_operators_pass_torchs_own_checks(self, torch):
        from xpose import torch as operators
        a, b = (torch.randn(*shape, requires_grad=True, device="cuda") for shape in ((2, 3, 4), (4, 5)))
        torch.library.opcheck(operators._permute, (a, [2, 0, 1], None, False, "auto"))
        torch.library.opcheck(operators._matmul, (a, b, [1.5, 0.0], None, False, False, "full", "auto"))

    def test_compiled_functions_have_no_graph_break(self, torch):
        def layer(x, w):
            return xpose.matmul(xpose.transpose(x), w).relu()
        x, w = torch.randn(40, 30, device="cuda"), torch.randn(40, 50, device="cuda")
        compiled = torch.compile(layer, fullgraph=True)
        assert torch.allclose(compiled(x, w), layer(x, w))

    def test_threads_on_streams_of_their_own_do_not_meet(self, torch):
        wrong = []

        def work(seed):
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                a = torch.full((200 + seed, 300), float(seed), device="cuda")
                for _ in range(50):
                    product = xpose.matmul(a, xpose.transpose(a))
                stream.synchronize()
                if not bool((product == 300.0 * seed * seed).all()):
                    wrong.append(seed)
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong

    def test_ten_thousand_calls_leak_no_device_memory(self, torch):
        a = torch.randn(10, 20, device="cuda")
        xpose.transpose(a)
        before = torch.cuda.memory_allocated()
        for _ in range(10_000):
            xpose.transpose(a)
        torch.cuda.synchronize()
        assert torch.cuda.memory_allocated() == before

    def test_operands_on_two_sides_are_refused(self, torch):
        a = torch.ones(2, 3)
        with pytest.raises(xpose.ResidencyError):
            xpose.matmul(a, torch.ones(3, 2, device="cuda"))
        with pytest.raises(xpose.ResidencyError):
            xpose.transpose(a.cuda(), out=torch.empty(3, 2))
        with pytest.raises(xpose.ResidencyError):
            xpose.transpose(a.cuda(), policy="omp")
