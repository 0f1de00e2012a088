/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Life cycle of the record and values over runs. The text form is in result_json.c. */
#include "bench/record/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/session.h>

#include "base/buf.h"
#include "base/mem.h"

void vrs_result_ceilings_words(const struct vrs_result_ceilings *c, char *buf, size_t size)
{
	buf[0] = 0;
	if (c->triad_gbps > 0 && c->fma_gflops_1 > 0)
		snprintf(buf, size, "%s, %d thread%s: %.1f GFLOP/s each (fp32 multiply-adds in registers), %.1f GB/s from %s", c->isa, c->threads,
			 c->threads == 1 ? "" : "s", c->fma_gflops_1, c->triad_gbps, c->leaves_cache ? "memory" : "caches and memory");
}

enum vrs_status vrs_result_create(struct vrs_result **ret_result)
{
	struct vrs_result *result = vrs_calloc(1, sizeof *result);
	if (!result)
		return VRS_ENOMEM;
	result->injected_slowdown = NAN;
	vrs_profile_run_init(&result->profile_run);
	vrs_result_ceilings_init(&result->ceilings);
	*ret_result = result;
	return VRS_OK;
}

void vrs_case_result_fini(struct vrs_case_result *c)
{
	vrs_free(c->runs);
	c->runs = NULL;
	c->run_count = 0;
	c->run_capacity = 0;
}

void vrs_result_destroy(struct vrs_result *result)
{
	if (!result)
		return;
	for (int i = 0; i < result->case_count; i++)
		vrs_case_result_fini(&result->cases[i]);
	while (result->profile_count > 0)
		vrs_result_drop_profile(result);
	vrs_free(result->profiles);
	vrs_free(result->cases);
	vrs_free(result);
}

struct vrs_case_result *vrs_result_add_case(struct vrs_result *result)
{
	void *items = result->cases;
	if (vrs_array_grow(&items, &result->case_capacity, (size_t)result->case_count + 1, sizeof *result->cases, VRS_RESULT_MAX_CASES) != VRS_OK)
		return NULL;
	result->cases = items;
	struct vrs_case_result *c = &result->cases[result->case_count++];
	vrs_case_result_init(c);
	return c;
}

struct vrs_net_profile *vrs_result_add_profile(struct vrs_result *result)
{
	void *items = result->profiles;
	if (vrs_array_grow(&items, &result->profile_capacity, (size_t)result->profile_count + 1, sizeof *result->profiles, VRS_RESULT_MAX_PROFILES) !=
	    VRS_OK)
		return NULL;
	result->profiles = items;
	struct vrs_net_profile *profile = &result->profiles[result->profile_count++];
	vrs_net_profile_init(profile);
	return profile;
}

void vrs_result_drop_profile(struct vrs_result *result)
{
	vrs_net_profile_fini(&result->profiles[--result->profile_count]);
}

struct vrs_run *vrs_case_result_add_run(struct vrs_case_result *c)
{
	void *items = c->runs;
	size_t need = (size_t)c->run_count + 1, room = need + need / 4; /* a few large ones in each of many cases: a quarter more, not twice as many */
	if (room > VRS_RESULT_MAX_RUNS)
		room = VRS_RESULT_MAX_RUNS;
	if (vrs_array_grow(&items, &c->run_capacity, need, sizeof *c->runs, room) != VRS_OK)
		return NULL;
	c->runs = items;
	struct vrs_run *run = &c->runs[c->run_count++];
	vrs_run_init(run);
	return run;
}

void vrs_case_result_copy_without_runs(struct vrs_case_result *to, const struct vrs_case_result *from)
{
	*to = *from;
	to->runs = NULL;
	to->run_count = 0;
	to->run_capacity = 0;
}

enum vrs_status vrs_case_result_copy_run(struct vrs_case_result *to, const struct vrs_run *run)
{
	struct vrs_run *copy = vrs_case_result_add_run(to);
	if (!copy)
		return VRS_ENOMEM;
	*copy = *run;
	return VRS_OK;
}

bool vrs_case_result_is_side(const struct vrs_case_result *c, char side)
{
	const char part[] = {'/', 's', 'i', 'd', 'e', '=', side, 0};
	return strstr(c->id, part) != NULL; /* a '/' inside a value is written %2F */
}

struct vrs_case_result *vrs_result_find_case(const struct vrs_result *result, const char *id)
{
	for (int i = 0; i < result->case_count; i++)
		if (strcmp(result->cases[i].id, id) == 0)
			return &result->cases[i];
	return NULL;
}

bool vrs_case_result_same_kind(const struct vrs_case_result *a, const struct vrs_case_result *b)
{
	return a->scope == b->scope && !(fabs(a->live_hz - b->live_hz) > 0) &&
	       vrs_case_result_uses_null_backend(a) == vrs_case_result_uses_null_backend(b);
}

bool vrs_device_is_same(const char *device, const char *driver, const char *other_device, const char *other_driver)
{
	return !device[0] || !other_device[0] || (strcmp(device, other_device) == 0 && strcmp(driver, other_driver) == 0);
}

bool vrs_case_result_same_device(const struct vrs_case_result *a, const struct vrs_case_result *b)
{
	return vrs_device_is_same(a->device, a->driver, b->device, b->driver);
}

bool vrs_case_result_uses_null_backend(const struct vrs_case_result *c)
{
	return !vrs_backend_computes(c->backend);
}

bool vrs_run_counts(const struct vrs_run *run)
{
	return run->status == VRS_RUN_OK && !run->excluded[0];
}

bool vrs_case_result_uses(const struct vrs_case_result *c, const struct vrs_run *run)
{
	if (run->status != VRS_RUN_OK || !run->excluded[0])
		return run->status == VRS_RUN_OK;
	for (int i = 0; i < c->run_count; i++)
		if (vrs_run_counts(&c->runs[i]))
			return false;
	return true;
}

size_t vrs_run_quality_offset(enum vrs_quality_figure figure)
{
	static const size_t offsets[VRS_QUALITY_FIGURES] = {
		[VRS_FIGURE_IOU] = offsetof(struct vrs_run, iou),
		[VRS_FIGURE_IOU_WORST] = offsetof(struct vrs_run, iou_worst),
		[VRS_FIGURE_MAD] = offsetof(struct vrs_run, mad),
		[VRS_FIGURE_BOUNDARY_F] = offsetof(struct vrs_run, boundary_f),
		[VRS_FIGURE_DTSSD] = offsetof(struct vrs_run, dtssd),
		[VRS_FIGURE_CONTOUR_F] = offsetof(struct vrs_run, contour_f),
		[VRS_FIGURE_BOX_MAD] = offsetof(struct vrs_run, box_mad),
		[VRS_FIGURE_BOX_MSE] = offsetof(struct vrs_run, box_mse),
		[VRS_FIGURE_BOX_DTSSD] = offsetof(struct vrs_run, box_dtssd),
		[VRS_FIGURE_EYES] = offsetof(struct vrs_run, disparity_agreement),
		[VRS_FIGURE_EYES_TRUTH] = offsetof(struct vrs_run, disparity_agreement_truth),
	};
	return offsets[figure];
}

double *vrs_run_quality(struct vrs_run *run, enum vrs_quality_figure figure)
{
	return (double *)(void *)((char *)run + vrs_run_quality_offset(figure));
}

bool vrs_run_has_quality(const struct vrs_run *run)
{
	return run->status == VRS_RUN_OK && (!isnan(run->agreement) || !isnan(run->iou));
}

/* The first good run that has a figure; NULL: none has. */
static struct vrs_run *compared_run(const struct vrs_case_result *c, bool encoded)
{
	for (int i = 0; i < c->run_count; i++) {
		struct vrs_run *run = &c->runs[i];
		if (run->status == VRS_RUN_OK && (encoded ? isfinite(run->encode_ssim) : vrs_run_has_quality(run)))
			return run;
	}
	return NULL;
}

/* A live run keeps no file, whose size could be known. */
static void keep_output(struct vrs_run *to, const struct vrs_case_result *from)
{
	if (!isfinite(to->output_bytes_per_frame))
		to->output_bytes_per_frame = vrs_case_result_median(from, offsetof(struct vrs_run, output_bytes_per_frame));
	if (!isfinite(to->output_kbps))
		to->output_kbps = vrs_case_result_median(from, offsetof(struct vrs_run, output_kbps));
}

void vrs_case_result_keep_quality(struct vrs_case_result *to, const struct vrs_case_result *from)
{
	const struct vrs_run *matte = compared_run(from, false), *encoded = compared_run(from, true);
	struct vrs_run *first = NULL;
	for (int i = to->run_count - 1; i >= 0; i--)
		if (to->runs[i].status == VRS_RUN_OK)
			first = &to->runs[i];
	if (first && encoded && !compared_run(to, true))
		first->encode_ssim = encoded->encode_ssim;
	if (first)
		keep_output(first, from);
	if (!first || !matte || compared_run(to, false))
		return;
	for (int i = 0; i < VRS_QUALITY_FIGURES; i++)
		memcpy(vrs_run_quality(first, (enum vrs_quality_figure)i), (const char *)matte + vrs_run_quality_offset((enum vrs_quality_figure)i),
		       sizeof(double));
	first->agreement = matte->agreement;
	first->quality_frames = matte->quality_frames;
	first->first_mattes = matte->first_mattes;
}

bool vrs_case_result_is_default(const struct vrs_case_result *c)
{
	return strcmp(c->axis, VRS_AXIS_DEFAULT) == 0; /* edge: any option may be an axis, so that it is a text in files and journals */
}

bool vrs_case_result_is_skipped(const struct vrs_case_result *c)
{
	return c->skipped[0] != 0;
}

bool vrs_case_result_is_invalid(const struct vrs_case_result *c)
{
	return c->invalid[0] != 0;
}

bool vrs_case_result_ran_out(const struct vrs_case_result *c)
{
	return c->run_count > 0 && c->runs[c->run_count - 1].status == VRS_RUN_OOM && vrs_case_result_ok_runs(c) == 0;
}

/* The first good run that compared mattes; NULL: none, or not recorded. */
static const struct vrs_run *run_with_mattes(const struct vrs_case_result *c)
{
	for (int i = 0; i < c->run_count; i++)
		if (c->runs[i].status == VRS_RUN_OK && c->runs[i].quality_frames > 0)
			return &c->runs[i];
	return NULL;
}

int vrs_case_result_mattes(const struct vrs_case_result *c)
{
	const struct vrs_run *run = run_with_mattes(c);
	return run ? run->quality_frames : 0;
}

bool vrs_case_result_same_mattes(const struct vrs_case_result *a, const struct vrs_case_result *b)
{
	int of_a = vrs_case_result_mattes(a), of_b = vrs_case_result_mattes(b);
	return of_a == 0 || of_b == 0 || of_a == of_b;
}

int vrs_case_result_common_quality(const struct vrs_case_result *a, const struct vrs_case_result *b, enum vrs_quality_figure figure, double *ret_a,
				   double *ret_b)
{
	*ret_a = *ret_b = NAN;
	if (vrs_case_result_same_mattes(a, b)) {
		*ret_a = vrs_case_result_median(a, vrs_run_quality_offset(figure));
		*ret_b = vrs_case_result_median(b, vrs_run_quality_offset(figure));
		return 0;
	}
	const struct vrs_matte_prefixes *x = &run_with_mattes(a)->first_mattes, *y = &run_with_mattes(b)->first_mattes;
	int last = vrs_matte_prefixes_common(x, y);
	if (last < 0)
		return -1;
	*ret_a = (double)x->figures[last][figure];
	*ret_b = (double)y->figures[last][figure];
	return x->mattes[last];
}

const char *vrs_case_result_settings(const struct vrs_result *result, const struct vrs_case_result *c)
{
	return strstr(c->id, "/side=A") ? result->versus_config : result->base_config; /* a '/' inside a value is written %2F */
}

int vrs_case_result_ok_runs(const struct vrs_case_result *c)
{
	int count = 0;
	for (int i = 0; i < c->run_count; i++)
		count += c->runs[i].status == VRS_RUN_OK;
	return count;
}

int vrs_case_result_counted_runs(const struct vrs_case_result *c)
{
	int n = 0;
	for (int i = 0; i < c->run_count; i++)
		n += vrs_run_counts(&c->runs[i]);
	return n;
}

/* Figures that are the same in every run, and taken in one (vrs_case_result_keep_quality). */
static bool is_of_case(size_t offset)
{
	for (int i = 0; i < VRS_QUALITY_FIGURES; i++)
		if (offset == vrs_run_quality_offset((enum vrs_quality_figure)i))
			return true;
	return offset == offsetof(struct vrs_run, agreement) || offset == offsetof(struct vrs_run, encode_ssim);
}

static int collect_values(const struct vrs_case_result *c, size_t offset, bool any, double *values)
{
	int n = 0;
	for (int i = 0; i < c->run_count; i++) {
		double value;
		memcpy(&value, (const char *)&c->runs[i] + offset, sizeof value);
		if (isfinite(value) && (any ? c->runs[i].status == VRS_RUN_OK : vrs_case_result_uses(c, &c->runs[i])))
			values[n++] = value;
	}
	return n;
}

int vrs_case_result_values(const struct vrs_case_result *c, size_t offset, double *values)
{
	int n = collect_values(c, offset, false, values);
	return n > 0 || !is_of_case(offset) ? n : collect_values(c, offset, true, values); /* noise changes no matte */
}

double vrs_case_result_median(const struct vrs_case_result *c, size_t offset)
{
	double median = NAN, *values = vrs_realloc_array(NULL, (size_t)c->run_count + 1, sizeof *values);
	if (!values)
		return NAN;
	int n = vrs_case_result_values(c, offset, values);
	if (n == 0 || vrs_stats_median(values, n, &median) != VRS_OK)
		median = NAN;
	vrs_free(values);
	return median;
}
