# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The scripts: which GPUs they build for, and what the demo says when cuda ran on none."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
NVCC = "for a in 75 80 86 89 90 100 120; do echo compute_$a; done"
BUILT_FOR = "-DCMAKE_CUDA_ARCHITECTURES="


class Scripts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="xpose-scripts-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(os.path.join(self.folder, "bin"))

    def program(self, path, body):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(f"#!/usr/bin/env bash\n{body}\n")
        os.chmod(path, 0o755)

    def fake_gpus(self, *capabilities, status=0):
        lines = "\n".join(f"echo '{line}'" for line in capabilities)
        self.program("bin/nvidia-smi", f"[[ $* == '--query-gpu=compute_cap --format=csv,noheader' ]] || exit 2\n"
                                       f"{lines}\nexit {status}")

    def run_script(self, script, *arguments, **environment):
        without = {k: v for k, v in os.environ.items() if k != "XPOSE_CUDA_ARCHITECTURES"}
        done = subprocess.run(
            [script, *arguments], capture_output=True, text=True, timeout=60,
            env={**without, "PATH": os.path.join(self.folder, "bin") + ":" + os.environ["PATH"], **environment},
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout.strip()

    def architectures(self, **environment):
        return self.run_script(os.path.join(ROOT, "scripts", "cuda-architectures"), **environment)

    def test_builds_are_for_the_gpus_in_the_machine(self):
        self.program("bin/nvcc", NVCC)
        for capabilities, expected in (
            (["8.0"], "80-real"),
            (["9.0"], "90a-real"),
            (["12.0"], "120-real"),
            (["9.0", "8.9", "9.0", "10.0"], "89-real;90a-real;100-real"),
            ([], ""),
            (["10.3"], ""),  # newer than nvcc: the default list has PTX
            (["9.0", "10.3"], ""),
            (["7.5"], ""),  # older than the kernels
            (["7.5", "8.0"], ""),
            (["[N/A]"], ""),
            (["Field \"compute_cap\" is not a valid field to query."], ""),
        ):
            with self.subTest(capabilities=capabilities):
                self.fake_gpus(*capabilities)
                self.assertEqual(self.architectures(), expected)
        self.fake_gpus("NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver", status=9)
        self.assertEqual(self.architectures(), "")
        self.fake_gpus("8.0")
        self.assertEqual(self.architectures(XPOSE_CUDA_ARCHITECTURES="75-real;90a-real"), "75-real;90a-real")

    def test_a_build_is_configured_again_when_the_gpus_changed(self):
        shutil.copytree(os.path.join(ROOT, "scripts"), os.path.join(self.folder, "scripts"))
        self.program("scripts/install-dependencies", "exit 0")
        self.program("bin/nvcc", NVCC)
        # Files of the future, so that no package is newer.
        self.program("bin/cmake", f"echo cmake \"$@\"\nmkdir -p {self.folder}/build/ci\n"
                                  f"touch -d '1 day' {self.folder}/build/ci/build.ninja\n"
                                  f"touch {self.folder}/build/ci/CMakeCache.txt")
        build = os.path.join(self.folder, "scripts", "build")

        def configured():
            lines = self.run_script(build, "xpose").splitlines()
            self.assertEqual(lines[-1], "cmake --build --preset ci --target xpose")
            return lines[:-1]

        self.fake_gpus("8.0")
        self.assertEqual(configured(), [f"cmake --preset ci {BUILT_FOR}80-real"])
        self.assertEqual(configured(), [])
        self.fake_gpus("9.0")
        self.assertEqual(configured(), [f"cmake --preset ci {BUILT_FOR}90a-real"])
        self.fake_gpus(status=9)
        self.assertEqual(configured(), ["cmake --preset ci -UCMAKE_CUDA_ARCHITECTURES"])
        self.assertEqual(configured(), [])
        # A build of a time that kept no note of its architectures.
        os.remove(os.path.join(self.folder, "build", "ci", "cuda-architectures"))
        self.assertEqual(configured(), ["cmake --preset ci -UCMAKE_CUDA_ARCHITECTURES"])

    def test_no_preset_chooses_an_architecture(self):
        with open(os.path.join(ROOT, "CMakePresets.json")) as file:
            self.assertNotIn("CMAKE_CUDA_ARCHITECTURES", file.read())

    @unittest.skipUnless(os.path.exists(os.path.join(ROOT, ".ci", "run")), "an export of the sources without .ci")
    def test_ci_builds_for_one_architecture_unless_told_otherwise(self):
        self.program("scripts/test", "echo \"$XPOSE_CUDA_ARCHITECTURES\"")
        os.mkdir(os.path.join(self.folder, ".ci"))
        script = shutil.copy(os.path.join(ROOT, ".ci", "run"), os.path.join(self.folder, ".ci", "run"))
        self.assertEqual(self.run_script(script), "90a-real")
        self.assertEqual(self.run_script(script, XPOSE_CUDA_ARCHITECTURES="80-real"), "80-real")

    def demo(self):
        sys.path.insert(0, os.path.join(ROOT, "scripts"))
        self.addCleanup(sys.path.pop, 0)
        return __import__("demo_matrices")

    def test_the_demo_sees_the_gpus_that_the_driver_lists(self):
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = os.path.join(self.folder, "bin") + ":" + path
        listed = "echo 'GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-1)'; echo '  MIG 1g.5gb Device 0: (UUID: MIG-2)'"
        self.program("bin/nvidia-smi", listed)
        self.assertEqual(self.demo().gpus(), ["NVIDIA A100-SXM4-40GB"])
        self.program("bin/nvidia-smi", "echo 'No devices were found'")
        self.assertEqual(self.demo().gpus(), [])
        self.program("bin/nvidia-smi", "echo 'NVIDIA-SMI has failed'; exit 9")
        self.assertEqual(self.demo().gpus(), [])

    def last_lines_of_demo(self, gpus, is_available, backend):
        table = self.demo().Table({"available": is_available, "reason": "no kernel image for this device"})
        for policy, ran_on in (("omp", "omp"), ("cuda", backend)):
            table.add("gemm", "float32", "2x2x2", policy, {"backend": ran_on, "seconds": 1.0}, True)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            table.warn_of_idle_gpus(gpus)
        return said.getvalue()

    def test_the_demo_warns_when_cuda_ran_on_no_gpu_although_there_is_one(self):
        said = self.last_lines_of_demo(["NVIDIA A100"], False, "omp")
        self.assertIn("CUDA DID NOT RUN ON A GPU, although this machine has NVIDIA A100.", said)
        self.assertIn("no kernel image for this device", said)
        self.assertEqual(self.last_lines_of_demo(["NVIDIA A100"], True, "cuda"), "")
        self.assertEqual(self.last_lines_of_demo([], False, "omp"), "")

    @unittest.skipUnless(shutil.which("shellcheck"), "no shellcheck here")
    def is_bash(self, path):
        if path.endswith(".py") or not os.path.isfile(path):
            return False
        with open(path, encoding="utf-8") as file:
            return "python" not in file.readline()

    def test_shellcheck_finds_nothing(self):
        scripts = [os.path.join("scripts", name) for name in sorted(os.listdir(os.path.join(ROOT, "scripts")))]
        scripts = [name for name in scripts if self.is_bash(os.path.join(ROOT, name))]
        done = subprocess.run(["shellcheck", "-x", *scripts], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
