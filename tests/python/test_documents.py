# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The Python that the documents show runs: the blocks of a page one behind the other, as a reader types them."""

import os
import re

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
# docs/from_pytorch_numpy.md is quoted from programs, which tests/documents runs.
PAGES = ("README.md", "python/README.md", "docs/python.md")


@pytest.mark.parametrize("page", PAGES)
def test_blocks_of_python_run(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        text = file.read()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_the_pages_table_names_every_exception_and_call():
    import xpose
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
        page = file.read()
    for name in set(xpose.__all__) - {"Error", "Explanation", "reload_environment"}:
        assert f"`{name}" in page or f".{name}" in page, name
