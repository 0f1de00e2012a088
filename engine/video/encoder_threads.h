/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads that an encoder chooses for itself, where the bytes that it writes depend on their number. */
#ifndef VRS_VIDEO_ENCODER_THREADS_H
#define VRS_VIDEO_ENCODER_THREADS_H

#include <vrseg/frame.h>

#define VRS_MOST_ENCODER_THREADS 64 /* of pipeline.encode_workers */

/*
 * What the encoder of this name would choose for such pictures on so many CPUs; 0: what it writes does not depend on it, so it may choose.
 * Not with low_delay of vrs_sink_options.
 */
int vrs_encoder_own_threads(const char *encoder, const struct vrs_picture_format *format, int cpus);

#endif
