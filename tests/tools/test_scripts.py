# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The scripts: what they install and build, for which GPUs, and what the demo says when cuda ran on none."""

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
            self.assertRegex(lines[-1], "^cmake --build [^ ]*/build/ci --parallel [0-9]+ --target xpose$")
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

    def tools(self, *names):
        """A folder with these programs of the system alone, for PATH."""
        folder = os.path.join(self.folder, "tools")
        os.mkdir(folder)
        for name in ("bash", "cat", "dirname", "env", "find", "grep", "mkdir", "nproc", "sed", "sort", "head", "tee", "awk", *names):
            os.symlink(shutil.which(name), os.path.join(folder, name))
        return os.path.join(self.folder, "bin") + ":" + folder

    def copied_scripts(self):
        shutil.copytree(os.path.join(ROOT, "scripts"), os.path.join(self.folder, "scripts"))
        for name in ("c++", "cmake", "ctest"):
            self.program(f"bin/{name}", f"mkdir -p {self.folder}/build/demo {self.folder}/build/fast\n"
                                        f"echo {name} \"$@\" >>{self.folder}/calls")

    def calls(self, script, *arguments, **environment):
        """The calls of cmake and ctest, but that which builds."""
        open(os.path.join(self.folder, "calls"), "w").close()
        subprocess.run([os.path.join(self.folder, "scripts", script), *arguments], capture_output=True, text=True, timeout=60,
                       env={k: v for k, v in {**os.environ, **environment}.items() if k != "XPOSE_CUDA_ARCHITECTURES"})
        with open(os.path.join(self.folder, "calls")) as file:
            return [line.strip() for line in file if " --build " not in line and " --version" not in line]

    def test_a_demo_has_the_cuda_backend_only_where_there_is_a_gpu_and_for_it_alone(self):
        self.copied_scripts()
        self.program("scripts/install-dependencies", "exit 0")
        self.program("bin/nvcc", NVCC)
        path = self.tools("make")
        self.program("bin/nvidia-smi", "exit 9")
        without, = self.calls("build", "demo", "xpose", PATH=path)
        for option in ("-DXPOSE_CUDA=OFF", "-DXPOSE_NATIVE=ON", "-G Unix Makefiles"):  # no Ninja in this PATH
            self.assertIn(option, without)
        self.program("bin/nvidia-smi", "if [[ $1 == -L ]]; then echo 'GPU 0: one'; else echo 8.6; fi")
        with_gpu, = self.calls("build", "demo", "xpose", PATH=path)
        self.assertRegex(with_gpu, "-DXPOSE_CUDA=AUTO .*-DCMAKE_CUDA_ARCHITECTURES=86-real")
        self.assertNotIn("-DXPOSE_CUDA=OFF", with_gpu)

    def test_minimal_tests_install_nothing_and_run_the_fast_ones(self):
        self.copied_scripts()
        self.program("scripts/install-dependencies", f"echo installs >>{self.folder}/calls")
        path = self.tools("make")
        calls = self.calls("test", "--minimal", "-R", "add", PATH=path)
        self.assertNotIn("installs", calls)
        self.assertRegex(calls[0], "-DXPOSE_DEV=ON -DXPOSE_TOOLS=OFF -DXPOSE_CUDA=OFF")
        self.assertRegex(calls[1], r"ctest --test-dir [^ ]*/build/fast .*-L \^fast\$ -R add$")
        self.assertIn("installs", self.calls("test", PATH=path))

    def test_all_tests_are_those_of_the_ci_preset(self):
        self.copied_scripts()
        for name in ("install-dependencies", "install-bench-peers", "unpack-debian-thrust"):
            self.program(f"scripts/{name}", "exit 0")
        os.makedirs(os.path.join(self.folder, "build", "ci"))
        calls = self.calls("test", "--all", "-R", "add", PATH=self.tools("make"))
        self.assertRegex(calls[0], "^cmake --preset ci ")
        self.assertRegex(calls[1], r"ctest --test-dir [^ ]*/build/ci .* --parallel [0-9]+ -R add$")

    def test_what_is_installed_is_said_first_and_why(self):
        self.copied_scripts()
        self.program("bin/cmake", "echo cmake version 3.25.1")
        for name in ("c++", "make"):
            self.program(f"bin/{name}", "exit 0")
        self.program("bin/dpkg-query", "exit 1")
        for name in ("apt-get", "sudo"):
            self.program(f"bin/{name}", f"echo CALLED {name} \"$@\"")
        path = self.tools()
        for purpose, expected in (("fast", {"libhwy-dev", "doctest-dev"}),
                                  ("demo", {"libhwy-dev", "libcli11-dev", "python3-numpy"})):
            done = subprocess.run([os.path.join(self.folder, "scripts", "install-dependencies"), purpose], capture_output=True,
                                  text=True, env={"PATH": path})
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            said, called = done.stdout.split("CALLED", 1)
            listed = dict(line.strip().split(": ", 1) for line in said.splitlines() if line.startswith("  "))
            self.assertEqual(set(listed) | {"python3-numpy"}, expected | {"python3-numpy"})  # a Python elsewhere may have it
            self.assertTrue(all(listed.values()))
            self.assertIn(" ".join(listed), called)

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
