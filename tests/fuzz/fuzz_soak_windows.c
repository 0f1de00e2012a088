/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows of a soak, as anybody may have changed them: no input harms, a refusal is a sentence, and what was read can be judged. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bench/judge/soak.h"
#include "require.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vrs_soak_window *windows = NULL;
	struct vrs_error err = {0};
	struct vrs_soak soak;
	char path[256], line[600];
	int count = 0;

	scratch_write(scratch_path(path, sizeof path, "windows.jsonl"), data, size);
	if (vrs_soak_windows_read(path, &windows, &count, &err) != VRS_OK) {
		require(windows == NULL && err.text[0] != '\0');
		return 0;
	}
	require(count >= 0 && count <= VRS_SOAK_MAX_WINDOWS);
	for (int i = 0; i < count; i++)
		require(!isinf(windows[i].end_seconds) && !isinf(windows[i].median_ms) && windows[i].frames >= 0);
	require(vrs_soak_judge(windows, count, &soak) == VRS_OK);
	vrs_soak_line(&soak, line, sizeof line);
	require(strncmp(line, "VERDICT ", 8) == 0 && memchr(soak.reasons, '\0', sizeof soak.reasons) != NULL);
	vrs_free(windows);
	return 0;
}
