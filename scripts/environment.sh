# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# Sourced by the other scripts: where the repository and its build are, a compiler cache, and a CUDA toolkit that is
# installed but not on PATH.
# shellcheck shell=bash

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck disable=SC2034  # the scripts that source this use it
build="$root/build/ci"

# A compiler cache where there is one, for every build and those that tests make; by paths within the repository, so that a
# second checkout finds what the first has compiled.
if command -v ccache >/dev/null; then
  for language in C CXX CUDA; do
    launcher="CMAKE_${language}_COMPILER_LAUNCHER"
    export "$launcher=${!launcher-ccache}"
  done
  unset language launcher
  export CCACHE_BASEDIR="${CCACHE_BASEDIR-$root}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR-1}"
fi

if ! command -v nvcc >/dev/null && [[ -x /usr/local/cuda/bin/nvcc ]]; then
  export PATH="$PATH:/usr/local/cuda/bin"
fi
