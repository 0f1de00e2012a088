/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading files of onnx_net.h, and what is said of those that cannot be loaded. */
#ifndef TESTS_ONNX_EXPECT_H
#define TESTS_ONNX_EXPECT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>
#include <vrseg/model.h>

#include "unit/graph/onnx_net.h"

enum { FLOAT = 1, UINT8 = 2, INT64 = 7, BOOL = 9, FLOAT16 = 10 };

static inline enum vrs_status load(const struct onnx_net *net, struct vrs_model **model, struct vrs_error *err)
{
	size_t size;
	uint8_t *bytes = net_pack(net, &size);
	enum vrs_status status;

	memset(err, 0, sizeof *err);
	status = vrs_model_load_memory(model, bytes, size, "test", err);
	free(bytes);
	return status;
}

static inline void expect(const struct onnx_net *net, enum vrs_status status, const char *const *words)
{
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	enum vrs_status got = load(net, &model, &err);

	if (got != status)
		print_message("%s\n", err.text);
	assert_int_equal(got, status);
	for (; *words != NULL; words++)
		if (strstr(err.text, *words) == NULL)
			fail_msg("\"%s\" is not in: %s", *words, err.text);
}
#define EXPECT(net, status, ...) expect(net, status, (const char *const[]){__VA_ARGS__, NULL})

static inline struct vrs_model *must_load(const struct onnx_net *net)
{
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};

	if (load(net, &model, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return model;
}

#endif
