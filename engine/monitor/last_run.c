/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "monitor/last_run.h"

#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"

static const double latest_time = 1e11; /* s since 1970 */

/* The sample of a metric without labels; 0: there is none, or it is not within 0 .. most. */
static double find_sample(const char *text, const char *program, const char *name, double most)
{
	char start[80], number[40];
	size_t length = (size_t)snprintf(start, sizeof start, "%s%s ", program, name);
	double value;

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (strncmp(line, start, length) == 0) {
			snprintf(number, sizeof number, "%.*s", (int)strcspn(line + length, "\n"), line + length);
			return vrs_parse_double(number, 0, most, &value) ? value : 0;
		}
	return 0;
}

bool vrs_last_run_read(struct vrs_last_run *ret_run, const char *text, const char *program)
{
	char head[40];
	size_t length = (size_t)snprintf(head, sizeof head, "# HELP %s_", program);

	*ret_run = (struct vrs_last_run){0};
	if (text[0] && strncmp(text, head, length) != 0)
		return false;
	ret_run->end_time = find_sample(text, program, VRS_LAST_RUN_END, latest_time);
	ret_run->exit_code = find_sample(text, program, VRS_LAST_RUN_EXIT_CODE, 255);
	ret_run->success_time = find_sample(text, program, VRS_LAST_RUN_SUCCESS, latest_time);
	return true;
}
