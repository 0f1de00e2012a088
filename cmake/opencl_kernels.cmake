# SPDX-License-Identifier: GPL-3.0-or-later
# The OpenCL templates of a folder as strings of a C file.  With OUT set this is the script that writes it:
#   cmake -DOUT=FILE -DFOLDER=FOLDER -P opencl_kernels.cmake
if(OUT)
	file(GLOB files ${FOLDER}/*.cl)
	list(SORT files)
	set(text "/* Made from engine/opencl/kernels/. */\n#include \"opencl/ocl_source.h\"\n\nconst struct vrs_ocl_template vrs_ocl_templates[] = {\n")
	foreach(file ${files})
		get_filename_component(name ${file} NAME_WE)
		file(READ ${file} content)
		string(REPLACE "\\" "\\\\" content "${content}")
		string(REPLACE "\"" "\\\"" content "${content}")
		string(REPLACE "\n" "\\n\"\n\t\"" content "${content}")
		string(APPEND text "\t{\"${name}\",\n\t\"${content}\"},\n")
	endforeach()
	string(APPEND text "\t{NULL, NULL},\n};\n")
	file(WRITE ${OUT} "${text}")
	return()
endif()

function(vrs_opencl_kernels TARGET FOLDER)
	set(out ${CMAKE_BINARY_DIR}/generated/ocl_templates.c)
	file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${FOLDER}/*.cl)
	add_custom_command(OUTPUT ${out}
		COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DFOLDER=${CMAKE_SOURCE_DIR}/${FOLDER} -P ${CMAKE_SOURCE_DIR}/cmake/opencl_kernels.cmake
		DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/opencl_kernels.cmake VERBATIM)
	target_sources(${TARGET} PRIVATE ${out})
	set_source_files_properties(${out} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()
