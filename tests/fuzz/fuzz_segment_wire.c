/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests to worker processes and their reports: no input harms, a refusal is a sentence, and what is accepted reads back the same after it was
 * written again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "segments/segment_process.h"
#include "quiet.h"
#include "require.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_request(const char *text, size_t size)
{
	struct vrs_segment_request request, again;
	struct vrs_error err = {0};
	if (vrs_segment_request_read(&request, text, size, &err) == VRS_OK) {
		char *first = vrs_segment_request_write(&request);
		require(request.input && request.number >= 0 && request.process > 0 && first);
		require(vrs_segment_request_read(&again, first, strlen(first), &err) == VRS_OK);
		char *second = vrs_segment_request_write(&again);
		require(second && strcmp(first, second) == 0);
		vrs_segment_request_fini(&again);
		vrs_json_free_text(first);
		vrs_json_free_text(second);
	} else {
		require(err.status != VRS_OK && err.text[0]);
	}
	vrs_segment_request_fini(&request);
}

static void check_reply(const char *text, size_t size)
{
	struct vrs_segment_reply reply, again;
	struct vrs_error err = {0};
	if (vrs_segment_reply_read(&reply, text, size, &err) != VRS_OK) {
		require(err.status != VRS_OK && err.text[0]);
		return;
	}
	char *first = vrs_segment_reply_write(&reply);
	require(first && vrs_segment_reply_read(&again, first, strlen(first), &err) == VRS_OK);
	char *second = vrs_segment_reply_write(&again);
	require(second && strcmp(first, second) == 0);
	vrs_json_free_text(first);
	vrs_json_free_text(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	be_silent();
	check_request((const char *)data, size);
	check_reply((const char *)data, size);
	return 0;
}
