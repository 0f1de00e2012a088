/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether an output will fit on its disk, as far as that can be told before it is made. */
#ifndef VRS_JOB_DISK_SPACE_H
#define VRS_JOB_DISK_SPACE_H

#include <stdbool.h>

#include <vrseg/options.h>
#include <vrseg/pipeline.h>

/*
 * Bytes that `frames` pictures take: exactly what a bit rate means, else by encoder and crf or quality, where contents change it by a factor of four
 * either way, and green surroundings make it smaller.
 */
double vrs_disk_estimate(const struct vrs_settings *settings, const struct vrs_job_info *info, double frames);
/*
 * Compare the free space of the folder of `file` with what is still to be written, `bytes` in `copies` that lie there at the same time: VRS_ENOSPC
 * when even a tenth does not fit (half of what was measured on other frames of the video), a warning when the whole does not.  Unknown space, and
 * files that are none, are fine.
 */
enum vrs_status vrs_disk_check(const char *file, double bytes, int copies, bool measured, struct vrs_error *err) VRS_MUST_CHECK;

#endif
