# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""What the shapes and types of a cell say: extents, kind of shape, order, labels, bytes and operations."""

import math
import re

SHAPE = re.compile(r"(?:(\d+)\*)?(\d+(?:x\d+)+)")
BYTES = {"i8": 1, "u8": 1, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8, "c64": 8, "c128": 16}
TYPE_ORDER = ("b1 i8 u8 b2 f16 f16_f32 bf16 bf16_f32 b3 b4 f32 tf32 i32 b6 b8 f64 i64 c64 b12 b16 c128 b24 b32 min_plus_f32 "
              "max_plus_f32").split()
GEMM_TYPE_ORDER = "f32 f64 c64 c128 tf32 f16 f16_f32 bf16 bf16_f32 i8 u8 i32 i64 min_plus_f32 max_plus_f32".split()
TENSORS_THAT_KEEP, TENSORS = "tensors whose fastest dimension stays", "tensors"
KINDS = (TENSORS_THAT_KEEP, TENSORS, "squares", "squares, transposed operands", "rectangles", "long and thin", "vectors", "leading dimensions", "batches")


def parse(cell):
    """The batch and the extents; (1, ()) for a shape that is none."""
    found = SHAPE.fullmatch(cell.shape)
    if not found:
        return 1, ()
    return int(found[1] or 1), tuple(int(extent) for extent in found[2].split("x"))


def operand_order(cell):
    """NN, NT, TN or TT of a gemm."""
    return cell.layout[:2] if re.match("[NT]{2}( |$)", cell.layout) else "NN"


def permutation(cell):
    """The dimensions of a permuted tensor as digits; empty for anything else."""
    found = re.match(r"(\d{2,8})(?: |$)", cell.layout) if cell.operation == "permute" else None
    return found[1] if found else ""


def has_gaps(cell):
    return "ld=" in cell.layout or "offset=" in cell.layout


def kind(cell):
    batch, extents = parse(cell)
    order = permutation(cell)
    if order:
        return TENSORS_THAT_KEEP if int(order[-1]) == len(order) - 1 else TENSORS
    if batch > 1:
        return "batches"
    if has_gaps(cell):
        return "leading dimensions"
    if len(set(extents)) == 1:
        return "squares" if operand_order(cell) == "NN" else "squares, transposed operands"
    if extents and min(extents) == 1:
        return "vectors"
    if extents and max(extents) >= 32 * min(extents):
        return "long and thin"
    return "rectangles"


def is_plain_square(cell):
    return kind(cell) == "squares"


def shape_order(cell):
    """Kinds together, smaller matrices first."""
    batch, extents = parse(cell)
    return KINDS.index(kind(cell)), batch * math.prod(extents), cell.shape, cell.layout, cell.state


def type_order(name, is_gemm=False):
    names = GEMM_TYPE_ORDER if is_gemm else TYPE_ORDER
    return (names.index(name), "") if name in names else (len(names), name)


def types_of(cells, is_gemm=False):
    return sorted({cell.type for cell in cells}, key=lambda name: type_order(name, is_gemm))


def shape_text(cell):
    return cell.shape.replace("x", "\N{MULTIPLICATION SIGN}").replace("*", " of ")


def label(cell):
    """Short, for figures; the tables tell the strides."""
    words = [shape_text(cell), *filter(None, [permutation(cell)])]
    order = operand_order(cell)
    if order != "NN":
        words.append(order)
    if "ld=" in cell.layout:
        words.append("ld")
    if "offset=" in cell.layout:
        words.append("+offset")
    if cell.state not in ("", "cold"):
        words.append(cell.state)
    return " ".join(words)


def element_bytes(type_name):
    found = re.fullmatch(r"b(\d+)", type_name)
    return int(found[1]) if found else BYTES.get(type_name)


def operand_and_result_bytes(type_name):
    """Of one element of A and B, and of C: "bf16_f32" sums to f32, and bytes to i32. (None, None) if unknown."""
    base = re.sub("^(min|max)_plus_", "", type_name)
    inner, _, outer = base.partition("_")
    size = element_bytes(inner)
    if outer:
        return size, element_bytes(outer)
    return size, 4 if inner in ("i8", "u8") else size


def gemm_bytes(cell):
    """The bytes that a product must move at least, or None."""
    batch, extents = parse(cell)
    size, result_size = operand_and_result_bytes(cell.type)
    if len(extents) != 3 or not size or not result_size:
        return None
    m, n, k = extents
    return batch * (size * (m * k + k * n) + result_size * m * n)
