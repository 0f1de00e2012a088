/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which values no run of a result has, and why. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/machine.h>
#include <vrseg/perf_events.h>

#include "base/str_parse.h"
#include "bench/record/result.h"
#include "bench/stats/stats.h"

enum { NO_COUNTER = VRS_PERF_COUNT };

#define REAL(name) #name, offsetof(struct vrs_run, name), true
#define COUNT(name) #name, offsetof(struct vrs_run, name), false

static const char frames_words[] = "no run had the %d frames that it needs";

/* A value of struct vrs_run, and who knows why it is absent: a hardware counter, the machine (its word for it), or the words
 * here; without words it is a share of a ceiling. */
static const struct {
	const char *key;
	size_t offset;
	bool real;
	int counter;
	const char *machine, *words;
} value_table[] = {
	{COUNT(cycles), VRS_PERF_CYCLES, NULL, NULL},
	{COUNT(instructions), VRS_PERF_INSTRUCTIONS, NULL, NULL},
	{COUNT(cache_misses), VRS_PERF_CACHE_MISSES, NULL, NULL},
	{REAL(cycles_mhz), VRS_PERF_CYCLES, NULL, NULL},
	{REAL(miss_gbps), VRS_PERF_CACHE_MISSES, NULL, NULL},
	{REAL(net_gflops), NO_COUNTER, NULL, "no network was computed: the null backend, or a backend that does not tell its multiply-adds"},
	{REAL(net_peak_share), NO_COUNTER, NULL, NULL},
	{REAL(moved_gbps), NO_COUNTER, NULL, "no stage that moves pictures was busy"},
	{REAL(memory_share), NO_COUNTER, NULL, NULL},
	{REAL(frequency_mhz), NO_COUNTER, "frequency", "no run was long enough for a sample"},
	{REAL(temperature_c), NO_COUNTER, "temperature", "the sensor gave no value"},
	{REAL(power_watts), NO_COUNTER, "energy", "no run was long enough for two readings of the energy counter"},
	{REAL(joules_per_frame), NO_COUNTER, "energy", "no run was long enough for two readings of the energy counter"},
	{REAL(steal_percent), NO_COUNTER, "steal", "the runs were shorter than the clock that counts it"},
	{COUNT(throttle_events), NO_COUNTER, "cpu throttling", "the counters could not be read around a run"},
	{COUNT(swapped_in_pages), NO_COUNTER, NULL, "/proc/vmstat is not readable"},
	{REAL(device_percent), NO_COUNTER, "utilisation", "no GPU driver told it during a run"},
	{COUNT(device_peak_bytes), NO_COUNTER, "device memory", "no GPU driver told it during a run"},
	{REAL(device_watts), NO_COUNTER, "nvidia sensors", "no NVIDIA driver told it during a run"},
	{REAL(frame_p90_ms), NO_COUNTER, NULL, frames_words},
	{REAL(frame_p95_ms), NO_COUNTER, NULL, frames_words},
	{REAL(frame_p99_ms), NO_COUNTER, NULL, frames_words},
	{REAL(agreement), NO_COUNTER, NULL, "no mattes of the base configuration in fp32 to compare with"},
	{REAL(eye_agreement), NO_COUNTER, NULL, "the pictures have one eye"},
	{REAL(sampling_percent), NO_COUNTER, NULL, "nothing was sampled: the file beside the frame times could not be made"},
};

/* Frames that a percentile of their times takes. */
static int frames_for(size_t offset)
{
	double p = offset == offsetof(struct vrs_run, frame_p90_ms) ? 0.9 : offset == offsetof(struct vrs_run, frame_p95_ms) ? 0.95 : 0.99;
	return vrs_stats_quantile_min_n(p, 0.95);
}

/* Good runs of jobs, and whether one of them has the value. */
static int count_runs(const struct vrs_result *result, size_t offset, bool real, bool *ret_seen)
{
	int runs = 0;
	*ret_seen = false;
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		for (int k = 0; k < c->run_count && c->scope != VRS_SCOPE_NET_ONLY; k++) {
			double number = NAN;
			int64_t whole = -1;
			if (c->runs[k].status != VRS_RUN_OK)
				continue;
			runs++;
			memcpy(real ? (void *)&number : (void *)&whole, (const char *)&c->runs[k] + offset, 8);
			*ret_seen = *ret_seen || (real ? isfinite(number) : whole >= 0);
		}
	}
	return runs;
}

/* What of the comparison with truth no run has; the definition of the figures says why. */
static void add_quality(struct vrs_result *result)
{
	for (int i = 0; i < VRS_QUALITY_FIGURES && result->unavailable_count < VRS_RESULT_MAX_UNAVAILABLE; i++) {
		const struct vrs_quality_figure_info *info = vrs_quality_figure_info((enum vrs_quality_figure)i);
		bool seen;
		if (count_runs(result, vrs_run_quality_offset((enum vrs_quality_figure)i), true, &seen) == 0 || seen)
			continue;
		struct vrs_unavailable *to = &result->unavailable[result->unavailable_count++];
		vrs_strcpy(to->key, sizeof to->key, info->key);
		vrs_strcpy(to->reason, sizeof to->reason, info->missing);
	}
}

void vrs_unavailable_find(struct vrs_result *result, const struct vrs_machine *machine)
{
	struct vrs_perf_events events;
	vrs_perf_events_open(&events); /* only to ask */
	vrs_perf_events_close(&events);
	result->unavailable_count = 0;
	for (size_t i = 0; i < sizeof value_table / sizeof *value_table && result->unavailable_count < VRS_RESULT_MAX_UNAVAILABLE; i++) {
		bool seen;
		if (count_runs(result, value_table[i].offset, value_table[i].real, &seen) == 0 || seen)
			continue;
		struct vrs_unavailable *to = &result->unavailable[result->unavailable_count++];
		const char *told = machine && value_table[i].machine ? vrs_machine_absent(machine, value_table[i].machine) : NULL;
		vrs_strcpy(to->key, sizeof to->key, value_table[i].key);
		if (value_table[i].counter != NO_COUNTER)
			told = events.reason[value_table[i].counter][0] ? events.reason[value_table[i].counter] : "the counter never ran";
		if (!told && !value_table[i].words)
			told = result->ceilings.reason[0] ? result->ceilings.reason : "the rate that it is a share of was not observed";
		vrs_strcpy(to->reason, sizeof to->reason, told ? told : value_table[i].words);
		if (value_table[i].words == frames_words)
			snprintf(to->reason, sizeof to->reason, frames_words, frames_for(value_table[i].offset));
	}
	add_quality(result);
}
