/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/figures/figures.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "bench/stats/stats.h"

static double per_second(int64_t count, const struct vrs_run *run)
{
	return count >= 0 && run->process_seconds > 0 ? (double)count / run->process_seconds : NAN;
}

double vrs_figure_fps(const struct vrs_run *run)
{
	return run->fps;
}

double vrs_figure_output_bytes(const struct vrs_run *run)
{
	return run->output_bytes_per_frame;
}

double vrs_figure_latency_ms(const struct vrs_run *run)
{
	return run->latency_median_ms;
}

double vrs_figure_cpu_ms(const struct vrs_run *run)
{
	return vrs_run_ms_per_frame(run, run->cpu_seconds);
}

double vrs_figure_user_ms(const struct vrs_run *run)
{
	return vrs_run_ms_per_frame(run, run->user_seconds);
}

double vrs_figure_system_ms(const struct vrs_run *run)
{
	return vrs_run_ms_per_frame(run, run->system_seconds);
}

double vrs_figure_involuntary_switches(const struct vrs_run *run)
{
	return per_second(run->involuntary_switches, run);
}

double vrs_figure_voluntary_switches(const struct vrs_run *run)
{
	return per_second(run->voluntary_switches, run);
}

double vrs_figure_throttle_events(const struct vrs_run *run)
{
	return run->throttle_events < 0 ? NAN : (double)run->throttle_events;
}

double vrs_figure_instructions_per_cycle(const struct vrs_run *run)
{
	return run->cycles > 0 && run->instructions > 0 ? (double)run->instructions / (double)run->cycles : NAN;
}

double vrs_figure_clock_mhz(const struct vrs_run *run)
{
	return isfinite(run->cycles_mhz) ? run->cycles_mhz : run->frequency_mhz;
}

int vrs_figure_values(const struct vrs_case_result *c, vrs_figure figure, double *values)
{
	int n = 0;
	for (int i = 0; i < c->run_count; i++) {
		double one = vrs_case_result_uses(c, &c->runs[i]) ? figure(&c->runs[i]) : NAN;
		if (isfinite(one))
			values[n++] = one;
	}
	return n;
}

double vrs_figure_median(const struct vrs_case_result *c, vrs_figure figure)
{
	double median = NAN, *values = vrs_realloc_array(NULL, (size_t)c->run_count + 1, sizeof *values);
	if (values && vrs_stats_median(values, vrs_figure_values(c, figure, values), &median) != VRS_OK)
		median = NAN;
	vrs_free(values);
	return median;
}

double vrs_figure_frame_ms(const struct vrs_case_result *c)
{
	double fps = vrs_case_result_median(c, offsetof(struct vrs_run, fps));
	return fps > 0 ? 1e3 / fps : NAN;
}

int vrs_figure_stage_workers(const struct vrs_case_result *c, enum vrs_stage stage)
{
	bool in_streams = stage == VRS_STAGE_PREPROCESS || stage == VRS_STAGE_INFERENCE || stage == VRS_STAGE_POSTPROCESS;
	return in_streams && c->streams > 1 ? c->streams : 1;
}

double vrs_figure_stage_ms(const struct vrs_case_result *c, enum vrs_stage stage)
{
	return vrs_case_result_median(c, offsetof(struct vrs_run, stage_busy_ms) + (size_t)stage * sizeof(double));
}

double vrs_figure_stage_share(const struct vrs_case_result *c, enum vrs_stage stage)
{
	return vrs_figure_stage_ms(c, stage) / vrs_figure_stage_workers(c, stage) / vrs_figure_frame_ms(c);
}

double vrs_figure_cpu_share(const struct vrs_case_result *c, int cpus)
{
	double ms = c->cpu_ms_per_frame.n ? c->cpu_ms_per_frame.median : NAN;
	return cpus > 0 ? ms / (cpus * vrs_figure_frame_ms(c)) : NAN;
}

static double share(double rate, double ceiling)
{
	return isfinite(rate) && ceiling > 0 ? rate / ceiling : NAN;
}

const struct vrs_net_profile *vrs_figure_profile(const struct vrs_result *result, const struct vrs_case_result *c)
{
	for (int i = 0; i < result->profile_count; i++) {
		const struct vrs_net_profile *p = &result->profiles[i];
		if (strcmp(p->model, c->model) == 0 && p->precision == c->precision && strcmp(p->backend, c->backend) == 0 &&
		    strcmp(p->device, c->device) == 0 && (p->device[0] || p->threads == c->threads) && p->batch == c->batch && p->width == c->net_width &&
		    p->height == c->net_height)
			return p;
	}
	return NULL;
}

/* Of a device it is measured with the profile of any network that ran there. */
static double device_peak(const struct vrs_result *result, const char *device)
{
	for (int i = 0; i < result->profile_count; i++)
		if (strcmp(result->profiles[i].device, device) == 0 && result->profiles[i].peak_gflops > 0)
			return result->profiles[i].peak_gflops;
	return NAN;
}

static double peak_share(const struct vrs_result *result, const struct vrs_case_result *c, const struct vrs_run *run)
{
	return share(run->net_gflops, c->device[0] ? device_peak(result, c->device) : result->ceilings.fma_gflops_1 * c->threads);
}

void vrs_figures_fill_shares(struct vrs_result *result)
{
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		for (int k = 0; k < c->run_count; k++) {
			double of_peak = peak_share(result, c, &c->runs[k]);
			c->runs[k].net_peak_share = of_peak <= 1 ? of_peak : NAN;
			c->runs[k].memory_share = share(c->runs[k].moved_gbps, result->ceilings.triad_gbps);
		}
	}
}

/* The peak is that of fp32 multiply-adds. */
static bool computes_in_fp32(const struct vrs_case_result *c)
{
	return c->precision == VRS_PRECISION_FP32 || c->precision == VRS_PRECISION_FP16;
}

double vrs_figures_above_peak(const struct vrs_result *result)
{
	double most = NAN;
	for (int i = 0; i < result->case_count; i++)
		for (int k = 0; k < result->cases[i].run_count; k++) {
			double of_peak = peak_share(result, &result->cases[i], &result->cases[i].runs[k]);
			if (of_peak > 1 && computes_in_fp32(&result->cases[i]))
				most = fmax(most, of_peak);
		}
	return most;
}
