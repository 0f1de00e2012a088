/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/net_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str_parse.h"

#define MAX_SAMPLES 2000
#define MAX_VALUES (MAX_SAMPLES * 256) /* samples times operations: large networks take few samples in any time */

void vrs_net_profile_fini(struct vrs_net_profile *profile)
{
	vrs_free(profile->ops);
	profile->ops = NULL;
	profile->op_count = 0;
}

enum vrs_status vrs_profile_sampler_begin(struct vrs_profile_sampler *s, struct vrs_session *session)
{
	const struct vrs_op_profile *rows;
	*s = (struct vrs_profile_sampler){.ops = vrs_session_profile(session, &rows)};
	if (s->ops < 1 || s->ops > VRS_PROFILE_MAX_OPS)
		return VRS_EINVAL;
	size_t values = (size_t)s->ops * MAX_SAMPLES < MAX_VALUES ? (size_t)s->ops * MAX_SAMPLES : MAX_VALUES;
	s->last_ns = vrs_calloc((size_t)s->ops, sizeof *s->last_ns);
	s->ms = vrs_realloc_array(NULL, values, sizeof *s->ms);
	if (!s->last_ns || !s->ms)
		return VRS_ENOMEM;
	for (int i = 0; i < s->ops; i++)
		s->last_ns[i] = rows[i].total_ns;
	return VRS_OK;
}

void vrs_profile_sampler_add(struct vrs_profile_sampler *s, struct vrs_session *session)
{
	const struct vrs_op_profile *rows;
	size_t at = (size_t)s->samples * (size_t)s->ops;
	if (s->samples >= MAX_SAMPLES || at + (size_t)s->ops > MAX_VALUES || vrs_session_profile(session, &rows) != s->ops)
		return;
	for (int i = 0; i < s->ops; i++) {
		s->ms[at + (size_t)i] = (float)(1e-6 * (double)(rows[i].total_ns - s->last_ns[i]));
		s->last_ns[i] = rows[i].total_ns;
	}
	s->samples++;
}

void vrs_profile_sampler_fini(struct vrs_profile_sampler *s)
{
	vrs_free(s->last_ns);
	vrs_free(s->ms);
	*s = (struct vrs_profile_sampler){0};
}

static int rising(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

static double median_ms(const struct vrs_profile_sampler *s, int op, float *work)
{
	for (int k = 0; k < s->samples; k++)
		work[k] = s->ms[(size_t)k * (size_t)s->ops + (size_t)op];
	qsort(work, (size_t)s->samples, sizeof *work, rising);
	return s->samples ? 0.5 * ((double)work[(s->samples - 1) / 2] + (double)work[s->samples / 2]) : 0;
}

static void rate(double amount, double ms, double ceiling, double *ret_rate, double *ret_share)
{
	*ret_rate = amount > 0 && ms > 0 ? 1e-6 * amount / ms : NAN;
	*ret_share = ceiling > 0 ? *ret_rate / ceiling : NAN;
}

/* What comes faster than memory gives comes from caches. */
static double of_memory(double share)
{
	return share <= 1 ? share : NAN;
}

enum row_kind { ROW_KERNEL, ROW_HOST, ROW_UP, ROW_DOWN, ROW_GAP };

/* By the words of engine/opencl/backend_opencl.c. */
static enum row_kind kind_of(const struct vrs_op_row *row)
{
	if (strcmp(row->kernel, "transfer") == 0)
		return strncmp(row->name, "upload ", 7) == 0 ? ROW_UP : ROW_DOWN;
	return strcmp(row->kernel, "gap") == 0 ? ROW_GAP : strcmp(row->kernel, "host") == 0 ? ROW_HOST : ROW_KERNEL;
}

/* What its bytes go through: memory, or the way between host and device. */
static double bandwidth_of(const struct vrs_net_profile *profile, const struct vrs_op_row *row)
{
	enum row_kind kind = profile->device[0] ? kind_of(row) : ROW_KERNEL;
	return kind == ROW_UP ? profile->upload_gbps : kind == ROW_DOWN ? profile->download_gbps : profile->triad_gbps;
}

static void fill_row(struct vrs_op_row *row, const struct vrs_op_profile *op, double ms, const struct vrs_net_profile *profile)
{
	vrs_strcpy(row->name, sizeof row->name, op->name);
	vrs_strcpy(row->kernel, sizeof row->kernel, op->kernel);
	row->ms = ms;
	row->macs = (int64_t)op->macs;
	row->bytes = (int64_t)op->bytes;
	row->weight_bytes = (int64_t)op->weight_bytes;
	row->items = op->items > 0 ? (int64_t)op->items : -1;
	rate(2.0 * (double)op->macs, ms, profile->peak_gflops, &row->gflops, &row->peak_share);
	rate((double)op->bytes, ms, bandwidth_of(profile, row), &row->gbps, &row->memory_share);
	if (strcmp(row->kernel, "transfer") != 0)
		row->memory_share = of_memory(row->memory_share);
}

/* A ceiling that nobody could measure is absent. */
static double known(double ceiling)
{
	return ceiling > 0 ? ceiling : NAN;
}

void vrs_net_profile_host(struct vrs_net_profile *profile, const struct vrs_peaks *peaks)
{
	profile->fma_gflops_1 = peaks->best.fma_gflops_1;
	profile->fma_gflops_all = peaks->best.fma_gflops_all;
	profile->triad_gbps = peaks->best.triad_gbps;
	profile->peak_gflops = peaks->best.fma_gflops_1 * peaks->best.threads;
	vrs_strcpy(profile->peak_note, sizeof profile->peak_note, peaks->note);
}

void vrs_net_profile_device(struct vrs_net_profile *profile, const char *device, const struct vrs_device_ceilings *ceilings)
{
	vrs_strcpy(profile->device, sizeof profile->device, device);
	profile->fma_gflops_1 = NAN;
	profile->fma_gflops_all = profile->peak_gflops = known(ceilings->fma_gflops);
	profile->triad_gbps = known(ceilings->copy_gbps);
	profile->upload_gbps = known(ceilings->upload_gbps);
	profile->download_gbps = known(ceilings->download_gbps);
	profile->launch_us = known(ceilings->launch_us);
	profile->full_items = ceilings->full_items > 0 ? ceilings->full_items : -1;
}

void vrs_net_profile_sum_device(struct vrs_net_profile *p)
{
	double ms[ROW_GAP + 1] = {0}, small_ms = 0, macs = 0, bytes = 0, unused;
	int64_t count[ROW_GAP + 1] = {0};
	if (!p->device[0])
		return;
	for (int i = 0; i < p->op_count; i++) {
		const struct vrs_op_row *row = &p->ops[i];
		enum row_kind kind = kind_of(row);
		ms[kind] += row->ms;
		count[kind]++;
		if (kind != ROW_KERNEL)
			continue;
		macs += (double)row->macs;
		bytes += (double)row->bytes;
		if (row->items < p->full_items)
			small_ms += row->ms;
	}
	p->kernels = count[ROW_KERNEL];
	p->host_ops = count[ROW_HOST];
	p->kernel_ms = ms[ROW_KERNEL];
	p->gap_ms = ms[ROW_GAP];
	p->upload_ms = ms[ROW_UP];
	p->download_ms = ms[ROW_DOWN];
	p->small_share = p->kernel_ms > 0 && p->full_items > 0 ? small_ms / p->kernel_ms : NAN;
	rate(2.0 * macs, p->kernel_ms, p->peak_gflops, &unused, &p->kernel_peak_share);
	rate(bytes, p->kernel_ms, p->triad_gbps, &unused, &p->kernel_memory_share);
}

enum vrs_status vrs_net_profile_fill(struct vrs_net_profile *profile, const struct vrs_profile_sampler *sampler, struct vrs_session *session)
{
	const struct vrs_op_profile *rows;
	int count = vrs_session_profile(session, &rows);
	if (count != sampler->ops)
		return VRS_EINVAL;
	profile->ops = vrs_calloc((size_t)count, sizeof *profile->ops);
	float *work = vrs_realloc_array(NULL, MAX_SAMPLES, sizeof *work);
	if (!profile->ops || !work) {
		vrs_free(work);
		return VRS_ENOMEM;
	}
	profile->op_count = count;
	profile->runs = sampler->samples;
	profile->ms = 0;
	profile->macs = profile->bytes = 0;
	for (int i = 0; i < count; i++) {
		fill_row(&profile->ops[i], &rows[i], median_ms(sampler, i, work), profile);
		profile->ms += profile->ops[i].ms;
		profile->macs += profile->ops[i].macs;
		profile->bytes += profile->ops[i].bytes;
	}
	for (int i = 0; i < count; i++)
		profile->ops[i].share = profile->ms > 0 ? profile->ops[i].ms / profile->ms : 0;
	rate(2.0 * (double)profile->macs, profile->ms, profile->peak_gflops, &profile->gflops, &profile->peak_share);
	rate((double)profile->bytes, profile->ms, profile->triad_gbps, &profile->gbps, &profile->memory_share);
	profile->memory_share = of_memory(profile->memory_share);
	vrs_net_profile_sum_device(profile);
	vrs_free(work);
	return VRS_OK;
}
