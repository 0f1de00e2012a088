# SPDX-License-Identifier: GPL-3.0-or-later
# -DVRS_VALGRIND=ON: valgrind memcheck before every test program, and before the four programs where command-line tests start them.  It shows a CPU
# without AVX-512, so that the AVX2 kernels run.  The first error and memory that is lost for certain fail a test.

set(VRS_TEST_BIN ${CMAKE_BINARY_DIR}/bin)
if(NOT VRS_VALGRIND)
	return()
endif()
set(memcheck valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite --num-callers=30
	--suppressions=${CMAKE_CURRENT_LIST_DIR}/libraries.supp)
set(CMAKE_CROSSCOMPILING_EMULATOR ${memcheck})
set(VRS_TEST_BIN ${CMAKE_BINARY_DIR}/valgrind)
list(JOIN memcheck " " line)
foreach(program vrseg vrbench vrtune vranalyze)
	file(WRITE ${VRS_TEST_BIN}/${program} "#!/bin/sh\nexec ${line} ${CMAKE_BINARY_DIR}/bin/${program} \"$@\"\n")
	file(CHMOD ${VRS_TEST_BIN}/${program} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
