# SPDX-License-Identifier: GPL-3.0-or-later
# generated/vrs_version.h: the version, and the commit of the tree where git knows it.
execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} describe --always --dirty --abbrev=10 OUTPUT_VARIABLE VRS_COMMIT
	OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT VRS_COMMIT)
	set(VRS_COMMIT "unknown")
endif()
configure_file(${CMAKE_SOURCE_DIR}/cmake/vrs_version.h.in ${CMAKE_BINARY_DIR}/generated/vrs_version.h)
