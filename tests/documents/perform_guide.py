# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Does what docs/adding_a_kernel.md tells, in a copy of the tree, and compiles what it touches.

usage: perform_guide.py transpose_kernel|gemm_type SOURCE BUILD WORK [--objects FILE] [--launcher L] [--link FLAG...]

SOURCE is the tree, BUILD its build with compile_commands.json, WORK the folder for the copy. FILE lists the objects of
the library and FLAGs end the line that links them.
A section of the guide has a numbered list of files and ```diff blocks. The blocks must apply, and must touch exactly
the files of the list; then the touched code compiles with the build's own flags, and the GEMM type's result is checked.
"""

import argparse
import concurrent.futures
import filecmp
import json
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys

GUIDE = "docs/adding_a_kernel.md"
HEADINGS = {"transpose_kernel": "## A transpose kernel on cuda", "gemm_type": "## A GEMM type"}
MOST_FILES = {"transpose_kernel": 3, "gemm_type": 4}
COPIED = ["README.md", "backends", "cmake", "include", "tests"]


def fail(reason, output=""):
    sys.exit(f"{output}\n{GUIDE}: {reason}")


def section_of(text, heading):
    match = re.search(rf"^{re.escape(heading)}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return match[1] if match else fail(f'the section "{heading}" is missing')


def make_copy(source, build, copy):
    """Sources, and the generated headers, which see backends/ through a link of their own."""
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for name in COPIED:
        make = shutil.copytree if (source / name).is_dir() else shutil.copy2
        make(source / name, copy / name)
    generated = copy / "generated/xpose"
    generated.mkdir(parents=True)
    for header in (build / "include/xpose").glob("*.hpp"):
        shutil.copy2(header, generated)
    (generated / "backends").symlink_to(copy / "backends")


def apply_blocks(section, copy):
    blocks = re.findall(r"^```diff\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    if not blocks:
        fail("the section shows no diff")
    for block in blocks:
        run = subprocess.run(["patch", "-p1", "-F0", "--no-backup-if-mismatch"], cwd=copy, input=block, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if run.returncode != 0:
            fail("its diff no longer applies to the tree", run.stdout + "\n" + block)


def touched_files(source, copy):
    names = [path.relative_to(copy) for name in COPIED
             for path in ([copy / name] if (copy / name).is_file() else (copy / name).rglob("*")) if path.is_file()]
    return {str(name) for name in names
            if not (source / name).exists() or not filecmp.cmp(source / name, copy / name, shallow=False)}


class commands:
    """The build's compile commands, for the files of the copy."""

    def __init__(self, source, build, copy, launcher):
        self.source, self.build, self.copy, self.launcher = source, build, copy, launcher
        entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        self.of_file = {entry["file"]: shlex.split(entry["command"]) for entry in entries}

    def in_copy(self, argument):
        argument = argument.replace(f"{self.build}/include", f"{self.copy}/generated")
        if str(self.build) in argument:
            return argument
        for name in COPIED:
            argument = argument.replace(f"{self.source}/{name}", f"{self.copy}/{name}")
        return argument

    def command(self, name, extra=(), only_syntax=False, like=None):
        """Of file `name`, by the flags of file `like`; and its object."""
        like = str(like or self.source / name)
        if like not in self.of_file:
            fail(f"{like} is not a file of this build")
        given = [self.in_copy(a) for a in self.of_file[like] if not a.startswith("--generate-code")]
        out = given.index("-o")
        del given[out:out + 2]
        given[given.index("-c") + 1] = str(self.copy / name)
        target = self.copy / "objects" / (name.replace("/", "_") + ".o")
        target.parent.mkdir(exist_ok=True)
        if only_syntax:
            given[given.index("-c")] = "-fsyntax-only"
        else:
            given += ["-o", str(target)]
        return [*self.launcher, *given, *extra], target

    def drivers_of_gemm(self):
        """The files on the host that go through the list of GEMM types, but for kernels."""
        texts = {str(path.relative_to(self.copy)): path.read_text(encoding="utf-8")
                 for path in sorted((self.copy / "backends").rglob("*.cpp"))}
        return [name for name, text in texts.items()
                if "compiled_gemms" in text and "HWY_TARGET_INCLUDE" not in text
                and "/cuda/" not in name and str(self.source / name) in self.of_file]

    def compile(self, wanted):
        """Two at a time; the objects."""
        def one(item):
            command, target = self.command(**item)
            run = subprocess.run(command, cwd=self.build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if run.returncode != 0:
                fail(f"after its diff, {item['name']} does not compile", shlex.join(command) + "\n" + run.stdout)
            return target
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(one, wanted))


def perform_transpose_kernel(compiler, touched, section):
    """The kernel must be in the object of one of its word sizes, compiled for sm_90; its test compiles."""
    word = re.search(r"^\+ .*<W>\(words<(\d+)", section, re.MULTILINE)
    kernel = re.search(r"__global__[^;{]*?\b(transpose_\w+)\(", section)
    if not word or not kernel:
        fail("its diff shows no config of a word size, or no kernel")
    made = next(file for file in compiler.of_file if file.endswith(f"/instances/transpose/{word[1]}.cu"))
    instance = f"backends/cuda/transpose/instances/words_{word[1]}.cu"
    shutil.copy2(made, compiler.copy / instance)
    wanted = [{"name": instance, "like": made, "extra": ["--generate-code=arch=compute_90,code=[sm_90]"]},
              {"name": "backends/cuda/transpose/select.cpp", "only_syntax": True}]
    wanted += [{"name": name, "only_syntax": True} for name in touched if name.endswith(".cpp")]
    instance_object = compiler.compile(wanted)[0]
    mangled = f"{len(kernel[1])}{kernel[1]}".encode()
    if mangled not in instance_object.read_bytes():
        fail(f"after its diff, {instance} compiles without the kernel {kernel[1]}")


def perform_gemm_type(compiler, touched, objects, link):
    """The new type on each policy of the host against plain loops, in a program of the library's objects."""
    drivers = compiler.drivers_of_gemm()
    kernels = [name for name in touched if name.startswith("backends/") and name.endswith(".cpp")]
    # One instruction set of Highway's, and less optimisation: else the kernels take minutes.
    isa = ["-O1", "-DHWY_COMPILE_ONLY_STATIC"] + (["-mssse3"] if platform.machine() in ("x86_64", "AMD64") else [])
    program = "tests/documents/guide_gemm_type.cpp"
    wanted = [{"name": name, "extra": isa} for name in kernels]
    wanted += [{"name": name} for name in drivers]
    wanted += [{"name": program, "like": compiler.source / drivers[0]}]
    # A build with CUDA: without its backend, whose objects know the groups as they were.
    without_cuda = ["backends/cuda/runtime/not_built.cpp", "backends/across/not_built.cpp"]
    wanted += [{"name": name, "like": compiler.source / drivers[0]} for name in without_cuda]
    made = compiler.compile(wanted)
    compiler.compile([{"name": name, "only_syntax": True}
                      for name in touched if name.startswith("tests/") and name.endswith(".cpp")])
    replaced = tuple(f"/{name}.o" for name in [*kernels, *drivers, *without_cuda])
    kept = [name for name in objects if not name.endswith(replaced)
            and not any(folder in name for folder in ("/backends/cuda/", "/backends/across/", "/instances/"))]
    runs = compiler.copy / "objects/guide_gemm_type"
    linker = compiler.of_file[str(compiler.source / drivers[0])][0]
    for command in [linker, *map(str, made), *kept, "-o", str(runs), *link], [str(runs)]:
        run = subprocess.run(command, cwd=compiler.build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode != 0:
            fail("after its diff, the new GEMM type does not " + ("link" if len(command) > 1 else "compute"), run.stdout)
    print(run.stdout, end="")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=HEADINGS)
    for name in ("source", "build", "work"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--objects", type=pathlib.Path)
    parser.add_argument("--launcher", default="")
    parser.add_argument("--link", nargs=argparse.REMAINDER, default=[])
    given = parser.parse_args()
    section = section_of((given.source / GUIDE).read_text(encoding="utf-8"), HEADINGS[given.what])
    listed = set(re.findall(r"^\d+\. `([^`]+)`", section, re.MULTILINE))
    make_copy(given.source, given.build, given.work)
    apply_blocks(section, given.work)
    touched = touched_files(given.source, given.work)
    if touched != listed:
        fail(f"it lists {sorted(listed)}, but its diff touches {sorted(touched)}")
    if len(touched) > MOST_FILES[given.what]:
        fail(f"it touches {len(touched)} files, more than {MOST_FILES[given.what]}")
    compiler = commands(given.source, given.build, given.work, shlex.split(given.launcher))
    if given.what == "transpose_kernel":
        perform_transpose_kernel(compiler, sorted(touched), section)
    else:
        objects = given.objects.read_text(encoding="utf-8").split()
        perform_gemm_type(compiler, sorted(touched), objects, given.link)
    print(f"{GUIDE}: {len(touched)} files touched: {', '.join(sorted(touched))}")


if __name__ == "__main__":
    main()
