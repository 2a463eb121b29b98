# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The command under test, in a folder of its own for each test."""

import itertools
import json
import os
import pty
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from numpy.lib import format as npy_format

BINARY = os.environ["XPOSE_COMMAND"]
# Set: every call without a policy of its own runs under this one.
POLICY = os.environ.get("XPOSE_TEST_POLICY")
VERSIONS = ((1, 0), (2, 0), (3, 0))
ON_GPU = os.environ.get("XPOSE_TEST_NEEDS_GPU") is not None


def sampled(*dimensions):
    """All combinations; one in six on a GPU, where every run makes a context (2.5 s with 18 tests at once), and with
    XPOSE_TEST_SMALL. All of them run on the CUDA runtime of tests/faults."""
    cases = list(itertools.product(*dimensions))
    wants_few = ON_GPU or "XPOSE_TEST_SMALL" in os.environ
    return random.Random(len(cases)).sample(cases, (len(cases) + 5) // 6) if wants_few else cases


def command_line(*arguments):
    words = [BINARY, *map(str, arguments)]
    return [*words, "--policy", POLICY] if POLICY and "--policy" not in words else words


def run(*arguments, environment=None, **options):
    """The finished process, its output as text."""
    return subprocess.run(
        command_line(*arguments),
        capture_output=True,
        text=True,
        errors="surrogateescape",
        env={"XPOSE_TUNING": "off", **os.environ, **(environment or {})},
        timeout=120,
        **options,
    )


def why_no_gpu():
    """Why --policy cuda would run on omp; nothing if it would not."""
    told = subprocess.run([BINARY, "info", "--json"], capture_output=True, text=True, check=True).stdout
    cuda = json.loads(told)["backends"]["cuda"]
    return None if cuda["available"] else cuda["reason"]


if ON_GPU and why_no_gpu():
    print(f"no GPU: {why_no_gpu()}")
    sys.exit(77)  # ctest takes it for skipped


def save(path, array, version=(1, 0)):
    with open(path, "wb") as file:
        npy_format.write_array(file, array, version=version)


def with_header(path, text, data=b"", version=(1, 0)):
    """A .npy file whose header says whatever the test wants."""
    length = len(text).to_bytes(2 if version[0] == 1 else 4, "little")
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY" + bytes(version) + length + text + data)


def random_bits(random, shape, dtype, order="C"):
    """An array of random bytes: NaN payloads, signalling NaNs and padding included."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool, order=order)
    if dtype.kind == "U":  # NumPy refuses to show bytes that are no characters
        codes = random.integers(32, 0x24F, (*shape, dtype.itemsize // 4)).astype(dtype.byteorder + "u4")
        array = np.frombuffer(codes.tobytes(), dtype).reshape(shape)
    else:
        array = np.frombuffer(random.bytes(size), dtype).reshape(shape)
    return array.copy(order=order)


def bits(array):
    """The elements' bytes in C order, padding included (NumPy copies fields only)."""
    return np.ascontiguousarray(array.view(f"V{array.dtype.itemsize}")).tobytes()


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="xpose-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.random = np.random.default_rng(1)

    def path(self, name):
        return os.path.join(self.folder, name)

    def saved(self, name, array, version=(1, 0)):
        save(self.path(name), array, version)
        return self.path(name)

    def succeeds(self, *arguments, **options):
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return done

    def on_terminal(self, *arguments, environment=None):
        """What a terminal at standard error receives of a run that succeeds, and its standard output."""
        try:
            master, slave = pty.openpty()
        except OSError as refused:  # a container without /dev/pts
            self.skipTest(f"no terminal can be made here: {refused}")
        process = subprocess.Popen(command_line(*arguments), stdout=subprocess.PIPE, stderr=slave,
                                   env={"XPOSE_TUNING": "off", **os.environ, **(environment or {})})
        os.close(slave)
        seen = b""
        try:
            while some := os.read(master, 4096):
                seen += some
        except OSError:  # Linux says EIO when the other side has closed
            pass
        os.close(master)
        told = process.communicate(timeout=60)[0].decode()
        self.assertEqual(process.returncode, 0)
        return seen.decode(), told

    def assert_same_array(self, found, expected):
        self.assertEqual(found.dtype, expected.dtype)
        self.assertEqual(found.shape, expected.shape)
        self.assertEqual(bits(found), bits(expected))
