# SPDX-License-Identifier: GPL-3.0-or-later
# The avx512 kernels on machines without AVX-512: the same sources compiled a second time over SIMDe (README.md says what that proves),
# and the tests that are already there linked with them.  The objects come before libvrs_kernels.a, so that its own avx512 members stay out.
# A CPU that has all of it runs the real kernels in the ordinary tests, so that the emulated ones are left out there.

set(VRS_EMULATED_TESTS AUTO CACHE STRING "emulated AVX-512 tests: ON, OFF, or AUTO: where the CPU lacks an instruction set")
set_property(CACHE VRS_EMULATED_TESTS PROPERTY STRINGS AUTO ON OFF)
set(VRS_EMULATED ${VRS_EMULATED_TESTS})
if(VRS_EMULATED_TESTS STREQUAL "AUTO")
	set(VRS_EMULATED OFF)
	file(STRINGS /proc/cpuinfo cpu_flags REGEX "^flags" LIMIT_COUNT 1)
	foreach(flag avx512f avx512bw avx512dq avx512vl avx512cd avx512_vnni avx512_bf16)
		if(NOT "${cpu_flags} " MATCHES " ${flag} ")
			set(VRS_EMULATED ON)
		endif()
	endforeach()
endif()
if(NOT VRS_EMULATED)
	return()
endif()

file(GLOB emulated_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/engine/kernels/*_avx512.c ${CMAKE_SOURCE_DIR}/engine/kernels/*_avx512vnni.c
	${CMAKE_SOURCE_DIR}/engine/kernels/*_avx512bf16.c)
find_path(VRS_SIMDE_DIR simde/x86/avx512.h REQUIRED)

add_library(emulated_avx512 OBJECT ${emulated_sources} ${CMAKE_CURRENT_LIST_DIR}/emulated_cpu.c)
target_link_libraries(emulated_avx512 PRIVATE vrs_options)
target_include_directories(emulated_avx512 SYSTEM PRIVATE ${VRS_SIMDE_DIR})
set(emulated_flags $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
if(VRS_SANITIZE)
	list(APPEND emulated_flags -fno-sanitize=all)
endif()
# -O1: unrolled tiles of emulated vectors take minutes at -O3, and with AddressSanitizer; guard pages of the tests see overruns.
set_source_files_properties(${emulated_sources} PROPERTIES COMPILE_OPTIONS
	"${VRS_FLAGS_avx2};-O1;-Wno-psabi;${emulated_flags};-include;${CMAKE_CURRENT_LIST_DIR}/avx512_emulated.h")

# vrs_emulated_test(LAYER NAME)
function(vrs_emulated_test layer name)
	set(source ${CMAKE_SOURCE_DIR}/tests/unit/${layer}/${name}.c)
	add_executable(emulated_${name} ${source} $<TARGET_OBJECTS:emulated_avx512>)
	target_link_libraries(emulated_${name} PRIVATE vrs_${layer} PkgConfig::cmocka vrs_options)
	target_link_options(emulated_${name} PRIVATE -Wl,--wrap=vrs_cpu_features)
	target_include_directories(emulated_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
	target_compile_definitions(emulated_${name} PRIVATE VRS_TEST_DIR="${CMAKE_SOURCE_DIR}/tests" VRS_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
		VRS_BUILD_DIR="${CMAKE_BINARY_DIR}")
	set_target_properties(emulated_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	add_test(NAME emulated.avx512.${name} COMMAND emulated_${name} WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
	# A test that leaves the level out has not tested it.
	set_tests_properties(emulated.avx512.${name} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77
		FAIL_REGULAR_EXPRESSION "cannot run avx512;, not avx512")
endfunction()

file(GLOB kernel_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/kernels/test_*.c)
foreach(source IN LISTS kernel_tests)
	cmake_path(GET source STEM name)
	vrs_emulated_test(kernels ${name})
endforeach()
vrs_emulated_test(backend test_bf16_session)
vrs_emulated_test(backend test_cpu_functions)
vrs_emulated_test(backend test_cpu_graphs)
vrs_emulated_test(backend test_cpu_winograd)
vrs_emulated_test(backend test_golden)
vrs_emulated_test(matte test_composite)
vrs_emulated_test(matte test_preprocess)
vrs_emulated_test(vr test_alpha_pack)
vrs_emulated_test(vr test_remap)
