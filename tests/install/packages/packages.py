# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Runs a package manager on its recipe in packaging/.

usage: packages.py conan|conda|spack|vcpkg TREE SCRATCH VERSION

Conan, and rattler-build for conda, come from PyPI into a virtual environment in SCRATCH; Spack and vcpkg are used where they
are installed. Ends with 77, which ctest takes for skipped, and says why, where the manager cannot be had.
"""

import glob
import os
import shutil
import subprocess
import sys

# Of Debian's packages; the recipes ask the managers' own registries for others.
SYSTEM_HIGHWAY = "1.0.3"


def run(*command, **options):
    """The output. Ends the test if the command fails."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed ({done.returncode}):\n{done.stdout}")
    return done.stdout


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def virtual_environment(scratch, package):
    """The folder of programs of a virtual environment that has a package of PyPI."""
    programs = os.path.join(scratch, "venv", "bin")
    for command in ([sys.executable, "-m", "venv", os.path.dirname(programs)],
                    [os.path.join(programs, "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]):
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            skip(f"no {package} from PyPI: {done.stdout.strip().splitlines()[-1:]}")
    return programs


def conan(tree, scratch, version):
    """Creates the package, with the Highway of the system, and builds and runs its test_package."""
    if not glob.glob("/usr/lib/*/cmake/hwy/hwy-config.cmake"):
        skip("no Highway installed, and Conan's registry is not asked for one")
    programs = virtual_environment(scratch, "conan>=2.8,<3")
    environment = {**os.environ, "CONAN_HOME": os.path.join(scratch, "home")}
    shutil.rmtree(environment["CONAN_HOME"], ignore_errors=True)
    conan_command = os.path.join(programs, "conan")
    run(conan_command, "profile", "detect", env=environment)
    profile = os.path.join(scratch, "profile")
    with open(profile, "w", encoding="utf-8") as file:
        # XPOSE_NATIVE and -O1: the recipe is tested, not the library, and compiles in a third of the time. Without the other two,
        # Conan builds test_package within the tree, and leaves presets there.
        file.write("include(default)\n[settings]\ncompiler.cppstd=17\n[platform_requires]\n"
                   f"highway/{SYSTEM_HIGHWAY}\n[conf]\ntools.cmake.cmaketoolchain:extra_variables="
                   "{'XPOSE_NATIVE': 'ON', 'CMAKE_CXX_FLAGS_RELEASE': '-O1 -DNDEBUG'}\n"
                   f"tools.cmake.cmake_layout:test_folder={os.path.join(scratch, 'test')}\n"
                   "tools.cmake.cmaketoolchain:user_presets=\n")
    output = run(conan_command, "create", os.path.join(tree, "packaging", "conan"), "--profile:all", profile, "--build=missing",
                 "--no-remote", env=environment)
    for expected in (f"xpose/{version}", "1 4 2 5 3 6"):
        if expected not in output:
            sys.exit(f"'{expected}' is not in what conan create wrote:\n{output}")
    print(output[output.rfind("======== Testing the package"):])


# The recipe and its variants; prints what the first rendered package is, and what its build needs.
RENDER = """
import sys
from rattler_build import Stage0Recipe, VariantConfig
folder = sys.argv[1]
for variant in Stage0Recipe.from_file(folder + "/recipe.yaml").render(VariantConfig.from_file(folder + "/variants.yaml")):
    recipe = variant.recipe.to_dict()
    print(recipe["package"]["name"], recipe["package"]["version"], recipe["requirements"]["build"])
"""


def conda(tree, scratch, version):
    """Renders the recipe; building it would take compilers from a channel."""
    programs = virtual_environment(scratch, "py-rattler-build>=0.60")
    output = run(os.path.join(programs, "python"), "-c", RENDER, os.path.join(tree, "packaging", "conda"))
    if f"xpose {version} ['gxx_" not in output:
        sys.exit(f"the recipe is of '{output.strip()}', not of xpose {version} with a compiler")
    print(output)


def spack(tree, scratch, version):
    """Concretises the package: its directives are read, its dependencies found in Spack's own repository."""
    if shutil.which("spack") is None:
        skip("no spack on PATH; it is on neither PyPI nor Debian")
    environment = {**os.environ, "SPACK_USER_CONFIG_PATH": scratch, "SPACK_USER_CACHE_PATH": os.path.join(scratch, "cache"),
                   "SPACK_DISABLE_LOCAL_CONFIG": "1"}
    os.makedirs(scratch, exist_ok=True)
    repository = os.path.join(tree, "packaging", "spack")
    print(run("spack", "--config", f"repos:[{repository}]", "spec", f"xpose@{version}", env=environment))


def vcpkg(tree, scratch, _):
    """Builds the port in classic mode."""
    if shutil.which("vcpkg") is None:
        skip("no vcpkg on PATH; it is on neither PyPI nor Debian")
    print(run("vcpkg", "install", "xpose", f"--overlay-ports={os.path.join(tree, 'packaging', 'vcpkg', 'ports')}",
              f"--x-install-root={os.path.join(scratch, 'installed')}"))


def main():
    manager, tree, scratch, version = sys.argv[1:]
    os.makedirs(scratch, exist_ok=True)
    {"conan": conan, "conda": conda, "spack": spack, "vcpkg": vcpkg}[manager](tree, scratch, version)


if __name__ == "__main__":
    main()
