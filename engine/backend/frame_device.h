/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole frames on a device: what a kind of device offers beside networks (backend.h).  Samples are those that the same step gives on the host, bit by
 * bit, so whoever composes may take either for any frame.  Tables (maps, spans, code values) are the host's own, which the caller hands over.
 *
 * Frames of a work are queued one behind the other; frame_device.h knows no order among works.  One thread at a time uses a work.
 */
#ifndef VRS_BACKEND_FRAME_DEVICE_H
#define VRS_BACKEND_FRAME_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/frame.h>

/* The tables of a map of vr/remap.h, of runs of 32 target samples. */
struct vrs_device_map {
	int width, height;         /* of the target; width 0: no map */
	int source_width, source_height; /* at least 2 x 2 */
	const int32_t *curves;     /* [height * runs][6] */
	const uint32_t *inside;    /* [height * runs] */
	const int32_t *kinds;      /* [height * runs] -1, or a number of positions, with bit 30 at a seam */
	const int32_t *positions;  /* [position_count][64] */
	int32_t position_count;
};

/* Pictures with packed mattes: what vr/alpha_pack.c does. */
struct vrs_device_pack_options {
	struct vrs_picture_format source, packed;
	struct vrs_rect eyes[2];   /* of the source, left first; the same twice for a source with one */
	struct vrs_device_map maps[2]; /* luma, chroma; without a map eyes are copied */
	const int32_t *spans[2];   /* then, [height][2]: first and end of each row of an eye's circle, in samples of the plane */
	struct vrs_device_map disc; /* from the disc to an eye */
	int matte_width, matte_height; /* at least 2 x 2 */
	uint16_t black[3], codes[3][256];
	bool colored;              /* discs change chroma */
};

/* Eye position to matte position of a disc: m = (u * factor >> 24) + shift, both with 16 bits of fraction; by axis. */
struct vrs_device_disc_place {
	int64_t factor[2], shift[2];
};

struct vrs_frame_work_options {
	const char *device;        /* in the words of the kind of device; NULL, "auto": the first that suits */
	bool program_cache;        /* keep what is built for the device */
	bool pinned_memory, async_transfers; /* as in vrseg/session.h; a work without async_transfers also waits for each transfer */
	struct vrs_device_pack_options pack; /* tables are copied */
	int mattes;                /* of a frame: 1 or 2; one matte is drawn in both discs */
	double memory_share;       /* of the device's memory, that the process may hold with this work, 0 to 1; 0: no limit */
};

struct vrs_frame_work;

struct vrs_frame_device_info {
	char name[128];
	bool is_host;              /* its compute units are those of the host's CPU, and so is its memory: it has no time of its own to give */
	uint64_t environment;      /* hash of the device, its place and its driver: what times of it hold for */
};

struct vrs_frame_device {
	/*
	 * The device that a work with this `device` would use, without opening it.  Thread-safe.  VRS_ENOTFOUND: no such device; VRS_ECONFIG: the text
	 * means none or several.
	 */
	enum vrs_status (*describe)(struct vrs_frame_device_info *ret_info, const char *device, struct vrs_error *err);
	/*
	 * Everything is allocated here.  VRS_ENOTFOUND: no such device; VRS_EINVAL: tables that do not fit the pictures; VRS_ELIMIT: pictures that are
	 * too large for it, or more memory than memory_share allows; VRS_ENOMEM, VRS_EDEVICE.
	 */
	enum vrs_status (*create)(struct vrs_frame_work **ret_work, const struct vrs_frame_work_options *options, struct vrs_error *err);
	/* Waits for what is queued. NULL is fine. */
	void (*destroy)(struct vrs_frame_work *work);
	/*
	 * dst, a frame of the packed format, becomes src with mattes[i], at places[i], drawn in.  Returns when all samples are there.  VRS_EINVAL: another
	 * format or size of matte than that of the options; VRS_EDEVICE: from then on every call fails.
	 */
	enum vrs_status (*pack)(struct vrs_frame_work *work, struct vrs_frame *dst, const struct vrs_frame *src, const struct vrs_matte *mattes,
				const struct vrs_device_disc_place *places, struct vrs_error *err);
};

#endif
