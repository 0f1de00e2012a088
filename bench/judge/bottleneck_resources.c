/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/bottleneck_resources.h"

#include <math.h>
#include <stdio.h>

#include "bench/judge/noise_gate.h"

static const double memory_limit = 0.80;  /* of the allowed memory */
static const double low_limit = 0.50;     /* CPUs that do less than half of what they could, for us and others */
static const double steal_limit = 1.0;    /* percent */
static const double switch_limit = 50;    /* involuntary switches per second and CPU */

#define MEMORY_FRACTION "0.7"             /* of the allowed memory: below memory_limit, with room for what nobody plans */

static void memory_rule(struct vrs_finder *f)
{
	double share = f->in->peak_rss_bytes / f->in->memory_limit_bytes;
	char half[12];
	int n = 0;
	if (!(isfinite(share) && share >= memory_limit))
		return;
	struct vrs_bottleneck *b = vrs_finder_add(f, "memory-limited");
	if (!b)
		return;
	b->share = share;
	snprintf(b->sentence, sizeof b->sentence, "memory is nearly used up");
	snprintf(b->evidence, sizeof b->evidence,
		 "the peak of %.0f MiB is %.0f %% of the %.0f MiB allowed; less of it keeps jobs from failing, and brings no speed",
		 f->in->peak_rss_bytes / 1048576, 100 * share, f->in->memory_limit_bytes / 1048576);
	struct vrs_proposal p[3] = {{"pipeline.queue_size", "2", false}};
	n = 1;
	if (f->in->batch > 1)
		p[n++] = vrs_propose("engine.batch_size", vrs_finder_number(f->in->batch / 2, half));
	p[n++] = vrs_propose("engine.max_memory_fraction", MEMORY_FRACTION);
	vrs_finder_advise(f, b, p, n);
}

/* What decoder and encoder hold up, more work at once for the network does not help. */
static bool waits_for_video(const struct vrs_finder *f)
{
	return (f->first == VRS_STAGE_DECODE || f->first == VRS_STAGE_ENCODE) && f->busy[f->first] >= VRS_FINDER_IDLE_LIMIT;
}

/* CPUs are idle while a device computes: that has rules of its own. */
static bool waits_for_device(const struct vrs_finder *f)
{
	return f->in->on_device && (f->first == VRS_STAGE_INFERENCE || f->first == VRS_STAGE_COUNT);
}

static void idle_rule(struct vrs_finder *f)
{
	char twice[12];
	if (!(f->cpu_share < low_limit) || f->crowded || f->in->live_hz > 0 || waits_for_video(f) || waits_for_device(f))
		return;
	struct vrs_bottleneck *b = vrs_finder_add(f, "low-utilization");
	if (!b)
		return;
	b->share = 1 - f->cpu_share;
	b->fps_bound = 1e3 * f->in->cpus / f->in->cpu_ms;
	snprintf(b->sentence, sizeof b->sentence, "CPUs are idle for more than half of the time: give them more to do at once");
	snprintf(b->evidence, sizeof b->evidence, "%.1f ms of CPU time per frame are %.0f %% of what %d CPUs offer in %.1f ms", f->in->cpu_ms,
		 100 * f->cpu_share, f->in->cpus, f->in->frame_ms);
	vrs_finder_say_gain(b, "where all CPUs work all the time");
	struct vrs_proposal p[3] = {{"pipeline.decode_workers", "auto", false}};
	int n = 1;
	if (f->in->streams < 2)
		p[n++] = vrs_propose("engine.streams", "2");
	if (f->in->batch > 0 && f->in->batch <= 128)
		p[n++] = vrs_propose("engine.batch_size", vrs_finder_number(2 * f->in->batch, twice));
	vrs_finder_advise(f, b, p, n);
}

/* What brings frames out sooner: less work of the stage that most of the time goes into, or of the network where none stands out. */
static int advise_latency(const struct vrs_finder *f, struct vrs_proposal p[VRS_ADVICE_PRECISIONS])
{
	bool stands_out = f->first < VRS_STAGE_COUNT && f->busy[f->first] >= VRS_FINDER_IDLE_LIMIT;
	if (stands_out && f->first == VRS_STAGE_DECODE)
		p[0] = vrs_propose("pipeline.decode_workers", "auto");
	else if (stands_out && f->first == VRS_STAGE_ENCODE)
		p[0] = vrs_propose("output.preset", "ultrafast");
	else if (stands_out && f->first == VRS_STAGE_COMPOSE)
		return 0;
	else if (f->in->on_device)
		p[0] = vrs_propose("engine.precision", "fp16");
	else
		return vrs_advice_precision(f->in->result, p);
	return 1;
}

static void latency_rule(struct vrs_finder *f)
{
	const struct vrs_bottleneck_input *in = f->in;
	double frames = in->eyes > 0 ? (double)in->batch / in->eyes : 0; /* that fill a batch */
	double waiting = frames > 1 ? 1e3 * (frames - 1) / in->live_hz : 0;
	char smaller[12];
	int n = 0;
	if (!in->live_failed)
		return;
	struct vrs_bottleneck *b = vrs_finder_add(f, "high-latency");
	if (!b)
		return;
	b->share = in->miss_percent / 100;
	b->stage = f->first;
	snprintf(b->sentence, sizeof b->sentence, "frames come too late for %.0f a second", in->live_hz);
	int used = snprintf(b->evidence, sizeof b->evidence, "%.2f %% of the frames miss their deadline of %.1f ms", in->miss_percent, in->latency_limit_ms);
	if (isfinite(in->latency_p99_ms))
		used += snprintf(b->evidence + used, sizeof b->evidence - (size_t)used, ", 99 %% are done after %.1f ms", in->latency_p99_ms);
	if (waiting > 0)
		snprintf(b->evidence + used, sizeof b->evidence - (size_t)used, "; the first frame of a batch waits %.1f ms for the others: at most that much less",
			 waiting);
	struct vrs_proposal p[1 + VRS_ADVICE_PRECISIONS];
	if (in->batch > 1 && frames > 1)
		p[n++] = vrs_propose("engine.batch_size", vrs_finder_number(in->batch / 2, smaller));
	vrs_finder_advise(f, b, p, n + advise_latency(f, p + n));
}

static void heat_rule(struct vrs_finder *f)
{
	char threads[12];
	if (!(f->in->throttle_events > 0))
		return;
	struct vrs_bottleneck *b = vrs_finder_add(f, "thermal-bound");
	if (!b)
		return;
	b->share = 1;
	snprintf(b->sentence, sizeof b->sentence, "heat sets the pace: the CPU lowered its clock; cool it, or give it less to do at once");
	int used = snprintf(b->evidence, sizeof b->evidence, "it throttled %.0f times during a run", f->in->throttle_events);
	if (isfinite(f->in->temperature_c))
		snprintf(b->evidence + used, sizeof b->evidence - (size_t)used, ", at %.0f degrees Celsius", f->in->temperature_c);
	if (f->in->threads > 1)
		vrs_finder_advise(f, b, (const struct vrs_proposal[]){vrs_propose("engine.threads", vrs_finder_number(f->in->threads / 2, threads))}, 1);
}

void vrs_bottleneck_others_rule(struct vrs_finder *f)
{
	double others = f->in->others_percent / 100;
	if (!(others > VRS_NOISE_OTHERS_LIMIT))
		return;
	f->crowded = f->cpu_share + others >= low_limit;
	struct vrs_bottleneck *b = vrs_finder_add(f, "busy-machine");
	if (!b)
		return;
	b->share = others;
	snprintf(b->sentence, sizeof b->sentence, "other processes use the CPUs: stop them (ps -eo pcpu,args --sort=-pcpu) and measure again");
	snprintf(b->evidence, sizeof b->evidence, "others used %.0f %% of %d CPUs; these figures are those of the disturbed machine", f->in->others_percent,
		 f->in->cpus);
}

static void noise_rules(struct vrs_finder *f)
{
	struct vrs_bottleneck *b;
	if (f->in->steal_percent > steal_limit && (b = vrs_finder_add(f, "stolen-cpu"))) {
		b->share = f->in->steal_percent / 100;
		snprintf(b->sentence, sizeof b->sentence, "other virtual machines take CPU time from this one");
		snprintf(b->evidence, sizeof b->evidence, "%.1f %% of the CPU time was stolen", f->in->steal_percent);
	}
	double per_cpu = f->in->involuntary_per_second / (f->in->cpus > 0 ? f->in->cpus : 1);
	if (per_cpu > switch_limit && f->cpu_share >= VRS_FINDER_CPU_LIMIT && (b = vrs_finder_add(f, "thread-starved"))) {
		b->share = f->cpu_share;
		snprintf(b->sentence, sizeof b->sentence, "more threads want to run than there are CPUs");
		snprintf(b->evidence, sizeof b->evidence, "%.0f involuntary context switches per second on %d CPUs", f->in->involuntary_per_second,
			 f->in->cpus);
		struct vrs_proposal p[3] = {{"pipeline.decode_workers", "1", false}, {"engine.streams", "1", false}, {"engine.threads", "1", false}};
		vrs_finder_advise(f, b, p, f->in->threads > 1 || f->in->streams > 1 ? 3 : 1);
	}
}

void vrs_bottleneck_resource_rules(struct vrs_finder *f)
{
	memory_rule(f);
	latency_rule(f);
	idle_rule(f);
	heat_rule(f);
	noise_rules(f);
}
