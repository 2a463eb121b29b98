# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# CPack runs this before it packs: Debian's policy wants man pages compressed by gzip -9, without name and time.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.1)
list(FILTER pages INCLUDE REGEX "/share/man/man1/")
# CMake's own gzip (3.25) writes the time, which lintian refuses.
if(pages)
  execute_process(COMMAND gzip -9 --no-name ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
