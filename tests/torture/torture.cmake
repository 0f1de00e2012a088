# SPDX-License-Identifier: GPL-3.0-or-later
# Whole commands with a fault at one call after the other: all of them at night, a few by chance in the full tier.  The layer replaces malloc, which a
# sanitizer does as well.
if(VRS_SANITIZE OR VRS_FUZZ)
	return()
endif()

add_library(torture_fault MODULE ${CMAKE_CURRENT_LIST_DIR}/fault.c ${CMAKE_CURRENT_LIST_DIR}/fault_disk.c)
add_executable(torture ${CMAKE_CURRENT_LIST_DIR}/torture.c ${CMAKE_CURRENT_LIST_DIR}/tree.c)
target_compile_definitions(torture PRIVATE VRS_TEST_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(torture PRIVATE vrs_options)
# A library: not by the options of programs.
target_compile_options(torture_fault PRIVATE -Wall -Wextra -Werror -Wshadow -Wvla -Wundef -Wstrict-prototypes -Wmissing-prototypes)
target_compile_definitions(torture_fault PRIVATE _GNU_SOURCE)
set_target_properties(torture torture_fault PROPERTIES PREFIX ""
	RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# vrs_torture(TIER CASE ARGUMENT...): the test torture.TIER.CASE
function(vrs_torture tier case)
	add_test(NAME torture.${tier}.${case}
		COMMAND torture ${CMAKE_BINARY_DIR}/bin $<TARGET_FILE:torture_fault> ${VRS_TORTURE_DIR}/cases/${case}.sh ${ARGN})
	set_tests_properties(torture.${tier}.${case} PROPERTIES TIMEOUT 36000 SKIP_RETURN_CODE 77)
	if(tier STREQUAL full) # the same points in every run of one build; nights take them all
		set_tests_properties(torture.${tier}.${case} PROPERTIES TIMEOUT 900 ENVIRONMENT VRS_TORTURE_SEED=20261122)
	endif()
endfunction()
set(VRS_TORTURE_DIR ${CMAKE_CURRENT_LIST_DIR})

# Cases whose run takes about a second: at night no more than so many points of a class.
set(heavy bench versus store resume tune nightly packed)
file(GLOB torture_cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/cases/*.sh)
foreach(source IN LISTS torture_cases)
	cmake_path(GET source STEM case)
	if(case IN_LIST heavy)
		vrs_torture(night ${case} --most 20)
		vrs_torture(full ${case} --sample 2)
	else()
		vrs_torture(night ${case} --all)
		vrs_torture(full ${case} --sample 12)
	endif()
endforeach()
vrs_torture(quick video write-enospc fsync-eio rename-eio)
vrs_torture(quick annotate write-short write-eintr)
