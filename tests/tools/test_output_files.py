# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The output as a file: it appears whole or not at all, behind links, and no wider open than what it replaces."""

import ctypes
import os
import resource
import signal
import struct
import subprocess
import time
import unittest

import numpy as np

from command import BINARY, CommandTest, random_bits, run

UNTOUCHED = b"the file that was there before"
# With a name from the start, as on a file system that has no files without one.
NAMED = {"XPOSE_TEMPORARY_NAME": "1"}
# Signals that do not end a process or cannot be caught; a limit of the file size is an error of the call.
OTHERS = {"SIGKILL", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGCONT", "SIGCHLD", "SIGURG", "SIGWINCH", "SIGXFSZ"}
# Their reports are worth more than a file that is left behind.
OF_SANITIZERS = {"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL"}
# The system call that signals one thread, which Python has no function for.
TGKILL = {"x86_64": 234, "aarch64": 131}.get(os.uname().machine)


def is_sanitized():
    with open(BINARY, "rb") as file:
        content = file.read()
    return b"__asan_init" in content or b"__ubsan_handle" in content


class Output(CommandTest):
    def setUp(self):
        super().setUp()
        self.array = random_bits(self.random, (3, 4), "<f4")
        self.source = self.saved("in.npy", self.array)
        self.target = self.path("target.npy")

    def transposes_to(self, path, written_to=None, **options):
        self.succeeds("transpose", self.source, path, **options)
        self.assert_same_array(np.load(written_to or path), self.array.T)

    def test_a_link_stays_a_link_and_the_file_behind_it_is_made_or_replaced(self):
        os.mkdir(self.path("folder"))
        os.symlink("folder", self.path("linked"))
        for number, target in enumerate(("made.npy", "folder/made.npy", self.path("made.npy"), "linked/made.npy")):
            first, second = self.path(f"first{number}"), self.path(f"second{number}")
            os.symlink(target, first)
            os.symlink(first, second)
            behind = os.path.join(self.folder, target)
            for link in (second, first):
                for is_there in (False, True):
                    with self.subTest(target=target, is_there=is_there):
                        self.transposes_to(link, behind)
                        self.assertTrue(os.path.islink(first) and os.path.islink(second))
                        self.assertFalse(os.path.islink(behind))
                os.remove(behind)

    def test_names_at_the_limit(self):
        for environment in ({}, NAMED):
            for length in (248, 249, 254, 255):
                with self.subTest(length=length, environment=environment):
                    self.transposes_to(self.path("n" * length), environment=environment)
        folder = self.folder
        while len(folder) < 3800:
            folder = os.path.join(folder, "f" * 100)
            os.mkdir(folder)
        longest = os.path.join(folder, "n" * (4095 - len(folder) - 1))
        self.transposes_to(longest, environment=NAMED)

    def test_permissions_of_a_new_file_follow_the_umask(self):
        for environment in ({}, NAMED):
            for mask in (0o022, 0o077, 0):
                with self.subTest(mask=oct(mask), environment=environment):
                    target = self.path(f"{mask}.npy")
                    before = os.umask(mask)
                    try:
                        self.transposes_to(target, environment=environment)
                    finally:
                        os.umask(before)
                    self.assertEqual(os.stat(target).st_mode & 0o7777, 0o666 & ~mask)
                    os.remove(target)

    def test_a_replaced_file_keeps_its_permissions(self):
        for environment in ({}, NAMED):
            for mode in (0o600, 0o666, 0o640, 0o755, 0o700):
                with self.subTest(mode=oct(mode), environment=environment):
                    for path in (self.source, self.target):  # the input itself, too
                        with open(self.target, "wb") as file:
                            file.write(UNTOUCHED)
                        self.saved("in.npy", self.array)
                        os.chmod(path, mode)
                        self.transposes_to(path, environment=environment)
                        self.assertEqual(os.stat(path).st_mode & 0o7777, mode)

    @unittest.skipIf(os.geteuid() != 0, "only root may give files away")
    def test_a_replaced_file_keeps_its_owner_and_group(self):
        self.saved("target.npy", self.array)
        os.chown(self.target, 1234, 2345)
        os.chmod(self.target, 0o640)
        self.transposes_to(self.target)
        status = os.stat(self.target)
        self.assertEqual((status.st_uid, status.st_gid, status.st_mode & 0o7777), (1234, 2345, 0o640))

    @unittest.skipIf(os.geteuid() != 0, "only root may become another user")
    def test_a_file_whose_owner_cannot_be_kept_is_open_to_nobody_new(self):
        self.saved("target.npy", self.array)
        somebody = {"user": 1234, "group": 1234, "extra_groups": []}
        try:
            self.assertEqual(run("info", **somebody).returncode, 0)
        except (PermissionError, AssertionError):
            self.skipTest("the build is in a folder that only root may enter")
        os.chmod(self.folder, 0o777)
        # Group 2345 may read, all others may write: our group gets neither.
        for mode, expected in ((0o642, 0o600), (0o666, 0o666), (0o646, 0o644)):
            os.chown(self.target, 0, 2345)
            os.chmod(self.target, mode)
            done = run("transpose", self.source, self.target, **somebody)
            self.assertEqual(done.returncode, 0, done.stderr)
            status = os.stat(self.target)
            self.assertEqual((status.st_uid, status.st_gid), (1234, 1234))
            self.assertEqual(oct(status.st_mode & 0o7777), oct(expected))

    def test_a_replaced_file_keeps_its_access_control_list(self):
        self.saved("target.npy", self.array)
        # The owner and user 1234 read and write; the group that owns the file and all others do neither.
        entries = ((1, 6, -1), (2, 6, 1234), (4, 0, -1), (16, 6, -1), (32, 0, -1))
        listed = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
        try:
            os.setxattr(self.target, "system.posix_acl_access", listed)
        except OSError as refused:
            self.skipTest(f"no access control lists here: {refused}")
        self.transposes_to(self.target)
        self.assertEqual(os.getxattr(self.target, "system.posix_acl_access"), listed)
        # What a folder gives its new files is not given to a replaced one.
        os.removexattr(self.target, "system.posix_acl_access")
        os.chmod(self.target, 0o640)
        os.setxattr(self.folder, "system.posix_acl_default", listed)
        for environment in ({}, NAMED):
            self.transposes_to(self.target, environment=environment)
            self.assertNotIn("system.posix_acl_access", os.listxattr(self.target))
            self.assertEqual(os.stat(self.target).st_mode & 0o7777, 0o640)

    def test_another_hard_link_keeps_the_old_content(self):
        with open(self.target, "wb") as file:
            file.write(UNTOUCHED)
        os.link(self.target, self.path("other.npy"))
        self.transposes_to(self.target)
        with open(self.path("other.npy"), "rb") as file:
            self.assertEqual(file.read(), UNTOUCHED)

    def test_messages_do_not_go_into_the_output_when_streams_are_closed(self):
        for closed in ([2], [0], [1, 2], [0, 1, 2]):
            with self.subTest(closed=closed):
                def close():
                    for descriptor in closed:
                        os.close(descriptor)

                done = subprocess.run(
                    [BINARY, "transpose", self.source, self.target],
                    env={**os.environ, "XPOSE_VERBOSE": "1"},
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    preexec_fn=close,
                    timeout=60,
                )
                self.assertEqual(done.returncode, 1 if 1 in closed else 0)  # the report could not be written
                self.assert_same_array(np.load(self.target), self.array.T)

    def started(self, environment, *options):
        """A multiplication that takes seconds, of 64-bit integers on one thread, and has begun its output."""
        side = 4000
        big = self.path("big.npy")
        if not os.path.exists(big):
            np.save(big, np.ones((side, side), "<i8"))
        with open(self.target, "wb") as file:
            file.write(UNTOUCHED)
        process = subprocess.Popen(
            [BINARY, "gemm", big, big, self.target, "--policy", "omp", *(options or ("--threads", "1"))],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environment},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
        )
        patience = time.monotonic() + 60
        while time.monotonic() < patience and process.poll() is None:
            with open(f"/proc/{process.pid}/maps") as maps:
                if any(" rw-s " in line and self.folder in line for line in maps):
                    break
            time.sleep(0.002)
        else:
            self.fail("the output was not begun")
        return process

    def has_temporary_file(self):
        return any(name.startswith(".xpose-") for name in os.listdir(self.folder))

    def assert_nothing_is_left(self):
        self.assertEqual(sorted(os.listdir(self.folder)), ["big.npy", "in.npy", "target.npy"])
        with open(self.target, "rb") as file:
            self.assertEqual(file.read(), UNTOUCHED)

    def test_no_signal_that_can_be_caught_leaves_a_temporary_file(self):
        others = OTHERS | (OF_SANITIZERS if is_sanitized() else set())
        ending = [s for s in signal.valid_signals() if getattr(s, "name", "") not in others]
        self.assertGreater(len(ending), 40)  # the real-time signals, too
        for ends in ending:
            if ends not in (signal.SIGRTMIN, signal.SIGRTMAX) and ends > signal.SIGRTMIN:
                continue  # two of them stand for all
            with self.subTest(signal=ends):
                process = self.started(NAMED)
                self.assertTrue(self.has_temporary_file())
                process.send_signal(ends)
                # SIGBUS tells of an input that shrank, and is an error with a message.
                self.assertEqual(process.wait(20), 1 if ends == signal.SIGBUS else -ends)
                self.assert_nothing_is_left()

    @unittest.skipIf(TGKILL is None, "the number of tgkill is not known here")
    def test_a_signal_that_a_worker_thread_takes_leaves_nothing(self):
        for ends in (signal.SIGTERM, signal.SIGUSR1):
            process = self.started(NAMED, "--threads", "3")
            for _ in range(2000):
                threads = [int(t) for t in os.listdir(f"/proc/{process.pid}/task") if int(t) != process.pid]
                if threads:
                    break
                time.sleep(0.001)
            self.assertEqual(ctypes.CDLL(None).syscall(TGKILL, process.pid, threads[0], int(ends)), 0)
            self.assertEqual(process.wait(20), -ends)
            self.assert_nothing_is_left()

    def test_a_file_without_a_name_is_left_by_no_signal_at_all(self):
        process = self.started({})
        if self.has_temporary_file():
            process.kill()
            process.wait(20)
            self.skipTest("this file system has no files without a name")
        process.kill()
        self.assertEqual(process.wait(20), -signal.SIGKILL)
        self.assert_nothing_is_left()

    def test_signals_that_are_ignored_stay_ignored(self):
        process = subprocess.Popen(
            [BINARY, "verify", "--cases", "1"],
            stdout=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
        )
        process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        self.assertIn(b" 0 mismatches", process.communicate(timeout=120)[0])
        self.assertEqual(process.returncode, 0)

    def test_an_exit_of_a_library_leaves_no_temporary_file(self):
        def few_threads():
            resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))

        big = self.saved("big.npy", np.ones((1000, 1000)))
        with open(self.target, "wb") as file:
            file.write(UNTOUCHED)
        # libgomp calls exit(1) when it cannot make a thread.
        done = run(
            "transpose", big, self.target, preexec_fn=few_threads,
            environment={**NAMED, "OMP_NUM_THREADS": "200", "OMP_STACKSIZE": "8M"},
        )
        if "Thread creation failed" not in done.stderr:
            self.skipTest("this OpenMP makes fewer threads and goes on")
        self.assertEqual(done.returncode, 1)
        self.assert_nothing_is_left()


if __name__ == "__main__":
    unittest.main()
