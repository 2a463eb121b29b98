# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

from spack.package import *


class Xpose(CMakePackage, CudaPackage):
    """Matrix transpose and multiplication for CUDA, OpenMP and plain C++."""

    homepage = "https://example.invalid/xpose"
    git = "https://example.invalid/xpose.git"

    license("Apache-2.0")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("shared", default=True, description="Build a shared library")
    variant("tools", default=True, description="Build the xpose command")

    depends_on("cxx", type="build")
    depends_on("c", type="build", when="+cuda")
    depends_on("cmake@3.25:", type="build")
    depends_on("highway@1.0.3:1")
    depends_on("cli11@2.1:", type="build", when="+tools")
    depends_on("cuda@12.4:", when="+cuda")

    def cmake_args(self):
        args = [
            self.define("XPOSE_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define_from_variant("XPOSE_SHARED", "shared"),
            self.define_from_variant("XPOSE_TOOLS", "tools"),
            self.define("XPOSE_MPI", "OFF"),  # not by accident, where the machine has an MPI
        ]
        # Code for 9.0 is 90a: the kernels for tensor cores need what 9.0 alone has.
        architectures = self.spec.variants["cuda_arch"].value if self.spec.satisfies("+cuda") else ("none",)
        if "none" not in architectures:
            names = ["90a" if name == "90" else name for name in architectures]
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", [f"{name}-real" for name in names]))
        return args
