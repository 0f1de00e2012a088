/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One budget of threads for decoder, network and encoder. */
#ifndef VRS_PIPELINE_THREAD_PLAN_H
#define VRS_PIPELINE_THREAD_PLAN_H

#include <vrseg/options.h>

struct vrs_thread_plan {
	int cpus;    /* that this process may use */
	int decode;  /* threads of the decoder */
	int streams; /* inferences at the same time */
	int threads; /* CPU threads of each */
	int encode;  /* threads of the encoder; 0: its own choice */
};

/* Fill the values that the settings leave open. cpus below 1 counts as 1. */
struct vrs_thread_plan vrs_thread_plan_make(const struct vrs_settings *settings, int cpus, bool encodes);

/* Worker processes that the settings want; auto: one for four CPUs, since one keeps that many busy, but two at least. 1: this process alone. */
int vrs_thread_plan_processes(const struct vrs_settings *settings, int cpus);

#endif
