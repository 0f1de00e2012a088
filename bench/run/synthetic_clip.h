/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine's built-in people as a file, for programs that cannot draw them. */
#ifndef VRS_BENCH_SYNTHETIC_CLIP_H
#define VRS_BENCH_SYNTHETIC_CLIP_H

#include <vrseg/status.h>

/*
 * Write what "synth:..." shows to path (.mkv, lossless), which appears complete or not at all. With the word "alpha" in the name: the people's exact
 * coverage as luma, 0..255. VRS_ESTOPPED, VRS_ENOMEM, and what jobs return.
 */
enum vrs_status vrs_synthetic_clip_write(const char *synth, const char *path, struct vrs_error *err);

#endif
