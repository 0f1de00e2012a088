/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stored calibration as anybody may have changed it: read or refused with a sentence; what was read is printed and read back the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "bench/judge/noise_record.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_noise_record record, again;
	char *text;
	if (vrs_noise_record_parse((const char *)data, size, "fuzz.json", &record, &err) != VRS_OK) {
		require(err.text[0] != 0);
		return 0;
	}
	(void)vrs_noise_record_permits(&record);
	require(vrs_noise_record_print(&record, &text) == VRS_OK);
	require(vrs_noise_record_parse(text, strlen(text), "again.json", &again, &err) == VRS_OK);
	require(again.fingerprint == record.fingerprint && strcmp(again.class_name, record.class_name) == 0 && again.frames == record.frames);
	vrs_json_free_text(text);
	return 0;
}
