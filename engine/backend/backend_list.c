/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of backends.  "auto" is the first; the two after it have to be asked for by name. */
#include <string.h>

#include <vrseg/session.h>

#include "backend/backend.h"

static const struct vrs_backend *const backends[] = {&vrs_backend_cpu, &vrs_backend_ref, &vrs_backend_null, NULL};

const struct vrs_backend *vrs_backend_find(const char *name)
{
	for (int i = 0; backends[i] != NULL; i++)
		if (strcmp(name, "auto") == 0 || strcmp(name, backends[i]->name) == 0)
			return backends[i];
	return NULL;
}

bool vrs_backend_computes(const char *name)
{
	return strcmp(name, vrs_backend_null.name) != 0;
}
