/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The network alone as a case of a sweep.  A call takes `batch` inputs, a frame has as many inputs as it has eyes, so
 *   frames per second = calls x batch / eyes / time of all calls
 * is the rate that a job could have if nothing but the network cost time.
 */
#include <math.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/run/child_run.h"
#include "bench/run/net_only.h"

static void take_info(const struct vrs_net_only_result *r, int eyes, struct vrs_run_info *info)
{
	*info = (struct vrs_run_info){.eyes = eyes, .batch = r->batch, .threads = r->threads, .streams = 1, .net_width = r->width,
				      .net_height = r->height};
	vrs_strcpy(info->backend, sizeof info->backend, r->backend);
	vrs_strcpy(info->isa, sizeof info->isa, r->isa);
	vrs_strcpy(info->model, sizeof info->model, r->model);
	vrs_strcpy(info->device, sizeof info->device, r->device);
	vrs_strcpy(info->driver, sizeof info->driver, r->driver);
	info->device_bytes = r->device_bytes;
	info->device_limit_bytes = r->device_limit_bytes;
}

static void take_times(const struct vrs_net_only_result *r, int eyes, struct vrs_run *run)
{
	double frames_per_call = (double)r->batch / eyes, per_frame = 1 / frames_per_call;
	run->frames = llround((double)r->runs * frames_per_call);
	run->wall_seconds = 1e-3 * r->mean_ms * (double)r->runs;
	run->fps = r->mean_ms > 0 ? 1e3 * frames_per_call / r->mean_ms : NAN;
	run->frame_mean_ms = per_frame * r->mean_ms;
	run->frame_median_ms = per_frame * r->median_ms;
	run->frame_p90_ms = per_frame * r->p90_ms;
	run->frame_p95_ms = per_frame * r->p95_ms;
	run->frame_p99_ms = per_frame * r->p99_ms;
	run->frame_max_ms = per_frame * r->max_ms;
	run->latency_median_ms = r->median_ms; /* of a call: no frame is ready before its batch */
	run->latency_p95_ms = r->p95_ms;
	run->latency_p99_ms = r->p99_ms;
	run->net_ms = r->median_ms;
	if (r->macs > 0 && vrs_backend_computes(r->backend)) { /* macs are of a call */
		run->net_gflop_per_frame = 2e-9 * (double)r->macs * per_frame;
		run->net_gflops = 2e-6 * (double)r->macs / r->mean_ms;
	}
	run->load_ms = r->load_ms + r->create_ms;
	run->first_frame_ms = r->first_ms;
	run->warmup_settled = true;
}

enum vrs_status vrs_child_net(const struct vrs_run_request *request, const struct vrs_settings *settings, struct vrs_run_reply *reply,
			      struct vrs_error *err)
{
	struct vrs_net_only_options options;
	struct vrs_net_only_result result;
	enum vrs_status status = vrs_net_only_options_from(&options, settings, err);
	if (status != VRS_OK)
		return status;
	int eyes = request->eyes > 0 ? request->eyes : 1;
	options.session.batch = settings->engine.batch_size ? settings->engine.batch_size : eyes;
	options.duration_seconds = request->rules.duration_seconds < 0.01 ? 0.01 : request->rules.duration_seconds;
	if (request->rules.max_frames > 0)
		options.max_runs = (request->rules.max_frames * eyes + options.session.batch - 1) / options.session.batch;
	status = vrs_net_only_run(&options, &result, NULL, err);
	if (status != VRS_OK)
		return status;
	take_info(&result, eyes, &reply->info);
	take_times(&result, eyes, &reply->run);
	reply->run.cpu_seconds = result.cpu_seconds;
	reply->run.warmup_seconds = result.warmup_seconds;
	uint64_t peak = vrs_peak_rss_bytes();
	if (peak)
		reply->run.peak_rss_bytes = (int64_t)peak;
	return VRS_OK;
}
