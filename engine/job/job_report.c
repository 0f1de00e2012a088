/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job says at its end: its stages (--stats), its targets, and how close each stage came to what the machine allows. */
#include <vrseg/progress.h>

#include <inttypes.h>
#include <math.h>

#include "base/latency.h"
#include "base/printable.h"

#include <vrseg/peaks.h>
#include <vrseg/session.h>

#define RATE_SLACK 0.99 /* a rate within 1 % of the target meets it, since the clock of a source and ours differ */
#define RATE_NEEDS 2    /* frames, of a live job */
#define NEAR 2.0        /* took at most this many times its bound: the bound is what limits it */

struct unit {             /* threads that do one part of the work */
	const char *name;
	uint64_t busy_ns;
	int threads;
};

static double ms_per_frame(uint64_t ns, uint64_t frames)
{
	return frames ? (double)ns / 1e6 / (double)frames : 0;
}

static void print_stage(const struct vrs_stage_stats *stage, const char *name, const struct vrs_job_stats *stats, int threads, int width, FILE *out)
{
	double had = (double)stats->wall_ns * threads;
	double part = had > 0 ? 100.0 / had : 0;
	fprintf(out, "%-*s %8llu %10.2f %9.2f %8.1f %%  %7.1f %%  %7.1f %%\n", width, name, (unsigned long long)stage->frames,
		ms_per_frame(stage->busy_ns, stats->frames_done), ms_per_frame(stage->cpu_ns, stats->frames_done), (double)stage->busy_ns * part,
		(double)stage->wait_input_ns * part, (double)stage->wait_output_ns * part);
}

/* The queues of a device are no stages: they work while inference waits for them. */
static void print_device(const struct vrs_job_stats *stats, int width, FILE *out)
{
	static const char *const names[VRS_DEVICE_QUEUES] = {"host-to-device", "on the device", "device-to-host"};
	for (int q = 0; q < VRS_DEVICE_QUEUES; q++)
		if (stats->device[q].runs)
			fprintf(out, "%-*s %8llu %10.2f %9s %8.1f %%\n", width, names[q], (unsigned long long)stats->device[q].runs,
				ms_per_frame(stats->device[q].busy_ns, stats->frames_done), "-",
				100.0 * (double)stats->device[q].busy_ns / (double)stats->wall_ns);
}

/* The own threads of a decoder, an encoder and a device's driver are not ours to clock; what is left of the process is theirs. */
static uint64_t library_cpu(const struct vrs_job_stats *stats)
{
	uint64_t ours = 0;
	for (int i = VRS_STAGE_PREPROCESS; i <= VRS_STAGE_COMPOSE; i++)
		ours += stats->stage[i].cpu_ns;
	return stats->cpu_ns > ours ? stats->cpu_ns - ours : 0;
}

static void print_verdict(const struct vrs_job_stats *stats, const struct vrs_job_info *info, FILE *out)
{
	const struct vrs_stage_stats *s = stats->stage;
	uint64_t composing = s[VRS_STAGE_COMPOSE].busy_ns;
	uint64_t work = s[VRS_STAGE_PREPROCESS].busy_ns + s[VRS_STAGE_INFERENCE].busy_ns + s[VRS_STAGE_POSTPROCESS].busy_ns +
			(info->composes_apart ? 0 : composing);
	const struct unit units[] = {{"decoding", s[VRS_STAGE_DECODE].busy_ns, 1}, {"the network and its pictures", work, info->streams},
		{"composing", info->composes_apart ? composing : 0, 1}, {"encoding", s[VRS_STAGE_ENCODE].busy_ns, 1}};
	const struct unit *limit = &units[0];
	for (size_t i = 1; i < sizeof units / sizeof units[0]; i++)
		if ((double)units[i].busy_ns / units[i].threads > (double)limit->busy_ns / limit->threads)
			limit = &units[i];
	double wall = (double)stats->wall_ns, cpus = (double)stats->cpu_ns / wall, share = (double)limit->busy_ns / limit->threads / wall;
	fprintf(out, "CPU: %.2f of %d in use, %.1f ms per frame, of which %.1f are %s\n", cpus, info->cpus,
		ms_per_frame(stats->cpu_ns, stats->frames_done), ms_per_frame(library_cpu(stats), stats->frames_done),
		info->device[0] ? "the decoder's, the encoder's and the device driver's" : "the decoder's and encoder's");
	if (info->live && !stats->live.dropped && share < 0.9) {
		fprintf(out, "limit: the pace of the source (%s: busy %.0f %% of the time)\n", limit->name, 100 * share);
		return;
	}
	fprintf(out, "limit: %s, busy %.0f %% of the time%s\n", limit->name, 100 * share,
		cpus > 0.9 * info->cpus ? "; all CPUs are in use, so only less work makes it faster" : "");
}

void vrs_job_print_agreement(const struct vrs_job_stats *stats, FILE *out)
{
	if (stats->eyes_compared)
		fprintf(out, "eyes: their mattes agree by %.4f, worst %.4f in frame %lld\n", stats->eyes_sum / (double)stats->eyes_compared,
			stats->eyes_worst, (long long)stats->eyes_worst_frame);
}

static void print_early_exit(const struct vrs_job_stats *stats, const struct vrs_job_info *info, FILE *out)
{
	char model[4 * sizeof info->early_model]; /* a manifest may give it any name */
	if (!stats->early_looks)
		return;
	fprintf(out, "early exit: %s was enough for %llu of %llu looks (%.0f %%), mean confidence %.4f\n",
		vrs_printable(model, sizeof model, info->early_model), (unsigned long long)stats->early_enough, (unsigned long long)stats->early_looks,
		100.0 * (double)stats->early_enough / (double)stats->early_looks, stats->early_confidence / (double)stats->early_looks);
}

/*
 * Utilisation is busy time over the time that the threads of a stage had; the stage that is most utilised limits the job, unless all CPUs are busy:
 * then the work itself does.
 */
void vrs_stage_report(const struct vrs_job_stats *stats, const struct vrs_job_info *info, FILE *out)
{
	if (!stats->frames_done || !stats->wall_ns)
		return;
	int width = stats->device[VRS_DEVICE_COMPUTE].runs ? 14 : 12; /* of the first column: names of a device's queues are longer */
	fprintf(out, "%-*s %8s %10s %9s %10s %10s %10s\n", width, "stage", "frames", "ms/frame", "cpu ms", "busy", "starved", "blocked");
	for (int i = 0; i < VRS_STAGE_COUNT; i++) {
		bool worker = i >= VRS_STAGE_PREPROCESS && i <= VRS_STAGE_COMPOSE;
		print_stage(&stats->stage[i], vrs_stage_name((enum vrs_stage)i), stats, worker ? info->streams : 1, width, out);
	}
	print_device(stats, width, out);
	vrs_job_print_agreement(stats, out);
	if (stats->frames_reused)
		fprintf(out, "reused: %llu of %llu frames did without the network\n", (unsigned long long)stats->frames_reused,
			(unsigned long long)stats->frames_done);
	print_early_exit(stats, info, out);
	print_verdict(stats, info, out);
	fprintf(out, "memory: peak %.0f MiB, frames in queues at most %.0f MiB\n", (double)stats->peak_rss_bytes / 1048576,
		(double)stats->queue_bytes / 1048576);
}

/*
 * The rate of a live job counts from its first shown frame to its last; NaN: there are not two.  Frames that have waited for others (smoothing, a
 * stride) are shown at once: together they stand for the time between those at which they were due.
 */
static double rate_of(const struct vrs_job_stats *stats, bool live)
{
	const struct vrs_live_stats *l = &stats->live;
	uint64_t frames = stats->frames_done, ns = stats->wall_ns;
	if (live) {
		uint64_t shown_ns = l->last_shown_ns - l->first_shown_ns, due_ns = l->last_due_ns > l->first_due_ns ? l->last_due_ns - l->first_due_ns : 0;
		ns = shown_ns > due_ns ? shown_ns : due_ns;
		if (frames < RATE_NEEDS || ns == 0)
			return NAN;
		frames--;
	}
	return ns ? (double)frames * 1e9 / (double)ns : 0;
}

static int print_rate(double value, double target, FILE *out)
{
	bool met = value >= RATE_SLACK * target;
	if (isnan(value)) {
		fprintf(out, "%-12s %9s %9.2f  not enough frames (needs %d)\n", "frames/s", "-", target, RATE_NEEDS);
		return 0;
	}
	fprintf(out, "%-12s %9.2f %9.2f  %s\n", "frames/s", value, target, met ? "pass" : "fail");
	return !met;
}

static int print_latency_target(const struct vrs_job_stats *stats, bool live, double target_ms, FILE *out)
{
	const struct vrs_live_stats *l = &stats->live;
	int last = VRS_LIVE_QUANTILES - 1;
	const struct vrs_latency_reading reading = {.live = live, .p99_ms = l->known[last] ? (double)l->latency_ns[last] / 1e6 : NAN,
						    .max_ms = (double)l->max_latency_ns / 1e6};
	const char *figure;
	double ms;
	char name[16];
	enum vrs_latency_state state = vrs_latency_judge(&reading, target_ms, &ms, &figure);
	snprintf(name, sizeof name, "latency %s", figure);
	if (state == VRS_LATENCY_OFFLINE)
		fprintf(out, "%-12s %9s %9.2f  not judged: %s\n", name, "-", target_ms, VRS_LATENCY_NOT_LIVE);
	else if (state == VRS_LATENCY_TOO_FEW)
		fprintf(out, "%-12s %9s %9.2f  not enough frames (needs %" PRIu64 ")\n", name, "-", target_ms, l->needs[last]);
	else
		fprintf(out, "%-12s %9.2f %9.2f  %s\n", name, ms, target_ms, state == VRS_LATENCY_MET ? "pass" : "fail");
	return state == VRS_LATENCY_MISSED;
}

void vrs_live_report(const struct vrs_job_stats *stats, const struct vrs_job_info *info, FILE *out)
{
	if (!info->live || !stats->live.captured)
		return;
	static const char *const names[VRS_LIVE_QUANTILES] = {"P50", "P95", "P99"};
	const struct vrs_live_stats *live = &stats->live;
	double share = live->captured ? 100.0 * (double)live->dropped / (double)live->captured : 0;
	fprintf(out, "live: %" PRIu64 " frames came, %" PRIu64 " dropped (%.1f %%), ", live->captured, live->dropped, share);
	double rate = rate_of(stats, true);
	if (isnan(rate))
		fprintf(out, "frames/s shown: not enough frames (needs %d)\n", RATE_NEEDS);
	else
		fprintf(out, "%.2f frames/s shown\n", rate);
	if (live->skipped)
		fprintf(out, "decoding was too slow: %" PRIu64 " of the dropped frames were left out before it\n", live->skipped);
	if (live->reused)
		fprintf(out, "the network was too slow: %" PRIu64 " of the frames have the matte of the frame before\n", live->reused);
	fprintf(out, "latency from a frame's start to the output:");
	for (int i = 0; i < VRS_LIVE_QUANTILES; i++) {
		if (live->known[i])
			fprintf(out, " %s %.1f ms,", names[i], (double)live->latency_ns[i] / 1e6);
		else
			fprintf(out, " %s not enough frames (needs %" PRIu64 "),", names[i], live->needs[i]);
	}
	fprintf(out, " longest %.1f ms\n", (double)live->max_latency_ns / 1e6);
}

int vrs_target_report(const struct vrs_job_stats *stats, const struct vrs_job_info *info, double fps, double max_latency_ms, FILE *out)
{
	int missed = 0;
	vrs_live_report(stats, info, out);
	if (fps <= 0 && max_latency_ms <= 0)
		return 0;
	fprintf(out, "%-12s %9s %9s\n", "target", "value", "wanted");
	if (fps > 0)
		missed += print_rate(rate_of(stats, info->live), fps, out);
	if (max_latency_ms > 0)
		missed += print_latency_target(stats, info->live, max_latency_ms, out);
	return missed;
}

/* Multiply-adds of a frame on average: with early exit the small network looks at all, the large one at what is left. */
static double macs_per_frame(const struct vrs_job_stats *stats, const struct vrs_job_info *info)
{
	double frames = (double)stats->frames_done, large = (double)info->net_macs;
	if (!vrs_backend_computes(info->backend))
		return 0;
	if (stats->early_looks)
		return ((double)info->early_macs * (double)stats->early_looks +
			large / info->eyes * (double)(stats->early_looks - stats->early_enough)) / frames;
	return large * (frames - (double)stats->frames_reused) / frames;
}

struct vrs_frame_work vrs_job_frame_work(const struct vrs_job_stats *stats, const struct vrs_job_info *info)
{
	double in = (double)info->frame_bytes, made = (double)info->output_bytes;
	if (!stats->frames_done)
		return (struct vrs_frame_work){.gflop = 0};
	return (struct vrs_frame_work){.bytes = {[VRS_STAGE_DECODE] = in, [VRS_STAGE_PREPROCESS] = (double)info->view_bytes,
						 [VRS_STAGE_COMPOSE] = in + made, [VRS_STAGE_ENCODE] = made},
				       .gflop = 2e-9 * macs_per_frame(stats, info)};
}

struct bound {
	enum vrs_stage stage;
	double bytes;       /* of pictures, in a frame */
	double gflop;       /* of the network, in a frame */
	int threads;        /* that do it together */
};

static void print_bound(const struct bound *b, const struct vrs_job_stats *stats, double gbps, double gflops, FILE *out)
{
	const char *name = vrs_stage_name(b->stage);
	const struct vrs_stage_stats *stage = &stats->stage[b->stage];
	bool ours = b->stage >= VRS_STAGE_PREPROCESS && b->stage <= VRS_STAGE_COMPOSE; /* others compute in threads of FFmpeg's */
	double busy_ms = (double)(ours ? stage->cpu_ns : stage->busy_ns) / 1e6 / (double)stats->frames_done / b->threads;
	double bound_ms = b->gflop > 0 ? b->gflop / gflops * 1e3 : b->bytes / gbps / 1e6;
	double times = busy_ms / bound_ms;
	if (busy_ms < 0.01)
		return; /* does nothing */
	if (b->gflop > 0)
		fprintf(out, "bound %-12s %8.2f GFLOP  %8.2f ms, took %8.2f ms, %6.1f times: %s\n", name, b->gflop, bound_ms, busy_ms, times,
			times <= NEAR ? "the CPU's peak" : "small layers, memory, shared cores");
	else
		fprintf(out, "bound %-12s %8.1f MB     %8.2f ms, took %8.2f ms, %6.1f times: %s\n", name, b->bytes / 1e6, bound_ms, busy_ms, times,
			times < 1 ? "memory, and parts that are left alone" : times <= NEAR ? "memory" : "computing");
}

/*
 * The bytes of pictures that a stage has to move at the measured memory bandwidth, the network's multiply-adds at the measured peak of the threads
 * that it has.  A stage near its bound can only do less; one far above it computes more than that, or waits.  The bound of a device is no CPU's:
 * vrbench measures devices.
 */
void vrs_bound_report(const struct vrs_job_stats *stats, const struct vrs_job_info *info, const struct vrs_peaks *peaks, FILE *out)
{
	double gbps = peaks->best.triad_gbps, gflops = peaks->best.fma_gflops_1 * info->threads;
	if (!stats->frames_done || gbps <= 0 || gflops <= 0)
		return;
	struct vrs_frame_work work = vrs_job_frame_work(stats, info);
	bool on_device = info->device[0] != 0;
	const struct bound bounds[] = {
		{VRS_STAGE_DECODE, work.bytes[VRS_STAGE_DECODE], 0, 1}, {VRS_STAGE_PREPROCESS, work.bytes[VRS_STAGE_PREPROCESS], 0, 1},
		{VRS_STAGE_INFERENCE, 0, on_device ? 0 : work.gflop, info->threads}, {VRS_STAGE_COMPOSE, work.bytes[VRS_STAGE_COMPOSE], 0, 1},
		{VRS_STAGE_ENCODE, work.bytes[VRS_STAGE_ENCODE], 0, 1},
	};
	fprintf(out, "bounds: memory moves %.1f GB/s", gbps);
	if (!on_device)
		fprintf(out, ", an inference's threads do %.0f GFLOP/s", gflops);
	fprintf(out, " at best%s%s\n", peaks->note[0] ? "; " : "", peaks->note);
	for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
		if (bounds[i].bytes > 0 || bounds[i].gflop > 0)
			print_bound(&bounds[i], stats, gbps, gflops, out);
}
