# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""What peers in Python have in common: each case's operands as arrays of one library, one set a slot.

A peer derives from ArrayPeer, which says how its library makes arrays, and gives the calls. A call writes to an output that exists,
as every candidate of the bench does.
"""

import itertools
import math
import time

import protocol


def packed(extents):
    """Row-major strides."""
    return [math.prod(extents[k + 1:]) for k in range(len(extents))]


def layout(case, extents, ld, batch_stride):
    """(extents, strides) of a matrix, or of a batch of them. The names are the members of the case that hold its strides."""
    if case.get("batch", 1) == 1:
        return extents, (case[ld], 1)
    return (case["batch"], *extents), (case[batch_stride], case[ld], 1)


class ArrayPeer:
    # The types of a library by the bench's names, and by their bytes those that move elements of a size.
    types = {}
    moved = {}
    version = ""

    # How the library makes arrays: memory is an array of bytes, strides are in elements.

    def load(self, file):
        raise NotImplementedError

    def duplicate(self, memory):
        raise NotImplementedError

    def poisoned(self, count):
        """Bytes of protocol.POISON."""
        raise NotImplementedError

    def view(self, memory, dtype, extents, strides):
        raise NotImplementedError

    def permuted(self, array, axes):
        raise NotImplementedError

    def store(self, memory, file):
        raise NotImplementedError

    # The calls. Each method gives (kernel, call), or a text: why the library lacks the case.

    def copying(self, case, axes):
        """call(out, source): out = permuted(source, axes), in out's type."""
        raise NotImplementedError

    def adding(self, case):
        """call(a, b, c): c = alpha a + beta b."""
        raise NotImplementedError

    def multiplying(self, case):
        """call(a, b, c): c = a b."""
        raise NotImplementedError

    def shown(self, source, axes):
        """What the calls of copying() take as source."""
        return self.permuted(source, axes)

    def timed(self, slots, call, events=None):
        """run(calls) over the slots in turn: seconds by the host's clock. With the events of a device: (seconds between them, seconds
        of the host, which enqueues meanwhile)."""
        turns = itertools.cycle(slots)

        def run(calls):
            if events is not None:
                events.start(calls)
            start = time.perf_counter()
            for _ in range(calls):
                call(*next(turns))
            seconds = time.perf_counter() - start
            return seconds if events is None else (events.stop(), seconds)

        return run

    # The cases.

    def moved_type(self, case):
        return self.types.get(case["type"], self.moved.get(case["bytes"]))

    def output(self, dtype, extents, strides):
        """(array, its memory)"""
        memory = self.poisoned(extents[0] * strides[0] * dtype.itemsize)
        return self.view(memory, dtype, extents, strides), memory

    def finish(self, case, operands, make_slot, how):
        """make_slot(memory of each operand) gives the arguments of the call and, last, the output's memory."""
        if isinstance(how, str):
            return how
        kernel, call = how
        loaded = [self.load(case[file]) for file in operands]
        slots, outputs = [], []
        for slot in range(case["slots"]):
            *arguments, memory = make_slot(*(loaded if slot == 0 else map(self.duplicate, loaded)))
            slots.append(arguments)
            outputs.append(memory)
        call(*slots[0])
        self.store(outputs[0], case["out_file"])
        return self.timed(slots, call), kernel(*slots[0]) if callable(kernel) else kernel, self.version

    def prepare_copy(self, case, dtype, out_dtype, axes, source_layout, out_layout):
        """Layouts are (extents, strides)."""
        if dtype is None or out_dtype is None:
            return "no such type"

        def slot(data):
            out, memory = self.output(out_dtype, *out_layout)
            return out, self.shown(self.view(data, dtype, *source_layout), axes), memory

        return self.finish(case, ["in_file"], slot, self.copying(case, axes))

    def prepare_moved(self, case, dtype, out_dtype, is_copy):
        extents = case["rows"], case["cols"]
        axes = (0, 1) if is_copy else (1, 0)
        layouts = (layout(case, extents, "in_ld", "in_batch_stride"),
                   layout(case, [extents[axis] for axis in axes], "out_ld", "out_batch_stride"))
        if case["batch"] > 1:
            axes = 0, *(axis + 1 for axis in axes)
        return self.prepare_copy(case, dtype, out_dtype, axes, *layouts)

    def prepare_transpose(self, case):
        dtype = self.moved_type(case)
        return self.prepare_moved(case, dtype, dtype, is_copy=False)

    def prepare_cast(self, case):
        return self.prepare_moved(case, self.types.get(case["type"]), self.types.get(case["out_type"]), case["is_copy"])

    def prepare_permute(self, case):
        dtype, extents, axes = self.moved_type(case), case["extents"], case["permutation"]
        out_extents = [extents[axis] for axis in axes]
        return self.prepare_copy(case, dtype, dtype, axes, (extents, packed(extents)), (out_extents, packed(out_extents)))

    def prepare_add(self, case):
        dtype = self.types.get(case["type"])
        extents = case["rows"], case["cols"]
        return self.prepare_combined(case, dtype, dtype, extents, extents, self.adding)

    def prepare_gemm(self, case):
        types = self.types.get(case["type"]), self.types.get(case["c_type"])
        return self.prepare_combined(case, *types, (case["m"], case["k"]), (case["k"], case["n"]), self.multiplying)

    def prepare_combined(self, case, dtype, c_dtype, a_extents, b_extents, calling):
        if dtype is None or c_dtype is None:
            return "no such type"

        def operand(memory, name, extents):
            is_transposed = case["transposed_" + name]
            array = self.view(memory, dtype, *layout(case, extents[::-1] if is_transposed else extents, "ld" + name,
                                                     name + "_batch_stride"))
            axes = range(len(array.shape))
            return self.permuted(array, (*axes[:-2], axes[-1], axes[-2])) if is_transposed else array

        def slot(a, b):
            c, memory = self.output(c_dtype, *layout(case, (a_extents[0], b_extents[1]), "ldc", "c_batch_stride"))
            return operand(a, "a", a_extents), operand(b, "b", b_extents), c, memory

        return self.finish(case, ["a_file", "b_file"], slot, calling(case))


def serve(peer_of):
    """peer_of(case): an ArrayPeer, or a text: why there is none."""
    def prepare(case):
        peer = peer_of(case)
        return peer if isinstance(peer, str) else getattr(peer, "prepare_" + case["operation"])(case)

    protocol.serve(dict.fromkeys(protocol.OPERATIONS, prepare))
