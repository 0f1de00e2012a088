/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/profile_sweep.h"

#include <math.h>
#include <string.h>

#include "base/stop.h"
#include "base/str_parse.h"
#include "bench/plan/case.h"

struct vrs_net_only_options vrs_net_only_options_from(const struct vrs_settings *settings)
{
	struct vrs_net_only_options options = {.model = settings->engine.model, .session = vrs_session_options_default(), .seed = 1};
	options.session.backend = settings->engine.backend;
	options.session.precision = (enum vrs_precision)settings->engine.precision;
	options.session.threads = settings->engine.threads;
	options.session.affinity = (enum vrs_affinity)settings->engine.affinity;
	options.session.batch = settings->engine.batch_size ? settings->engine.batch_size : 1;
	options.session.input_width = settings->engine.input_size[0];
	options.session.input_height = settings->engine.input_size[1];
	options.session.fusion = settings->engine.fusion;
	options.session.deterministic = settings->engine.deterministic;
	options.session.autotune = settings->engine.autotune_kernels;
	return options;
}

/* Does the profile hold for the case? Only what the network call depends on is compared. */
static bool holds_for(const struct vrs_net_profile *p, const struct vrs_case_result *c)
{
	return strcmp(p->model, c->model) == 0 && strcmp(p->precision, c->precision) == 0 && strcmp(p->backend, c->backend) == 0 &&
	       p->threads == c->threads && p->batch == c->batch && p->width == c->net_width && p->height == c->net_height;
}

static bool is_known(const struct vrs_result *result, const struct vrs_case_result *c)
{
	for (int i = 0; i < result->profile_count; i++)
		if (holds_for(&result->profiles[i], c))
			return true;
	return false;
}

/* The network of one case, with the sizes as they came out in its runs. */
static enum vrs_status profile_case(const struct vrs_case_result *c, const struct vrs_config *base, double seconds, struct vrs_net_profile *ret,
				    struct vrs_error *err)
{
	struct vrs_case values;
	struct vrs_config *config = NULL;
	struct vrs_net_only_result timing;
	enum vrs_status status = vrs_case_parse(c->id, &values, err);
	if (status == VRS_OK)
		status = vrs_case_config(&values, base, &config, err);
	if (status != VRS_OK)
		return status;
	struct vrs_net_only_options options = vrs_net_only_options_from(vrs_config_settings(config));
	options.session.threads = c->threads;
	options.session.batch = c->batch;
	options.session.input_width = c->net_width;
	options.session.input_height = c->net_height;
	options.session.profile = true;
	options.duration_seconds = seconds;
	status = vrs_net_only_run(&options, &timing, ret, err);
	vrs_strcpy(ret->model, sizeof ret->model, c->model);
	vrs_config_destroy(config);
	return status;
}

enum vrs_status vrs_profile_sweep(struct vrs_result *result, const struct vrs_config *base, double seconds, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < result->case_count && status == VRS_OK; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		if (vrs_case_result_ok_runs(c) == 0 || is_known(result, c))
			continue;
		if (vrs_stop_requested())
			return VRS_ESTOPPED;
		struct vrs_net_profile *profile = vrs_result_add_profile(result);
		if (!profile)
			return vrs_fail(err, VRS_ENOMEM, "there is not enough memory for the profile of another network");
		status = profile_case(c, base, seconds, profile, err);
		if (status != VRS_OK)
			vrs_result_drop_profile(result);
	}
	return status;
}
