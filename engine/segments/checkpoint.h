/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of a job that is made in segments, as a JSON file in its work folder: what it was made of, and which segments are complete.  Written
 * atomically after each segment.  The reader trusts nothing: numbers have ranges, lists have limits.
 */
#ifndef VRS_SEGMENTS_CHECKPOINT_H
#define VRS_SEGMENTS_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/options.h>
#include <vrseg/quality.h>

#include "base/json.h"
#include "segments/segment_plan.h"
#include "job/input_identity.h"

#define VRS_CHECKPOINT_MAX_BYTES (64u << 20)
#define VRS_CHECKPOINT_MAX_OPTIONS 1000

struct vrs_segment_record {
	bool done;
	int64_t frames;       /* 0: the segment holds none, and there is no segment file */
	int64_t first_pts, end_pts;
	int64_t bytes, hash;  /* of its segment file (vrs_segment_file_hash) */
	int64_t past_bytes, past_hash; /* of the file that it has left for the next one (pipeline/segment_past.h); 0: none */
	char kernels[16];     /* that made it (struct vrs_job_segment_result), where a device was lost; "": those of the whole run */
	bool is_new;          /* made by this run; not in the file */
};

struct vrs_checkpoint {
	struct vrs_input_identity input;
	struct vrs_segment_plan plan;
	int64_t encoder_threads; /* that all segments are encoded with, as auto was understood in the first run; 0: the encoder's own choice */
	cJSON *options;       /* object: key to value as text, of everything that changes pictures; "content of KEY" to the hash of a file */
	struct vrs_segment_record *segments; /* [plan.segments] */
	struct vrs_input_identity saved; /* a look at the output that an interrupted run has left; size 0: none */
	struct vrs_input_identity truth; /* what mattes are compared with; content 0: nothing */
	struct vrs_truth_sums *sums;     /* [plan.segments] of complete segments; NULL: nothing is compared */
};

/* Empty, for a plan. VRS_ENOMEM. Release with vrs_checkpoint_fini, which is fine on zeroed memory. */
enum vrs_status vrs_checkpoint_init(struct vrs_checkpoint *ckpt, const struct vrs_input_identity *input, const struct vrs_segment_plan *plan)
	VRS_MUST_CHECK;
void vrs_checkpoint_fini(struct vrs_checkpoint *ckpt);
/* Remember an option, without the secrets of an address, or what the file holds that an option names. False: out of memory. */
bool vrs_checkpoint_option(struct vrs_checkpoint *ckpt, const char *key, const char *value);
bool vrs_checkpoint_file(struct vrs_checkpoint *ckpt, const char *key, const char *hash);
/* Make room for sums. False: out of memory. */
bool vrs_checkpoint_compare(struct vrs_checkpoint *ckpt);
/* VRS_EFORMAT, VRS_ELIMIT, VRS_ENOMEM; on failure there is nothing to release. */
enum vrs_status vrs_checkpoint_parse(struct vrs_checkpoint *ret_ckpt, const char *text, size_t size, const char *name, struct vrs_error *err)
	VRS_MUST_CHECK;
enum vrs_status vrs_checkpoint_read(struct vrs_checkpoint *ret_ckpt, const char *path, struct vrs_error *err) VRS_MUST_CHECK;
/* Replaces the file atomically. VRS_EIO, VRS_ENOMEM. */
enum vrs_status vrs_checkpoint_write(const struct vrs_checkpoint *ckpt, const char *path, struct vrs_error *err) VRS_MUST_CHECK;
/* Do both belong to the same job?  If not, ret_reason says what differs ("output.crf was 20 and is 18"). */
bool vrs_checkpoint_matches(const struct vrs_checkpoint *old, const struct vrs_checkpoint *now, char *ret_reason, size_t size);
/* The first segment that is not complete; plan.segments: all are. */
int vrs_checkpoint_first_open(const struct vrs_checkpoint *ckpt);
/* Segments that are not complete. */
int vrs_checkpoint_open_segments(const struct vrs_checkpoint *ckpt);
/* Frames of complete segments. */
int64_t vrs_checkpoint_frames(const struct vrs_checkpoint *ckpt);

#endif
