/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each stage against what the machine allows: the bytes of pictures that it has to move at the measured memory bandwidth, the network's
 * multiply-adds at the measured peak of the threads that it has.  A stage near its bound can only do less; one far above it computes more than that,
 * or waits.
 */
#include <vrseg/peaks.h>
#include <vrseg/progress.h>

#define NEAR 2.0 /* took at most this many times its bound: the bound is what limits it */

struct bound {
	enum vrs_stage stage;
	double bytes;       /* of pictures, in a frame */
	double gflop;       /* of the network, in a frame */
};

static void print_bound(const struct bound *b, const struct vrs_job_stats *stats, double gbps, double gflops, FILE *out)
{
	const char *name = vrs_stage_name(b->stage);
	const struct vrs_stage_stats *stage = &stats->stage[b->stage];
	bool ours = b->stage >= VRS_STAGE_PREPROCESS && b->stage <= VRS_STAGE_COMPOSE; /* others compute in threads of FFmpeg's */
	double busy_ms = (double)(ours ? stage->cpu_ns : stage->busy_ns) / 1e6 / (double)stats->frames_done;
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

void vrs_bound_report(const struct vrs_job_stats *stats, const struct vrs_job_info *info, const struct vrs_peaks *peaks, FILE *out)
{
	double gbps = peaks->best.triad_gbps, gflops = peaks->best.fma_gflops_1 * info->threads;
	if (!stats->frames_done || gbps <= 0 || gflops <= 0)
		return;
	struct vrs_frame_work work = vrs_job_frame_work(stats, info);
	const struct bound bounds[] = {
		{VRS_STAGE_DECODE, work.bytes[VRS_STAGE_DECODE], 0}, {VRS_STAGE_PREPROCESS, work.bytes[VRS_STAGE_PREPROCESS], 0},
		{VRS_STAGE_INFERENCE, 0, work.gflop}, {VRS_STAGE_COMPOSE, work.bytes[VRS_STAGE_COMPOSE], 0},
		{VRS_STAGE_ENCODE, work.bytes[VRS_STAGE_ENCODE], 0},
	};
	fprintf(out, "bounds: memory moves %.1f GB/s, an inference's threads do %.0f GFLOP/s at best%s%s\n", gbps, gflops,
		peaks->note[0] ? "; " : "", peaks->note);
	for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
		if (bounds[i].bytes > 0 || bounds[i].gflop > 0)
			print_bound(&bounds[i], stats, gbps, gflops, out);
}
