/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/hdr_curve.h"

#include <math.h>

#include "matte/hdr_transfer.h"

#define PRIMARIES_BT2020 9 /* ITU-T H.273 */

#define KNEE 0.7
#define STEPS 1024 /* of the tables; between them values are interpolated */

struct vrs_hdr_curve {
	float light[STEPS + 1]; /* of code value i / STEPS; 1 is reference white */
	float code[STEPS + 1];  /* of light (i / STEPS)^2, after the knee: the square root spreads the dark values */
	bool wide;              /* BT.2020 primaries */
};

/* BT.2020 to BT.709, linear light (ITU-R BT.2087). */
static const float to_bt709[3][3] = {
	{1.6605f, -0.5876f, -0.0728f}, {-0.1246f, 1.1329f, -0.0083f}, {-0.0182f, -0.1006f, 1.1187f}};

/* Light up to the knee as it is, all above it into what is left up to 1. */
static double roll_off(double light)
{
	return light <= KNEE ? light : KNEE + (1 - KNEE) * (1 - exp(-(light - KNEE) / (1 - KNEE)));
}

enum vrs_status vrs_hdr_curve_create(struct vrs_hdr_curve **ret_curve, struct vrs_arena *arena, const struct vrs_picture_format *format)
{
	struct vrs_hdr_curve *curve;

	*ret_curve = NULL;
	if (!vrs_format_is_hdr(format))
		return VRS_OK;
	curve = vrs_arena_calloc(arena, 1, sizeof *curve);
	if (!curve)
		return VRS_ENOMEM;
	curve->wide = format->primaries == PRIMARIES_BT2020;
	for (int i = 0; i <= STEPS; i++) {
		double share = (double)i / STEPS, nits[3];
		const double grey[3] = {share, share, share};

		vrs_hdr_light(format, grey, nits);
		curve->light[i] = (float)(nits[0] / VRS_SDR_WHITE_NITS);
		curve->code[i] = (float)pow(roll_off(4 * share * share), 1 / VRS_SDR_GAMMA); /* up to four times white */
	}
	*ret_curve = curve;
	return VRS_OK;
}

static float look_up(const float table[STEPS + 1], float share)
{
	float at = fminf(fmaxf(share, 0), 1) * STEPS;
	int i = at < STEPS ? (int)at : STEPS - 1;

	return table[i] + (table[i + 1] - table[i]) * (at - (float)i);
}

void vrs_hdr_curve_color(const struct vrs_hdr_curve *curve, float rgb[3])
{
	float light[3], shown[3];

	for (int c = 0; c < 3; c++)
		shown[c] = light[c] = look_up(curve->light, rgb[c]);
	for (int c = 0; curve->wide && c < 3; c++)
		shown[c] = to_bt709[c][0] * light[0] + to_bt709[c][1] * light[1] + to_bt709[c][2] * light[2];
	for (int c = 0; c < 3; c++)
		rgb[c] = look_up(curve->code, sqrtf(fmaxf(shown[c], 0) / 4));
}

void vrs_hdr_curve_run(const struct vrs_hdr_curve *curve, float *pixels, int n, bool bgr, const float mean[3], const float scale[3])
{
	for (int i = 0; i < n; i++, pixels += 3) {
		float rgb[3];

		for (int c = 0; c < 3; c++)
			rgb[c] = pixels[bgr ? 2 - c : c] / scale[c] + mean[c];
		vrs_hdr_curve_color(curve, rgb);
		for (int c = 0; c < 3; c++)
			pixels[bgr ? 2 - c : c] = (rgb[c] - mean[c]) * scale[c];
	}
}
