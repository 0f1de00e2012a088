/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values as people type them: no text harms, what is refused leaves the result alone, and what is taken lies in its range. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str_parse.h"
#include "bench/plan/case.h"
#include "bench/plan/sweep.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_BYTES 2000

static void check_numbers(const char *text)
{
	int64_t number = -77, list[8];
	double real = -77, seconds = -77;
	uint64_t bytes = 77;
	int size[2] = {-77, -77}, count;
	bool yes = true;
	uint8_t color[3];

	require(vrs_parse_int(text, -5, 900, &number) ? number >= -5 && number <= 900 : number == -77);
	require(vrs_parse_double(text, -5, 900, &real) ? real >= -5 && real <= 900 : real == -77);
	require(vrs_parse_duration(text, &seconds) ? seconds >= 0 && isfinite(seconds) : seconds == -77);
	require(vrs_parse_size2(text, 1, 8192, size) ? size[0] >= 1 && size[0] <= 8192 && size[1] >= 1 && size[1] <= 8192 : size[0] == -77);
	require(vrs_parse_bytes(text, &bytes) || bytes == 77);
	require(vrs_parse_bool(text, &yes) || yes);
	(void)vrs_parse_color(text, color);
	count = vrs_parse_int_list(text, 0, 1000, list, 8);
	require(count >= -1 && count <= 8);
	for (int i = 0; i < count; i++)
		require(list[i] >= 0 && list[i] <= 1000);
}

/* The id of what an id says is an id of the same. */
static void check_case(const char *text)
{
	static struct vrs_case c, again;
	struct vrs_config *base = NULL;
	struct vrs_error err = {0};
	char id[VRS_CASE_ID_MAX], second[VRS_CASE_ID_MAX];

	require(vrs_config_create(&base) == VRS_OK);
	if (vrs_case_parse(text, &c, &err) != VRS_OK) {
		require(err.text[0] != '\0');
	} else if (vrs_case_id(&c, base, 64, 32, id, sizeof id, &err) == VRS_OK) {
		require(vrs_case_parse(id, &again, &err) == VRS_OK && vrs_case_id(&again, base, 64, 32, second, sizeof second, &err) == VRS_OK);
		require(strcmp(id, second) == 0);
	} else {
		require(err.status == VRS_ELIMIT && err.text[0] != '\0');
	}
	vrs_config_destroy(base);
}

/* KEY=LIST */
static void check_axis(char *text)
{
	static struct vrs_sweep sweep;
	struct vrs_error err = {0};
	char *list = strchr(text, '=');

	if (list == NULL)
		return;
	*list++ = '\0';
	sweep.axis_count = 0;
	if (vrs_sweep_set(&sweep, text, list, &err) != VRS_OK)
		require(err.text[0] != '\0');
	else
		require(sweep.axis_count == 1 && sweep.axes[0].count >= 1 && sweep.axes[0].count <= VRS_SWEEP_MAX_VALUES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text, short_copy[9];

	if (size > MAX_BYTES)
		return 0;
	text = calloc(size + 1, 1); /* libc: an exact block for the sanitizer */
	require(text != NULL);
	memcpy(text, data, size);
	check_numbers(text);
	require(vrs_strcpy(short_copy, sizeof short_copy, text) == (strlen(text) < sizeof short_copy) && strlen(short_copy) < sizeof short_copy);
	check_case(text);
	check_axis(text);
	free(text); /* libc: see above */
	return 0;
}
