/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/disk_space.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/file.h"

#include <vrseg/log.h>

#define MB 1e6
#define GB 1e9
/* Less than this share of an estimate cannot be enough, whatever the video shows; and of one that was measured on a part of it. */
#define HOPELESS 0.1
#define HOPELESS_MEASURED 0.5

/*
 * Bits per pixel.  H.264 at crf 23 takes about 0.06 on video of 4K size, and twice as much for six steps of crf less (each step of the quantiser is
 * 2^(1/6)); HEVC and AV1 two thirds of it.  Qualities of all encoders lie where libx264 has crf 45 for 0 and 10 for 100 (video/encoder_rate.c).
 * ProRes 4444 has 330 Mb/s at 1920x1080 and 30/s; lossless coding halves 12 bits.
 */
static double bits_per_pixel(const struct vrs_settings *settings)
{
	const char *encoder = settings->output.encoder;
	double crf = settings->output.quality >= 0 ? 45 - 0.35 * settings->output.quality : settings->output.crf < 0 ? 23 : settings->output.crf;
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
	double fps = info->fps / settings->pipeline.every_nth;
	if (info->bit_rate > 0)
		return fps > 0 ? (double)info->bit_rate / 8 * frames / fps : 0;
	return bits_per_pixel(settings) / 8 * info->output_width * info->output_height * frames;
}

/* Of the folder of a file, or of the one that a link leads to; false: not known, or the file is none. */
static bool free_bytes(const char *file, double *ret)
{
	char real[PATH_MAX], folder[PATH_MAX];
	struct statvfs fs;
	struct stat st;
	if ((stat(file, &st) == 0 && !S_ISREG(st.st_mode)) || vrs_file_resolve(file, real, NULL) != VRS_OK)
		return false;
	vrs_path_folder(folder, real);
	if (statvfs(folder, &fs) != 0)
		return false;
	*ret = (double)fs.f_bavail * (double)fs.f_frsize;
	return true;
}

enum vrs_status vrs_disk_check(const char *file, double bytes, int copies, bool measured, struct vrs_error *err)
{
	double room, need = bytes * copies;
	const char *until = copies > 1 ? " until its segments are joined" : "";
	if (!free_bytes(file, &room))
		return VRS_OK;
	bool is_small = need < GB; /* so is the room then */
	double unit = is_small ? MB : GB;
	const char *name = is_small ? "MB" : "GB", *more = measured ? " more" : "";
	if (room < (measured ? HOPELESS_MEASURED : HOPELESS) * need)
		return vrs_fail(err, VRS_ENOSPC, "%s will need about %.1f %s%s%s, and there are %.1f %s free on its disk", file, need / unit, name, more,
				until, room / unit, name);
	if (room < need)
		vrs_log_once(file, VRS_LOG_WARNING, "%s may need about %.1f %s%s%s, and there are %.1f %s free on its disk", file, need / unit, name, more,
			     until, room / unit, name);
	return VRS_OK;
}
