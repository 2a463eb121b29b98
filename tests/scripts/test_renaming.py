# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""same-machine-code sees one constant and no name; rename-results changes xpose's kernels and no other byte."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts")
COMPILERS = {".cpp": os.environ.get("XPOSE_CXX") or shutil.which("c++"), ".cu": os.environ.get("XPOSE_NVCC")}

HOST = """
namespace first_space {
struct apple { int seeds[20]; };
static __attribute__((noinline)) int seeds_of(apple const& a) {
  int seeds = 0;
  for (int seed : a.seeds) seeds = seeds * 3 + seed;
  return seeds;
}
template <class T>
__attribute__((noinline)) T weight(T seeds) { return seeds * T(3.25) + 1; }
double weigh(apple const& a) { return weight(static_cast<double>(seeds_of(a))); }
int count(apple const& a) { return seeds_of(a) + 5; }
struct row { char const* name; int weights[2]; };
extern row const table[];
row const table[] = {{"apple", {1, 2}}, {"seeds_of", {3, 4}}};
}
"""
DEVICE = """
template <class T>
__global__ void turn(T const* apple, T* seeds) {
  __shared__ T weight[32];
  weight[threadIdx.x] = apple[threadIdx.x] * 5;
  __syncthreads();
  seeds[threadIdx.x] = weight[31 - threadIdx.x];
}
void first_space(int const* a, int* b) { turn<<<1, 32>>>(a, b); }
"""
NEW_NAMES = {"first_space": "z", "apple": "pear_with_a_longer_name", "seeds_of": "pips_of", "weight": "mass", "turn": "flip"}


def renamed(source):
    return re.sub(r"\w+", lambda word: NEW_NAMES.get(word[0], word[0]), source)


class SameMachineCode(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="xpose-same-machine-code-")
        self.addCleanup(shutil.rmtree, self.folder)

    def compiled(self, build, file, source):
        """An object in a build folder of its own."""
        compiler = COMPILERS[os.path.splitext(file)[1]]
        if not compiler:
            self.skipTest(f"no compiler of {file}")
        objects = os.path.join(self.folder, build, "CMakeFiles", "library.dir")
        os.makedirs(objects)
        path = os.path.join(objects, file)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(source)
        subprocess.run([compiler, "-O2", "-c", path, "-o", path + ".o"], check=True)
        return os.path.join(self.folder, build)

    def compared(self, *builds):
        done = subprocess.run([sys.executable, "-B", os.path.join(SCRIPTS, "same-machine-code"), *builds],
                              capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def test_names_and_files_do_not_count(self):
        status, output, _ = self.compared(self.compiled("a", "one.cpp", HOST), self.compiled("b", "two.cpp", renamed(HOST)))
        self.assertEqual((status, output.splitlines()[0]), (0, "host: 4 functions equal, 0 only in A, 0 only in B"))

    def test_an_immediate_counts_and_is_named(self):
        old = self.compiled("a", "one.cpp", HOST)
        status, output, _ = self.compared(old, self.compiled("b", "one.cpp", renamed(HOST).replace("+ 5", "+ 6")))
        self.assertEqual((status, output.splitlines()[0]), (1, "host: 3 functions equal, 1 only in A, 1 only in B"))
        self.assertIn("A  first_space::count(first_space::apple const&)", output)
        self.assertIn("B  z::count(z::pear_with_a_longer_name const&)", output)

    def test_a_constant_in_memory_counts(self):
        old = self.compiled("a", "one.cpp", HOST)
        status, output, _ = self.compared(old, self.compiled("b", "one.cpp", HOST.replace("3.25", "3.5")))
        self.assertEqual(status, 1, output)
        self.assertIn("A  double first_space::weight<double>(double)", output)

    def test_a_number_in_a_table_counts_and_a_string_does_not(self):
        old = self.compiled("a", "one.cpp", HOST)
        status, output, _ = self.compared(old, self.compiled("b", "one.cpp", HOST.replace('"apple"', '"pear"')))
        self.assertEqual((status, output.splitlines()[1]), (0, "tables: 1 objects equal, 0 only in A, 0 only in B"))
        status, output, _ = self.compared(old, self.compiled("c", "one.cpp", HOST.replace("{3, 4}", "{3, 5}")))
        self.assertEqual((status, output.splitlines()[1]), (1, "tables: 0 objects equal, 1 only in A, 1 only in B"))
        self.assertIn("A  first_space::table", output)

    def test_a_function_more_counts(self):
        old = self.compiled("a", "one.cpp", HOST)
        status, output, _ = self.compared(old, self.compiled("b", "one.cpp", HOST + "int eight() { return 8; }"))
        self.assertEqual((status, output.splitlines()[0]), (1, "host: 4 functions equal, 0 only in A, 1 only in B"))

    def test_kernels(self):
        old = self.compiled("a", "one.cu", DEVICE)
        status, output, _ = self.compared(old, self.compiled("b", "two.cu", renamed(DEVICE)))
        self.assertEqual((status, output.splitlines()[-1]), (0, "GPU: 1 functions equal, 0 only in A, 0 only in B"))
        status, output, _ = self.compared(old, self.compiled("c", "one.cu", DEVICE.replace("* 5", "* 6")))
        self.assertEqual(status, 1)
        self.assertRegex(output, r"GPU: 0 functions equal, 1 only in A, 1 only in B\n  A  void turn<int>\(")

    def test_what_holds_no_code_is_an_error(self):
        status, _, error = self.compared(self.folder, self.folder)
        self.assertEqual((status, error), (2, f"same-machine-code: {self.folder}: holds no objects\n"))


class RenameResults(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="xpose-rename-results-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.results = self.write("results.json",
                                  '{"operation":"run","command":"skewed"}\n'
                                  '{"role":"xpose","policy":"cuda","kernel":"skewed<4>, rows<4>","median_s":1.10e-05,"note":"skewed"}\n'
                                  '{"role":"xpose","policy":"cuda","kernel":"units_64x64"}\n'
                                  '{"role":"xpose","policy":"cuda","kernel":"not_skewed"}\n'
                                  '{"role":"xpose","policy":"omp","kernel":"skewed<8>"}\n'
                                  '{"role":"peer","kernel":"skewed<4>"}\n')
        self.table = self.write("table", "cuda\tskewed\trows\ncuda\trows\tlines\ncuda\tunits_*\tmma_*\n")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return path

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, "-B", os.path.join(SCRIPTS, "rename-results"), "--table", self.table, *arguments,
                               self.results], capture_output=True, text=True, timeout=60).returncode

    def test_whole_names_of_xpose_are_renamed_once(self):
        with open(self.results, encoding="utf-8") as stream:
            old = stream.read()
        self.assertEqual(self.run_script("--check"), 1)
        with open(self.results, encoding="utf-8") as stream:
            self.assertEqual(stream.read(), old)
        self.assertEqual(self.run_script(), 0)
        with open(self.results, encoding="utf-8") as stream:
            self.assertEqual(stream.read(), old.replace('"kernel":"skewed<4>, rows<4>"', '"kernel":"rows<4>, lines<4>"')
                             .replace("units_64x64", "mma_64x64"))

    def test_stored_results_have_no_old_names(self):
        done = subprocess.run([sys.executable, "-B", os.path.join(SCRIPTS, "rename-results"), "--check"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_a_table_that_is_none_is_refused(self):
        self.table = self.write("table", "skewed unaligned\n")
        self.assertEqual(self.run_script(), 2)


if __name__ == "__main__":
    unittest.main()
