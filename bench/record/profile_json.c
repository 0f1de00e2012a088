/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles in results.json and in the line of --net-only --json. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "bench/record/net_profile.h"
#include "bench/record/record_fields.h"

bool vrs_net_profile_put(cJSON *object, const struct vrs_net_profile *profile)
{
	cJSON *ops = vrs_fields_write(object, vrs_profile_fields, profile) ? vrs_json_put_array(object, "ops") : NULL;
	bool ok = ops != NULL;
	for (int i = 0; i < profile->op_count && ok; i++) {
		cJSON *op = cJSON_CreateObject();
		ok = op && cJSON_AddItemToArray(ops, op) && vrs_fields_write(op, vrs_op_fields, &profile->ops[i]);
	}
	return ok;
}

static enum vrs_status get_ops(const cJSON *ops, struct vrs_net_profile *profile, const char *name, const char *place, struct vrs_error *err)
{
	int count = cJSON_GetArraySize(ops);
	const cJSON *item;
	if (count > VRS_PROFILE_MAX_OPS)
		return vrs_fail_at(err, VRS_ELIMIT, name, 0, 0, "%sops has more than %d elements", place, VRS_PROFILE_MAX_OPS);
	profile->ops = vrs_calloc((size_t)count + 1, sizeof *profile->ops);
	if (!profile->ops)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to read %s", name);
	cJSON_ArrayForEach(item, ops) {
		struct vrs_op_row *op = &profile->ops[profile->op_count];
		char here[96];
		snprintf(here, sizeof here, "%sops[%d].", place, profile->op_count);
		*op = (struct vrs_op_row){.ms = NAN, .share = NAN, .macs = -1, .bytes = -1, .gflops = NAN, .peak_share = NAN, .gbps = NAN,
					 .memory_share = NAN};
		if (!cJSON_IsObject(item))
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "%sops[%d] must be an object", place, profile->op_count);
		enum vrs_status status = vrs_fields_read(item, vrs_op_fields, op, name, here, err);
		if (status != VRS_OK)
			return status;
		profile->op_count++;
	}
	return VRS_OK;
}

enum vrs_status vrs_net_profile_get(const cJSON *object, struct vrs_net_profile *profile, const char *name, const char *place, struct vrs_error *err)
{
	const cJSON *ops = cJSON_GetObjectItemCaseSensitive(object, "ops");
	vrs_net_profile_init(profile);
	enum vrs_status status = vrs_fields_read(object, vrs_profile_fields, profile, name, place, err);
	if (status != VRS_OK)
		return status;
	if (!cJSON_IsArray(ops))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "%sops must be an array", place);
	return get_ops(ops, profile, name, place, err);
}
