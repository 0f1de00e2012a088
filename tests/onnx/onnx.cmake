# SPDX-License-Identifier: GPL-3.0-or-later
# Networks beside what another engine computes: the ONNX backend tests of Debian's libonnx-testdata, and the cases of tests/golden.

set(VRS_ONNX_TESTDATA /usr/share/libonnx-testdata/data CACHE PATH "folder of the ONNX backend tests (node, simple, ...)")

add_executable(onnx_cases onnx/onnx_cases.c onnx/case_file.c onnx/case_model.c onnx/skip_list.c)
target_link_libraries(onnx_cases PRIVATE vrs_session onnx_proto vrs_options)
target_include_directories(onnx_cases PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(onnx_cases PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

set(onnx_folders)
foreach(folder node simple pytorch-operator pytorch-converted)
	list(APPEND onnx_folders ${VRS_ONNX_TESTDATA}/${folder})
endforeach()

# vrs_onnx_test(NAME LEVEL ARGUMENT...): LEVEL as VRSEG_CPU
function(vrs_onnx_test name level)
	add_test(NAME onnx.${name} COMMAND onnx_cases ${ARGN})
	set_tests_properties(onnx.${name} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77 ENVIRONMENT "VRSEG_CPU=${level}")
endfunction()

# Kernels by VRSEG_CPU; a level that this CPU lacks is skipped.
set(onnx_levels ref avx2 avx512)

# Each piece holds every second case; tests/tiers.cmake takes one of them into the quick tests.
set(onnx_pieces 2)
math(EXPR onnx_last "${onnx_pieces} - 1")
foreach(piece RANGE ${onnx_last})
	set(nodes --optional --skip ${CMAKE_CURRENT_SOURCE_DIR}/onnx/skip.txt --piece ${piece}/${onnx_pieces})
	vrs_onnx_test(nodes_ref.${piece} ref ${nodes} ref ${onnx_folders})
	foreach(level IN LISTS onnx_levels)
		vrs_onnx_test(nodes_cpu_${level}.${piece} ${level} ${nodes} cpu ${onnx_folders})
	endforeach()
endforeach()

# On an OpenCL device, in one form only: a driver takes half a second to compile a network.
set(onnx_opencl_pieces 8)
math(EXPR onnx_opencl_last "${onnx_opencl_pieces} - 1")
foreach(piece RANGE ${onnx_opencl_last})
	vrs_onnx_test(nodes_opencl.${piece} ref --optional --skip ${CMAKE_CURRENT_SOURCE_DIR}/onnx/skip.txt --piece ${piece}/${onnx_opencl_pieces} --runtime
		opencl ${onnx_folders})
endforeach()

set(golden --skip ${CMAKE_CURRENT_SOURCE_DIR}/onnx/golden_skip.txt)
vrs_onnx_test(golden_ref ref ${golden} ref ${VRS_TEST_DATA}/golden/onnx)
foreach(piece RANGE ${onnx_opencl_last})
	vrs_onnx_test(golden_opencl.${piece} ref ${golden} --piece ${piece}/${onnx_opencl_pieces} --runtime opencl ${VRS_TEST_DATA}/golden/onnx)
endforeach()
foreach(level IN LISTS onnx_levels)
	vrs_onnx_test(golden_cpu_${level} ${level} ${golden} cpu ${VRS_TEST_DATA}/golden/onnx)
endforeach()

# Whole networks: small ones of the tree, and those of a folder that the builder names.
set(VRS_NETWORK_CASES "$ENV{VRS_NETWORK_CASES}" CACHE PATH "folder of further networks with stored outputs, laid out like tests/golden/networks")
set(full_networks ${VRS_NETWORK_CASES})
if(NOT full_networks)
	set(full_networks /VRS_NETWORK_CASES-is-not-set)
endif()
set(fp32 --runtime --of-largest 1e-4)
set(bf16 --runtime --of-largest 2e-2 --precision bf16)
vrs_onnx_test(networks_ref ref ${fp32} ref ${VRS_TEST_DATA}/golden/networks)
vrs_onnx_test(networks_opencl ref ${fp32} opencl ${VRS_TEST_DATA}/golden/networks)
foreach(level IN LISTS onnx_levels)
	foreach(precision fp32 bf16)
		vrs_onnx_test(networks_${precision}_cpu_${level} ${level} ${${precision}} --threads 8 cpu ${VRS_TEST_DATA}/golden/networks)
		vrs_onnx_test(full_networks_${precision}_cpu_${level} ${level} ${${precision}} --optional cpu ${full_networks})
	endforeach()
endforeach()

# Every operator of the importer is in some case.
add_executable(onnx_coverage onnx/onnx_coverage.c onnx/skip_list.c)
target_link_libraries(onnx_coverage PRIVATE vrs_graph onnx_proto vrs_options)
target_include_directories(onnx_coverage PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(onnx_coverage PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME onnx.coverage COMMAND onnx_coverage --skip ${CMAKE_CURRENT_SOURCE_DIR}/onnx/skip.txt ${onnx_folders}
	--skip ${CMAKE_CURRENT_SOURCE_DIR}/onnx/golden_skip.txt ${VRS_TEST_DATA}/golden/onnx ${VRS_TEST_DATA}/golden/networks)
set_tests_properties(onnx.coverage PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77)

# Operators that run on the code of the reference take next to nothing of any network: generated ones, and the cases of several operators.
add_executable(slow_path onnx/slow_path.c onnx/case_file.c onnx/case_model.c onnx/network_writer.c onnx/plausible_maps.c
	onnx/plausible_networks.c onnx/plausible_tokens.c)
target_link_libraries(slow_path PRIVATE vrs_session onnx_proto vrs_options)
target_include_directories(slow_path PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(slow_path PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME onnx.slow_path COMMAND slow_path --plausible 200)
add_test(NAME onnx.slow_path_cases COMMAND slow_path --optional ${onnx_folders})
set_tests_properties(onnx.slow_path onnx.slow_path_cases PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
