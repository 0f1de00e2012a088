/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/peak_memory.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str_parse.h"

struct vrs_peak_memory_item {
	char id[VRS_CASE_ID_MAX];
	double bytes;
};

void vrs_peak_memory_fini(struct vrs_peak_memory *peaks)
{
	vrs_free(peaks->items);
	*peaks = (struct vrs_peak_memory){.items = NULL};
}

static struct vrs_peak_memory_item *find(const struct vrs_peak_memory *peaks, const char *id)
{
	for (size_t i = 0; i < peaks->count; i++)
		if (strcmp(peaks->items[i].id, id) == 0)
			return &peaks->items[i];
	return NULL;
}

enum vrs_status vrs_peak_memory_take(struct vrs_peak_memory *peaks, struct vrs_case_result *c)
{
	if (c->peak_rss.n == 0)
		return VRS_OK;
	struct vrs_peak_memory_item *known = find(peaks, c->id);
	if (!known) {
		void *items = peaks->items;
		enum vrs_status status = vrs_array_grow(&items, &peaks->capacity, peaks->count + 1, sizeof *peaks->items, VRS_RESULT_MAX_CASES);
		peaks->items = items;
		if (status != VRS_OK)
			return status;
		known = &peaks->items[peaks->count++];
		*known = (struct vrs_peak_memory_item){.bytes = 0};
		(void)vrs_strcpy(known->id, sizeof known->id, c->id);
	}
	c->peak_rss.max = known->bytes = fmax(known->bytes, c->peak_rss.max);
	return VRS_OK;
}
