/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profile of a network: what every operation of a session takes, and which share that is of what the machine can do at
 * best (vrseg/peaks.h).
 *
 * Times are medians over runs of the mean busy time of the threads: waiting is not in them.  GFLOP/s count two operations a multiply-add of the
 * network as it is written, so that an algorithm that needs fewer (Winograd) can exceed the peak.  Bytes are those of the tensors that an
 * operation reads and writes and of its weights; where they stay in a cache, the rate can exceed that of the memory.
 *
 * On a device times are the device's own, and rows are kernels, transfers ("transfer"), operators that the host computes ("host", without a time),
 * and what lies between kernels ("gap").  Peak and memory are then those of the device.
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
	double gbps, memory_share;  /* bytes / ms, and its share of triad_gbps, of a transfer of the way that it takes; NaN: not timed, of
				     * the share also where it would be above 1: what lies in caches comes faster */
	int64_t items;              /* work-items of a kernel of a device; -1: none, or not recorded */
};

struct vrs_net_profile {
	char model[64], backend[16], isa[16];
	char device[128];           /* that ran it; "" on the host */
	enum vrs_precision precision; /* VRS_PRECISION_NOT_KNOWN in an empty profile (bench/record/words.h) */
	int threads, batch, width, height;
	int64_t runs;
	double fma_gflops_1, fma_gflops_all, triad_gbps; /* ceilings, see struct vrs_ceilings; of a device fma_gflops_1 is NaN */
	double peak_gflops;         /* fma_gflops_1 * threads; of a device fma_gflops_all */
	double upload_gbps, download_gbps, launch_us; /* further ceilings of a device, see struct vrs_device_ceilings */
	int64_t full_items;         /* work-items that occupy the whole device; -1: not known */
	char peak_note[192];        /* see struct vrs_peaks; "" */
	double ms, gflops, peak_share, gbps, memory_share; /* sums over all operations, and their shares */
	double call_ms;             /* wall time of a run with transfers and waits, median */
	/* Of a device, of one run; on the host NaN and -1. */
	double kernel_ms, gap_ms;   /* kernels while they run; between the first and the last, while none does */
	double upload_ms, download_ms; /* transfers of inputs and outputs */
	double kernel_peak_share, kernel_memory_share; /* of the kernels while they run, of peak_gflops and triad_gbps */
	double small_share;         /* of kernel_ms: kernels with fewer than full_items work-items */
	int64_t kernels, host_ops;  /* kernels that are started; operators that the host computes between them */
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
/* Fill the ceilings: of the host with so many threads, or of a device. Before vrs_net_profile_fill. */
void vrs_net_profile_host(struct vrs_net_profile *profile, const struct vrs_peaks *peaks);
void vrs_net_profile_device(struct vrs_net_profile *profile, const char *device, const struct vrs_device_ceilings *ceilings);
/* Medians, shares and sums. precision and model are only recorded. VRS_ENOMEM. */
enum vrs_status vrs_net_profile_fill(struct vrs_net_profile *profile, const struct vrs_profile_sampler *sampler, struct vrs_session *session);
/* Sums of the rows of a device, from kernel_ms on, and what follows from them; vrs_net_profile_fill has done it. Nothing on the host. */
void vrs_net_profile_sum_device(struct vrs_net_profile *profile);

#endif
