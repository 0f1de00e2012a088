# SPDX-License-Identifier: GPL-3.0-or-later
# generated/vrs_version.h: the version, the compiler, and the commit of the tree where git knows it.  Included, this adds the target vrs_version,
# which writes the commit before each build, since a result names the commit that was built, not the one that was configured; as a script it is
# that step.
if(CMAKE_SCRIPT_MODE_FILE)
	execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=10 OUTPUT_VARIABLE VRS_COMMIT
		OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
	if(NOT VRS_COMMIT)
		set(VRS_COMMIT "unknown")
	endif()
	configure_file(${HEADER}.in ${HEADER} @ONLY) # touches nothing where nothing has changed
else()
	set(VRS_VERSION_HEADER ${CMAKE_BINARY_DIR}/generated/vrs_version.h)
	set(VRS_COMMIT "@VRS_COMMIT@") # stays for the script
	string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
	string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}}" VRS_BUILD_FLAGS)
	string(REPLACE "\"" "'" VRS_BUILD_FLAGS "${VRS_BUILD_FLAGS}")
	configure_file(${CMAKE_SOURCE_DIR}/cmake/vrs_version.h.in ${VRS_VERSION_HEADER}.in @ONLY)
	add_custom_target(vrs_version COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DHEADER=${VRS_VERSION_HEADER} -P ${CMAKE_CURRENT_LIST_FILE}
		BYPRODUCTS ${VRS_VERSION_HEADER} COMMENT "" VERBATIM)
	add_dependencies(vrs_options vrs_version)
endif()
