/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of values in an ONNX file. */
#include <string.h>

#include "base/mem.h"
#include "graph/onnx_build.h"

#define FIRST_SLOTS 256

/* The slot of a name, or the empty one where it belongs. */
static size_t slot_of(const struct vrs_onnx_names *names, const char *name)
{
	size_t i = (size_t)vrs_secret_hash(&names->secret, name, strlen(name)) & (names->size - 1);

	while (names->slots[i].name != NULL && strcmp(names->slots[i].name, name) != 0)
		i = (i + 1) & (names->size - 1);
	return i;
}

static enum vrs_status grow(struct vrs_onnx_names *names, struct vrs_error *err)
{
	struct vrs_onnx_names wider = {.size = names->size > 0 ? names->size * 2 : FIRST_SLOTS};

	vrs_secret_init(&wider.secret);
	wider.slots = vrs_calloc(wider.size, sizeof *wider.slots);
	if (wider.slots == NULL)
		return vrs_fail_nomem(err);
	for (size_t i = 0; i < names->size; i++)
		if (names->slots[i].name != NULL)
			wider.slots[slot_of(&wider, names->slots[i].name)] = names->slots[i];
	wider.used = names->used;
	vrs_free(names->slots);
	*names = wider;
	return VRS_OK;
}

enum vrs_status vrs_onnx_names_put(struct vrs_onnx_names *names, const char *name, int32_t id, struct vrs_error *err)
{
	size_t i;

	if (names->used * 2 >= names->size)
		VRS_TRY(grow(names, err));
	i = slot_of(names, name);
	if (names->slots[i].name != NULL && names->slots[i].id >= 0)
		return vrs_fail(err, VRS_EFORMAT, "the value %.100s is defined twice", name);
	names->used += names->slots[i].name == NULL;
	names->slots[i].name = name;
	names->slots[i].id = id;
	return VRS_OK;
}

void vrs_onnx_names_hide(struct vrs_onnx_names *names, const char *name)
{
	if (names->size > 0 && vrs_onnx_names_find(names, name) >= 0)
		names->slots[slot_of(names, name)].id = -1;
}

int32_t vrs_onnx_names_find(const struct vrs_onnx_names *names, const char *name)
{
	size_t i;

	if (names->size == 0)
		return -1;
	i = slot_of(names, name);
	return names->slots[i].name != NULL ? names->slots[i].id : -1;
}

void vrs_onnx_names_fini(struct vrs_onnx_names *names)
{
	vrs_free(names->slots);
	memset(names, 0, sizeof *names);
}
