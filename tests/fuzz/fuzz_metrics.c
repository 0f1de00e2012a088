/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a metrics file says of the last run, and the Accept header of a client: no input harms, and times are times. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/last_run.h"
#include "monitor/metrics_port.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vrs_last_run run;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	(void)vrs_accepts_openmetrics(text);
	(void)vrs_last_run_read(&run, text, "vrseg");
	if (!(run.end_time >= 0) || !(run.success_time >= 0) || !(run.exit_code >= 0 && run.exit_code <= 255) || isinf(run.end_time) ||
	    isinf(run.success_time))
		abort();
	free(text);
	return 0;
}
