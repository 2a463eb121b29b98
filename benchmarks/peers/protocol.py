# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""What xpose-bench and a peer in Python say to each other: one JSON object a line, a request and an answer.

{"prepare": case}   the members of transpose_case, cast_case, permute_case, add_case or gemm_case (case.hpp), is_device (where the
                    operands shall be), the operands' files (raw memory, with the memory between rows), out_file, threads,
                    slots. The peer reads its operands, runs once, writes the output's memory and answers
                    {"ready": true, "kernel": ..., "version": ...}, or {"absent": why}.
{"run": calls}      that many calls, rotating over the slots: {"seconds": of all of them}. On a device these are the device's, and
                    "enqueue_seconds" are those of the host beside them.
A failure is answered {"error": text}. The peer ends with its input.
"""

import json
import sys

POISON = 0xFF  # what outputs hold before anything is computed
OPERATIONS = "transpose", "cast", "permute", "add", "gemm"


def serve(operations):
    """operations[name](case) returns (run, kernel, version), or a text: why the library lacks the case.

    run(calls) returns seconds, or those of the device and those of the host."""
    run = None
    answers = sys.stdout
    sys.stdout = sys.stderr  # what a library prints is no answer
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "prepare" in request:
                run = None  # frees the last case's operands first
                case = request["prepare"]
                prepare = operations.get(case["operation"])
                prepared = prepare(case) if prepare else f"no {case['operation']}"
                if isinstance(prepared, str):
                    answer = {"absent": prepared}
                else:
                    run, kernel, version = prepared
                    answer = {"ready": True, "kernel": kernel, "version": version}
            else:
                seconds = run(request["run"])
                answer = dict(zip(("seconds", "enqueue_seconds"), seconds if isinstance(seconds, tuple) else (seconds,)))
        except Exception as error:  # the bench names it in the peer's row
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def serve_absent(reason):
    """Of a library that is not here: it lacks every case."""
    serve(dict.fromkeys(OPERATIONS, lambda _: reason))
