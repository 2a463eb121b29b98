# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Each wrong argument is one sentence that names it; the output stays as it was, and nothing leaks."""

import gc
import subprocess
import sys
import tracemalloc

import ml_dtypes
import numpy as np
import pytest
import xpose

A = np.arange(6.0).reshape(2, 3)
E4M3 = np.ones((2, 2), ml_dtypes.float8_e4m3fn)


def read_only(array):
    array.flags.writeable = False
    return array


OVERLAPPING = np.zeros(12)
REFUSED = [
    (lambda: xpose.transpose([[1, 2]]), TypeError, "a is a list"),
    (lambda: xpose.transpose("text"), TypeError, "a is a str"),
    (lambda: xpose.transpose(None), TypeError, "a is a NoneType"),
    (lambda: xpose.transpose(np.array([object()])), TypeError, "Python's objects"),
    (lambda: xpose.transpose(np.ma.array([1, 2])), TypeError, "masked"),
    (lambda: xpose.transpose(A, (0, 0)), xpose.ShapeError, "axis 0 stands twice"),
    (lambda: xpose.transpose(A, (0, 5)), xpose.ShapeError, "axes"),
    (lambda: xpose.transpose(A, (0,)), xpose.ShapeError, "1 axes for an array of 2 dimensions"),
    (lambda: xpose.transpose(A, out=np.zeros((2, 3))), xpose.ShapeError, r"out is \(2, 3\), expected \(3, 2\)"),
    (lambda: xpose.transpose(A, out=np.zeros((3, 2), "f4")), TypeError, "out has dtype float32, and the result float64; dtype="),
    (lambda: xpose.transpose(A, out=read_only(np.zeros((3, 2)))), ValueError, "out is read-only"),
    (lambda: xpose.transpose(A, out=[[0] * 2] * 3), TypeError, "out is a list"),
    (lambda: xpose.transpose(OVERLAPPING[:6].reshape(2, 3), out=OVERLAPPING[3:9].reshape(3, 2)), xpose.AliasError, "overlap"),
    (lambda: xpose.transpose(A, out=np.broadcast_to(np.zeros(2), (3, 2))), ValueError, "read-only|share"),
    (lambda: xpose.transpose(A, dtype="complex64"), xpose.BackendError, "cast"),
    (lambda: xpose.transpose(A, dtype="S3"), TypeError, "no cast from float64"),
    (lambda: xpose.transpose(A, policy="gpu"), xpose.ArgumentError, "policy is 'gpu'; it is one of 'auto', 'seq'"),
    (lambda: xpose.transpose(A, policy=3), xpose.ArgumentError, "policy is 3"),
    (lambda: xpose.transpose(A, policy="omp", stream=5), xpose.ArgumentError, "stream"),
    (lambda: xpose.transpose(A, stream="s"), TypeError, "stream is a str"),
    (lambda: xpose.matrix_transpose(np.zeros(3)), xpose.ShapeError, "an array of 1 dimensions"),
    (lambda: xpose.matmul(A, A), xpose.ShapeError, r"a's last extent \(3\) must equal b's last but one \(2\)"),
    (lambda: xpose.matmul(A, np.float64(2)), xpose.ShapeError, "needs a dimension to sum over"),
    (lambda: xpose.matmul(A, A.T.astype("f4")), TypeError, "a has dtype float64 and b float32; over plus_times it multiplies float32"),
    (lambda: xpose.matmul(A.astype(">f8"), A.T), TypeError, "foreign byte order"),
    (lambda: xpose.matmul(A.astype("u2"), A.T.astype("u2")), TypeError, "uint16"),
    (lambda: xpose.matmul(A, A.T, semiring="plus"), xpose.ArgumentError, "semiring is 'plus'"),
    (lambda: xpose.matmul(A, A.T, precision="half"), xpose.ArgumentError, "precision is 'half'"),
    (lambda: xpose.matmul(A, A.T, dtype="float32"), TypeError, "is float64, not float32"),
    (lambda: xpose.matmul(A, A.T, beta=1), xpose.ArgumentError, "needs out"),
    (lambda: xpose.matmul(A.astype("i4"), A.T.astype("i4"), alpha=0.5), TypeError, "alpha must be an integer"),
    (lambda: xpose.matmul(A.astype("i4"), A.T.astype("i4"), alpha=2**40), OverflowError, "alpha does not fit 32 bits"),
    (lambda: xpose.matmul(A, A.T, alpha=1j), TypeError, "alpha must be a real number"),
    (lambda: xpose.matmul(np.zeros((2, 3, 4)), np.zeros((5, 4, 2))), xpose.ShapeError, "do not broadcast"),
    (lambda: xpose.add(A, A.T), xpose.ShapeError, "do not broadcast"),
    (lambda: xpose.add(A, A.astype("f4")), TypeError, "a has dtype float64 and b float32"),
    (lambda: xpose.add(E4M3, E4M3), TypeError, "float8_e4m3fn"),
    (lambda: xpose.add(A, A, out=np.zeros((2, 4))), xpose.ShapeError, "does not broadcast to out's"),
    (lambda: xpose.transpose_inplace(np.zeros(3)), xpose.ShapeError, "matrices"),
    (lambda: xpose.transpose_inplace(np.zeros((4, 4))[:, :3]), xpose.LayoutError, "packed"),
    (lambda: xpose.transpose_inplace(b"abcd"), ValueError, "read-only|dimensions"),
    (lambda: xpose.set_threads(-1), xpose.ArgumentError, "-1 is not a number of threads"),
    (lambda: xpose.ascontiguous(A, "K"), xpose.ArgumentError, "order is 'K'"),
    (lambda: xpose.explain("invert", A), xpose.ArgumentError, "operation is 'invert'"),
]


@pytest.mark.parametrize("call, error, text", REFUSED, ids=range(len(REFUSED)))
def test_a_wrong_argument_is_named_in_one_sentence(call, error, text):
    OVERLAPPING[:] = np.arange(12)
    with pytest.raises(error, match=text) as refused:
        call()
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 500
    assert (A == np.arange(6.0).reshape(2, 3)).all() and (OVERLAPPING == np.arange(12)).all()


def test_errors_are_pythons_and_xposes():
    for name in ("ArgumentError", "ShapeError", "LayoutError", "AliasError", "ResidencyError"):
        assert issubclass(getattr(xpose, name), (ValueError, xpose.Error))
    assert issubclass(xpose.OverflowError, OverflowError) and issubclass(xpose.DeviceLost, xpose.CudaError)


def test_a_call_in_parts_does_not_read_what_another_part_writes():
    memory = np.arange(36.0).reshape(3, 3, 2, 2)[:, ::2]  # two dimensions of a stack that do not merge
    before = memory.copy()
    for call in (lambda a, out: xpose.matmul(a, np.eye(2), out=out), lambda a, out: xpose.add(a[..., ::-1], a, out=out)):
        with pytest.raises(xpose.AliasError, match="overlap"):
            call(memory[:2], memory[1:])
        assert (memory == before).all()


def test_ten_thousand_calls_leak_neither_references_nor_memory():
    a, b = np.ones((3, 4)), np.ones((4, 2), np.float32)

    def calls():
        for _ in range(2500):
            xpose.transpose(a)
            xpose.matmul(a, a.T, out=None)
            for wrong in (lambda: xpose.matmul(a, b), lambda: xpose.transpose(a, out=a)):
                try:
                    wrong()
                except (TypeError, xpose.Error):
                    pass

    calls()
    gc.collect()
    references = sys.getrefcount(a), sys.getrefcount(b)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    calls()
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert (sys.getrefcount(a), sys.getrefcount(b)) == references
    assert after - before < 20_000


def test_an_interruption_during_a_long_call_is_not_lost():
    program = """
import os, signal, threading, numpy as np, xpose
a = np.ones((1500, 1500))
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    while True:
        xpose.matmul(a, a, policy="seq")
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr


def test_other_threads_run_meanwhile():
    import threading
    import time
    a = np.ones((1200, 1200))
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.monotonic()
    while time.monotonic() - begin < 0.5:
        xpose.matmul(a, a, policy="seq")
    done.set()
    thread.join()
    assert counted > 20


def test_threads_call_at_once():
    from concurrent.futures import ThreadPoolExecutor
    a = np.arange(120 * 50.0).reshape(120, 50)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: xpose.transpose(a), range(200)))
    assert all((result == a.T).all() for result in results)


def test_set_threads_says_what_it_was():
    assert xpose.set_threads(1) == 0
    try:
        assert (xpose.transpose(A) == A.T).all()
    finally:
        assert xpose.set_threads(0) == 1


def test_info_says_what_a_report_needs():
    info = xpose.info()
    assert info["version"] == xpose.__version__ and info["backends"]["omp"] == "omp" and info["backends"]["cuda"]


def test_a_sum_does_not_read_what_another_part_of_it_writes():
    out = np.arange(1152.0).reshape(3, 4, 6, 16)[:, ::2, ::2, ::2]
    before = out.copy()
    with pytest.raises(xpose.AliasError):
        xpose.add(np.broadcast_to(out[:1], out.shape), np.ones(()), out=out)
    assert (out == before).all()
    assert (xpose.add(out, np.ones(()), out=out) == before + 1).all()


def test_a_scalar_of_numpy_is_no_output_and_keeps_its_imaginary_part():
    with pytest.raises(ValueError, match="read-only"):
        xpose.copy(np.array(7.0), out=np.float64(3))
    with pytest.raises(TypeError, match="alpha must be a real number"):
        xpose.add(A, A, alpha=np.complex128(1j))


def test_what_no_option_can_be_is_refused_by_a_sentence():
    a = np.ones((2, 3))
    with pytest.raises(TypeError, match="dtype is 'foo', which NumPy does not know"):
        xpose.copy(a, dtype="foo")
    with pytest.raises(xpose.ArgumentError, match="stream is -5, which is no address"):
        xpose.transpose(a, policy="cuda", stream=-5)
    assert bytes(xpose.ascontiguous(b"abc")) == b"abc"
