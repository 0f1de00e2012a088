/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells from frames where the mattes of a video are. */
#ifndef VRS_MEASURE_MATTE_KIND_H
#define VRS_MEASURE_MATTE_KIND_H

#include <vrseg/matte_measure.h>

/* What one frame says; AUTO: nothing, as a black one does. */
struct vrs_matte_kind_guess {
	enum vrs_matte_kind kind;
	bool is_none;            /* it holds no matte: a picture in colour, or in many greys */
	const char *reason;      /* a constant, without dot */
};

/* tagged: the name says that a matte is packed into the corners. */
struct vrs_matte_kind_guess vrs_matte_kind_of_frame(const struct vrs_frame *frame, bool tagged);

/* The alpha channel as a grey frame, which borrows the samples; only where there are four planes. */
struct vrs_frame vrs_alpha_as_grey(const struct vrs_frame *frame);

#endif
