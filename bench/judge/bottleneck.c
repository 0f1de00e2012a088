/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/bottleneck.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/figures/figures.h"
#include "base/str_parse.h"
#include "bench/judge/bottleneck_device.h"
#include "bench/judge/bottleneck_resources.h"
#include "bench/plan/case.h"

/* Thresholds of the rules, as shares of the frame time unless said otherwise. */
static const double stage_limit = 0.90;   /* a stage this busy sets the pace */
static const double traffic_limit = 0.50; /* of the bandwidth of memory: what is as near to a bound is limited by it (job/bound_report.c) */

static const double shown_wait_ms = 0.05; /* less is 0.0 in a sentence */

static void rank_stages(struct vrs_finder *f)
{
	f->first = f->second = VRS_STAGE_COUNT;
	for (int s = 0; s < VRS_STAGE_COUNT; s++) {
		int workers = f->in->workers[s] > 0 ? f->in->workers[s] : 1;
		f->busy[s] = f->in->busy_ms[s] / workers / f->in->frame_ms;
		if (isnan(f->busy[s]))
			continue;
		if (f->first == VRS_STAGE_COUNT || f->busy[s] > f->busy[f->first]) {
			f->second = f->first;
			f->first = (enum vrs_stage)s;
		} else if (f->second == VRS_STAGE_COUNT || f->busy[s] > f->busy[f->second]) {
			f->second = (enum vrs_stage)s;
		}
	}
}

/* Threads do not help a device, and of the precisions it computes in fp32 and fp16. */
static int advise_device(struct vrs_proposal p[VRS_ADVICE_PRECISIONS])
{
	p[0] = vrs_propose("engine.precision", "fp16");
	p[1] = vrs_propose("engine.device_tune", "fast");
	return 2;
}

/* Threads of an inference that there is room for: where the program counts streams, more threads are fewer streams. */
static int most_threads(const struct vrs_bottleneck_input *in)
{
	return in->auto_streams && !in->recurrent ? 1 : in->cpus / (in->streams > 1 ? in->streams : 1);
}

static void advise_stage(const struct vrs_finder *f, struct vrs_bottleneck *b, enum vrs_stage stage)
{
	struct vrs_proposal p[VRS_ADVICE_PRECISIONS] = {{.key = NULL}};
	char threads[12];
	int n = 0;
	if (stage == VRS_STAGE_DECODE)
		p[n++] = (struct vrs_proposal){"pipeline.decode_workers", "auto", false};
	else if (stage == VRS_STAGE_ENCODE)
		p[n++] = (struct vrs_proposal){"output.preset", "ultrafast", false};
	else if (stage == VRS_STAGE_INFERENCE && f->in->on_device)
		n = advise_device(p);
	else if ((stage == VRS_STAGE_PREPROCESS || stage == VRS_STAGE_INFERENCE) && f->in->threads < most_threads(f->in))
		p[n++] = vrs_propose("engine.threads", vrs_finder_number(most_threads(f->in), threads));
	else if (stage == VRS_STAGE_PREPROCESS || stage == VRS_STAGE_INFERENCE)
		n = vrs_advice_precision(f->in->result, p);
	vrs_finder_advise(f, b, p, n);
}

static void bound_words(double fps, enum vrs_stage next, char *buf, size_t size)
{
	if (!isfinite(fps))
		buf[0] = 0;
	else if (next < VRS_STAGE_COUNT)
		snprintf(buf, size, "; without it at most %.1f FPS, then %s limits", fps, vrs_stage_name(next));
	else
		snprintf(buf, size, "; without it at most %.1f FPS", fps);
}

static bool moves_pictures(enum vrs_stage stage)
{
	return stage == VRS_STAGE_PREPROCESS || stage == VRS_STAGE_COMPOSE;
}

/* How near the busiest stage is to what the machine can do. */
static void share_words(const struct vrs_finder *f, char *buf, size_t size)
{
	buf[0] = 0;
	if (f->first == VRS_STAGE_INFERENCE && f->in->net_peak_share > 0 && isfinite(f->in->net_gflops))
		snprintf(buf, size, "; it computes %.1f GFLOP/s, %.0f %% of the peak of %s", f->in->net_gflops, 100 * f->in->net_peak_share,
			 f->in->on_device ? "the device" : "its threads");
	else if (moves_pictures(f->first) && f->in->memory_share > 0 && isfinite(f->in->moved_gbps))
		snprintf(buf, size, "; preprocess and compose move %.1f GB/s, %.0f %% of the bandwidth of memory", f->in->moved_gbps, 100 * f->in->memory_share);
}

/* Nothing of a wait that the stage never has: threads that run the network wait before they preprocess and after they compose (pipeline/worker.c). */
static void wait_words(const struct vrs_finder *f, enum vrs_stage stage, char *buf, size_t size)
{
	static const bool takes[VRS_STAGE_COUNT] = {[VRS_STAGE_PREPROCESS] = true, [VRS_STAGE_POSTPROCESS] = true, [VRS_STAGE_COMPOSE] = true,
						   [VRS_STAGE_ENCODE] = true};
	static const bool passes_on[VRS_STAGE_COUNT] = {[VRS_STAGE_DECODE] = true, [VRS_STAGE_COMPOSE] = true};
	double in = f->in->wait_in_ms[stage], out = f->in->wait_out_ms[stage];
	bool has_in = in >= shown_wait_ms || (takes[stage] && isfinite(in)), has_out = out >= shown_wait_ms || (passes_on[stage] && isfinite(out));
	buf[0] = 0;
	if (has_in && has_out)
		snprintf(buf, size, "; it waits %.1f ms for input and %.1f ms for room", in, out);
	else if (has_in || has_out)
		snprintf(buf, size, "; it waits %.1f ms for %s", has_in ? in : out, has_in ? "input" : "room");
}

static void bandwidth_rule(struct vrs_finder *f)
{
	if (!moves_pictures(f->first) || f->busy[f->first] < VRS_FINDER_IDLE_LIMIT || !(f->in->memory_share >= traffic_limit))
		return;
	struct vrs_bottleneck *b = vrs_finder_add(f, "bandwidth-bound");
	if (!b)
		return;
	b->share = f->in->memory_share > 1 ? 1 : f->in->memory_share;
	b->stage = f->first;
	snprintf(b->sentence, sizeof b->sentence, "memory sets the pace of %s: more threads share the same bandwidth, smaller pictures need less of it",
		 vrs_stage_name(f->first));
	snprintf(b->evidence, sizeof b->evidence, "preprocess and compose move %.1f GB/s by plan, %.0f %% of what memory was measured to do",
		 f->in->moved_gbps, 100 * f->in->memory_share);
	b->fps_bound = 1e3 / (f->busy[f->first] * f->in->frame_ms * b->share);
	vrs_finder_say_gain(b, "with all of the bandwidth, and nothing else in the way");
}

static void stage_rule(struct vrs_finder *f)
{
	enum vrs_stage stage = f->first;
	char id[32], words[96];
	if (stage == VRS_STAGE_COUNT || f->busy[stage] < VRS_FINDER_IDLE_LIMIT)
		return;
	snprintf(id, sizeof id, "%s-bound", vrs_stage_name(stage));
	struct vrs_bottleneck *b = vrs_finder_add(f, id);
	if (!b)
		return;
	b->stage = stage;
	b->next_stage = f->second;
	b->share = f->busy[stage];
	b->fps_bound = vrs_finder_bound(f, stage, 0);
	bound_words(b->fps_bound, b->next_stage, words, sizeof words);
	snprintf(b->sentence, sizeof b->sentence, "%s %s the pace%s", vrs_stage_name(stage), b->share >= stage_limit ? "sets" : "mostly sets", words);
	int n = snprintf(b->evidence, sizeof b->evidence, "%s is busy %.1f ms of the %.1f ms of a frame (%.0f %%)", vrs_stage_name(stage),
			 b->share * f->in->frame_ms, f->in->frame_ms, 100 * b->share);
	if (f->second < VRS_STAGE_COUNT)
		n += snprintf(b->evidence + n, sizeof b->evidence - (size_t)n, ", next is %s with %.1f ms", vrs_stage_name(f->second),
			      f->busy[f->second] * f->in->frame_ms);
	wait_words(f, stage, words, sizeof words);
	n += snprintf(b->evidence + n, sizeof b->evidence - (size_t)n, "%s", words);
	share_words(f, words, sizeof words);
	snprintf(b->evidence + n, sizeof b->evidence - (size_t)n, "%s", words);
	advise_stage(f, b, stage);
}

static void cpu_rule(struct vrs_finder *f)
{
	if (!(f->cpu_share >= VRS_FINDER_CPU_LIMIT))
		return;
	struct vrs_bottleneck *b = vrs_finder_add(f, "cpu-bound");
	if (!b)
		return;
	b->share = f->cpu_share;
	b->stage = f->first;
	snprintf(b->sentence, sizeof b->sentence, "all %d CPUs are busy: only less work makes it faster, not more parallelism", f->in->cpus);
	snprintf(b->evidence, sizeof b->evidence, "%.1f ms of CPU time per frame are %.0f %% of what %d CPUs offer in %.1f ms", f->in->cpu_ms,
		 100 * f->cpu_share, f->in->cpus, f->in->frame_ms);
	if (f->first < VRS_STAGE_COUNT) {
		b->fps_bound = vrs_finder_bound(f, f->first, 0);
		vrs_finder_say_gain(b, "without all work of the busiest stage");
	}
	struct vrs_proposal p[1 + VRS_ADVICE_PRECISIONS] = {{"output.preset", "ultrafast", false}};
	vrs_finder_advise(f, b, p, 1 + (f->in->on_device ? 0 : vrs_advice_precision(f->in->result, p + 1)));
}

static void queue_rule(struct vrs_finder *f)
{
	if (f->first == VRS_STAGE_COUNT || f->busy[f->first] >= VRS_FINDER_IDLE_LIMIT || f->cpu_share >= VRS_FINDER_CPU_LIMIT || f->crowded)
		return;
	struct vrs_bottleneck *b = vrs_finder_add(f, "queue-bound");
	if (!b)
		return;
	double sum_wait = 0;
	for (int s = 0; s < VRS_STAGE_COUNT; s++)
		sum_wait += isfinite(f->in->wait_in_ms[s]) ? f->in->wait_in_ms[s] : 0;
	b->share = 1 - f->busy[f->first];
	b->stage = f->first;
	snprintf(b->sentence, sizeof b->sentence, "no stage is busy for more than %.0f %% of the time: frames wait for each other",
		 100 * VRS_FINDER_IDLE_LIMIT);
	snprintf(b->evidence, sizeof b->evidence, "the busiest stage is %s with %.1f ms of %.1f ms; stages wait %.1f ms per frame for input",
		 vrs_stage_name(f->first), f->busy[f->first] * f->in->frame_ms, f->in->frame_ms, sum_wait);
	double least = f->busy[f->first] * f->in->frame_ms; /* of a frame, for the busiest stage and for all CPUs */
	b->fps_bound = 1e3 / (f->in->cpus > 0 ? fmax(least, f->in->cpu_ms / f->in->cpus) : least);
	vrs_finder_say_gain(b, "where nothing waits");
	vrs_finder_advise(f, b, (const struct vrs_proposal[]){{"pipeline.queue_size", "8", false}, {"engine.streams", "2", false}},
			  f->in->streams < 2 ? 2 : 1);
}

int vrs_bottleneck_find(const struct vrs_bottleneck_input *input, struct vrs_bottleneck *ret, int max)
{
	struct vrs_finder f = {.in = input, .out = ret, .max = max, .cpu_share = NAN};
	if (!(input->frame_ms > 0) || !isfinite(input->frame_ms))
		return 0;
	if (input->cpus > 0)
		f.cpu_share = input->cpu_ms / (input->cpus * input->frame_ms);
	rank_stages(&f);
	vrs_bottleneck_others_rule(&f); /* what follows holds for such a machine only */
	/* A stage that is busy all the time explains more than busy CPUs; below that the CPUs come first. */
	bool stage_first = f.first < VRS_STAGE_COUNT && f.busy[f.first] >= stage_limit;
	if (stage_first)
		stage_rule(&f);
	cpu_rule(&f);
	if (!stage_first)
		stage_rule(&f);
	bandwidth_rule(&f);
	vrs_bottleneck_device_rules(&f);
	queue_rule(&f);
	vrs_bottleneck_resource_rules(&f);
	return f.count;
}

static void add_device(const struct vrs_result *result, const struct vrs_case_result *c, struct vrs_bottleneck_input *in)
{
	struct vrs_case values;
	int64_t batch;
	const char *asked = vrs_case_parse(c->id, &values, NULL) == VRS_OK ? vrs_case_get(&values, "engine.batch_size") : NULL;
	in->on_device = c->device[0] != 0;
	in->profile = in->on_device && result ? vrs_figure_profile(result, c) : NULL;
	in->device_bytes = (double)c->device_bytes;
	in->device_limit_bytes = c->device_limit_bytes > 0 ? (double)c->device_limit_bytes : NAN;
	in->device_percent = vrs_case_result_median(c, offsetof(struct vrs_run, device_percent));
	in->batch_asked = asked && vrs_parse_int(asked, 1, INT32_MAX, &batch) ? (int)batch : 0;
}

bool vrs_bottleneck_input_of_case(const struct vrs_result *result, const struct vrs_case_result *c, int cpus, struct vrs_bottleneck_input *ret)
{
	char streams[VRS_NAME_MAX];
	if (vrs_case_result_ok_runs(c) == 0)
		return false;
	struct vrs_bottleneck_input in = {.cpus = cpus, .threads = c->threads, .batch = c->batch, .streams = c->streams,
					 .result = result, .case_result = c};
	in.recurrent = c->state_bytes > 0;
	in.frame_ms = vrs_figure_frame_ms(c);
	in.eyes = c->layout == VRS_STEREO_MONO ? 1 : 2;
	for (int s = 0; s < VRS_STAGE_COUNT; s++) {
		size_t at = (size_t)s * sizeof(double);
		in.busy_ms[s] = vrs_figure_stage_ms(c, (enum vrs_stage)s);
		in.wait_in_ms[s] = vrs_case_result_median(c, offsetof(struct vrs_run, stage_wait_in_ms) + at);
		in.wait_out_ms[s] = vrs_case_result_median(c, offsetof(struct vrs_run, stage_wait_out_ms) + at);
		in.workers[s] = vrs_figure_stage_workers(c, (enum vrs_stage)s);
	}
	in.cpu_ms = c->cpu_ms_per_frame.n ? c->cpu_ms_per_frame.median : NAN;
	in.steal_percent = vrs_case_result_median(c, offsetof(struct vrs_run, steal_percent));
	in.others_percent = vrs_case_result_median(c, offsetof(struct vrs_run, others_percent));
	in.temperature_c = vrs_case_result_median(c, offsetof(struct vrs_run, temperature_c));
	in.net_gflops = vrs_case_result_median(c, offsetof(struct vrs_run, net_gflops));
	in.net_peak_share = vrs_case_result_median(c, offsetof(struct vrs_run, net_peak_share));
	in.moved_gbps = vrs_case_result_median(c, offsetof(struct vrs_run, moved_gbps));
	in.memory_share = vrs_case_result_median(c, offsetof(struct vrs_run, memory_share));
	in.peak_rss_bytes = c->peak_rss.n ? c->peak_rss.median : NAN;
	in.memory_limit_bytes = c->memory_limit_bytes > 0 ? (double)c->memory_limit_bytes : NAN;
	in.involuntary_per_second = vrs_figure_median(c, vrs_figure_involuntary_switches);
	in.throttle_events = vrs_figure_median(c, vrs_figure_throttle_events);
	in.live_hz = c->live_hz;
	in.live_failed = c->live_verdict == VRS_OUTCOME_FAIL;
	in.latency_p99_ms = vrs_case_result_median(c, offsetof(struct vrs_run, latency_p99_ms));
	in.latency_limit_ms = vrs_case_result_median(c, offsetof(struct vrs_run, live_deadline_ms));
	in.miss_percent = vrs_case_result_median(c, offsetof(struct vrs_run, live_miss_percent));
	vrs_advice_now(result, c, "engine.streams", streams, sizeof streams);
	in.auto_streams = strcmp(streams, "auto") == 0;
	add_device(result, c, &in);
	*ret = in;
	return true;
}
