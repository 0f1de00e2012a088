/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/names.h"

#include <stdio.h>
#include <string.h>

const char *vrs_name_of(const struct vrs_names *table, int value)
{
	return value >= 0 && value < table->count ? table->names[value] : "";
}

bool vrs_name_find(const struct vrs_names *table, const char *name, int *ret_value)
{
	for (int i = 0; i < table->count; i++)
		if (strcmp(table->names[i], name) == 0) {
			*ret_value = i;
			return true;
		}
	return false;
}

void vrs_names_join(const struct vrs_names *table, char *buf, unsigned long size)
{
	size_t used = 0;
	int left = 0;
	buf[0] = 0;
	for (int i = 0; i < table->count; i++)
		left += table->names[i][0] != 0;
	for (int i = 0; i < table->count && used < size; i++) {
		if (!table->names[i][0])
			continue;
		left--;
		int n = snprintf(buf + used, size - used, "%s%s", table->names[i], left > 1 ? ", " : left == 1 ? " or " : "");
		used += n > 0 ? (size_t)n : 0;
	}
}
