# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Configures xpose as users do, and holds what CMake then says, and would compile, against what the README promises.

The environment names XPOSE_SOURCE, the tree; CMAKE, the program; XPOSE_CXX, the compiler.
"""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ["XPOSE_SOURCE"]
CMAKE = os.environ["CMAKE"]
# A CMake project with the names of Highway's, made of what is installed.
HIGHWAY = """cmake_minimum_required(VERSION 3.25)
project(highway LANGUAGES CXX)
foreach(part IN ITEMS TESTS EXAMPLES CONTRIB INSTALL)
  if(NOT DEFINED HWY_ENABLE_${part} OR HWY_ENABLE_${part})
    message(FATAL_ERROR "HWY_ENABLE_${part} is on")
  endif()
endforeach()
add_library(hwy INTERFACE)
"""


class Configurations(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="xpose-configurations-")
        self.addCleanup(shutil.rmtree, self.folder)

    def configure(self, *options, source=SOURCE, generator="Ninja"):
        self.build = tempfile.mkdtemp(dir=self.folder)
        done = subprocess.run(
            [CMAKE, "-G", generator, "-S", source, "-B", self.build, f"-DCMAKE_CXX_COMPILER={os.environ['XPOSE_CXX']}",
             "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options], capture_output=True, text=True, timeout=300)
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    def accepted(self, *options, **arguments):
        status, output = self.configure(*options, **arguments)
        self.assertEqual(status, 0, output)
        return output

    def refused(self, sentence, *options):
        status, output = self.configure(*options)
        self.assertNotEqual(status, 0, output)
        self.assertIn(sentence, output)

    def compiled(self):
        """What would be compiled: file, and its command."""
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as file:
            return {os.path.relpath(os.path.realpath(entry["file"]), SOURCE): entry["command"].split()
                    for entry in json.load(file)}

    def test_what_is_built_unasked_is_the_optimised_library_and_the_command(self):
        self.accepted("-DXPOSE_CUDA=OFF")
        commands = self.compiled()
        # mpi where the machine has an MPI.
        self.assertEqual({file.split("/")[0] for file in commands} - {"mpi"}, {"backends", "tools"})
        for file, command in commands.items():
            self.assertTrue({"-O3", "-DNDEBUG"} <= set(command) and "-Werror" not in command, (file, command))

    def test_a_subproject_without_a_build_type_has_an_optimised_library_and_a_warning(self):
        project = os.path.join(self.folder, "project")
        os.mkdir(project)
        with open(os.path.join(project, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write("cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\nadd_subdirectory(${XPOSE} xpose)\n"
                       "add_executable(own own.cpp)\ntarget_link_libraries(own PRIVATE xpose::xpose)\n")
        with open(os.path.join(project, "own.cpp"), "w", encoding="utf-8") as file:
            file.write("int main() {}\n")
        options = (f"-DXPOSE={SOURCE}", "-DXPOSE_CUDA=OFF")
        for asked, expected, is_warned in (((), "-O3", True), (("-DCMAKE_BUILD_TYPE=Debug",), None, False),
                                           (("-DCMAKE_CXX_FLAGS=-O1",), "-O1", False)):
            with self.subTest(asked=asked):
                output = self.accepted(*options, *asked, source=project)
                self.assertEqual("CMAKE_BUILD_TYPE is not set" in output, is_warned, output)
                for file, command in self.compiled().items():
                    optimised = [word for word in command if word.startswith("-O")]
                    ours = file.startswith("backends")
                    self.assertEqual(optimised, [expected] if expected and (ours or asked) else [], (file, command))

    def test_make_builds_too(self):
        self.accepted("-DXPOSE_CUDA=OFF", generator="Unix Makefiles")
        done = subprocess.run([CMAKE, "--build", self.build, "--target", "backends/core/error.o"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(shutil.which("nvcc"), "no nvcc")
    def test_a_build_for_several_architectures_tells_the_command_of_all(self):
        self.accepted("-DXPOSE_CUDA=ON", "-DCMAKE_CUDA_ARCHITECTURES=80-real;90a-real")
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as file:
            commands = {entry["file"]: shlex.split(entry["command"]) for entry in json.load(file)}
        told = [word for file, command in commands.items() if file.endswith("gpus_cuda.cpp") for word in command
                if "ARCHITECTURES" in word]
        self.assertEqual(told, ['-DXPOSE_TOOLS_CUDA_ARCHITECTURES="80-real, 90a-real"'])

    def test_an_unknown_choice_of_cuda_is_refused(self):
        self.refused("XPOSE_CUDA is typo; it must be AUTO, ON or OFF", "-DXPOSE_CUDA=typo")

    def test_an_unknown_choice_of_mpi_is_refused(self):
        self.refused("XPOSE_MPI is typo; it must be AUTO, ON or OFF", "-DXPOSE_CUDA=OFF", "-DXPOSE_MPI=typo")

    def test_a_missing_mpi_is_refused_if_asked_for_and_left_out_if_not(self):
        without = ("-DXPOSE_CUDA=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON")
        self.refused("XPOSE_MPI is ON, but no MPI 3.1 was found", *without, "-DXPOSE_MPI=ON")
        self.accepted(*without, "-DXPOSE_MPI=AUTO")
        self.assertFalse([file for file in self.compiled() if file.startswith("mpi/")])

    def test_a_missing_highway_is_refused_with_both_ways_to_have_it(self):
        without = ("-DXPOSE_CUDA=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_hwy=ON")
        for sentence in ("apt-get install libhwy-dev", "-DXPOSE_FETCH_HIGHWAY=ON"):
            self.refused(sentence, *without)
        self.refused("not for a static library", "-DXPOSE_FETCH_HIGHWAY=ON", "-DXPOSE_SHARED=OFF", *without)

    def test_a_highway_that_is_too_old_is_refused_by_its_version(self):
        folder = os.path.join(self.folder, "hwy")
        os.mkdir(folder)
        for name, text in (("hwy-config.cmake", "add_library(hwy::hwy INTERFACE IMPORTED)\n"),
                           ("hwy-config-version.cmake", 'set(PACKAGE_VERSION "1.0.2")\n')):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.refused("found 1.0.2", "-DXPOSE_CUDA=OFF", f"-DCMAKE_PREFIX_PATH={folder}", "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF",
                     "-DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF", f"-DCMAKE_MAKE_PROGRAM={shutil.which('ninja')}")

    def test_a_fetched_highway_becomes_part_of_the_library(self):
        folder = os.path.join(self.folder, "highway")
        os.mkdir(folder)
        with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write(HIGHWAY + "target_compile_definitions(hwy INTERFACE FETCHED_HIGHWAY=1)\n")
        self.accepted("-DXPOSE_CUDA=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_hwy=ON", "-DXPOSE_FETCH_HIGHWAY=ON", "-DXPOSE_NATIVE=ON",
                      f"-DFETCHCONTENT_SOURCE_DIR_HIGHWAY={folder}")
        library = {file: command for file, command in self.compiled().items() if file.startswith("backends")}
        self.assertTrue(library and all("-DFETCHED_HIGHWAY=1" in command for command in library.values()))

    def test_native_leaves_out_instruction_sets(self):
        self.accepted("-DXPOSE_CUDA=OFF", "-DXPOSE_NATIVE=ON")
        command = self.compiled()["backends/omp/transpose/simd/moves.cpp"]
        left_out = [int(word.split("=")[1][:-2]) for word in command if word.startswith("-DHWY_DISABLED_TARGETS=")]
        self.assertEqual(len(left_out), 1, command)
        if os.uname().machine == "x86_64":
            self.assertNotEqual(left_out[0], 0)


if __name__ == "__main__":
    unittest.main()
