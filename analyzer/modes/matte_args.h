/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The flags of vranalyze matte, which its helper reads once more. */
#ifndef VRS_MATTE_ARGS_H
#define VRS_MATTE_ARGS_H

#include <stdint.h>

struct vrs_matte_args {
	const char *format, *sheet, *output_dir, *source, *truth, *projection;
	int kind, layout;              /* enum vrs_matte_kind, enum vrs_layout_choice */
	int64_t max_frames;            /* 0: all */
};

#endif
