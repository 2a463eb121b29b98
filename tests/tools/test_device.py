# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""--policy cuda: files pass through the device in pieces, however little of its memory they may take."""

import json
import os
import re
import signal
import subprocess
import time

import numpy as np

from command import BINARY, CommandTest, command_line, run

# Operands are several times as large; the fake device fails a command that takes more.
LIMIT = 1 << 20
ON_DEVICE = ["--device-memory", str(LIMIT)]
KEPT = {"XPOSE_FAKE_DEVICE_BYTES": str(LIMIT)}


class Device(CommandTest):
    def setUp(self):
        super().setUp()
        self.a = self.random.integers(-9, 9, (1301, 703)).astype("<f4")
        self.b = self.random.integers(-9, 9, (703, 1109)).astype("<f4")
        self.paths = [self.saved("a.npy", self.a), self.saved("b.npy", self.b)]
        self.out = self.path("out.npy")
        self.gemm = ["gemm", *self.paths, self.out, *ON_DEVICE]

    def told(self, *arguments):
        return json.loads(self.succeeds(*arguments, "--json", environment=KEPT).stdout)

    def test_a_product_of_files_larger_than_the_device_with_and_without_a_bound_on_the_host(self):
        for options in ([], ["--memory", "3M"], ["--resume"], ["--memory", "3M", "--resume"]):
            with self.subTest(options=options):
                told = self.told(*self.gemm, *options)
                self.assertEqual((told["backend"], told["kernel"]), ("cuda", "across_gemm"))
                self.assert_same_array(np.load(self.out), self.a @ self.b)
                os.remove(self.out)

    def test_c_and_scalars_pass_through_the_device(self):
        c = self.random.integers(-9, 9, (1301, 1109)).astype(">f4")
        for options in ([], ["--memory", "3M"]):
            self.told(*self.gemm, "--alpha", "2", "--beta=-3", "--c", self.saved("c.npy", c), *options)
            self.assert_same_array(np.load(self.out), 2 * (self.a @ self.b) - 3 * c.astype("<f4"))

    def test_transposes_casts_and_sums_of_files_larger_than_the_device(self):
        for options in ([], ["--memory", "3M"], ["--resume", "--memory", "3M"]):
            for work, expected in (
                (["transpose", self.paths[0]], self.a.T),
                (["cast", self.paths[0], "--to", "f8"], self.a.astype("<f8")),
                (["add", self.paths[0], self.paths[0], "--alpha", "2"], 3 * self.a),
            ):
                with self.subTest(work=work[0], options=options):
                    files = 3 if work[0] == "add" else 2
                    told = self.told(*work[:files], self.out, *work[files:], *ON_DEVICE, *options)
                    self.assertEqual((told["backend"], told["kernel"]), ("cuda", "across_tiles"))
                    self.assert_same_array(np.load(self.out), np.ascontiguousarray(expected))

    def kill(self, arguments):
        """A run that is killed when its first tile is recorded."""
        process = subprocess.Popen(command_line(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={"XPOSE_TUNING": "off", **os.environ, **KEPT})
        patience = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < patience:
            try:
                with open(self.out + ".xpose-resume") as file:
                    if not re.search(r"^tiles 0$", file.read(), re.MULTILINE):
                        break
            except FileNotFoundError:
                pass
            time.sleep(0.0005)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGKILL)

    def test_a_killed_product_goes_on_to_the_same_bits_and_under_the_same_limit_alone(self):
        gemm = [*self.gemm, "--memory", "2M", "--resume"]
        self.told(*gemm)
        with open(self.out, "rb") as file:
            whole = file.read()
        os.remove(self.out)
        self.kill(gemm)
        other = ["900000" if word == str(LIMIT) else word for word in gemm]
        done = run(*other)
        self.assertEqual(done.returncode, 1)
        self.assertIn("bytes, of which 900000 may be taken", done.stderr)
        told = self.told(*gemm)
        self.assertGreater(told["resumed_at"], 0)
        with open(self.out, "rb") as file:
            self.assertEqual(file.read(), whole)

    def test_a_device_that_is_full_half_way_ends_the_run_which_goes_on_later(self):
        if "fake" not in BINARY:
            self.skipTest("a real device cannot be filled at will")
        for work, expected in ((self.gemm, self.a @ self.b), (["transpose", self.paths[0], self.out, *ON_DEVICE], self.a.T)):
            resumed = [*work, "--memory", "2M", "--resume"]
            full = {**KEPT, "XPOSE_FAKE_BLOCKS": "2", "XPOSE_PANEL_BYTES": "100000"}
            done = run(*resumed, environment=full)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
            self.assertIn("cuda: the device has not as much memory left as the call takes (1048576 bytes at most)", done.stderr)
            self.assertFalse(os.path.exists(self.out))
            del full["XPOSE_FAKE_BLOCKS"]
            told = json.loads(self.succeeds(*resumed, "--json", environment=full).stdout)
            self.assertGreater(told["resumed_at"], 0)
            self.assert_same_array(np.load(self.out), np.ascontiguousarray(expected))
            os.remove(self.out)

    def test_the_bar_tells_how_far_one_call_is(self):
        for work in (self.gemm, ["transpose", self.paths[0], self.out, *ON_DEVICE]):
            seen, _ = self.on_terminal(*work, environment={**KEPT, "XPOSE_PROGRESS_AFTER": "0"})
            shares = [int(share) for share in re.findall(r"(\d+) %", seen)]
            self.assertEqual((shares, shares[-1]), (sorted(shares), 100))
            self.assertGreater(len(set(shares)), 5)

    def test_limits_that_do_not_suffice_or_do_not_fit_the_policy_are_refused(self):
        for work, words in (
            (["gemm", *self.paths], "gemm: device_bytes is 1000, and panels of one row of A and one column of B"),
            (["transpose", self.paths[0]], "transpose: device_bytes is 1000, and 4 buffers"),
        ):
            limit = "1000" if work[0] == "gemm" else "100"
            done = run(*work, self.out, "--device-memory", limit)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
            self.assertIn(words.replace("1000", limit), done.stderr)
            self.assertFalse(os.path.exists(self.out))
        for policy in ("omp", "automatic", "seq", "reference"):
            done = run(*self.gemm, "--policy", policy)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"--device-memory: it is for --policy cuda, and the policy is {policy}", done.stderr)
