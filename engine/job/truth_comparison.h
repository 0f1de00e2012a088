/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matte against truth of one eye at one size, frame after frame: what vrs_truth and vrs_truth_meter are made of. */
#ifndef VRS_JOB_TRUTH_COMPARISON_H
#define VRS_JOB_TRUTH_COMPARISON_H

#include "base/mem.h"
#include "job/truth_sums.h"

struct vrs_truth_comparison {
	struct vrs_matte matte, truth;           /* of this frame: the caller fills them in */
	struct vrs_matte past_matte, past_truth; /* of the frame before */
	bool has_past, has_box, circle;          /* circle: rows close to one */
	struct vrs_rect covers;                  /* of the matte before */
	int64_t index;                           /* of its frame */
	struct vrs_truth_sum sum;
};

/* has_box and circle are false. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_truth_comparison_init(struct vrs_truth_comparison *c, struct vrs_arena *arena, int width, int height) VRS_MUST_CHECK;
/*
 * Add frame `index`, of which matte and truth are there.  Change over time is compared with the frame before where both mattes cover the same part.
 * VRS_EINVAL, VRS_ENOMEM.
 */
enum vrs_status vrs_truth_comparison_add(struct vrs_truth_comparison *c, int64_t index, const struct vrs_rect *covers) VRS_MUST_CHECK;
/* Frame `index` is only what the next one is compared with. */
void vrs_truth_comparison_skip(struct vrs_truth_comparison *c, int64_t index, const struct vrs_rect *covers);
/* Both eyes of a frame, once the later one has been added. */
void vrs_truth_compare_eyes(struct vrs_truth_eyes *pair, const struct vrs_truth_comparison eyes[2], int64_t index);
/* Mattes of the same size. */
void vrs_truth_copy_matte(struct vrs_matte *to, const struct vrs_matte *from);

#endif
