/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packs pictures with their mattes (vr/alpha_pack.h) for one thread: by the CPU, or by the device on which the network runs, whichever is faster.
 * The samples are the same, so that nothing but time depends on the choice, also where a job is to be deterministic.  With engine.device_frames auto
 * the first frames are packed by turns, both ways timed, and the faster one packs the rest of the job.  Unless engine.program_cache is off the times
 * are kept (compose/pack_times.h), and later jobs that pack the same on the same device take the faster way from their first frame on.  A device
 * that fails gives way to the CPU, with one line.
 *
 * Composing people over a background is the CPU's always: it touches little more than the people, in place, while a device needs the whole picture
 * up and down again (docs/performance.md, "OpenCL devices").
 */
#ifndef VRS_COMPOSE_PACKER_H
#define VRS_COMPOSE_PACKER_H

#include <vrseg/options.h>

#include "backend/frame_device.h"
#include "vr/alpha_pack.h"

struct vrs_packer;

struct vrs_packer_options {
	const struct vrs_settings *settings;
	const struct vrs_frame_device *device; /* of the backend (vrs_frame_device_find); NULL: none, the CPU packs */
	const struct vrs_alpha_pack *pack;    /* outlives the packer, as the settings */
	int eyes;
	int matte_width, matte_height;        /* mattes of another size are packed by the CPU */
};

/*
 * VRS_ENOMEM; with engine.device_frames on also the statuses of create in backend/frame_device.h.  With auto the CPU packs for each of those, also
 * where pictures do not fit into what the network left of the device's memory.
 */
enum vrs_status vrs_packer_create(struct vrs_packer **ret_packer, const struct vrs_packer_options *options, struct vrs_error *err);
void vrs_packer_destroy(struct vrs_packer *packer); /* NULL is fine */
/* vrs_alpha_pack_run: every sample of dst; mattes[i] covers views[i]. */
void vrs_packer_run(struct vrs_packer *packer, struct vrs_frame *dst, const struct vrs_frame *src, const struct vrs_matte *mattes,
		    const struct vrs_rect *views);

#endif
