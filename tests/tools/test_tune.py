# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose tune: what it writes, shows and refuses. Never how fast anything is."""

import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from command import BINARY, CommandTest, run

SETTINGS = {"move_team_bytes", "gemm_team_products", "matrix_stream_bytes", "gemm_l2_percent", "gemm_packed_bytes"}


class Tune(CommandTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="xpose-test-")
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.once = os.path.join(folder, "once.json")
        done = run("tune", "--policy", "omp", "--seconds", "0", "--path", cls.once)
        assert done.returncode == 0, done.stderr

    def setUp(self):
        super().setUp()
        self.environment = {"XDG_CACHE_HOME": self.path("cache"), "XPOSE_TUNING": ""}

    def tune(self, *arguments, environment=None, **options):
        return run("tune", "--policy", "omp", *arguments, environment={**self.environment, **(environment or {})},
                   **options)

    def tuned(self, *arguments, **options):
        done = self.tune("--seconds", "0", *arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stderr)
        return done

    def shown(self, *arguments, **options):
        done = self.tune("--show", "--json", *arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stderr)
        (device,) = json.loads(done.stdout)["devices"]
        return device

    def fails(self, *arguments, says, **options):
        done = self.tune(*arguments, **options)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
        self.assertIn(says, done.stderr)

    def files(self, folder="cache/xpose"):
        return sorted(os.listdir(self.path(folder))) if os.path.isdir(self.path(folder)) else []

    def text(self, path):
        with open(path) as file:
            return file.read()

    def written(self, **changes):
        """A file of this machine, with changes."""
        content = {**json.loads(self.text(self.once)), **changes}
        with open(self.path("here.json"), "w") as file:
            json.dump(content, file, indent=2)
        return self.path("here.json")

    def test_it_writes_one_file_and_shows_it(self):
        device = self.shown()
        self.assertEqual((device["is_used"], device["settings"], device["path"]), (False, [], ""))
        self.assertIn("not tuned: the built-in settings", self.tune("--show").stdout)

        told = self.tuned().stdout
        (name,) = self.files()
        self.assertRegex(name, r"^omp-[a-z0-9-]+\.json$")
        self.assertEqual(told, self.tune("--show").stdout)
        self.assertIn(self.path("cache/xpose/" + name), told)
        content = json.loads(self.text(self.path("cache/xpose/" + name)))
        self.assertEqual((content["xpose_tuning"], content["backend"]), (1, "omp"))
        self.assertEqual("xpose " + content["version"] + "\n", run("--version").stdout)

        device = self.shown()
        self.assertEqual((device["backend"], device["is_used"], device["why_not_used"]), ("omp", True, ""))
        self.assertLessEqual({s["name"] for s in device["settings"]}, SETTINGS)
        for setting in device["settings"]:
            self.assertIn("  " + setting["name"], told)
            self.assertEqual(str(content[setting["name"]]), setting["tuned"])
            if setting["tuned"] == setting["built_in"]:
                self.assertEqual(setting["gain"], 1)

    def test_a_table_of_what_was_found(self):
        path = self.written(**{"move_team_bytes": 131072, "move_team_bytes.built_in": 65536, "move_team_bytes.gain": 1.2})
        told = self.tune("--show", "--path", path).stdout
        self.assertRegex(told, r"\n  setting +built-in +tuned +gain\n")
        self.assertRegex(told, r"\n  move_team_bytes +65536 +131072 +1\.20\n")

    def test_a_file_or_a_folder_may_be_named(self):
        os.mkdir(self.path("folder"))
        self.tuned("--path", self.path("folder"))
        self.assertEqual(len(self.files("folder")), 1)
        shutil.copy(self.once, self.path("one.json"))
        told = self.tuned("--json", environment={"XPOSE_TUNING": self.path("other.json")}).stdout
        self.assertEqual(told, self.tune("--show", "--json", "--path", self.path("other.json")).stdout)
        self.assertTrue(self.shown("--path", self.path("one.json"))["is_used"])
        self.assertTrue(self.shown(environment={"XPOSE_TUNING": self.path("other.json")})["is_used"])
        self.assertEqual(self.files(), [])

    def test_off_shows_nothing_and_still_writes(self):
        off = {"XPOSE_TUNING": "off"}
        self.tuned(environment=off)
        self.assertEqual(len(self.files()), 1)
        self.assertEqual(self.tune("--show", environment=off).stdout,
                         "XPOSE_TUNING is off: calls use the built-in settings\n")
        self.assertFalse(self.shown(environment=off)["is_used"])
        self.assertTrue(self.shown()["is_used"])

    def test_what_is_not_there(self):
        self.fails("--show", "--path", self.path("no.json"), says=f"there is no file or folder {self.path('no.json')}")
        self.fails("--show", says="there is no file or folder", environment={"XPOSE_TUNING": self.path("no/")})
        done = run("transpose", self.saved("a.npy", self.random.random((3, 2))), self.path("b.npy"),
                   environment={"XPOSE_TUNING": self.path("no")})
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn(f"there is no tuning file or folder {self.path('no')}, which XPOSE_TUNING", done.stderr)
        self.assertFalse(os.path.exists(self.path("b.npy")))

    def test_foreign_and_stale_files_are_shown_as_such(self):
        for changes, why in (({"version": "0.0.1"}, "it is of xpose 0.0.1, and this is "),
                             ({"device": "another"}, "it is of omp on another, and this is omp on "),
                             ({"xpose_tuning": 2}, "it is of format 2, and this xpose reads format 1")):
            device = self.shown("--path", self.written(**changes))
            self.assertEqual((device["is_used"], device["settings"]), (False, []))
            self.assertIn(why, device["why_not_used"])
            self.assertIn("not used: " + why, self.tune("--show", "--path", self.path("here.json")).stdout)

    def test_a_broken_file_is_refused_and_written_anew(self):
        path = self.written()
        with open(path, "r+") as file:
            file.truncate(100)
        says = f"the tuning file {path} cannot be used: "
        self.fails("--show", "--path", path, says=says)
        done = run("transpose", self.saved("a.npy", self.random.random((3, 2))), self.path("b.npy"),
                   environment={"XPOSE_TUNING": path})
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn(says, done.stderr)
        self.tuned("--path", path)
        self.assertTrue(self.shown("--path", path)["is_used"])

    def test_a_program_runs_with_a_broken_file_that_nobody_named(self):
        self.tuned()
        (name,) = self.files()
        with open(self.path("cache/xpose/" + name), "w") as file:
            file.write("{")
        done = run("transpose", self.saved("a.npy", self.random.random((3, 2))), self.path("b.npy"),
                   environment=self.environment)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1))
        self.assertRegex(done.stderr, r"^xpose: the tuning file .* cannot be used: line 1: .*; delete it, or write it anew")

    def test_a_place_that_cannot_be_written_is_refused_at_once(self):
        self.saved("file", self.random.random(3))
        for place in (self.path("file") + "/below.json", "/dev/full", "/proc/here/tune.json"):
            self.fails("--seconds", "86400", "--path", place, says=f"tune: {place} cannot be written: ")
        self.fails("--seconds", "86400", says="neither XDG_CACHE_HOME nor HOME",
                   environment={"XDG_CACHE_HOME": "", "HOME": ""})

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_a_folder_without_permission(self):
        os.mkdir(self.path("closed"), mode=0o500)
        self.fails("--path", self.path("closed") + "/", says="cannot be written: Permission denied")

    def test_a_full_disk_leaves_the_file_before(self):
        path = self.written()
        before = self.text(path)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        self.fails("--seconds", "0", "--path", path, says=f"tune: {path} cannot be written: File too large", preexec_fn=limit)
        self.assertEqual(self.text(path), before)
        self.assertEqual(os.listdir(self.folder), ["here.json"])

    def test_killed_at_any_moment_it_leaves_a_whole_file(self):
        path = self.written()
        command = [BINARY, "tune", "--policy", "omp", "--seconds", "0", "--path", path]
        for tenths in range(10):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.05 * tenths)
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.assertTrue(self.shown("--path", path)["is_used"])

    def test_two_at_once(self):
        command = [BINARY, "tune", "--policy", "omp", "--seconds", "0"]
        both = [subprocess.Popen(command, env={**os.environ, **self.environment}, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE) for _ in range(2)]
        for process in both:
            self.assertEqual(process.communicate(timeout=120)[1], b"")
            self.assertEqual(process.returncode, 0)
        self.assertEqual(len(self.files()), 1)
        self.assertTrue(self.shown()["is_used"])

    def test_a_policy_that_cannot_run(self):
        backends = json.loads(run("info", "--json").stdout)["backends"]
        if backends["cuda"]["available"]:
            self.skipTest("cuda runs here")
        done = run("tune", "--policy", "cuda", environment=self.environment)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1))
        self.assertIn("tune: cuda was asked for and no CUDA device can run it: ", done.stderr)
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
