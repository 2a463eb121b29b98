# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""--resume and --memory: a run that ends half-way is gone on with, to the same bits, and nothing else is."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np

from command import CommandTest, command_line, random_bits, run, sampled, save, with_header

UNTOUCHED = b"the file that was there before"
# Memory that was freed leaves the process: the fake device takes and frees megabytes of the host's for each tile.
STEADY = {"MALLOC_MMAP_THRESHOLD_": "1000000"}
# Panels of a few rows: a hundred tiles or so of matrices that are made in no time.
SMALL = {"XPOSE_PANEL_BYTES": "20000", "XPOSE_TUNING": "off"}


class Resume(CommandTest):
    def setUp(self):
        super().setUp()
        self.out = self.path("out.npy")
        self.partial, self.record = self.out + ".xpose-partial", self.out + ".xpose-resume"
        self.matrix = self.random.standard_normal((501, 703)).astype("<f4")
        self.source = self.saved("in.npy", self.matrix)
        self.move = ["transpose", self.source, self.out, "--resume", "--memory", "1M"]

    def works(self):
        """Commands without OUT, and what NumPy says, exactly: extents that no tile divides, every command."""
        small = self.random.integers(-9, 9, (203, 311)).astype("<f4")
        other = self.random.integers(-9, 9, (311, 257)).astype("<f4")
        swapped = random_bits(self.random, (401, 305), ">f8")
        batch = self.random.integers(-99, 99, (7, 61, 83)).astype("<i8")
        c = self.random.integers(-9, 9, (203, 257)).astype(">f4")
        names = ("small", "other", "swapped", "batch", "c", "many")
        arrays = (small, other, swapped, batch, c, batch.swapaxes(1, 2).copy())
        small_, other_, swapped_, batch_, c_, many_ = (self.saved(f"{n}.npy", a) for n, a in zip(names, arrays))
        return [
            (["transpose", self.source], self.matrix.T),
            (["transpose", swapped_, "--order", "F"], swapped.T),
            (["permute", batch_, "--axes", "1,2,0"], batch.transpose(1, 2, 0)),
            (["cast", small_, "--to", "f8"], small.astype("<f8")),
            (["add", self.source, self.source, "--alpha", "2"], 3 * self.matrix),
            (["gemm", small_, other_], small @ other),
            (["gemm", small_, other_, "--c", c_, "--beta=-2", "--memory", "300K"], small @ other - 2 * c.astype("<f4")),
            (["gemm", batch_, many_, "--memory", "200K"], batch @ arrays[5]),
        ]

    def start(self, arguments, environment=SMALL, **options):
        return subprocess.Popen(
            command_line(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env={**os.environ, **environment}, **options,
        )

    def tiles(self):
        """What the record says, or nothing."""
        try:
            with open(self.record) as file:
                return int(re.search(r"^tiles (\d+)$", file.read(), re.MULTILINE)[1])
        except FileNotFoundError:
            return -1

    def wait_for_tiles(self, process, tiles):
        patience = time.monotonic() + 60
        while self.tiles() < tiles:
            if process.poll() is not None or time.monotonic() > patience:
                self.fail(f"no {tiles} tiles were recorded: {process.communicate()[1]}")
            time.sleep(0.0005)

    def kill(self, arguments, tiles=1, by=signal.SIGKILL, environment=SMALL):
        """A run that is ended when so many tiles are recorded."""
        process = self.start(arguments, environment)
        self.wait_for_tiles(process, tiles)
        process.send_signal(by)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -by)
        self.assertTrue(os.path.exists(self.partial))
        return self.tiles()

    def goes_on(self, arguments, environment=SMALL):
        told = json.loads(self.succeeds(*arguments, "--json", environment=environment).stdout)
        self.assertGreater(told["resumed_at"], 0)
        self.assertLess(told["resumed_at"], 1)
        self.assert_nothing_is_left()

    def assert_nothing_is_left(self):
        self.assertEqual([name for name in os.listdir(self.folder) if "xpose" in name], [])

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()

    def refuses(self, *says, arguments=None, environment=SMALL):
        """With one line, and all files as they were."""
        def state():
            paths = [os.path.join(self.folder, name) for name in os.listdir(self.folder)]
            return {path: self.content(path) for path in paths if os.path.isfile(path) and not os.path.islink(path)}

        before = state()
        done = run(*(arguments or self.move), environment=environment)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
        for words in says:
            self.assertIn(words, done.stderr)
        self.assertEqual(state(), before)

    def test_a_killed_run_goes_on_to_the_same_bits_wherever_it_was(self):
        for work, expected in self.works():
            command = [work[0], *work[1:], "--resume"]
            arguments = [*command[:2], *command[2:]]
            inputs = 2 if work[0] in ("add", "gemm") else 1
            arguments.insert(1 + inputs, self.out)
            with self.subTest(work=work[0], options=work[1 + inputs:]):
                self.succeeds(*arguments, environment=SMALL)
                whole = self.content(self.out)
                found = np.load(self.out)
                np.testing.assert_array_equal(found.view(f"V{found.itemsize}"),
                                              np.asarray(expected).astype(found.dtype).view(f"V{found.itemsize}"))
                for tiles in (1, 2, 5):
                    os.remove(self.out)
                    self.kill(arguments, tiles)
                    self.assertFalse(os.path.exists(self.out))
                    self.goes_on(arguments)
                    self.assertEqual(self.content(self.out), whole)

    def test_a_run_that_is_killed_again_and_again_arrives(self):
        reached = 0
        for tiles in (1, 4, 9, 16):
            reached = self.kill(self.move, max(tiles, reached + 1))
        self.goes_on(self.move)
        self.assert_same_array(np.load(self.out), self.matrix.T)

    def test_finished_tiles_are_not_made_again(self):
        self.kill(self.move, 3)
        with open(self.partial, "r+b") as file:
            file.seek(128)  # the first element of the first tile
            file.write(b"mark")
        self.goes_on(self.move)
        expected = self.matrix.T.copy()
        expected[0, 0] = np.frombuffer(b"mark", "<f4")[0]
        self.assert_same_array(np.load(self.out), expected)

    def test_signals_that_can_be_caught_leave_what_is_finished_too(self):
        for ends in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            self.kill(self.move, 2, ends)
            self.goes_on(self.move)

    def test_without_the_option_nothing_is_left_and_nothing_is_taken_up(self):
        self.kill(self.move, 2)
        left = self.content(self.record)
        told = self.succeeds("transpose", self.source, self.out, environment=SMALL).stdout
        self.assertNotIn("resumed", told)
        self.assert_same_array(np.load(self.out), self.matrix.T)
        self.assertEqual(self.content(self.record), left)

    def test_the_file_that_is_replaced_stays_until_the_end_and_keeps_its_permissions(self):
        with open(self.out, "wb") as file:
            file.write(UNTOUCHED)
        os.chmod(self.out, 0o640)
        self.kill(self.move, 2)
        self.assertEqual(self.content(self.out), UNTOUCHED)
        self.assertEqual(os.stat(self.partial).st_mode & 0o7777, 0o640)
        self.goes_on(self.move)
        self.assert_same_array(np.load(self.out), self.matrix.T)
        self.assertEqual(os.stat(self.out).st_mode & 0o7777, 0o640)

    def test_the_output_may_be_the_input_and_lie_behind_a_link(self):
        os.rename(self.source, self.out)
        os.symlink("out.npy", self.path("link.npy"))
        arguments = ["transpose", self.out, self.path("link.npy"), "--resume"]
        self.kill(arguments, 2)
        self.assert_same_array(np.load(self.out), self.matrix)
        self.goes_on(arguments)
        self.assertTrue(os.path.islink(self.path("link.npy")))
        self.assert_same_array(np.load(self.out), self.matrix.T)

    def test_a_record_of_another_run_is_refused_and_left(self):
        self.kill(self.move, 2)
        other = self.saved("other.npy", self.matrix)
        transposed = self.saved("transposed.npy", self.matrix.reshape(703, 501))
        for arguments, words in (
            ([*self.move[:-1], "2M"], "tiles in 2097152 bytes"),
            ([*self.move, "--order", "F"], "order F"),
            (["transpose", other, *self.move[2:]], "other.npy: shape (501, 703)"),
            (["transpose", transposed, *self.move[2:]], "transposed.npy: shape (703, 501)"),
            (["permute", *self.move[1:]], "permute, axes 1 0"),
            (["cast", *self.move[1:], "--to", "f8"], "cast, from f4 to f8"),
            (["add", self.source, self.source, *self.move[2:]], "add, f4, alpha 1"),
            ([*self.move, "--policy", "reference"], "on reference"),
        ):
            self.refuses("out.npy.xpose-resume: it belongs to another run: it says \"", words, "to begin anew",
                         arguments=arguments)
        self.refuses("panels of 10000 bytes", environment={**SMALL, "XPOSE_PANEL_BYTES": "10000"})
        gemm = ["gemm", self.source, self.source, self.out, "--transpose-b", "--resume"]
        for path in (self.partial, self.record):
            os.remove(path)
        self.kill(gemm, 2)
        self.refuses("alpha 2, beta not given", arguments=[*gemm, "--alpha", "2"])
        if "--policy" not in command_line():
            self.refuses("on omp, 1 threads", arguments=[*gemm, "--threads", "1"])
        self.goes_on(gemm)

    def tile_line(self):
        with open(self.record) as file:
            return re.search(r"^is tiles of .*$", file.read(), re.MULTILINE)[0]

    def test_a_record_of_a_gemm_with_other_tiles_is_refused(self):
        gemm = ["gemm", self.source, self.source, self.out, "--transpose-b", "--resume"]
        self.kill(gemm, 2)
        good = self.content(self.record)
        line = self.tile_line()
        self.assertRegex(line, r"^is tiles of 1 x \d+ x 501 elements$")
        changed = good[: good.rindex(b"checksum")].replace(line.encode(), b"is tiles of 1 x 9 x 501 elements")
        with open(self.record, "wb") as file:
            file.write(self.with_checksum(changed))
        self.refuses('it says "tiles of 1 x 9 x 501 elements", and this run is "', line[3:], arguments=gemm)
        with open(self.record, "wb") as file:
            file.write(good)
        self.goes_on(gemm)

    def test_tiles_depend_on_threads_only_where_the_record_says_how_many(self):
        # More than a second of omp, and 20 of a device. Holes on the disk, and alpha 0 reads no input.
        on_device = "--policy" in command_line()
        n, k, memory = (600, 2 * 10**9, "8T") if on_device else (2000, 2 * 10**6, "10G")
        names = self.path("wide.npy"), self.path("tall.npy")
        for name, shape in zip(names, ((n, k), (k, n))):
            with_header(name, f"{{'descr': '|i1', 'fortran_order': False, 'shape': {shape}, }}\n".encode())
            os.truncate(name, os.stat(name).st_size + n * k)
        gemm = ["gemm", *names, self.out, "--alpha", "0", "--memory", memory, "--resume"]
        for policy in [[]] if on_device else [[], ["--policy", "omp"]]:
            said = []
            for threads in ("1", "2"):
                process = self.start([*gemm, *policy], {**SMALL, "XPOSE_PANEL_BYTES": str(64 << 20), "OMP_NUM_THREADS": threads})
                changes = 0
                while process.poll() is None:  # an input that changes ends it when its record is there
                    changes += 1
                    os.utime(names[0], ns=(changes, changes))
                self.assertIn(b"it was changed while it was read", process.communicate()[1])
                with open(self.record) as file:
                    lines = file.read().splitlines()
                said.append([line for line in lines if line.startswith(("is tiles of", "is on "))])
                for path in (self.partial, self.record):
                    os.remove(path)
            if on_device:
                self.assertEqual(said[0], said[1])
                self.assertRegex(said[0][1], "^is tiles of 1 x 384 x 600 elements$")
            else:
                self.assertNotEqual(said[0], said[1])
                self.assertEqual([lines[0][:17] for lines in said], ["is on omp, 1 thre", "is on omp, 2 thre"])

    def test_inputs_that_have_changed_are_refused(self):
        self.kill(self.move, 2)
        before = os.stat(self.source)
        os.utime(self.source, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
        self.refuses("it belongs to another run: it says \"input ", "modified at")
        os.utime(self.source, ns=(before.st_atime_ns, before.st_mtime_ns))
        with open(self.source, "ab") as file:
            file.write(b"more")
        os.utime(self.source, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.refuses("it belongs to another run: it says \"input ", f"{before.st_size} bytes", f"{before.st_size + 4} bytes")
        os.truncate(self.source, before.st_size)
        os.utime(self.source, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.goes_on(self.move)

    def test_an_input_that_changes_during_the_run_ends_it(self):
        process = self.start(self.move)
        self.wait_for_tiles(process, 2)
        os.utime(self.source)
        told = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, 1)
        self.assertIn("in.npy: it was changed while it was read", told)
        self.assertFalse(os.path.exists(self.out))

    @staticmethod
    def with_checksum(text):
        number = 0xCBF29CE484222325
        for byte in text:
            number = (number ^ byte) * 0x100000001B3 % 2**64
        return text + b"checksum %016x\n" % number

    def test_a_record_of_another_version_is_refused(self):
        self.kill(self.move, 2)
        good = self.content(self.record)
        lines = good[: good.rindex(b"checksum")]
        self.assertEqual(self.with_checksum(lines), good)
        for changed, words in (
            (re.sub(rb"is xpose [0-9.]+", b"is xpose 0.0.9", lines), 'it says "xpose 0.0.9", and this run is "xpose '),
            (lines.replace(b"format 1", b"format 2"), "it is no record of an unfinished output, or it is damaged"),
            (lines.replace(b"tiles 2", b"tiles -2") if b"tiles 2\n" in lines else re.sub(rb"tiles \d", b"tiles -2", lines),
             "it is no record"),
            (lines + b"more\n", "it is no record"),
            (lines + b"is more\n", "it has other lines than this run"),
        ):
            with open(self.record, "wb") as file:
                file.write(self.with_checksum(changed))
            self.refuses("out.npy.xpose-resume: ", words, "to begin anew")
        with open(self.record, "wb") as file:
            file.write(good)
        self.goes_on(self.move)

    def test_a_damaged_record_is_refused_at_every_byte(self):
        self.kill(self.move, 2)
        good = self.content(self.record)
        damaged = [good[:at] for at in range(0, len(good), 7)]
        damaged += [good[:at] + bytes([good[at] ^ 1]) + good[at + 1:] for at in range(0, len(good), 11)]
        damaged += [good + b"\n", bytes(5000), good * 3000]
        for content, in sampled(damaged):
            with open(self.record, "wb") as file:
                file.write(content)
            self.refuses("it is no record of an unfinished output, or it is damaged; remove it and ")
        os.remove(self.record)
        os.mkdir(self.record)
        self.refuses("out.npy.xpose-resume: ")
        os.rmdir(self.record)
        os.symlink(self.source, self.record)
        self.refuses("out.npy.xpose-resume: ")

    def test_an_output_that_is_gone_or_another_file_is_refused(self):
        self.kill(self.move, 2)
        shutil.copy(self.partial, self.path("copy"))
        os.remove(self.partial)
        self.refuses("its output, ", "out.npy.xpose-partial, is gone; remove it")
        self.assertFalse(os.path.exists(self.partial))
        os.rename(self.path("copy"), self.partial)
        self.refuses("out.npy.xpose-partial, is another file now; remove it")
        os.remove(self.record)
        self.kill(self.move, 2)
        with open(self.partial, "ab") as file:
            file.write(b"more")
        self.refuses("out.npy.xpose-partial, is another file now")

    def test_an_output_without_a_record_is_begun_anew(self):
        with open(self.partial, "wb") as file:
            file.write(bytes(3000000))
        told = json.loads(self.succeeds(*self.move, "--json", environment=SMALL).stdout)
        self.assertEqual(told["resumed_at"], 0)
        self.assert_nothing_is_left()
        self.assert_same_array(np.load(self.out), self.matrix.T)

    def test_what_is_no_file_at_the_names_of_the_output_is_refused(self):
        os.mkdir(self.partial)
        self.refuses("out.npy.xpose-partial: ")
        os.rmdir(self.partial)
        os.symlink(self.source, self.partial)
        self.refuses("out.npy.xpose-partial: ")
        os.remove(self.partial)
        os.mkfifo(self.partial)
        done = run(*self.move, environment=SMALL)
        self.assertEqual(done.returncode, 1)
        self.assertIn("it is not a regular file", done.stderr)

    def test_an_input_that_lies_where_the_unfinished_output_would_is_refused_and_left(self):
        for taken in (self.partial, self.record, self.record + ".new"):
            save(taken, self.matrix)
            linked = self.path("linked.npy")
            os.link(taken, linked)
            for arguments in (
                ["transpose", taken, self.out, "--resume"],
                ["transpose", linked, self.out, "--resume"],
                ["add", self.source, taken, self.out, "--resume"],
                ["gemm", self.source, self.source, self.out, "--transpose-b", "--resume", "--c", taken],
            ):
                if "--c" in arguments:
                    save(taken, self.random.standard_normal((501, 501)).astype("<f4"))
                self.refuses(": --resume would write its unfinished output over this input, as ", taken,
                             arguments=arguments)
                self.assertEqual(os.path.exists(self.partial), taken == self.partial)
                if "--c" in arguments:
                    save(taken, self.matrix)
            os.remove(taken)
            os.remove(linked)

    def test_an_output_that_cannot_have_its_name_is_gone_on_with(self):
        process = self.start(self.move)
        self.wait_for_tiles(process, 2)
        process.send_signal(signal.SIGSTOP)
        os.mkdir(self.out)  # no file can be renamed to a folder
        process.send_signal(signal.SIGCONT)
        told = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, 1)
        self.assertIn("out.npy: cannot be written: Is a directory; the output is complete in ", told)
        os.rmdir(self.out)
        self.goes_on(self.move)
        self.assert_same_array(np.load(self.out), self.matrix.T)

    def test_of_two_at_once_one_is_refused(self):
        first = self.start(self.move)
        self.wait_for_tiles(first, 1)
        first.send_signal(signal.SIGSTOP)
        try:
            self.refuses("out.npy.xpose-partial: another process is writing it")
        finally:
            first.send_signal(signal.SIGCONT)
        self.assertEqual(first.communicate(timeout=60)[1], b"")
        self.assertEqual(first.returncode, 0)
        self.assert_nothing_is_left()
        self.assert_same_array(np.load(self.out), self.matrix.T)

    def test_many_at_once_leave_one_whole_output(self):
        for _ in range(3):
            processes = [self.start(self.move) for _ in range(4)]
            told = [process.communicate(timeout=120)[1].decode() for process in processes]
            codes = [process.returncode for process in processes]
            self.assertIn(0, codes)
            for code, line in zip(codes, told):
                if code != 0:
                    self.assertRegex(line, "another process is writing it|is another file now|is gone")
            self.assert_nothing_is_left()
            self.assert_same_array(np.load(self.out), self.matrix.T)
            os.remove(self.out)

    def test_no_space_from_the_start_leaves_nothing(self):
        def limit(most):
            return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        for most in (100000, 10):
            done = run(*self.move, environment=SMALL, preexec_fn=limit(most))
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
            self.assertIn(f"out.npy: no space for its {self.matrix.nbytes + 128} bytes (File too large)", done.stderr)
            self.assert_nothing_is_left()

    def stop_between_records(self, process):
        """A new record that exists already would make room for the next one, as it replaces the old one."""
        for attempt in range(1000):
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if not os.path.exists(self.record + ".new"):
                return
            process.send_signal(signal.SIGCONT)
            # A process that is stopped at once has not run: on a busy machine a thousand times in a row.
            time.sleep(0.001 * (attempt % 5 + 1))
        process.kill()
        process.wait()
        self.fail("a new record existed at every stop")

    def test_a_disk_that_fills_up_half_way(self):
        mount = self.path("mount")
        os.mkdir(mount)
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "xpose", mount], capture_output=True)
        if made.returncode != 0:
            self.skipTest("a file system cannot be mounted here")
        try:
            self.out = os.path.join(mount, "out.npy")
            self.partial, self.record = self.out + ".xpose-partial", self.out + ".xpose-resume"
            arguments = ["transpose", self.source, self.out, "--resume", "--memory", "1M"]
            many = {**SMALL, "XPOSE_PANEL_BYTES": "2000"}  # no disk to wait for: it must last until it is stopped
            process = self.start(arguments, many)
            self.wait_for_tiles(process, 1)
            self.stop_between_records(process)
            with open(os.path.join(mount, "filling"), "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(4096))
                except OSError:
                    pass
            process.send_signal(signal.SIGCONT)
            told = process.communicate(timeout=60)[1].decode()
            self.assertEqual(process.returncode, 1)
            self.assertIn("out.npy.xpose-resume.new: cannot be written: No space left on device", told)
            os.remove(os.path.join(mount, "filling"))
            told = json.loads(self.succeeds(*arguments, "--json", environment=many).stdout)
            self.assertGreater(told["resumed_at"], 0)
            self.assertEqual(os.listdir(mount), ["out.npy"])
            self.assert_same_array(np.load(self.out), self.matrix.T)
        finally:
            subprocess.run(["umount", mount], check=True)

    def test_progress_on_a_terminal_begins_where_the_run_goes_on(self):
        self.kill(self.move, 20)
        seen, told = self.on_terminal(*self.move, environment={**SMALL, "XPOSE_PROGRESS_AFTER": "0"})
        shares = [int(share) for share in re.findall(r"(\d+) %", seen)]
        resumed = int(re.search(r"; resumed at (\d+) %\n", told)[1])
        self.assertGreater(resumed, 0)
        self.assertGreaterEqual(shares[0], resumed)
        self.assertEqual((shares, shares[-1]), (sorted(shares), 100))
        os.remove(self.out)
        seen, _ = self.on_terminal(*self.move, environment={**SMALL, "XPOSE_PROGRESS_AFTER": "1000"})
        self.assertEqual(seen, "")
        self.kill(self.move, 2)
        self.goes_on(self.move, {**SMALL, "XPOSE_PROGRESS_AFTER": "0"})  # no terminal, no bar

    def test_standard_streams_cannot_be_resumed(self):
        for arguments in (["transpose", "-", self.out], ["transpose", self.source, "-"],
                          ["gemm", self.source, "-", self.out], ["add", "-", self.source, self.out]):
            self.refuses("--resume: standard input and output cannot be resumed; name files",
                         arguments=[*arguments, "--resume"])


class Memory(CommandTest):
    """Where the bound is seen without --resume."""

    def peak(self, *arguments, environment=None):
        """Largest resident memory of a run, in bytes."""
        process = subprocess.Popen(command_line(*arguments), stdout=subprocess.DEVNULL,
                                   env={**os.environ, "XPOSE_TUNING": "off", **STEADY, **(environment or {})})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss * 1024

    def test_a_bound_keeps_large_files_out_of_memory(self):
        rows = 40000
        # On a device a process has a context, and pinned blocks, whatever its files are.
        on_device = ["--device-memory", "16M"] if "--policy" in command_line() else []
        tiny = self.saved("tiny.npy", np.ones((1000, 1000), "<f4"))
        # 160 MB, and not in this process: a child's peak begins with its parent's.
        tall = self.path("tall.npy")
        with_header(tall, f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, 1000), }}".ljust(117).encode() + b"\n")
        os.truncate(tall, 128 + 4 * rows * 1000)
        small = self.saved("small.npy", np.ones((1000, 500), "<f4"))
        out = self.path("out.npy")
        for work in (["cast", tall, out, "--to", "i4"], ["add", tall, tall, out], ["gemm", tall, small, out]):
            with self.subTest(work=work[0]):
                work += on_device
                files = 160e6 * (3 if work[0] == "add" else 1.5)
                most = 130e6 + self.peak(*[tiny if word == tall else word for word in work], "--memory", "32M")
                bounded = self.peak(*work, "--memory", "32M")
                self.assertGreater(self.peak(*work), files)
                self.assertLess(bounded, most)
                # The same when the machine is small and nothing is said.
                self.assertLess(self.peak(*work, environment={"XPOSE_MEMORY_BYTES": str(64 << 20)}), most)

    def test_tiles_of_any_size_give_the_same_product(self):
        a = self.random.integers(-9, 9, (301, 403)).astype("<f4")
        b = self.random.integers(-9, 9, (403, 1201)).astype("<f4")
        for order_a in "CF":
            for order_b in "CF":
                paths = [self.saved("a.npy", np.asarray(a, order=order_a)), self.saved("b.npy", np.asarray(b, order=order_b))]
                for memory in ("30K", "100K", "1M", "3M", "1G"):
                    self.succeeds("gemm", *paths, self.path("out.npy"), "--memory", memory, "--threads", 1)
                    self.assert_same_array(np.load(self.path("out.npy")), a @ b)

    def test_bounds_that_are_too_small_and_copies_that_do_not_fit(self):
        a, b = self.saved("a.npy", np.ones((20, 3000), ">f4")), self.saved("b.npy", np.ones((3000, 20), "<f4"))
        c = self.saved("c.npy", np.ones((20, 3000), "<f4"))
        done = run("gemm", c, b, self.path("out.npy"), "--memory", "20000")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--memory: a row of A, a column of B and an element of C take 24004 bytes", done.stderr)
        self.succeeds("gemm", c, b, self.path("out.npy"), "--memory", "24004")
        os.remove(self.path("out.npy"))
        for work in (["gemm", a, b], ["add", a, c], ["add", c, a], ["cast", a]):
            done = run(*work, self.path("out.npy"), "--memory", "200K", *(["--to", "f8"] if work[0] == "cast" else []))
            self.assertEqual(done.returncode, 1)
            self.assertIn("a.npy: its 60000 elements of dtype '>f4' must be copied into memory", done.stderr)
        self.assertFalse(os.path.exists(self.path("out.npy")))
        self.succeeds("transpose", a, self.path("out.npy"), "--memory", "200K")
        for wrong in ("0", "-1", "8X", "1.5G", "", "99999999999999999999"):
            done = run("transpose", a, self.path("out.npy"), "--memory=" + wrong)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), wrong)


if __name__ == "__main__":
    unittest.main()
