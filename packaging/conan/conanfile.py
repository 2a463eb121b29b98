# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Conan 2: `conan create packaging/conan` packages this tree; a shared library, with Highway from Conan."""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class XposeConan(ConanFile):
    name = "xpose"
    description = "Matrix transpose and multiplication for CUDA, OpenMP and plain C++"
    license = "Apache-2.0"
    url = "https://example.invalid/xpose"
    homepage = "https://example.invalid/xpose"
    topics = ("matrix", "transpose", "gemm", "cuda", "openmp", "simd")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"cuda": [True, False], "tools": [True, False]}
    default_options = {"cuda": False, "tools": False}

    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        cmake = load(self, os.path.join(self._tree(), "CMakeLists.txt"))
        self.version = re.search(r"project\(xpose VERSION ([0-9.]+)", cmake)[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "backends/*", "cmake/*", "include/*", "tools/*"):
            copy(self, pattern, src=self._tree(), dst=self.export_sources_folder)

    def requirements(self):
        self.requires("highway/[>=1.0.3 <2]")
        if self.options.tools:
            self.requires("cli11/[>=2.1 <3]")

    def validate(self):
        check_min_cppstd(self, 17)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["XPOSE_CUDA"] = "ON" if self.options.cuda else "OFF"
        toolchain.cache_variables["XPOSE_TOOLS"] = "ON" if self.options.tools else "OFF"
        toolchain.cache_variables["XPOSE_SHARED"] = "ON"
        toolchain.cache_variables["XPOSE_MPI"] = "OFF"  # not by accident, where the machine has an MPI
        toolchain.generate()
        dependencies = CMakeDeps(self)
        dependencies.set_property("highway", "cmake_file_name", "hwy")
        dependencies.set_property("highway", "cmake_target_name", "hwy::hwy")
        dependencies.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        # Conan writes its own.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        self.cpp_info.libs = ["xpose"]
        self.cpp_info.set_property("cmake_file_name", "xpose")
        self.cpp_info.set_property("cmake_target_name", "xpose::xpose")
        self.cpp_info.set_property("cmake_target_aliases", ["xpose::cuda"])
        self.cpp_info.set_property("pkg_config_name", "xpose")
