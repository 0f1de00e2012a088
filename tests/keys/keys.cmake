# SPDX-License-Identifier: GPL-3.0-or-later
# Programs of tests/cli/key_values.sh, which checks the keys of the matte cache and of checkpoints.

# Other values of every option.
add_executable(option_values ${CMAKE_CURRENT_LIST_DIR}/option_values.c)
target_link_libraries(option_values PRIVATE vrs_config vrs_options)

# vrseg whose keys lack a field.
add_executable(key_mutant ${CMAKE_SOURCE_DIR}/engine/vrseg.c ${CMAKE_CURRENT_LIST_DIR}/key_mutant.c)
target_link_libraries(key_mutant PRIVATE vrs_modes vrs_options)
foreach(function vrs_job_content_read vrs_input_identity_read vrs_matte_cache_open vrs_checkpoint_option vrs_segment_plan_same)
	target_link_options(key_mutant PRIVATE -Wl,--wrap=${function})
endforeach()

# vrseg of another version, and vrseg whose kernels make other mattes: the keys' sources with another header.
set(others ${CMAKE_BINARY_DIR}/generated)
file(CONFIGURE OUTPUT ${others}/other_version/vrs_version.h CONTENT "#define VRS_VERSION \"0.0.1\"\n#define VRS_COMMIT \"unknown\"\n" @ONLY)
file(READ ${CMAKE_SOURCE_DIR}/engine/job/matte_golden.h golden)
string(REPLACE "UINT64_C(0x" "~UINT64_C(0x" golden "${golden}")
file(CONFIGURE OUTPUT ${others}/other_mattes/job/matte_golden.h CONTENT "${golden}" @ONLY)
foreach(program other_version other_mattes)
	add_executable(${program} ${CMAKE_SOURCE_DIR}/engine/vrseg.c ${CMAKE_SOURCE_DIR}/engine/job/matte_cache.c
		${CMAKE_SOURCE_DIR}/engine/segments/long_job.c)
	target_include_directories(${program} BEFORE PRIVATE ${others}/${program})
	target_link_libraries(${program} PRIVATE vrs_modes vrs_options)
endforeach()

# Jobs of vrseg by chance.
add_executable(random_job ${CMAKE_CURRENT_LIST_DIR}/random_job.c)
target_link_libraries(random_job PRIVATE vrs_config vrs_options)

set_target_properties(option_values key_mutant other_version other_mattes random_job
	PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# Random combinations of options: the same ones in the full tier, at night those of the day.
add_test(NAME keys.random_jobs COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh ${CMAKE_CURRENT_LIST_DIR}/random_jobs.sh ${CMAKE_BINARY_DIR}/bin)
add_test(NAME keys.random_jobs.night COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh ${CMAKE_CURRENT_LIST_DIR}/random_jobs.sh ${CMAKE_BINARY_DIR}/bin)
set_tests_properties(keys.random_jobs keys.random_jobs.night PROPERTIES TIMEOUT 3600 SKIP_RETURN_CODE 77)
set_tests_properties(keys.random_jobs PROPERTIES ENVIRONMENT "VRS_FIRST_JOB=1;VRS_JOBS=30")
set_tests_properties(keys.random_jobs.night PROPERTIES ENVIRONMENT "VRS_SECONDS=900")
