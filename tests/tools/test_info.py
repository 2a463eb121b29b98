# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose info says what a report of a bug needs, and the same as the system does."""

import json
import os
import platform
import subprocess
import unittest

from command import CommandTest, run


class Info(CommandTest):
    def setUp(self):
        super().setUp()
        self.info = json.loads(self.succeeds("info", "--json").stdout)
        self.text = self.succeeds("info").stdout

    def test_backends(self):
        backends = self.info["backends"]
        self.assertEqual(set(backends), {"reference", "omp", "cuda"})
        self.assertIn("xpose " + self.info["version"] + "\n", self.text)
        for backend in backends:
            self.assertIn("\n  " + backend, self.text)
        if not backends["cuda"]["available"]:
            self.assertIn("no: " + backends["cuda"]["reason"] + "; --policy cuda runs on omp", self.text)
        threads = json.loads(run("info", "--json", environment={"OMP_NUM_THREADS": "3"}).stdout)
        self.assertEqual(threads["backends"]["omp"]["threads"], 3)

    def test_the_machine(self):
        machine = self.info["machine"]
        with open("/proc/cpuinfo") as file:
            models = {line.split(":", 1)[1].strip() for line in file if line.startswith("model name")}
        self.assertIn(machine["processor"], models or {platform.machine()})
        self.assertIn(platform.release(), machine["system"])
        self.assertEqual(machine["threads"], len(os.sched_getaffinity(0)))
        self.assertLessEqual(machine["cores"], machine["threads"])
        self.assertLessEqual(machine["sockets"], machine["cores"])
        self.assertEqual(machine["memory_bytes"], os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE"))
        cache = subprocess.run(["getconf", "LEVEL2_CACHE_SIZE"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(machine["l2_bytes"], int(cache or 0))
        for words in (machine["processor"], machine["system"]):
            self.assertIn(words, self.text)

    @unittest.skipUnless(hasattr(os, "sched_setaffinity"), "no affinity here")
    def test_threads_that_the_process_may_use(self):
        one = min(os.sched_getaffinity(0))
        done = run("info", "--json", preexec_fn=lambda: os.sched_setaffinity(0, {one}))
        machine = json.loads(done.stdout)["machine"]
        self.assertEqual((machine["threads"], machine["cores"] <= 1), (1, True))

    def test_instruction_sets(self):
        machine, built = self.info["machine"], self.info["built"]["isas"]
        self.assertEqual(machine["isa"], machine["usable_isas"][0])
        for isa in machine["usable_isas"]:
            self.assertIn(isa, built)
            done = run("info", "--json", environment={"XPOSE_ISA": isa["xpose_isa"]})
            self.assertEqual(json.loads(done.stdout)["machine"]["isa"], isa)
            self.assertNotIn("AVX3", isa["name"])
        self.assertIn(f"{machine['isa']['name']}, XPOSE_ISA={machine['isa']['xpose_isa']}", self.text)
        done = run("info", environment={"XPOSE_ISA": "FOO"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("XPOSE_ISA is FOO", done.stderr)

    def test_the_build(self):
        built = self.info["built"]
        self.assertRegex(built["compiler"], r"^(GCC|Clang) \d+\.\d+\.\d+$")
        self.assertRegex(built["openmp"], r"^\d\.\d$")
        self.assertIn(built["compiler"], self.text)
        if built["cuda"]:
            self.assertRegex(built["cuda_toolkit"], r"^\d+\.\d$")
            self.assertRegex(built["cuda_architectures"], r"\d\d")
            self.assertIn("kernels for " + built["cuda_architectures"], self.text)

    def test_variables(self):
        environment = {"XPOSE_VERBOSE": "0", "OMP_NUM_THREADS": "2", "CUDA_VISIBLE_DEVICES": "", "MY_XPOSE_X": "1"}
        told = json.loads(run("info", "--json", environment=environment).stdout)["variables"]
        self.assertLessEqual({"XPOSE_VERBOSE=0", "OMP_NUM_THREADS=2", "CUDA_VISIBLE_DEVICES="}, set(told))
        self.assertNotIn("MY_XPOSE_X=1", told)
        self.assertIn("\n  OMP_NUM_THREADS=2\n", run("info", environment=environment).stdout)


if __name__ == "__main__":
    unittest.main()
