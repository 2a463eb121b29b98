# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Made-up results for the report's tests: a CPU and a GPU, every kind of row. Nobody measured these numbers."""

import json
import math
import zlib

PROCESSOR = "Sample <b>Processor</b> & Co"
GPU = "Sample GPU 80GB"
HOSTILE_NOTE = "wrong: element <b>(0, 1)</b> <script>alert(1)</script> & \"quotes\" \x07"
LONG_WORD = "x" * 400
BYTES = {"b1": 1, "b2": 2, "b3": 3, "f32": 4, "f64": 8, "b12": 12, "c128": 16, "bf16": 2, "i8": 1, "min_plus_f32": 4, "i32": 4,
         "f32:bf16": 3, "bf16:f32": 3, "f64:f32": 6}  # of a cast, on average
TRANSPOSES = ("512x512 1000x1000 1024x1024 4096x4096 4097x4097 8192x8192 16384x16384 1111x113 1000000x16 16x1000000 10000000x3 "
              "100000*8x8 64*1024x1024").split()
GEMMS = "64x64x64 256x256x256 1000x1000x1000 1024x1024x1024 4096x4096x4096 4096x16x4096 64x64x65536 1x4096x4096 1000*64x64x64".split()
TENSORS = (("384x355x384", "210"), ("64x256x56x56", "0231"), ("384x384x368", "102"), ("15x15x32x15x32x16", "410325"))
CASTS = ("f32:bf16", "bf16:f32", "f64:f32")
LADDER = (  # rung, GB/s here, seconds, GB/s, load and store GB/s in the source
    ("copy_row", 2271, 0.001610, 83.4, 81.3, 40.6),
    ("copy_col", 460, 0.004202, 31.9, 120.9, 120.9),
    ("naive_row", 411, 0.004008, 33.5, 31.7, 126.9),
    ("naive_col", 1583, 0.002123, 63.2, 243.6, 30.5),
    ("unroll4_row", 465, 0.001545, None, None, None),
    ("conflict_free", 2780, None, None, None, None),
)


def chance(*words):
    """From 0 to 1, the same for the same words."""
    return zlib.crc32("/".join(map(str, words)).encode()) / 0xFFFFFFFF


def extents_of(shape):
    batch, _, extents = shape.rpartition("*")
    return int(batch or 1), [int(extent) for extent in extents.split("x")]


def run_line(device, policy, threads, command, **more):
    return {"operation": "run", "date": "2026-11-21T03:00:00Z", "commit": "abc1234", "version": "0.1.0", "device": device, "policy": policy,
            "threads": threads, "software": "compiler 12.2.0", "last_level_cache_bytes": 37539840, "command": command,
            "peers": {"openblas": "0.3.21"}, "peers_absent": {"cutensor": "not found when xpose was configured"}, **more}


def row(machine, operation, type_name, shape, implementation, role, rate, **more):
    device, policy, threads = machine
    batch, extents = extents_of(shape)
    is_product = operation == "gemm"
    work = 2 * batch * math.prod(extents) * (1e-12 if is_product else BYTES[type_name] * 1e-9)
    seconds = work / rate
    return {"operation": operation, "policy": policy, "device": device, "threads": threads, "type": type_name, "shape": shape,
            "layout": "NN" if is_product else "packed", "implementation": implementation, "role": role, "kernel": f"kernel of {implementation}",
            "suite": operation, "median_s": seconds, "min_s": 0.97 * seconds, "mean_s": 1.01 * seconds, "stddev_s": 0.02 * seconds,
            "repeats": 40, "calls": 3, "tflops" if is_product else "gbps": rate, "verified": True, "verified_by": "reference",
            "cache": "resident" if batch * math.prod(extents) < 3e6 else "beyond", "drift": 0.01, **more}


def comparison(machine, operation, type_name, shape, ceilings, peers, share, **more):
    """The rows of one cell: xpose, peers and ceilings, with their ratios."""
    ceiling_name, ceiling = max(ceilings.items(), key=lambda entry: entry[1])
    rated = {name: ceiling * level * (0.6 + 0.8 * chance(name, type_name, shape)) for name, level in peers.items()}
    ours = min(1.04, share * (0.5 + chance("xpose", operation, type_name, shape))) * ceiling
    best = max(rated, key=rated.get, default=None)
    entries = [("xpose", "xpose", ours)] + [(name, "ceiling", rate) for name, rate in ceilings.items()]
    entries += [(name, "peer", rate) for name, rate in rated.items()]
    for name, role, rate in entries:
        line = row(machine, operation, type_name, shape, name, role, rate, ceiling=ceiling, ceiling_name=ceiling_name,
                   ratio_to_ceiling=rate / ceiling, **more)
        if role == "xpose":
            line.update(best_peer=best, ratio_to_best_peer=ours / rated[best] if best else None)
        yield line


def moves(machine, types, copies, peers):
    for type_name in types:
        for shape in TRANSPOSES:
            _, extents = extents_of(shape)
            cached = 3.0 if math.prod(extents) < 3e6 else 1.0
            ceilings = {name: level * cached * (0.95 + 0.1 * chance(name, shape)) for name, level in copies.items()}
            yield from comparison(machine, "transpose", type_name, shape, ceilings, peers, 0.35 + 0.03 * BYTES[type_name])
        layout = {"layout": "ld=4111/4103 offset=1"}
        yield from comparison(machine, "transpose", type_name, "4095x4097", copies, peers, 0.3, **layout)
    for side in (64, 128, 256, 512, 1000, 1024, 2048, 4096, 8192, 16384):
        yield from comparison(machine, "copy", "f32", f"{side}x{side}", copies, {}, 0.9)


def products(machine, peaks, peers):
    for type_name, peak in peaks.items():
        for shape in GEMMS:
            batch, extents = extents_of(shape)
            depth = min(1, min(extents) / 300 + 0.03)
            these = {} if "plus" in type_name else {name: level * depth for name, level in peers.items()}
            yield from comparison(machine, "gemm", type_name, shape, {"fma_peak": peak}, these, 0.5 * depth)


def ladder(machine, ceilings):
    common = {"table": "000", "table_title": "From the copy bounds to unrolled transposes", "source_gpu": "GTX 1050 Ti, 4096x4096 f32",
              "reading": "The copy with one element a thread is no upper bound."}
    for rung, rate, seconds, gbps, load, store in LADDER:
        printed = {"seconds": seconds, "gbps": gbps, "load_gbps": load, "store_gbps": store}
        metrics = {"load_gbps": 0.5 * rate, "store_gbps": 0.5 * rate, "dram_gbps": 0.9 * rate, "shared_load_requests": 8388608,
                   "shared_load_conflicts": 0 if rung == "conflict_free" else 260046848}
        yield row(machine, "ladder", "f32", "4096x4096", rung, "rung", rate, ceiling=3006.0, ceiling_name="cudaMemcpy",
                  ratio_to_ceiling=rate / 3006, idea=f"the idea of {rung}", metrics=metrics,
                  source={name: value for name, value in printed.items() if value}, **common)
    yield from comparison(machine, "ladder", "f32", "4096x4096", ceilings, {"cublas": 0.95, "torch": 0.3}, 0.9, **common)


def family(machine, copies, peers):
    """In place, with casts, of tensors and as a sum."""
    for shape in ("1024x1024", "4097x4097", "4096x2048", "1000000x16"):
        for type_name in ("f32", "f64"):
            yield from comparison(machine, "transpose_inplace", type_name, shape, copies, peers, 0.5)
        yield row(machine, "transpose_inplace", "f32", shape, "copy_back", "alternative", 9.0)
        for type_name in CASTS:
            yield from comparison(machine, "transpose_cast", type_name, shape, copies, {"numpy": 0.1}, 0.6)
            yield from comparison(machine, "copy_cast", type_name, shape, copies, {"numpy": 0.2}, 0.8)
        sums = {"stream_add": 40.0, "nontemporal_add": 50.0}
        yield from comparison(machine, "add", "f32", shape, sums, peers, 0.7, layout="NN")
        yield from comparison(machine, "add", "f32", shape, sums, peers, 0.5, layout="TN")
    for type_name in ("f32", "f64"):
        for shape, order in TENSORS:
            yield from comparison(machine, "permute", type_name, shape, copies, {"fftw": 0.2, "hptt": 0.8}, 0.5, layout=order)


def drawn_cell(machine, operation, suite, case, type_name, shape, state, ratio, share, **more):
    """A cell of a random suite: xpose, its peer unless the ratio is None, its ceiling."""
    ceiling = 2.0 if operation == "gemm" else 1000.0
    drawn = {"suite": suite, "seed": 7, "case": case, "class": "few columns, aligned", "state": state, "ceiling": ceiling,
             "ceiling_name": "sample_ceiling", **more}
    yield row(machine, operation, type_name, shape, "xpose", "xpose", share * ceiling, ratio_to_ceiling=share,
              best_peer="samplepeer" if ratio else None, ratio_to_best_peer=ratio, **drawn)
    if ratio:
        yield row(machine, operation, type_name, shape, "samplepeer", "peer", share * ceiling / ratio, ratio_to_ceiling=share / ratio, **drawn)
    yield row(machine, operation, type_name, shape, "sample_ceiling", "ceiling", ceiling, ratio_to_ceiling=1.0, **drawn)


# The f32 products: the mean of the ratios is 1, the median 1, the 10th percentile 0.5 + 0.4 x 0.3 = 0.62, three of five are
# ahead. The last exceeds its ceiling; of the other four shares the mean is 0.5, the median 0.5, the 10th percentile 0.325.
TINY_F32 = ((0.5, 0.25), (1.25, 0.5), (1.0, 0.5), (0.8, 1.0), (2.0, 1.1))


def random_lines(machine):
    for case, (ratio, share) in enumerate(TINY_F32):
        yield from drawn_cell(machine, "gemm", "random", case, "f32", f"{case + 11}x70x90", "cold", ratio, share)
    yield from drawn_cell(machine, "gemm", "small", 0, "bf16", "20x30x40", "warm", 0.4, 0.9)
    for case, ratio in enumerate((3.0, 4.0, 5.0, 6.0, 7.0, 8.0)):
        yield from drawn_cell(machine, "transpose", "random", case, "f64", f"{case + 5}x900", "written", ratio, 0.8, layout="ld=905/12")
    for case, share in enumerate((0.6, 0.3)):
        yield from drawn_cell(machine, "transpose_inplace", "random-inplace", case, "f32", f"{case + 5}x900", "cold", None, share)


def failures(machine):
    nothing = dict.fromkeys(("median_s", "min_s", "mean_s", "stddev_s", "gbps", "ceiling", "ratio_to_ceiling"))
    yield row(machine, "transpose", "f32", "4096x4096", "misbehaving", "peer", 1e6, verified=False, note=HOSTILE_NOTE)
    yield row(machine, "transpose", "f32", "8192x8192", "crashing", "peer", 1, **{**nothing, "verified": False, "note": "crashed: signal 11"})
    yield row(("", machine[1], 0), "transpose", "f64", "32768x32768", "xpose", "xpose", 1,
              **{**nothing, "verified": False, "note": "skipped: not enough memory"})
    yield row(machine, "transpose", "f32", "512x512", LONG_WORD, "peer", 0.001)


def processor_lines():
    machine = (PROCESSOR, "omp", 2)
    yield run_line(*machine, "xpose-bench transpose --suite transpose")
    peers = {"openblas": 0.35, "mkl": 0.45, "onednn": 0.3, "eigen": 0.1, "fftw": 0.25, "libxsmm": 0.12, "blis": 0.05, "numpy": 0.04}
    yield from moves(machine, ("b1", "b2", "f32", "f64", "c128"), {"memcpy": 37.0, "nontemporal_copy": 52.0}, peers)
    yield from failures(machine)
    yield from family(machine, {"memcpy": 37.0, "nontemporal_copy": 52.0}, {"mkl": 0.4, "eigen": 0.2})
    yield run_line(*machine, "xpose-bench gemm --suite gemm")
    yield from products(machine, {"f32": 0.49, "f64": 0.247, "min_plus_f32": 0.25}, {"openblas": 0.8, "mkl": 0.85, "onednn": 0.82})
    yield from random_lines(machine)


def gpu_lines():
    machine = (GPU, "cuda", 0)
    yield run_line(*machine, "xpose-bench transpose --suite transpose --policy cuda", software="CUDA runtime 13.0")
    copies = {"cudaMemcpy": 3006.0, "copy_kernel": 2858.0}
    yield from moves(machine, ("b1", "f32", "c128"), copies, {"cublas": 0.9, "torch": 0.35})
    yield from products(machine, {"f32": 65.0, "bf16": 66.0}, {"cublas": 0.8, "cublaslt": 0.82})
    yield from ladder(machine, copies)
    yield from random_lines(machine)


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return path
