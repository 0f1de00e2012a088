/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * results.json as anybody may have changed it: read or refused with a sentence; what was read can be summarized, searched for bottlenecks and
 * recommendations, and written in a form that is read back with as many cases.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/mman.h>
#include <stdio.h>

#include "analyzer/figures/case_summary.h"
#include "bench/judge/bottleneck.h"
#include "bench/judge/recommend.h"
#include "bench/plan/case.h"
#include "bench/record/result.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(struct vrs_result *result)
{
	for (int i = 0; i < result->case_count; i++) {
		struct vrs_bottleneck_input input;
		struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
		struct vrs_case c;
		struct vrs_case_result *case_result = &result->cases[i];
		if (vrs_bottleneck_input_of_case(result, case_result, 2, &input))
			require(vrs_bottleneck_find(&input, found, VRS_BOTTLENECK_MAX) <= VRS_BOTTLENECK_MAX);
		require(vrs_case_result_summarize(case_result, NULL) == VRS_OK);
		(void)vrs_case_parse(case_result->id, &c, NULL);
	}
	require(vrs_recommend(result) == VRS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_result *result = NULL, *again = NULL;
	enum vrs_status status = vrs_result_parse(&result, (const char *)data, size, "fuzz.json", &err);
	if (status != VRS_OK) {
		require(result == NULL && err.text[0]);
		return 0;
	}
	use(result);
	char path[64];
	int fd = memfd_create("result", MFD_CLOEXEC);
	require(fd >= 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (vrs_result_write(result, path, &err) == VRS_OK) {
		require(vrs_result_read(&again, path, &err) == VRS_OK);
		require(again->case_count == result->case_count);
		vrs_result_destroy(again);
	}
	close(fd);
	vrs_result_destroy(result);
	return 0;
}
