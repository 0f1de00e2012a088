/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of techniques from untrusted hands: no input harms, and what is accepted has whole pairs of options that exist, or a reason. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan/technique.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_side(const struct vrs_technique_side *side)
{
	require(side->count >= 1 && side->count <= VRS_TECHNIQUE_MAX_VALUES);
	for (int i = 0; i < side->count; i++)
		require(vrs_option_find(side->values[i].key) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct vrs_technique_list list;
	struct vrs_error err = {.status = VRS_OK};
	char *text = malloc(size + 1); /* no zero inside a promise: the parser gets the length */
	require(text != NULL);
	memcpy(text, data, size);
	text[size] = 0;
	if (vrs_technique_list_parse(&list, text, size, "techniques.yaml", &err) == VRS_OK) {
		require(list.count >= 1 && list.count <= VRS_TECHNIQUES_MAX);
		for (int i = 0; i < list.count; i++) {
			const struct vrs_technique *t = &list.items[i];
			require(t->name[0] && (t->kind == VRS_TECHNIQUE_PAIR) == (t->reason[0] == 0));
			if (t->kind == VRS_TECHNIQUE_PAIR) {
				check_side(&t->off);
				check_side(&t->on);
			}
		}
	} else {
		require(err.text[0]);
	}
	free(text);
	return 0;
}
