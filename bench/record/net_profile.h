/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profile of a network: what every operation of a session takes, and which share that is of what the machine can do at
 * best (vrseg/peaks.h).
 *
 * Times are medians over runs of the mean busy time of the threads: waiting is not in them.  GFLOP/s count two operations a multiply-add of the
 * network as it is written, so that an algorithm that needs fewer (Winograd) can exceed the peak.  Bytes are those of the tensors that an
 * operation reads and writes and of its weights; where they stay in a cache, the rate can exceed that of the memory.
 */
#ifndef VRS_BENCH_NET_PROFILE_H
#define VRS_BENCH_NET_PROFILE_H

#include <stdint.h>

#include <vrseg/peaks.h>
#include <vrseg/session.h>

#define VRS_PROFILE_MAX_OPS 100000

struct vrs_op_row {
	char name[96], kernel[48];
	double ms;                  /* of one run */
	double share;               /* of the sum of all operations, 0..1 */
	int64_t macs, bytes;        /* of one run */
	int64_t weight_bytes;       /* of bytes, those of weights; -1: not recorded */
	double gflops, peak_share;  /* 2 * macs / ms, and its share of peak_gflops; NaN without multiply-adds */
	double gbps, memory_share;  /* bytes / ms, and its share of triad_gbps; NaN when nothing could be timed */
};

struct vrs_net_profile {
	char model[64], backend[16], isa[16];
	enum vrs_precision precision; /* VRS_PRECISION_NOT_KNOWN in an empty profile (bench/record/words.h) */
	int threads, batch, width, height;
	int64_t runs;
	double fma_gflops_1, fma_gflops_all, triad_gbps; /* ceilings, see struct vrs_ceilings */
	double peak_gflops;         /* fma_gflops_1 * threads */
	char peak_note[192];        /* see struct vrs_peaks; "" */
	double ms, gflops, peak_share, gbps, memory_share; /* sums over all operations, and their shares */
	int64_t macs, bytes;
	struct vrs_op_row *ops;     /* in order of execution */
	int op_count;
};

/* An empty profile: every measured value absent. */
void vrs_net_profile_init(struct vrs_net_profile *profile);
void vrs_net_profile_fini(struct vrs_net_profile *profile);

/* Times of single runs, from the running sums that a session keeps. */
struct vrs_profile_sampler {
	uint64_t *last_ns;          /* [op] sum at the last sample */
	float *ms;                  /* [sample][op] */
	int ops, samples;
};

/* VRS_EINVAL: the session keeps no profile; VRS_ENOMEM. Begin after the warm-up. */
enum vrs_status vrs_profile_sampler_begin(struct vrs_profile_sampler *sampler, struct vrs_session *session);
/* After each run; beyond some thousand samples it does nothing. */
void vrs_profile_sampler_add(struct vrs_profile_sampler *sampler, struct vrs_session *session);
void vrs_profile_sampler_fini(struct vrs_profile_sampler *sampler);
/* Medians, shares and sums. precision and model are only recorded. VRS_ENOMEM. */
enum vrs_status vrs_net_profile_fill(struct vrs_net_profile *profile, const struct vrs_profile_sampler *sampler, struct vrs_session *session,
				     const struct vrs_peaks *peaks);

#endif
