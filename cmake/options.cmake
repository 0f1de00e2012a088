# SPDX-License-Identifier: GPL-3.0-or-later
# Compile options of every target, and the two functions that declare libraries and programs.

add_library(vrs_options INTERFACE)
target_compile_definitions(vrs_options INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
target_include_directories(vrs_options INTERFACE ${CMAKE_SOURCE_DIR}/engine/include ${CMAKE_SOURCE_DIR}/engine ${CMAKE_SOURCE_DIR}
	${CMAKE_BINARY_DIR}/generated)
target_compile_options(vrs_options INTERFACE
	-Wall -Wextra -Werror -Wshadow -Wconversion -Wno-sign-conversion -Wvla -Wcast-qual -Wundef -Wformat=2 -Wstrict-prototypes
	-Wmissing-prototypes -Wpointer-arith -Wwrite-strings
	-fno-math-errno -fno-trapping-math -ffp-contract=off
	-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
# What makes a fault hard to use, whatever the compiler's own defaults are; tests/lint/hardening.sh reads it off what was built.
target_compile_options(vrs_options INTERFACE -fPIE -fstack-protector-strong -fcf-protection=full)
target_link_options(vrs_options INTERFACE -pie -Wl,-z,relro,-z,now,-z,noexecstack)
# Optimised builds may see format strings through wrappers that -Wformat-nonliteral cannot follow.
target_compile_options(vrs_options INTERFACE -Wno-format-nonliteral)
# clang warns where it did not follow an unroll pragma: a remark on speed, not on the code.
target_compile_options(vrs_options INTERFACE $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
if(VRS_SANITIZE)
	# -O1 and lines alone: half the time of compiling at -O2 -g, and reports name the same functions, files and lines.
	target_compile_options(vrs_options INTERFACE -fsanitize=${VRS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1)
	target_link_options(vrs_options INTERFACE -fsanitize=${VRS_SANITIZE})
	# 700 programs of tests, each as large as the libraries with their checks: half the time of linking.
	find_program(VRS_MOLD mold)
	if(VRS_MOLD)
		target_link_options(vrs_options INTERFACE -fuse-ld=mold)
	endif()
	# Sanitizers rewrite expressions, and gcc then warns about its own code; the other builds keep these warnings.
	target_compile_options(vrs_options INTERFACE
		$<$<C_COMPILER_ID:GNU>:-Wno-format-truncation -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow -Wno-stringop-truncation>)
else()
	target_compile_definitions(vrs_options INTERFACE $<$<CONFIG:Release>:_FORTIFY_SOURCE=3>)
endif()
if(VRS_FUZZ)
	target_compile_options(vrs_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
# Assertions (engine/base/assert.h) are on in builds that look for faults.  Not by NDEBUG: sanitizers run in RelWithDebInfo, which defines it.
if(VRS_SANITIZE OR VRS_FUZZ)
	target_compile_definitions(vrs_options INTERFACE VRS_ASSERTIONS)
else()
	target_compile_definitions(vrs_options INTERFACE $<$<CONFIG:Debug,None>:VRS_ASSERTIONS>)
endif()

# Instruction sets go by file suffix.  These files hold kernels only: everything in them is compiled with the flags.
set(VRS_FLAGS_avx2 -mavx2 -mfma -mf16c)
set(VRS_FLAGS_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mavx2 -mfma -mf16c -mprefer-vector-width=512)
set(VRS_FLAGS_avx512bf16 ${VRS_FLAGS_avx512} -mavx512bf16)

# Templates that are inlined throughout cost the sanitizers' optimiser minutes a file (conv_avx512bf16.c: 180 s at -O2, 8 s at -O1).
if(VRS_SANITIZE)
	foreach(isa avx2 avx512 avx512bf16)
		list(APPEND VRS_FLAGS_${isa} -O1)
	endforeach()
endif()

# gcc 12 aligns the fake stack of detect_stack_use_after_return to 32 bytes and stores 64-byte locals there aligned (GCC PR 110027), which
# crashes on every AVX-512 CPU.  These files do without the fake stack; all others keep the detection.
if(VRS_SANITIZE MATCHES address AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
	foreach(isa avx512 avx512bf16)
		list(APPEND VRS_FLAGS_${isa} --param=asan-use-after-return=0)
	endforeach()
endif()

# gcc checks memory by calls, no longer in line, in functions of more than so many accesses; its 7000 cost winograd_avx512.c 23 s instead of 9.
if(VRS_SANITIZE MATCHES address AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
	foreach(isa avx2 avx512 avx512bf16)
		list(APPEND VRS_FLAGS_${isa} --param=asan-instrumentation-with-call-threshold=1000)
	endforeach()
endif()

# UndefinedBehaviorSanitizer costs clang more than five minutes a kernel file in the fuzz build (dwconv_avx2.c: 2 s plain, 12 s with AddressSanitizer
# and coverage, over 300 s with both sanitizers); the build of preset asan has both.
if(VRS_FUZZ)
	foreach(isa avx2 avx512 avx512bf16)
		list(APPEND VRS_FLAGS_${isa} -fno-sanitize=undefined)
	endforeach()
endif()
set(VRS_FLAGS_avx512vnni ${VRS_FLAGS_avx512}) # VNNI itself by inline assembly

# vrs_library(NAME "FOLDER;..." [EXCLUDE file...] [LINK target...]): static library vrs_NAME of all .c files of its folders.
function(vrs_library name folders)
	cmake_parse_arguments(arg "" "" "EXCLUDE;LINK" ${ARGN})
	set(sources "")
	foreach(folder IN LISTS folders)
		file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.c)
		foreach(file IN LISTS arg_EXCLUDE)
			list(REMOVE_ITEM files ${CMAKE_SOURCE_DIR}/${folder}/${file})
		endforeach()
		list(APPEND sources ${files})
	endforeach()
	if(NOT sources)
		add_library(vrs_${name} INTERFACE)
		target_link_libraries(vrs_${name} INTERFACE vrs_options ${arg_LINK})
		return()
	endif()
	add_library(vrs_${name} STATIC ${sources})
	foreach(isa avx2 avx512 avx512vnni avx512bf16)
		set(isa_sources ${sources})
		list(FILTER isa_sources INCLUDE REGEX "_${isa}\\.c$")
		set_source_files_properties(${isa_sources} PROPERTIES COMPILE_OPTIONS "${VRS_FLAGS_${isa}}")
	endforeach()
	target_link_libraries(vrs_${name} PUBLIC vrs_options ${arg_LINK})
endfunction()

# vrs_program(NAME SOURCE LINK target...): the program, and the manual page that it prints.
function(vrs_program name source)
	cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
	if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${source})
		return()
	endif()
	add_executable(${name} ${source})
	target_link_libraries(${name} PRIVATE ${arg_LINK} vrs_options)
	install(TARGETS ${name})
	set(page ${CMAKE_BINARY_DIR}/share/man/man1/${name}.1)
	add_custom_command(TARGET ${name} POST_BUILD BYPRODUCTS ${page} VERBATIM
		COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/share/man/man1
		COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 $<TARGET_FILE:${name}> --man > ${page})
	install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()

# vrs_manuals(NAME COMMAND...): the manual pages of a program's commands, NAME-COMMAND.1.
function(vrs_manuals name)
	foreach(command IN LISTS ARGN)
		set(page ${CMAKE_BINARY_DIR}/share/man/man1/${name}-${command}.1)
		add_custom_command(TARGET ${name} POST_BUILD BYPRODUCTS ${page} VERBATIM
			COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 $<TARGET_FILE:${name}> ${command} --man > ${page})
		install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
	endforeach()
endfunction()
