/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/disk_space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/file.h"

#include <vrseg/log.h>

#define GB 1e9
/* Less than this share of the estimate cannot be enough, whatever the film shows. */
#define HOPELESS 0.1

/*
 * Bits per pixel.  H.264 at crf 23 takes about 0.06 on film of 4K size, and twice as much for six steps of crf less (each step of the quantiser is
 * 2^(1/6)); HEVC and AV1 two thirds of it.  ProRes 4444 has 330 Mb/s at 1920x1080 and 30/s; lossless coding halves 12 bits.
 */
static double bits_per_pixel(const struct vrs_settings *settings)
{
	const char *encoder = settings->output.encoder;
	double crf = settings->output.crf < 0 ? 23 : settings->output.crf;
	if (strcmp(settings->output.bitrate, "auto") != 0 || settings->output.quality >= 0)
		return 0; /* another scale: nothing is said */
	if (settings->output.lossless)
		return 6;
	if (strstr(encoder, "prores"))
		return 5;
	if (strstr(encoder, "ffv1") || strstr(encoder, "huff") || strstr(encoder, "utvideo") || strstr(encoder, "png") || strstr(encoder, "rawvideo"))
		return 6;
	double bits = 0.06 * exp2((23 - crf) / 6);
	return strstr(encoder, "265") || strstr(encoder, "hevc") || strstr(encoder, "av1") ? bits * 2 / 3 : bits;
}

double vrs_disk_estimate(const struct vrs_settings *settings, const struct vrs_job_info *info, double frames)
{
	return bits_per_pixel(settings) / 8 * info->width * info->height * frames;
}

enum vrs_status vrs_disk_check(const char *file, double bytes, int copies, struct vrs_error *err)
{
	char folder[VRS_PATH_MAX];
	struct statvfs fs;
	struct stat st;
	size_t length = (size_t)(vrs_path_base(file) - file);
	if (length >= sizeof folder || (stat(file, &st) == 0 && !S_ISREG(st.st_mode)))
		return VRS_OK;
	snprintf(folder, sizeof folder, "%.*s", (int)(length ? length : 1), length ? file : ".");
	if (statvfs(folder, &fs) != 0)
		return VRS_OK;
	double room = (double)fs.f_bavail * (double)fs.f_frsize, need = bytes * copies;
	if (room < HOPELESS * need)
		return vrs_fail(err, VRS_EIO, "%s will need about %.1f GB%s, and there are %.1f GB free on its disk", file, need / GB,
				copies > 1 ? " until its parts are joined" : "", room / GB);
	if (room < need)
		vrs_log_once(file, VRS_LOG_WARNING, "%s may need about %.1f GB%s, and there are %.1f GB free on its disk", file, need / GB,
			copies > 1 ? " until its parts are joined" : "", room / GB);
	return VRS_OK;
}
