# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Which runs timed code that has changed since. Asks git in the checkout that XPOSE_BENCH_SOURCE names, or this file lies in;
without one nothing is marked."""

import os
import re
import subprocess

UNKNOWN = "commit unknown"
FOLDERS = {  # policy: the code that its rows timed
    "cuda": ("backends/cuda", "backends/core"),
    "omp": ("backends/omp", "backends/core"),
    "seq": ("backends/omp", "backends/core"),
}


def source():
    here = os.path.dirname(os.path.realpath(__file__))  # a build has a link to this folder
    return os.environ.get("XPOSE_BENCH_SOURCE") or os.path.dirname(os.path.dirname(here))


def git(*words, given=None):
    """What git says; None if it fails or is not there."""
    try:
        done = subprocess.run(["git", "-C", source(), *words], input=given, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout if done.returncode == 0 else None


def hash_of(commit):
    """"1234abc" of "1234abc-dirty"; empty for what names no commit."""
    found = re.fullmatch(r"([0-9a-f]{4,40})(-dirty)?", commit)
    return found[1] if found else ""


def trees(hashes):
    """Of (commit, folder): the name that git has for the folder's content, None if there is none. None outside a checkout.
    One call, whatever the number of commits: equal names are what git diff --quiet would find equal."""
    folders = sorted({folder for each in FOLDERS.values() for folder in each})
    asked = [(commit, folder) for commit in ["HEAD", *hashes] for folder in ["", *folders]]
    lines = "".join(f"{commit}:./{folder}\n" if folder else f"{commit}^{{commit}}\n" for commit, folder in asked)
    said = git("cat-file", "--batch-check=%(objectname)", given=lines)
    if said is None:
        return None
    names = [line if re.fullmatch("[0-9a-f]{40,64}", line) else None for line in said.splitlines()]
    found = dict(zip(asked, names))
    return found if found.get(("HEAD", "")) else None


def changes(commit):
    """The files of each commit between this one and HEAD, on either side where they lie on two branches. One call."""
    said = git("log", "--relative", "--name-only", "--no-renames", "--format=%x00", f"{commit}...HEAD", "--", "backends")
    return [each.split() for each in (said or "").split("\0")]


def stale_text(count, least=""):
    return f"stale: {least}{count} commit{'s' * (count != 1)}"


def mark(commit, folders, found, changed):
    if not commit or not found[commit, ""]:
        return UNKNOWN
    if all(found[commit, folder] == found["HEAD", folder] for folder in folders):
        return ""
    count = sum(any(file.startswith(f"{folder}/") for file in files for folder in folders) for files in changed(commit))
    return stale_text(count)


def in_one(found):
    """ "stale: 3 to 12 commits" for several marks; empty if none is stale."""
    counts = sorted(int(each.split()[1]) for each in found if each.startswith("stale: "))
    if not counts:
        return ""
    return stale_text(counts[-1], f"{counts[0]} to " if counts[0] < counts[-1] else "")


def marks(pairs):
    """Of each (commit, policy): "stale: 3 commits", "commit unknown", or nothing."""
    hashes = sorted({hash_of(commit) for commit, _ in pairs} - {""})
    found = trees(hashes)
    if found is None:
        return {}
    known = {}

    def changed(commit):
        if commit not in known:
            known[commit] = changes(commit)
        return known[commit]
    return {(commit, policy): mark(hash_of(commit), FOLDERS.get(policy, ("backends/core",)), found, changed)
            for commit, policy in pairs}


def marks_of(sections, text):
    """Those of every run that the sections show; text reads a member of a run."""
    return marks({(text(cell.run, "commit"), section.policy) for section in sections for cell in section.every_cell() if cell.run})
