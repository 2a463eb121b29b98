# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""scripts/release in a repository of a few files: what it refuses, what it makes, and that --dry-run makes no tag."""

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
# A hook of git runs tests with GIT_DIR set, by which these commits and tags would be the user's.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
NOTES = "# Changelog\n\n## 1.2.3 - 2026-11-24\n\n### Added\n\n- a thing\n\n## 1.2.2 - 2026-11-01\n\n- an older thing\n"


@unittest.skipUnless(shutil.which("git"), "no git")
class Release(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="xpose-release-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(self.path("scripts"))
        shutil.copy(os.path.join(ROOT, "scripts", "release"), self.path("scripts"))
        self.write("CMakeLists.txt", "project(xpose VERSION 1.2.3 LANGUAGES CXX)\n")
        self.write(".gitignore", "/build*/\n")
        self.write("CHANGELOG.md", NOTES)
        self.git("init", "--quiet")
        self.commit()

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def git(self, *arguments):
        return subprocess.run(["git", "-C", self.folder, "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments],
                              check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a commit")

    def release(self, *arguments):
        environment = dict(ENVIRONMENT, GIT_COMMITTER_NAME="A", GIT_COMMITTER_EMAIL="a@example.org")
        return subprocess.run([self.path("scripts/release"), *arguments], capture_output=True, text=True, cwd=self.folder,
                              env=environment, timeout=60)

    def refused(self, reason):
        done = self.release()
        self.assertEqual((done.returncode, self.git("tag")), (1, ""))
        self.assertIn(reason, done.stderr)
        self.assertFalse(os.path.exists(self.path("build")))

    def test_a_release_is_a_tag_with_notes_an_archive_sums_and_a_bill_of_materials(self):
        done = self.release()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.git("tag", "--list", "--format=%(objecttype) %(refname:short) %(contents)").strip(),
                         "tag v1.2.3 xpose 1.2.3\n\n### Added\n\n- a thing")
        for line in self.read("build/dist/SHA256SUMS").decode().splitlines():
            checksum, name = line.split("  ")
            self.assertEqual(hashlib.sha256(self.read(f"build/dist/{name}")).hexdigest(), checksum)
        with tarfile.open(self.path("build/dist/xpose-1.2.3.tar.gz")) as archive:
            self.assertEqual(archive.extractfile("xpose-1.2.3/CHANGELOG.md").read().decode(), NOTES)
        materials = json.loads(self.read("build/dist/xpose-1.2.3.spdx.json"))
        ours = materials["packages"][0]
        self.assertEqual((materials["spdxVersion"], ours["name"], ours["versionInfo"]), ("SPDX-2.3", "xpose", "1.2.3"))
        self.assertEqual(ours["checksums"][0]["checksumValue"], hashlib.sha256(self.read("build/dist/xpose-1.2.3.tar.gz")).hexdigest())
        for package in materials["packages"]:
            self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
        self.assertEqual(self.read("build/dist/xpose-1.2.3.notes.md"), b"### Added\n\n- a thing\n")

    def test_a_dry_run_makes_the_same_files_and_no_tag(self):
        self.assertEqual(self.release("--dry-run").returncode, 0)
        self.assertEqual(self.git("tag"), "")
        first = self.read("build/dist/SHA256SUMS")
        self.assertEqual(self.release().returncode, 0)
        self.assertEqual(self.read("build/dist/SHA256SUMS"), first)

    def test_a_changed_tree_is_refused(self):
        self.write("CHANGELOG.md", NOTES + "\n")
        self.refused("the tree has changes: CHANGELOG.md")

    def test_a_version_without_notes_or_day_is_refused(self):
        self.write("CMakeLists.txt", "project(xpose VERSION 1.3.0 LANGUAGES CXX)\n")
        self.commit()
        self.refused('CHANGELOG.md has no section "## 1.3.0 - YYYY-MM-DD"')
        self.write("CHANGELOG.md", NOTES.replace("## 1.2.3 - 2026-11-24", "## 1.3.0 - unreleased"))
        self.commit()
        self.refused('CHANGELOG.md dates 1.3.0 "unreleased"')

    def test_a_version_that_has_a_tag_is_refused(self):
        self.assertEqual(self.release().returncode, 0)
        done = self.release()
        self.assertEqual(done.returncode, 1)
        self.assertIn("v1.2.3 exists", done.stderr)

    def test_a_dry_run_names_every_refusal(self):
        self.write("CHANGELOG.md", "# Changelog\n")
        done = self.release("--dry-run")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 2), done.stderr)
        self.assertTrue(os.path.exists(self.path("build/dist/SHA256SUMS")))

    def test_the_tree_has_notes_for_its_version(self):
        done = subprocess.run([os.path.join(ROOT, "scripts", "release"), "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0)
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as lists, \
                open(os.path.join(ROOT, "CHANGELOG.md"), encoding="utf-8") as changelog:
            version = lists.read().split("project(xpose VERSION ")[1].split()[0]
            self.assertIn(f"\n## {version} - ", changelog.read())


if __name__ == "__main__":
    unittest.main()
