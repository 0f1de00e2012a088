/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What this machine's noise is, measured once and stored: the same configuration against itself (A/A), and one long run for bursts of slow frames.
 *
 * One JSON file for each machine fingerprint and class of cases, in STATE/calibration (vrs_state_dir).  A class is what decides noise: scope, mode,
 * backend, the clip's size to a power of two, and the device where there is one.  An entry expires after 30 days; another fingerprint never fits.
 * Later measurements take from it the margin, the spread that is normal, and whether P95 and P99 may be answered.
 */
#ifndef VRS_BENCH_NOISE_RECORD_H
#define VRS_BENCH_NOISE_RECORD_H

#include <stdio.h>
#include <time.h>

#include "base/file.h"
#include "bench/record/frames_file.h"
#include "bench/record/result.h"

#define VRS_NOISE_RECORD_SCHEMA "vrbench-calibration/1"
#define VRS_NOISE_RECORD_MAX_BYTES 65536
#define VRS_NOISE_RECORD_DAYS 30
#define VRS_NOISE_RECORD_ROUNDS 20
#define VRS_NOISE_RECORD_FRAMES 60000 /* with fewer, deff is recorded but gives no leave to answer P95 and P99 */
#define VRS_NOISE_RECORD_EPISODES 10  /* likewise */
#define VRS_NOISE_LEVELS_MAX 40       /* invocations that an entry remembers */
#define VRS_NOISE_LEVELS_DAYS 180     /* older ones say little about this machine as it is */
#define VRS_NOISE_LEVELS_APART 3600   /* seconds from one to the next that counts: drift takes time */
#define VRS_NOISE_LEVELS_FREEDOM 5    /* degrees of freedom that a variance between invocations needs: six invocations of one configuration */

/* What one calibration has measured, as a whole. */
struct vrs_noise_level {
	char started_utc[32];     /* of its measurement: one that was gone on with counts once */
	int64_t created;          /* seconds since 1970 */
	uint64_t subject;         /* hash of case, settings, clip and version: only levels of one subject are compared */
	double level;             /* frames a second or ms */
};

/* Absent numbers are NaN or -1. Shares, not percent. */
struct vrs_noise_record {
	uint64_t fingerprint;
	char class_name[128], tool_version[64], created_utc[32], id[256];
	int64_t created;          /* seconds since 1970 */
	int pairs;                /* of the A/A */
	double pair_sd;           /* 1.4826 x MAD of ln(A / B) */
	double run_cv;            /* between runs: 1.4826 x MAD / median of the rates (live: latencies) of both sides */
	double level;             /* that median, frames a second or ms */
	enum vrs_verdict verdict; /* of the A/A: anything but FASTER and SLOWER is as it should be */
	int tests, alarms;        /* A/A comparisons of this class so far, and how many said FASTER or SLOWER */
	int64_t frames, episodes; /* of the long run; episodes: above its P99 */
	double deff95, deff99;    /* design effect of frames above P95 and P99 */
	double lag1;              /* autocorrelation of neighbouring frame times */
	double clock_mhz;         /* of the long run */
	struct vrs_noise_level levels[VRS_NOISE_LEVELS_MAX]; /* of the calibrations so far, the oldest first */
	int level_count;
};

void vrs_noise_record_init(struct vrs_noise_record *record);
/* "end_to_end offline cpu 8M", "end_to_end offline opencl 8M on DEVICE" of a case as it came out. */
void vrs_noise_record_class(const struct vrs_case_result *c, char *buf, size_t size);
/* Spreads of an A/A; both sides of one result. VRS_EINVAL below 6 pairs. */
enum vrs_status vrs_noise_record_of_pairs(const struct vrs_case_result *a, const struct vrs_case_result *b, struct vrs_noise_record *record);
/* Bursts of a long run. VRS_EINVAL below 1000 frames. */
enum vrs_status vrs_noise_record_of_frames(const struct vrs_frame_pool *pool, struct vrs_noise_record *record);
/* True when deff rests on enough frames and episodes to decide what may be answered. */
bool vrs_noise_record_permits(const struct vrs_noise_record *record);

/*
 * How invocations of one configuration differ here: the standard deviation of ln(level) within subjects, pooled, over levels of the last
 * VRS_NOISE_LEVELS_DAYS that are VRS_NOISE_LEVELS_APART from the one before.  *ret_freedom and *ret_invocations are set in any case.
 * VRS_ENOTFOUND: there are too few.
 */
enum vrs_status vrs_noise_record_between(const struct vrs_noise_record *record, time_t now, double *ret_sd, int *ret_freedom, int *ret_invocations);

/* Text to entry with full checks, and back. VRS_EFORMAT names the key; VRS_EUNSUPPORTED: written by another version. */
enum vrs_status vrs_noise_record_parse(const char *text, size_t length, const char *name, struct vrs_noise_record *ret_record, struct vrs_error *err);
enum vrs_status vrs_noise_record_print(const struct vrs_noise_record *record, char **ret_text); /* vrs_json_free_text; VRS_ENOMEM */
/*
 * Write to the state folder, replacing the entry of the same class; its counts of tests and alarms and its levels are carried on. *record
 * receives them.  VRS_EIO: it cannot be read or written; VRS_ELIMIT, VRS_ENOMEM.
 */
enum vrs_status vrs_noise_record_store(struct vrs_noise_record *record, struct vrs_error *err);
/*
 * The entry for cases like this on this machine. VRS_ENOTFOUND: there is none, or it has expired, with a sentence in err; statuses of parse.
 */
enum vrs_status vrs_noise_record_load(uint64_t fingerprint, const char *class_name, time_t now, struct vrs_noise_record *ret_record,
				     struct vrs_error *err);
/* Put into the case what the stored entry says; nothing where there is none. */
void vrs_noise_record_apply(uint64_t fingerprint, time_t now, struct vrs_case_result *c);
/* Lines of --dry-run: the precision to expect of a case after so many rounds, from what is stored; of a
 * case for a device, which is not known yet, what was stored last for one. goal: see bench/judge/interval_goal.h. */
void vrs_noise_record_expect(uint64_t fingerprint, time_t now, const struct vrs_case_result *c, int rounds, double goal, FILE *out);
double vrs_noise_record_days(const struct vrs_noise_record *record, time_t now);
/* Not expired, as load would find it. */
bool vrs_noise_record_is_fresh(const struct vrs_noise_record *record, time_t now);
/* Visit all entries of this machine, expired ones too; those of others and damaged files are counted, *ret_folder holds them. VRS_ELIMIT, VRS_EIO. */
enum vrs_status vrs_noise_record_each(uint64_t fingerprint, void (*visit)(const struct vrs_noise_record *record, void *cookie), void *cookie,
				      int *ret_foreign, int *ret_damaged, char ret_folder[VRS_PATH_MAX], struct vrs_error *err);

#endif
