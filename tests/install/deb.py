# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Builds xpose's Debian packages from a build tree, asks lintian about them, unpacks them into an empty root, and builds
and runs programs there.

usage: deb.py BUILD SCRATCH CONSUMERS CMAKE OPTION...

CONSUMERS is this folder, CMAKE the program, OPTIONs are what a user's project is configured with. What runs in the root sees
nothing but the packages and the libraries of those packages that they depend on: a dependency that is not declared is a
program that does not start. Ends with 77, which ctest takes for skipped, where a tool or the right to chroot is missing.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

TOOLS = ("cpack", "dpkg-deb", "dpkg-query", "dpkg-shlibdeps", "file", "readelf", "strip", "pkg-config", "chroot")


def run(*command, **options):
    """The output. Ends the test if the command fails."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed ({done.returncode}):\n{done.stdout}")
    return done.stdout


def field(deb, name):
    return run("dpkg-deb", "--field", deb, name).strip()


def names_in(depends):
    """The packages of a Depends field; of alternatives the first one."""
    return [re.match(r"[a-z0-9.+-]+", part.strip())[0] for part in depends.split(",") if part.strip()]


def installed_closure(names):
    """These packages of this machine, and what they depend on."""
    found, waiting = set(), list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        query = subprocess.run(["dpkg-query", "--show", "--showformat=${Depends}, ${Pre-Depends}", name],
                               text=True, capture_output=True)
        if query.returncode == 0:
            found.add(name)
            waiting += names_in(query.stdout)
    return found


def copy_libraries(packages, root):
    """The shared libraries of installed packages, where the loader finds them without a cache."""
    for package in packages:
        for path in run("dpkg-query", "--listfiles", package).splitlines():
            if re.search(r"/ld-[^/]*\.so|/lib[^/]*\.so[.0-9]*$", path) and os.path.isfile(path) and "/gconv/" not in path:
                to = root + path
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copy(path, to)


def chroot_command():
    """How this user may chroot, or None."""
    for prefix in ([], ["unshare", "--map-root-user"]):
        try:
            if subprocess.run([*prefix, "chroot", "/", "true"], capture_output=True).returncode == 0:
                return [*prefix, "chroot"]
        except FileNotFoundError:
            pass
    return None


def main():
    build, scratch, consumers, cmake, *options = sys.argv[1:]
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    chroot = None if missing else chroot_command()
    if chroot is None:
        print(f"skipped: {', '.join(missing)} missing" if missing else "skipped: no right to chroot")
        return 77
    shutil.rmtree(scratch, ignore_errors=True)
    root = scratch + "/root"
    os.makedirs(root)

    run("cpack", "-G", "DEB", "--config", build + "/CPackConfig.cmake", "-B", scratch + "/packages")
    debs = {field(deb, "Package"): deb for deb in glob.glob(scratch + "/packages/*.deb")}
    expected = {"libxpose-dev", "libxpose0", "xpose"}
    if debs.keys() != expected:
        sys.exit(f"the packages are {sorted(debs)}, expected {sorted(expected)}")
    if shutil.which("lintian"):
        run("lintian", "--fail-on", "error,warning", *debs.values())
    else:
        print("no lintian here, so the packages were not held against Debian's policy")
    version = field(debs["libxpose0"], "Version")
    architecture = run("gcc", "-print-multiarch").strip()
    if f"./usr/lib/{architecture}/libxpose.so.{version}" not in run("dpkg-deb", "--contents", debs["libxpose0"]):
        sys.exit(f"libxpose0 does not install the library in /usr/lib/{architecture}")
    depends = {name: field(deb, "Depends") for name, deb in debs.items()}
    for name in expected - {"libxpose0"}:
        if f"libxpose0 (= {version})" not in depends[name]:
            sys.exit(f"{name} depends on '{depends[name]}', not on its own libxpose0")

    # What a program needs to run, first without the packages that only building needs.
    for name in ("libxpose0", "xpose"):
        run("dpkg-deb", "--extract", debs[name], root)
    copy_libraries(installed_closure({n for d in ("libxpose0", "xpose") for n in names_in(depends[d])} - expected), root)
    print(run(*chroot, root, "/usr/bin/xpose", "--version").strip())
    if glob.glob(root + "/usr/include/*"):
        sys.exit("headers are in a package that is not libxpose-dev")

    # What is built here knows of the root alone.
    run("dpkg-deb", "--extract", debs["libxpose-dev"], root)
    project = scratch + "/find_package"
    run(cmake, "-S", consumers + "/find_package", "-B", project, "-DCMAKE_PREFIX_PATH=" + root + "/usr",
        "-DCMAKE_SKIP_BUILD_RPATH=ON", *options)
    run(cmake, "--build", project)
    pc_folder = os.path.dirname(glob.glob(root + "/usr/lib/**/xpose.pc", recursive=True)[0])
    flags = run("pkg-config", "--cflags", "--libs", "xpose", env={**os.environ, "PKG_CONFIG_LIBDIR": pc_folder}).split()
    with_g = scratch + "/with_g++"
    run("g++", "-std=c++17", consumers + "/main.cpp", "-o", with_g, *flags)
    for program in (project + "/with_xpose", project + "/with_cuda", with_g):
        shutil.copy(program, root)
        print(os.path.basename(program), run(*chroot, root, "/" + os.path.basename(program)).strip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
