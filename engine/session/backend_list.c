/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/backend_list.h"

#include <string.h>

#include "base/names.h"
#include "opencl/backend_opencl.h"
#include "session/frame_devices.h"

/*
 * "auto" is the first, which runs everywhere and gives the same bits, also where there is a GPU, as long as none has been measured; all others have
 * to be asked for by name.
 */
static const struct vrs_backend *const backends[] = {
	&vrs_backend_cpu,
	&vrs_backend_opencl,
	&vrs_backend_ref,
	&vrs_backend_null,
};
#define BACKENDS (sizeof backends / sizeof backends[0])

static enum vrs_status no_backend(const char *name, struct vrs_error *err)
{
	const char *list[1 + BACKENDS] = {"auto"};
	const struct vrs_names names = VRS_NAMES(list);
	char text[128];

	for (size_t i = 0; i < BACKENDS; i++)
		list[1 + i] = backends[i]->name;
	vrs_names_join(&names, text, sizeof text);
	return vrs_fail(err, VRS_ENOTFOUND, "there is no backend \"%s\" in this build; use %s", name, text);
}

enum vrs_status vrs_backend_find(const struct vrs_backend **ret_backend, const char *name, struct vrs_error *err)
{
	bool is_auto = name == NULL || strcmp(name, "auto") == 0;

	for (size_t i = 0; i < BACKENDS; i++) {
		if (is_auto || strcmp(name, backends[i]->name) == 0) {
			*ret_backend = backends[i];
			return VRS_OK;
		}
	}
	return no_backend(name, err);
}

const struct vrs_frame_device *vrs_frame_device_find(const char *name)
{
	const struct vrs_backend *backend;

	return vrs_backend_find(&backend, name, NULL) == VRS_OK ? backend->frames : NULL;
}

const char *vrs_backend_name(const char *name)
{
	const struct vrs_backend *backend;

	return vrs_backend_find(&backend, name, NULL) == VRS_OK ? backend->name : NULL;
}

bool vrs_backend_has_devices(const char *name)
{
	const struct vrs_backend *backend;

	return vrs_backend_find(&backend, name, NULL) == VRS_OK && backend->upload != NULL;
}

enum vrs_status vrs_backend_check(const struct vrs_session_options *options, struct vrs_error *err)
{
	const struct vrs_backend *backend = NULL;
	struct vrs_session_options settled = *options;
	enum vrs_status status = vrs_backend_find(&backend, options->backend, err);

	if (status != VRS_OK || backend->check == NULL)
		return status;
	if (options->precision == VRS_PRECISION_AUTO)
		settled.precision = vrs_precision_choose(backend->name, NULL, NULL);
	return backend->check(&settled, err);
}

enum vrs_status vrs_session_devices(struct vrs_device_set *ret, const char *backend, const char *text, struct vrs_error *err)
{
	const struct vrs_backend *found = NULL;
	enum vrs_status status = vrs_backend_find(&found, backend, err);

	*ret = (struct vrs_device_set){.count = 0};
	return status == VRS_OK && found->devices != NULL ? found->devices(ret, text != NULL ? text : "", err) : status;
}

bool vrs_backend_computes(const char *name)
{
	return name == NULL || strcmp(name, vrs_backend_null.name) != 0;
}
