# SPDX-License-Identifier: GPL-3.0-or-later
# Tests of the OpenCL engine with faults: a layer between the loader and PoCL (fault_layer.c), and what uses it.  Drivers are not instrumented by
# sanitizers, and neither is the layer, so that every build can load it.

file(GLOB fault_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/fault_*.c)
add_library(fault_layer MODULE ${fault_sources})
target_compile_definitions(fault_layer PRIVATE _GNU_SOURCE)
target_compile_options(fault_layer PRIVATE -fPIC -Wall -Wextra -Werror -Wshadow -Wvla -Wundef -Wstrict-prototypes -Wmissing-prototypes)
set_target_properties(fault_layer PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# vrs_opencl_test(NAME [LIBRARY...]): the test opencl.NAME from tests/opencl/test_NAME.c, which finds the layer at VRS_FAULT_LAYER.
function(vrs_opencl_test name)
	add_executable(test_${name} ${VRS_OPENCL_DIR}/test_${name}.c)
	target_link_libraries(test_${name} PRIVATE ${ARGN} PkgConfig::opencl PkgConfig::cmocka vrs_options)
	target_include_directories(test_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
	target_compile_definitions(test_${name} PRIVATE VRS_TEST_DIR="${CMAKE_CURRENT_SOURCE_DIR}" VRS_BUILD_DIR="${CMAKE_BINARY_DIR}"
		VRS_FAULT_LAYER="$<TARGET_FILE:fault_layer>")
	add_dependencies(test_${name} fault_layer)
	set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	add_test(NAME opencl.${name} COMMAND test_${name} WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
	set_tests_properties(opencl.${name} PROPERTIES TIMEOUT 1200 SKIP_RETURN_CODE 77
		ENVIRONMENT "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/tests/cache/opencl_${name}")
endfunction()
set(VRS_OPENCL_DIR ${CMAKE_CURRENT_LIST_DIR})

add_executable(cl_sample ${VRS_OPENCL_DIR}/cl_sample.c)
target_link_libraries(cl_sample PRIVATE PkgConfig::opencl vrs_options)
target_include_directories(cl_sample PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(cl_sample PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME opencl.each_call COMMAND ${VRS_OPENCL_DIR}/each_call_test.sh $<TARGET_FILE:fault_layer> $<TARGET_FILE:cl_sample>)
set_tests_properties(opencl.each_call PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77
	ENVIRONMENT "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/tests/cache/opencl_each_call")

# vrs_oclgrind_test(NAME COMMAND...): the test opencl.oclgrind.NAME, the command with oclgrind as its device, which valgrind cannot run.
function(vrs_oclgrind_test name)
	if(NOT VRS_VALGRIND)
		add_test(NAME opencl.oclgrind.${name} COMMAND ${VRS_OPENCL_DIR}/under_oclgrind.sh $<TARGET_FILE:fault_layer> ${ARGN})
		set_tests_properties(opencl.oclgrind.${name} PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77)
	endif()
endfunction()
if(NOT VRS_VALGRIND)
	add_test(NAME opencl.oclgrind COMMAND ${VRS_OPENCL_DIR}/oclgrind_test.sh $<TARGET_FILE:fault_layer> $<TARGET_FILE:cl_sample>)
	set_tests_properties(opencl.oclgrind PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
endif()

foreach(program cl_recipe cl_session)
	add_executable(${program} ${VRS_OPENCL_DIR}/${program}.c)
	target_link_libraries(${program} PRIVATE vrs_session vrs_options)
	target_include_directories(${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
	set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endforeach()
# vrs_each_call_test(NAME OPTION... -- COMMAND...): the test opencl.faults.NAME, each_call_fails.sh with these options.
function(vrs_each_call_test name)
	list(FIND ARGN -- at)
	list(SUBLIST ARGN 0 ${at} options)
	math(EXPR at "${at} + 1")
	list(SUBLIST ARGN ${at} -1 command)
	add_test(NAME opencl.faults.${name} COMMAND ${VRS_OPENCL_DIR}/each_call_fails.sh ${options} $<TARGET_FILE:fault_layer> ${command})
	set_tests_properties(opencl.faults.${name} PROPERTIES TIMEOUT 3600 SKIP_RETURN_CODE 77
		ENVIRONMENT "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/tests/cache/opencl_faults_${name}")
endfunction()
vrs_each_call_test(session -m 40 -- $<TARGET_FILE:cl_session> --seed 1 --profile)
vrs_each_call_test(session_lost -m 20 -s -- $<TARGET_FILE:cl_session> --seed 1)
vrs_each_call_test(session_plain -m 20 -- $<TARGET_FILE:cl_session> --seed 1 --plain)
vrs_each_call_test(session_recordings -m 40 -f "cl*Command*KHR" -- $<TARGET_FILE:cl_session> --seed 1 --replay)
vrs_each_call_test(session.night -- $<TARGET_FILE:cl_session> --seed 1 --count 2 --profile)
vrs_each_call_test(session_lost.night -s -- $<TARGET_FILE:cl_session> --seed 1 --count 2 --fp16)
# Not known as PoCL, the driver is asked for binaries: those that are kept are taken up, and where there are none they are made.
vrs_each_call_test(binary -f "cl[BC]*Pro*" -- env VRS_CL_PLATFORM=Some $<TARGET_FILE:cl_session> --seed 1)
vrs_each_call_test(no_binary -f "cl*Pro*" --
	sh -c "rm -rf \"\${XDG_CACHE_HOME:?}\" && exec env VRS_CL_PLATFORM=Some $<TARGET_FILE:cl_session> --seed 1")
file(GLOB network_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/session/*)
file(GLOB kept_networks CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/kept/ocl_plan/*)
# vrs_recipe_test(NAME OPTION...): the test opencl.NAME, networks of strangers on the device, and opencl.oclgrind.NAME, by kernels of GPUs.
function(vrs_recipe_test name)
	add_test(NAME opencl.${name} COMMAND cl_recipe ${ARGN})
	set_tests_properties(opencl.${name} PROPERTIES TIMEOUT 1800
		ENVIRONMENT "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/tests/cache/opencl_recipes")
	vrs_oclgrind_test(${name} env VRS_CL_TYPE=gpu $<TARGET_FILE:cl_recipe> ${ARGN})
endfunction()
vrs_recipe_test(recipes ${network_files})
vrs_recipe_test(recipes_fp16 --fp16 ${network_files})
vrs_recipe_test(recipes.night --count 400)
vrs_recipe_test(recipes_apart.night --no-fusion --seed 1000 --count 400)
vrs_recipe_test(recipes_kept.night ${network_files} ${kept_networks})
vrs_oclgrind_test(session $<TARGET_FILE:cl_session> --seed 1 --count 2)
vrs_oclgrind_test(session.night $<TARGET_FILE:cl_session> --seed 3 --count 12)
vrs_oclgrind_test(session_fp16.night $<TARGET_FILE:cl_session> --seed 1 --count 12 --fp16)
add_test(NAME opencl.session_limits COMMAND ${VRS_OPENCL_DIR}/session_limits.sh $<TARGET_FILE:fault_layer> $<TARGET_FILE:cl_session>
	$<TARGET_FILE:frame_sample>)
set_tests_properties(opencl.session_limits PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77
	ENVIRONMENT "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/tests/cache/opencl_session_limits")

vrs_opencl_test(fault_layer)
vrs_opencl_test(ocl_listing vrs_opencl)

vrs_oclgrind_test(staging $<TARGET_FILE:test_ocl_staging>)
# each case and each output, and at night each pair of them
vrs_oclgrind_test(frame_compose $<TARGET_FILE:test_ocl_frame_compose> 4)
vrs_oclgrind_test(frame_compose.night $<TARGET_FILE:test_ocl_frame_compose>)
# A case a process: oclgrind 21.10 takes what lies in a new buffer beyond the length of a shorter one that was released before for never written.
foreach(case RANGE 12)
	vrs_oclgrind_test(frame_scale_${case} $<TARGET_FILE:test_ocl_frame_scale> ${case})
endforeach()
foreach(case RANGE 9)
	vrs_oclgrind_test(frame_pack_${case} $<TARGET_FILE:test_ocl_frame_pack> ${case})
endforeach()

# Operators by themselves, by the kernels of GPUs with groups and local memory: cases of at most so many products and elements, each once.
foreach(operator IN ITEMS chain conv deconv element elementwise math move norm pieces pool reduce resize squeeze typed)
	set(work 5000)
	if(operator STREQUAL chain)
		set(work 50000)
	elseif(operator MATCHES "^(conv|math)$")
		set(work 20000)
	elseif(operator MATCHES "^(reduce|typed)$")
		set(work 700)
	endif()
	vrs_oclgrind_test(operators_${operator}.night env VRS_CL_TYPE=gpu VRS_OP_WORK=${work} $<TARGET_FILE:test_ocl_${operator}>)
endforeach()

get_property(oclgrind_tests DIRECTORY PROPERTY TESTS)
list(FILTER oclgrind_tests INCLUDE REGEX "^opencl\\.oclgrind\\.(staging|frame_)")
if(oclgrind_tests)
	set_property(TEST ${oclgrind_tests} APPEND PROPERTY ENVIRONMENT "VRS_OCLGRIND_OPTIONS=")
endif()

# What a device can do at best, and frames a second on it beside the host; measured, not judged.
foreach(program device_ceilings frame_rate)
	add_executable(${program} ${VRS_OPENCL_DIR}/${program}.c)
	target_link_libraries(${program} PRIVATE vrs_opencl vrs_vr vrs_matte vrs_options)
	target_include_directories(${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
	set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endforeach()

# Everything that devices do with frames, at small size, with each call of OpenCL failing in turn.
add_executable(frame_sample ${VRS_OPENCL_DIR}/frame_sample.c)
target_link_libraries(frame_sample PRIVATE vrs_compose vrs_opencl vrs_vr vrs_matte vrs_options)
target_include_directories(frame_sample PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(frame_sample PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
# But for retains and releases, of which PoCL has its own; those of events are the frames' alone.
vrs_each_call_test(frames -m 100 -f "cl[!R]*" -- $<TARGET_FILE:frame_sample>)
vrs_each_call_test(frames.night -f "cl[!R]*" -- $<TARGET_FILE:frame_sample>)
vrs_each_call_test(frames_lost -m 20 -s -f "cl[!R]*" -- $<TARGET_FILE:frame_sample>)
vrs_each_call_test(frame_events -f clRetainEvent -- $<TARGET_FILE:frame_sample>)
