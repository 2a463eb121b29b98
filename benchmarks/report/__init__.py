# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The report of xpose-bench: result files in, one page and its figures out. ../report.py is the command."""
