# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""check_ptx.py PROGRAM CAPABILITY: every kernel of gemm in a program's PTX, which nvcc did not compress, multiplies.

A kernel of the matrix units has their instruction, or asks other lanes for the elements of products of its own; one of
warpgroups has wgmma, or a trap. None that the host might choose is empty.
"""

import re
import sys


def ptx_of(program):
    """The texts of all modules."""
    with open(program, "rb") as file:
        return [text.decode() for text in re.findall(rb"\.version [0-9.]+\s+\.target sm_[^\0]*", file.read())]


def kernels_of(ptx):
    """(name, body) of each."""
    for kernel in re.split(r"\.entry\s+", ptx)[1:]:
        yield re.match(r"\w+", kernel).group(), kernel


def what_is_missing(name, body, capability):
    if "gemm_facts" in name:
        return None
    if "gemm_warpgroups" in name:
        wanted = "wgmma.mma_async" if capability == "90a" else "trap;"
    elif re.search("(f64|c128|unit)_sums", name):
        wanted = "mma.sync" if int(capability.rstrip("a")) >= 80 else "multiply_by_lanes"
    else:
        wanted = "ld.shared"
    if wanted not in body:
        return wanted
    return None if "st.global" in body or wanted == "trap;" else "st.global"


def main(program, capability):
    modules = ptx_of(program)
    targets = [re.search(r"\.target sm_(\w+)", ptx).group(1) for ptx in modules]
    if capability == "default":
        capability = targets[0] if targets else "none"
    errors = [] if capability in targets else [f"no PTX for {capability}, but for {targets}"]
    count = 0
    for ptx in modules:
        for name, body in kernels_of(ptx):
            if "gemm_" not in name and "add_splits" not in name:
                continue
            count += 1
            missing = what_is_missing(name, body, capability)
            if missing:
                errors.append(f"{name} has no {missing}")
    if count < 10:
        errors.append(f"{count} kernels of gemm are too few")
    print("\n".join(errors) or f"{count} kernels for {capability}, none empty")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
