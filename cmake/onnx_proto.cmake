# SPDX-License-Identifier: GPL-3.0-or-later
# The messages of ONNX files: protoc-c compiles Debian's onnx.proto into C at build time; nothing generated lies in the tree.
find_program(PROTOC_C protoc-c REQUIRED)
find_path(ONNX_PROTO_DIR onnx/onnx.proto REQUIRED)
pkg_check_modules(protobuf_c REQUIRED IMPORTED_TARGET libprotobuf-c)

set(onnx_generated ${CMAKE_BINARY_DIR}/generated/onnx)
add_custom_command(
	OUTPUT ${onnx_generated}/onnx.pb-c.c ${onnx_generated}/onnx.pb-c.h
	COMMAND ${PROTOC_C} --proto_path=${ONNX_PROTO_DIR}/onnx --c_out=${onnx_generated} ${ONNX_PROTO_DIR}/onnx/onnx.proto
	DEPENDS ${ONNX_PROTO_DIR}/onnx/onnx.proto
	COMMENT "messages of ONNX files")
file(MAKE_DIRECTORY ${onnx_generated})
add_library(onnx_proto STATIC ${onnx_generated}/onnx.pb-c.c ${onnx_generated}/onnx.pb-c.h)
target_include_directories(onnx_proto SYSTEM PUBLIC ${CMAKE_BINARY_DIR}/generated)
target_link_libraries(onnx_proto PUBLIC PkgConfig::protobuf_c)
