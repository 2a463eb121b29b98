# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The examples of the docstrings run, the types of the stubs hold, and python -m xpose is the command."""

import doctest
import inspect
import os
import subprocess
import sys

import numpy as np
import pytest
import xpose

EXAMPLE = """
import numpy as np
from numpy.typing import NDArray
import xpose

a: NDArray[np.float32] = np.ones((2, 3), np.float32)
b: NDArray[np.float32] = xpose.transpose(a, (1, 0), policy="omp")
c: NDArray[np.float32] = xpose.add(a, a, alpha=2, out=a)
d: NDArray[np.float32] = xpose.ascontiguous(xpose.transpose_inplace(b), "F")
reason: str = xpose.explain("matmul", a, b).reason
threads: int = xpose.set_threads(2)
product = xpose.matmul(a, b, semiring="min_plus", beta=None)
"""


def test_every_call_has_an_example_that_runs():
    found = doctest.DocTestFinder().find(xpose, "xpose", globs={"np": np, "xpose": xpose})
    runner = doctest.DocTestRunner()
    for test in found:
        runner.run(test)
    assert runner.summarize().failed == 0
    for name in xpose.__all__:
        call = getattr(xpose, name)
        if inspect.isfunction(call) and name != "reload_environment":
            assert ">>>" in call.__doc__, f"{name} has no example"


def test_stubs_hold_under_mypy(tmp_path):
    pytest.importorskip("mypy")
    example = tmp_path / "example.py"
    example.write_text(EXAMPLE)
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import numpy as np\nimport xpose\nxpose.transpose(np.ones(3), polcy='omp')\nxpose.matmul(np.ones(3), np.ones(3), semiring='plus')\n"
                     "import xpose.jax\nxpose.jax.add(1, 2, beat=3)\n")
    environment = {**os.environ, "MYPYPATH": os.path.dirname(os.path.dirname(xpose.__file__))}
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path)]
    done = subprocess.run([*command, str(example)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout
    done = subprocess.run([*command, str(wrong)], capture_output=True, text=True, env=environment)
    assert 'Unexpected keyword argument "polcy"' in done.stdout and "plus" in done.stdout
    assert 'Unexpected keyword argument "beat"' in done.stdout


def test_stubs_and_modules_declare_the_same():
    path = os.path.join(os.path.dirname(xpose.__file__), "__init__.pyi")
    with open(path, encoding="utf-8") as file:
        stub = file.read()
    for name in xpose.__all__:
        call = getattr(xpose, name)
        assert f"def {name}(" in stub or f"class {name}" in stub or f"{name} = " in stub, name
        if inspect.isfunction(call):
            for parameter in inspect.signature(call).parameters:
                assert f"{parameter}:" in stub, (name, parameter)


def test_python_m_xpose_is_the_command():
    done = subprocess.run([sys.executable, "-m", "xpose", "info"], capture_output=True, text=True)
    if "built without the xpose command" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0 and done.stdout.startswith("xpose "), done.stderr
