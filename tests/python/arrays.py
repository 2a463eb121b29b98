# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Random arrays of any layout, for hypothesis: transposed, reversed, sliced, broadcast, behind odd addresses."""

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

MOVED = ["bool", "int8", "uint16", ">u2", "int32", "float16", "float32", ">f8", "float64", "complex64", "complex128", "S3", "U2",
         "datetime64[s]", np.dtype([("r", "u1"), ("g", "u1"), ("b", "u1")]), np.dtype([("x", "f4"), ("n", "i2")]), "V7",
         ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]
POISON = 0xA5


def bits(array):
    """The bytes of the elements, in the order of the indices."""
    return np.ascontiguousarray(array).tobytes()


def filled(draw, shape, dtype):
    """Of random bytes; of numbers small ones, which every type holds."""
    dtype = np.dtype(dtype)
    is_ml_number = dtype.kind == "V" and "float" in dtype.name
    count = int(np.prod(shape))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if not is_ml_number and (dtype.kind in "SUVM" or dtype.names):
        return np.frombuffer(random.bytes(count * dtype.itemsize), dtype).reshape(shape).copy() if dtype.kind not in "U" \
            else random.integers(33, 126, (count, 2)).astype(np.uint32).view(dtype).reshape(shape).copy()
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    numbers = random.integers(0 if dtype.kind == "u" else -8, 8, shape)
    if dtype.kind == "c":
        numbers = numbers + 1j * random.integers(-8, 8, shape)
    return numbers.astype(dtype)


@st.composite
def shapes(draw, least=0, most=5, longest=9):
    return tuple(draw(st.lists(st.integers(0, longest), min_size=least, max_size=most)))


@st.composite
def of_any_layout(draw, shape, dtype, may_repeat=True):
    """An array of this shape whose strides are positive, negative, zero or padded, in memory that it does not begin."""
    axes = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 2, -1, -3])) for _ in shape]
    base_shape = [shape[axis] * abs(steps[axis]) + draw(st.integers(0, 2)) for axis in axes]
    base = filled(draw, tuple(base_shape), dtype)
    inverse = np.argsort(axes) if len(axes) else []
    array = base.transpose(inverse)
    array = array[(*(slice(None, None, step) for step in steps), ...)]  # the dots keep an array of no dimensions one
    array = array[(*(slice(0, extent) for extent in shape), ...)]
    if may_repeat and len(shape) and draw(st.integers(0, 5)) == 0 and shape[0] > 0:
        array = np.broadcast_to(array[:1], shape)
    return array


@st.composite
def arrays(draw, least=0, most=5, longest=9, dtypes=MOVED, may_repeat=True):
    return draw(of_any_layout(draw(shapes(least, most, longest)), draw(st.sampled_from(dtypes)), may_repeat))
