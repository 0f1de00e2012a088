/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compose/pack_step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "matte/yuv_color.h"

#define WHOLE_TILES 20 /* heights that are a multiple have discs and tiles of whole samples, even ones */
#define DISC 0.4       /* of the carrier's scale: vr/alpha_pack.h */
#define PADDED_TO 32   /* samples: what hardware encoders round the coded size up to */

static void set_codes(struct vrs_alpha_pack_options *options, int color)
{
	struct vrs_picture_format format = options->format;
	int yuv[3];

	format.planes = 3;
	for (int alpha = 0; alpha < 256; alpha++) {
		const uint8_t red[3] = {(uint8_t)alpha, 0, 0}, grey[3] = {(uint8_t)alpha, (uint8_t)alpha, (uint8_t)alpha};
		vrs_yuv_from_rgb(yuv, &format, color == VRS_ALPHA_RED ? red : grey);
		for (int p = 0; p < 3; p++)
			options->codes[p][alpha] = (uint16_t)yuv[p];
	}
	for (int p = 0; p < 3; p++)
		options->black[p] = options->codes[p][0];
	options->colored = color == VRS_ALPHA_RED;
}

static bool pads_pictures(const char *encoder)
{
	static const char *const hardware[] = {"_nvenc", "_qsv", "_vaapi", "_amf", "_v4l2m2m", "_mf"};

	for (size_t i = 0; i < sizeof hardware / sizeof hardware[0]; i++)
		if (strstr(encoder, hardware[i]))
			return true;
	return false;
}

bool vrs_pack_step_describe(char *ret, size_t size, const struct vrs_alpha_pack *pack, const struct vrs_settings *settings)
{
	const struct vrs_picture_format *format = vrs_alpha_pack_format(pack);
	const char *encoder = settings->output.encoder;
	bool padded = pads_pictures(encoder) && (format->width % PADDED_TO || format->height % PADDED_TO);
	int n = snprintf(ret, size, "%dx%d, fisheye of %g degrees, %s discs", format->width, format->height, vrs_alpha_pack_fov(pack),
			 settings->output.alpha_color == VRS_ALPHA_RED ? "red" : "grey");

	if (n < 0 || (size_t)n >= size)
		return false;
	if (padded)
		snprintf(ret + n, size - (size_t)n, "; %s may pad this to a multiple of %d, which shifts the discs: --alpha-size exact avoids it", encoder,
			 PADDED_TO);
	else if (format->height % WHOLE_TILES)
		snprintf(ret + n, size - (size_t)n, "; discs of %.1f pixels lie between pixels, --alpha-size exact makes them whole", format->height * DISC);
	return padded;
}

enum vrs_status vrs_pack_step_create(struct vrs_alpha_pack **ret_pack, const struct vrs_settings *settings, const struct vrs_picture_format *format,
				     const struct vrs_layout *layout, struct vrs_error *err)
{
	struct vrs_alpha_pack_options options = {.format = *format, .layout = *layout, .fov_degrees = settings->output.fov,
		.exact_size = settings->output.alpha_size == VRS_ALPHA_SIZE_EXACT,
		.chroma_offset = {vrs_chroma_offset(format, 0), vrs_chroma_offset(format, 1)}};

	set_codes(&options, settings->output.alpha_color);
	return vrs_alpha_pack_create(ret_pack, &options, err);
}

struct vrs_stereo_side_data vrs_pack_step_side(void)
{
	return (struct vrs_stereo_side_data){.has_stereo = true, .stereo = VRS_STEREO_SBS};
}

/* Samples of a disc for one of the source's eye: lens and size of a packed video may differ from the source's. */
static double disc_scale(const struct vrs_alpha_pack *pack, const struct vrs_layout *layout, int eye_height)
{
	double degrees = layout->fov_degrees > 0 ? layout->fov_degrees : 180;
	double scale = (double)vrs_alpha_pack_format(pack)->height / eye_height;
	return DISC * scale * degrees / vrs_alpha_pack_fov(pack);
}

static int bounded(int size, double most)
{
	int limit = (int)ceil(most), least = 2; /* devices sample between two */
	limit = limit < least ? least : limit;
	return size < limit ? size : limit;
}

void vrs_matte_size_fit(int *width, int *height, const struct vrs_alpha_pack *pack, const struct vrs_layout *layout, int eye_height,
			const struct vrs_rect *areas, int eyes)
{
	VRS_ASSERT(eyes > 0 && eye_height > 0);
	double scale = disc_scale(pack, layout, eye_height), most_width = 0, most_height = 0;
	for (int eye = 0; eye < eyes; eye++) {
		most_width = fmax(most_width, areas[eye].width * scale);
		most_height = fmax(most_height, areas[eye].height * scale);
	}
	*width = bounded(*width, most_width);
	*height = bounded(*height, most_height);
}
