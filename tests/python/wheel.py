# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The tree becomes a source distribution, pip makes a wheel of that, and auditwheel one for any Linux. A fresh environment with
nothing but NumPy installs it, without a compiler, and runs two lines.

usage: wheel.py TREE SCRATCH
"""

import glob
import os
import shutil
import subprocess
import sys
import zipfile

TWO_LINES = "import numpy as np, xpose; print(xpose.transpose(np.arange(6).reshape(2, 3)).tolist())"


def run(*command, **options):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed ({done.returncode}):\n{done.stdout}")
    return done.stdout


def main():
    tree, scratch = sys.argv[1:]
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    programs = os.path.dirname(sys.executable)
    run(sys.executable, "-c", f"from scikit_build_core.build import build_sdist; build_sdist({scratch!r})", cwd=tree)
    sources, = glob.glob(os.path.join(scratch, "*.tar.gz"))
    # XPOSE_NATIVE and -O1: the recipe is tested, not the library, and compiles in a third of the time.
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation",
        "--wheel-dir", scratch, "-C", f"build-dir={scratch}/build", "-C", "cmake.define.XPOSE_CUDA=OFF",
        "-C", "cmake.define.XPOSE_NATIVE=ON", "-C", "cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", sources)
    built, = glob.glob(os.path.join(scratch, "*.whl"))
    run(os.path.join(programs, "auditwheel"), "repair", "--wheel-dir", os.path.join(scratch, "portable"), built,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"})  # it calls patchelf
    wheel, = glob.glob(os.path.join(scratch, "portable", "*manylinux*.whl"))
    names = zipfile.ZipFile(wheel).namelist()
    for expected in ("xpose/__init__.pyi", "xpose/py.typed", "xpose/lib/libxpose.so.0"):
        if expected not in names:
            sys.exit(f"{wheel} lacks {expected}:\n" + "\n".join(names))
    fresh = os.path.join(scratch, "fresh")
    run(sys.executable, "-m", "venv", fresh)
    python = os.path.join(fresh, "bin", "python")
    without_compiler = {**os.environ, "CC": "/bin/false", "CXX": "/bin/false"}
    for variable in ("PYTHONPATH", "LD_LIBRARY_PATH"):
        without_compiler.pop(variable, None)
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, env=without_compiler, cwd=scratch)
    said = run(python, "-c", TWO_LINES, env=without_compiler, cwd=scratch)
    if said != "[[0, 3], [1, 4], [2, 5]]\n":
        sys.exit(f"the installed wheel says {said!r}")
    if "xpose/bin/xpose" in names:
        run(python, "-m", "xpose", "verify", "--policy", "seq", "--cases", "1", env=without_compiler, cwd=scratch)
    print(f"{os.path.basename(wheel)}: {os.path.getsize(wheel) / 1e6:.1f} MB, {len(names)} files")


if __name__ == "__main__":
    main()
