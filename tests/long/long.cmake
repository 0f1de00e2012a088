# SPDX-License-Identifier: GPL-3.0-or-later
# Long runs: what days of use would show, as full tests of a length that every change can bear, and as night tests (NAME.night) of the length that is
# promised.  Each tells its figures, which docs/performance-log.md keeps.

add_executable(long_sessions long/sessions.c)
target_link_libraries(long_sessions PRIVATE vrs_session vrs_options)
set_target_properties(long_sessions PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# vrs_long_test(NAME FULL NIGHT SECONDS): FULL and NIGHT are lengths, as sessions, files or seconds; SECONDS limits the night test.
function(vrs_long_test name full night seconds)
	foreach(length IN ITEMS ${full} ${night})
		set(test long.${name})
		set(limit 600)
		if(length EQUAL night)
			set(test long.${name}.night)
			set(limit ${seconds})
		endif()
		if(name STREQUAL "sessions")
			add_test(NAME ${test} COMMAND long_sessions ${length} ${long_networks})
		else()
			add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh ${CMAKE_CURRENT_SOURCE_DIR}/long/${name}.sh ${CMAKE_BINARY_DIR}/bin)
			set_tests_properties(${test} PROPERTIES ENVIRONMENT "VRS_LENGTH=${length}")
		endif()
		set_tests_properties(${test} PROPERTIES TIMEOUT ${limit} SKIP_RETURN_CODE 77)
	endforeach()
endfunction()

file(GLOB long_networks ${CMAKE_CURRENT_SOURCE_DIR}/golden/networks/*/model.onnx)
list(FILTER long_networks EXCLUDE REGEX "_open/") # has no sizes of its own
vrs_long_test(sessions 1000 10000 3600)
vrs_long_test(batch 40 1000 3600)
vrs_long_test(loop 45 3600 6000)
