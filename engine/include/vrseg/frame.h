/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frame views.  A frame is planar YUV (or grey) as decoded, in 8 to 16 bits; it is never converted at full size.
 * `struct vrs_frame` is plain data plus one reference: vrs_frame_ref/unref count it through the callbacks of whoever made it.
 */
#ifndef VRSEG_FRAME_H
#define VRSEG_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>

enum vrs_matrix { VRS_MATRIX_BT601, VRS_MATRIX_BT709, VRS_MATRIX_BT2020 };
enum vrs_range { VRS_RANGE_LIMITED, VRS_RANGE_FULL };

/* Rectangle in luma samples. An eye's or a view's begins at even places, so that chroma planes split too. */
struct vrs_rect {
	int x, y, width, height;
};

/* Layout of a picture: sizes, sampling and colour; no data. */
struct vrs_picture_format {
	int width, height;       /* luma samples */
	int planes;              /* 1: grey, 3: Y U V, 4: Y U V A */
	int chroma_shift_x;      /* 1 for 4:2:0 and 4:2:2, 0 for 4:4:4 */
	int chroma_shift_y;      /* 1 for 4:2:0 */
	int bit_depth;           /* 8..16; above 8 samples are uint16_t, little end, low bits used */
	enum vrs_matrix matrix;
	enum vrs_range range;
	int primaries, transfer; /* ITU-T H.273 code points, carried through; 2: unspecified */
	int chroma_location;     /* FFmpeg's AVChromaLocation value, carried through; 0: unspecified */
	int circle;              /* luma columns of an eye that shows 360 degrees: its parts may go on at its left edge (base/wraparound.h). 0: they end */
};

struct vrs_frame {
	struct vrs_picture_format format;
	uint8_t *data[4];
	ptrdiff_t stride_bytes[4];
	int64_t pts;             /* in the source's time base; INT64_MIN: not known */
	int64_t duration;        /* same unit; 0: not known */
	int64_t index;           /* 0-based position in the source */
	bool writable;           /* nobody else reads these samples: they may be changed in place. The maker decides; false is always safe */
	void *owner;             /* reference of the maker; NULL: memory lives elsewhere */
	void (*unref)(void *owner);
};

/*
 * Allocate a frame with 64-byte aligned rows (and 64 readable bytes after the last one).
 * VRS_EINVAL on impossible sizes, VRS_ENOMEM.  Free with vrs_frame_unref.
 */
enum vrs_status vrs_frame_alloc(struct vrs_frame *ret_frame, const struct vrs_picture_format *format);
/* Drop the reference and clear the struct.  NULL and empty frames are fine. */
void vrs_frame_unref(struct vrs_frame *frame);
/* True if the part is not empty and lies inside a picture of the format; on a circle it may go across the right edge of its eye. */
bool vrs_rect_fits(const struct vrs_rect *rect, const struct vrs_picture_format *format);
/* Width and height in samples of plane p of a format. */
int vrs_plane_width(const struct vrs_picture_format *format, int p);
int vrs_plane_height(const struct vrs_picture_format *format, int p);

/* VRS_OK, or VRS_EINVAL when sizes, planes, shifts or depth are impossible (width and height up to 65536, depth 8..16, shifts 0..2). */
enum vrs_status vrs_picture_format_check(const struct vrs_picture_format *format);
/* Bytes of one sample: 1 or 2. */
int vrs_sample_bytes(const struct vrs_picture_format *format);
/* n samples of a row, each of sample_bytes, become the value; none where n is below 1. */
void vrs_samples_fill(uint8_t *dst, int value, int n, int sample_bytes);
/* Bytes that vrs_frame_alloc takes for a format; 0 when the format is impossible. */
size_t vrs_frame_bytes(const struct vrs_picture_format *format);

/* A matte: one byte a pixel, 0 background .. 255 person, rows of stride bytes. */
struct vrs_matte {
	int width, height;
	ptrdiff_t stride;
	uint8_t *data;
};

#endif
