/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a network's tensors mean, by its manifest: the picture goes in, states go from frame to frame, mattes come out.
 *
 * One head serves one session and thread.  For each run: pictures into vrs_head_input, states (roi/state_store.h) and vrs_session_run, then
 * vrs_head_matte for every batch entry.
 */
#ifndef VRS_ROI_HEAD_H
#define VRS_ROI_HEAD_H

#include <vrseg/model.h>
#include <vrseg/session.h>

struct vrs_head;

/* Shapes of the picture and the matte. */
struct vrs_network_shape {
	int batch, input_width, input_height;
	int matte_width, matte_height;
};

/* A state: what comes out of one frame goes in for the next one. */
struct vrs_head_state {
	int input, output;      /* of the session */
	float *in;              /* [batch][floats] */
	const float *out;
	size_t floats;
	bool is_map;            /* of the picture, at a size of its own: [height][width][channels] */
	int height, width, channels;
};

/*
 * Find the tensors that the manifest names and check their shapes; both must outlive the head.
 * VRS_ECONFIG: the manifest does not fit the network, with the tensors that it has; VRS_EUNSUPPORTED, VRS_ENOMEM.
 */
enum vrs_status vrs_head_create(struct vrs_head **ret_head, const struct vrs_manifest *manifest, struct vrs_session *session, struct vrs_error *err);
void vrs_head_destroy(struct vrs_head *head); /* NULL is fine */
const struct vrs_network_shape *vrs_head_shape(const struct vrs_head *head);
/* Pictures [batch][height][width][3]. */
float *vrs_head_input(struct vrs_head *head);
struct vrs_session *vrs_head_session(const struct vrs_head *head);
int vrs_head_state_count(const struct vrs_head *head);
const struct vrs_head_state *vrs_head_state(const struct vrs_head *head, int i);
/* Is the output of the session one that vrs_head_matte reads? */
bool vrs_head_reads(const struct vrs_head *head, int output);
/* After a run: the matte [matte_height][matte_width] of a batch entry, in 0..1. */
void vrs_head_matte(struct vrs_head *head, int entry, float *alpha);

#endif
