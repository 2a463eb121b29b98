# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The recipes in packaging/ agree with the build: its version, options and requirements. Needs no package manager."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
PACKAGING = os.path.join(ROOT, "packaging")


def text_of(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


VERSION = re.search(r"project\(xpose VERSION ([0-9.]+)", text_of("CMakeLists.txt"))[1]
HIGHWAY = re.search(r"find_package\(hwy ([0-9.]+)", text_of("cmake", "highway.cmake"))[1]
# What a vcpkg port calls, each writing down what it was given.
VCPKG = """cmake_minimum_required(VERSION 3.25)
macro(vcpkg_check_features)
  message("features ${ARGN}")
  set(FEATURE_OPTIONS -DFROM_FEATURES=1)
endmacro()
foreach(call IN ITEMS vcpkg_cmake_configure vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig
                      vcpkg_copy_tools vcpkg_install_copyright)
  cmake_language(EVAL CODE "function(${call})\\n message(\\"${call} \\${ARGN}\\")\\nendfunction()")
endforeach()
function(file what)
  if(NOT what MATCHES "^(REMOVE_RECURSE|INSTALL)$")
    _file(${what} ${ARGN})
  endif()
endfunction()
include(${PORT_FILE})
"""


def spack_package(**variants):
    """Our class of packaging/spack, with a stand-in for Spack, for a spec of these variants."""
    directives = []

    class CMakePackage:
        def define(self, name, value):
            return f"-D{name}={';'.join(value) if isinstance(value, list) else value}"

        def define_from_variant(self, name, variant):
            return self.define(name, "ON" if variants[variant] else "OFF")

    package = types.ModuleType("spack.package")
    package.CMakePackage, package.CudaPackage = CMakePackage, type("CudaPackage", (), {})
    for name in ("license", "version", "variant", "depends_on"):
        setattr(package, name, lambda *words, _name=name, **named: directives.append((_name, words, named)))
    before = dict(sys.modules)
    sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": package})
    try:
        namespace = {}
        exec(compile(text_of("packaging", "spack", "packages", "xpose", "package.py"), "package.py", "exec"), namespace)
    finally:
        sys.modules.clear()
        sys.modules.update(before)
    instance = namespace["Xpose"]()
    instance.spec = types.SimpleNamespace(
        satisfies=lambda condition: variants[condition.lstrip("+")],
        variants={name: types.SimpleNamespace(value=value) for name, value in variants.items()})
    return instance, directives


class Recipes(unittest.TestCase):
    def test_every_recipe_is_of_this_version(self):
        self.assertEqual(json.loads(text_of("packaging", "vcpkg", "ports", "xpose", "vcpkg.json"))["version"], VERSION)
        self.assertIn(f'  version: "{VERSION}"', text_of("packaging", "conda", "recipe.yaml"))
        self.assertIn(f"GIT_TAG v{VERSION}", text_of("packaging", "fetch_content", "CMakeLists.txt"))
        _, directives = spack_package(cuda=False, shared=True, tools=True, cuda_arch=())
        self.assertIn(("version", (VERSION,), {"tag": f"v{VERSION}"}), directives)

    def test_every_recipe_asks_for_the_highway_that_the_build_asks_for(self):
        self.assertIn(f"highway/[>={HIGHWAY} <2]", text_of("packaging", "conan", "conanfile.py"))
        self.assertIn(f"libhwy >={HIGHWAY}\n", text_of("packaging", "conda", "recipe.yaml"))
        self.assertIn(f'"highway@{HIGHWAY}:1"', text_of("packaging", "spack", "packages", "xpose", "package.py"))

    def test_no_recipe_sets_an_option_that_the_build_lacks(self):
        known = set(re.findall(r"(?:option|set)\((XPOSE_[A-Z]+)", text_of("CMakeLists.txt")))
        recipes = [path for path in glob.glob(os.path.join(PACKAGING, "**", "*"), recursive=True)
                   if os.path.isfile(path) and "/test_package/build/" not in path]  # of `conan create` by hand
        used = {(os.path.relpath(path, ROOT), name) for path in recipes
                for name in re.findall(r"\bD?(XPOSE_[A-Z]+)\b", text_of(path))}
        self.assertGreater(len(used), 5)
        self.assertEqual({(path, name) for path, name in used if name not in known}, set())

    def test_spack_configures_for_the_devices_of_the_spec(self):
        package, _ = spack_package(cuda=True, shared=True, tools=False, cuda_arch=("80", "90"))
        self.assertEqual(package.cmake_args(), ["-DXPOSE_CUDA=ON", "-DXPOSE_SHARED=ON", "-DXPOSE_TOOLS=OFF",
                                                "-DXPOSE_MPI=OFF", "-DCMAKE_CUDA_ARCHITECTURES=80-real;90a-real"])
        package, _ = spack_package(cuda=False, shared=False, tools=True, cuda_arch=("none",))
        self.assertEqual(package.cmake_args(), ["-DXPOSE_CUDA=OFF", "-DXPOSE_SHARED=OFF", "-DXPOSE_TOOLS=ON",
                                                "-DXPOSE_MPI=OFF"])

    def test_the_vcpkg_port_configures_this_tree(self):
        port = os.path.join(PACKAGING, "vcpkg", "ports", "xpose", "portfile.cmake")
        with tempfile.NamedTemporaryFile("w", suffix=".cmake") as script:
            script.write(VCPKG)
            script.flush()
            for features, expected in (("core;tools", "-DXPOSE_CUDA=OFF"), ("core;cuda", "-DXPOSE_CUDA=ON")):
                done = subprocess.run(["cmake", f"-DFEATURES={features}", f"-DPORT_FILE={port}", "-P", script.name],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"vcpkg_cmake_configure SOURCE_PATH;{ROOT};OPTIONS;-DFROM_FEATURES=1;{expected};"
                              "-DXPOSE_DEV=OFF;-DXPOSE_BENCH=OFF;-DXPOSE_MPI=OFF", done.stderr)
                self.assertEqual("vcpkg_copy_tools" in done.stderr, "tools" in features)


if __name__ == "__main__":
    unittest.main()
