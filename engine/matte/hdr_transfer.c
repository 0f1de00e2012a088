/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/hdr_transfer.h"

#include <math.h>

#include "matte/yuv_color.h"

/* ITU-T H.273 */
#define TRANSFER_PQ 16
#define TRANSFER_HLG 18
#define PRIMARIES_BT2020 9

static const double M1 = 2610.0 / 16384, M2 = 2523.0 / 4096 * 128, C1 = 3424.0 / 4096, C2 = 2413.0 / 4096 * 32, C3 = 2392.0 / 4096 * 32;
#define HLG_A 0.17883277
#define HLG_B (1 - 4 * HLG_A)
#define HLG_C 0.55991073 /* 0.5 - a ln 4a */
#define HLG_GAMMA 1.2

/* Of the curve. */
#define KNEE 0.7
#define STEPS 1024 /* of the tables; between them values are interpolated */

double vrs_pq_nits(double code)
{
	double power = pow(fmax(code, 0), 1 / M2);
	return 10000 * pow(fmax(power - C1, 0) / (C2 - C3 * power), 1 / M1);
}

double vrs_pq_code(double nits)
{
	double power = pow(fmax(nits, 0) / 10000, M1);
	return pow((C1 + C2 * power) / (1 + C3 * power), M2);
}

static double hlg_scene(double code)
{
	return code <= 0.5 ? code * code / 3 : (exp((code - HLG_C) / HLG_A) + HLG_B) / 12;
}

static double hlg_code(double scene)
{
	return scene <= 1.0 / 12 ? sqrt(3 * fmax(scene, 0)) : HLG_A * log(12 * scene - HLG_B) + HLG_C;
}

bool vrs_format_is_pq(const struct vrs_picture_format *format)
{
	return format->transfer == TRANSFER_PQ;
}

bool vrs_format_is_hdr(const struct vrs_picture_format *format)
{
	return format->transfer == TRANSFER_PQ || format->transfer == TRANSFER_HLG;
}

/* BT.2100's luminance, for HLG's system gamma. */
static double luminance(const double rgb[3])
{
	return 0.2627 * rgb[0] + 0.6780 * rgb[1] + 0.0593 * rgb[2];
}

void vrs_hdr_light(const struct vrs_picture_format *format, const double code[3], double ret_nits[3])
{
	double scene[3];
	if (vrs_format_is_pq(format)) {
		for (int c = 0; c < 3; c++)
			ret_nits[c] = vrs_pq_nits(code[c]);
		return;
	}
	for (int c = 0; c < 3; c++)
		scene[c] = hlg_scene(code[c]);
	double gain = VRS_HLG_NITS * pow(luminance(scene), HLG_GAMMA - 1);
	for (int c = 0; c < 3; c++)
		ret_nits[c] = gain * scene[c];
}

void vrs_hdr_code(const struct vrs_picture_format *format, const double nits[3], double ret_code[3])
{
	if (vrs_format_is_pq(format)) {
		for (int c = 0; c < 3; c++)
			ret_code[c] = vrs_pq_code(nits[c]);
		return;
	}
	double shown = luminance(nits) / VRS_HLG_NITS, gain = shown > 0 ? pow(shown, (1 - HLG_GAMMA) / HLG_GAMMA) / VRS_HLG_NITS : 0;
	for (int c = 0; c < 3; c++)
		ret_code[c] = fmin(hlg_code(gain * nits[c]), 1);
}

static void multiply(const double m[3][3], const double v[3], double ret[3])
{
	for (int c = 0; c < 3; c++)
		ret[c] = m[c][0] * v[0] + m[c][1] * v[1] + m[c][2] * v[2];
}

void vrs_bt709_from_bt2020(const double rgb[3], double ret[3])
{
	static const double m[3][3] = {{1.660491, -0.587641, -0.072850}, {-0.124550, 1.132900, -0.008349}, {-0.018151, -0.100579, 1.118730}};
	multiply(m, rgb, ret);
}

void vrs_bt2020_from_bt709(const double rgb[3], double ret[3])
{
	static const double m[3][3] = {{0.627404, 0.329283, 0.043313}, {0.069097, 0.919540, 0.011362}, {0.016391, 0.088013, 0.895595}};
	multiply(m, rgb, ret);
}

void vrs_yuv_from_sdr(int ret_yuv[3], const struct vrs_picture_format *format, const uint8_t rgb[3])
{
	double code[3], nits[3], wide[3];
	if (!vrs_format_is_hdr(format)) {
		vrs_yuv_from_rgb(ret_yuv, format, rgb);
		return;
	}
	for (int c = 0; c < 3; c++)
		nits[c] = VRS_SDR_WHITE_NITS * pow(rgb[c] / 255.0, VRS_SDR_GAMMA);
	vrs_bt2020_from_bt709(nits, wide);
	vrs_hdr_code(format, format->primaries == PRIMARIES_BT2020 ? wide : nits, code);
	vrs_yuv_from_share(ret_yuv, format, code);
}

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
