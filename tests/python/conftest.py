# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The same random cases in every run, so that a failure is one of the change at hand. XPOSE_TEST_RANDOM=1 draws others."""

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True)
settings.load_profile("default" if os.environ.get("XPOSE_TEST_RANDOM") else "same")
