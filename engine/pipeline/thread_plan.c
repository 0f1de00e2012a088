/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The decoder gets one thread more than there are CPUs, so that a core never waits for the one whose turn it is; the encoder chooses for itself, or
 * as it is told.  Their threads sleep when they have nothing to do, and the kernel shares the cores by need.  The network gets streams of one thread
 * each, because several frames at once on one thread each beat splitting an inference of two milliseconds; where an encoder runs it takes most of
 * the time, so half of the CPUs are enough for streams.
 */
#include "pipeline/thread_plan.h"

#define MAX_DECODE_THREADS 16 /* each frame thread of a decoder holds frames of its own */
#define MAX_AUTO_STREAMS 8
#define MAX_PROCESSES 64

static int clamp_int(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

struct vrs_thread_plan vrs_thread_plan_make(const struct vrs_settings *settings, int cpus, bool encodes)
{
	struct vrs_thread_plan plan = {.cpus = cpus < 1 ? 1 : cpus, .streams = settings->engine.streams, .threads = settings->engine.threads,
				       .encode = settings->pipeline.encode_threads};
	plan.decode = settings->pipeline.decode_threads ? settings->pipeline.decode_threads : clamp_int(plan.cpus + 1, 1, MAX_DECODE_THREADS);
	int share = encodes ? (plan.cpus + 1) / 2 : plan.cpus;
	if (!plan.streams && !plan.threads)
		plan.threads = 1;
	if (!plan.streams)
		plan.streams = clamp_int(share / plan.threads, 1, MAX_AUTO_STREAMS);
	if (!plan.threads)
		plan.threads = clamp_int(plan.cpus / plan.streams, 1, plan.cpus);
	return plan;
}

int vrs_thread_plan_processes(const struct vrs_settings *settings, int cpus)
{
	int asked = settings->pipeline.process_count;
	return !settings->pipeline.processes ? 1 : asked ? clamp_int(asked, 1, MAX_PROCESSES) : clamp_int(cpus / 4, 2, MAX_PROCESSES);
}
