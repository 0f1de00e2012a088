/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --net-only */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/operator_tables.h"
#include "base/printable.h"
#include "bench/modes/bench_program.h"
#include "bench/record/record_fields.h"
#include "bench/run/net_only.h"
#include "reports/report.h"

/* Peak of a session, weights included, against what no plan can go below: the largest set of tensors that live at a time, and the weights. */
static void print_memory(const struct vrs_net_only_result *r, FILE *out)
{
	const double mib = 1048576;
	size_t peak = r->arena_bytes + r->weight_bytes + r->scratch_bytes, bound = r->arena_lower_bound_bytes + r->weight_bytes;
	if (bound == 0)
		return;
	fprintf(out, "memory: %.2f MiB (tensors %.2f, packed weights %.2f, scratch of all threads %.2f), %.2f times the lower bound of %.2f MiB\n",
		(double)peak / mib, (double)r->arena_bytes / mib, (double)r->weight_bytes / mib, (double)r->scratch_bytes / mib,
		(double)peak / (double)bound, (double)bound / mib);
}

/* What it takes until there is a first result, in inferences: a network that is opened for one picture should not wait for its plan. */
static void print_start(const struct vrs_net_only_result *r, FILE *out)
{
	fprintf(out, "start: network %.2f ms, plan %.2f ms, first run %.2f ms", r->load_ms, r->create_ms, r->first_ms);
	if (r->median_ms > 0)
		fprintf(out, "; network and plan cost %.1f inferences", (r->load_ms + r->create_ms) / r->median_ms);
	fputc('\n', out);
}

/* Lines for people: calibration, memory, times. */
static void print_result(const struct vrs_net_only_result *r, FILE *out)
{
	if (r->calibration)
		fprintf(out, "calibration: %s\n", strcmp(r->calibration, "kept") == 0 ? "the one that vrseg --calibrate has kept" :
			"made on synthetic pictures, good for times only; vrseg --calibrate keeps a real one");
	print_memory(r, out);
	print_start(r, out);
	vrs_print_text(out, r->model);
	fprintf(out, " %dx%d, batch %d, %s %s %s, %d thread%s: median %.3f ms, min %.3f ms over %ld runs, %.1f GMAC/s (scope=net_only)\n", r->width,
		r->height, r->batch, r->backend, r->isa, vrs_precision_name(r->precision), r->threads, r->threads == 1 ? "" : "s", r->median_ms,
		r->min_ms, r->runs, r->gmacs_per_second);
}

static bool put_result(cJSON *o, const struct vrs_net_only_result *r)
{
	return vrs_json_put_string(o, "scope", "net_only") && vrs_json_put_string(o, "input_kind", "synthetic") &&
	       (!r->calibration || vrs_json_put_string(o, "calibration", r->calibration)) &&
	       vrs_json_put_string(o, "model", r->model) && vrs_json_put_string(o, "backend", r->backend) && vrs_json_put_string(o, "isa", r->isa) &&
	       vrs_json_put_string(o, "precision", vrs_precision_name(r->precision)) &&
	       vrs_json_put_int(o, "threads", r->threads) && vrs_json_put_int(o, "batch", r->batch) && vrs_json_put_int(o, "width", r->width) &&
	       vrs_json_put_int(o, "height", r->height) && vrs_json_put_int(o, "steps", r->steps) && vrs_json_put_int(o, "macs", (int64_t)r->macs) &&
	       vrs_json_put_int(o, "runs", r->runs) && vrs_json_put_int(o, "warmup_runs", r->warmup_runs) &&
	       vrs_json_put_number(o, "median_ms", r->median_ms) && vrs_json_put_number(o, "min_ms", r->min_ms) &&
	       vrs_json_put_number(o, "mean_ms", r->mean_ms) && vrs_json_put_number(o, "max_ms", r->max_ms) &&
	       vrs_json_put_number(o, "p90_ms", r->p90_ms) && vrs_json_put_number(o, "p95_ms", r->p95_ms) &&
	       vrs_json_put_number(o, "p99_ms", r->p99_ms) && vrs_json_put_number(o, "first_ms", r->first_ms) &&
	       vrs_json_put_number(o, "load_ms", r->load_ms) && vrs_json_put_number(o, "create_ms", r->create_ms) &&
	       vrs_json_put_number(o, "gmacs_per_second", r->gmacs_per_second) && vrs_json_put_number(o, "output_mean", r->output_mean) &&
	       vrs_json_put_int(o, "arena_bytes", (int64_t)r->arena_bytes) &&
	       vrs_json_put_int(o, "arena_lower_bound_bytes", (int64_t)r->arena_lower_bound_bytes) &&
	       vrs_json_put_int(o, "weight_bytes", (int64_t)r->weight_bytes) &&
	       vrs_json_put_int(o, "scratch_bytes", (int64_t)r->scratch_bytes);
}

/* One JSON object in one line, and the profile unless it is NULL. */
static enum vrs_status put_json(const struct vrs_net_only_result *result, const struct vrs_net_profile *profile, FILE *out)
{
	cJSON *object = cJSON_CreateObject();
	bool whole = object && put_result(object, result);
	if (whole && profile) {
		cJSON *to = vrs_json_put_object(object, "profile");
		whole = to && vrs_net_profile_put(to, profile);
	}
	return vrs_json_put_line(object, whole, out);
}

static enum vrs_status write_net_json(const struct vrs_net_only_result *result, const struct vrs_net_profile *profile, const char *path,
				      FILE *standard, struct vrs_error *err)
{
	FILE *out = strcmp(path, "-") == 0 ? standard : fopen(path, "we");
	if (!out)
		return vrs_fail(err, VRS_EIO, "cannot write %s: %s", path, strerror(errno));
	enum vrs_status status = put_json(result, profile, out);
	if (out != standard && fclose(out) != 0)
		status = VRS_EIO;
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "cannot write %s: %s", path, vrs_status_str(status));
}

static enum vrs_status print_operators(const struct vrs_net_profile *profile, FILE *out)
{
	struct vrs_findings *findings = vrs_findings_create();
	if (!findings)
		return VRS_ENOMEM;
	snprintf(findings->title, sizeof findings->title, "The network alone: %s", profile->model);
	vrs_operator_table(profile, findings);
	return vrs_report_show(findings, out, NULL);
}

enum vrs_status vrs_bench_mode_net_only(struct vrs_bench_program *program, struct vrs_error *err)
{
	const struct vrs_bench_args *args = &program->args;
	struct vrs_net_only_options options;
	struct vrs_net_only_result result;
	struct vrs_net_profile profile;
	enum vrs_status status = vrs_net_only_options_from(&options, vrs_config_settings(program->config), err);
	if (status != VRS_OK)
		return status;
	vrs_net_profile_init(&profile); /* no device, no run: it is freed all the same */
	options.duration_seconds = args->duration > 0 ? args->duration : 5;
	options.session.profile = args->profile_ops;
	status = vrs_backend_has_devices(options.session.backend) ? vrs_machine_probe_opencl(options.session.device, err) : VRS_OK;
	if (status == VRS_OK)
		status = vrs_net_only_run(&options, &result, &profile, err);
	if (status == VRS_OK && args->profile_ops)
		status = print_operators(&profile, program->out);
	if (status == VRS_OK && args->json)
		status = write_net_json(&result, args->profile_ops ? &profile : NULL, args->json, program->out, err);
	else if (status == VRS_OK)
		print_result(&result, program->out);
	vrs_net_profile_fini(&profile);
	return status;
}
