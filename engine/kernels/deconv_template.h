/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of transposed convolutions with few channels, from the products of their input rows with all taps.  The products are turned, so that each
 * tap of each channel is a plane of its own with pixels side by side; a phase of the stride is then a sum of planes, and phases and channels are put
 * together again at the end.
 */
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/row_contract.h"
#include "kernels/turned_lanes.h"

/* Four floats of each of VL pixels from pixel i on, those of all rows added up: x[k], a lane a pixel. */
VRS_INLINE void deconv_turned(const struct vrs_deconv_row *row, ptrdiff_t i, int from, vf x[4])
{
	vf sum[4];
	VRS_UNROLL
	for (int q = 0; q < 4; q++)
		sum[q] = turned_quads(row->products[0] + (i + q) * row->px + from, 4 * row->px);
	for (int r = 1; r < row->rows; r++) {
		VRS_UNROLL
		for (int q = 0; q < 4; q++)
			sum[q] = v_add(sum[q], turned_quads(row->products[r] + (i + q) * row->px + from, 4 * row->px));
	}
	turn_quads(sum[0], sum[1], sum[2], sum[3], x);
}

/* Plane j, of tap j / channels and channel j % channels, from its first pixel on; beside the pixels it is zero. */
VRS_INLINE float *deconv_plane(const struct vrs_deconv_row *row, int j)
{
	return row->scratch + (size_t)j * VRS_DECONV_PLANE(row) + row->margin;
}

VRS_INLINE void deconv_turn(const struct vrs_deconv_row *row)
{
	int planes = row->taps * row->channels, i = 0, beyond = planes < 4; /* then four floats are those of the next pixel, too */
	memset(row->scratch, 0, (size_t)planes * VRS_DECONV_PLANE(row) * sizeof *row->scratch);
	if (row->rows == 0)
		return;
	for (; i + VL + beyond <= row->pixels; i += VL) {
		for (int j = 0; j < planes; j += 4) {
			int from = j + 4 <= planes || beyond ? j : planes - 4; /* the last four: some get the same values again */
			vf x[4];
			deconv_turned(row, i, from, x);
			VRS_UNROLL
			for (int q = 0; q < 4; q++)
				if (from + q < planes)
					v_store(deconv_plane(row, from + q) + i, x[q]);
		}
	}
	for (; i < row->pixels; i++)
		for (int j = 0; j < planes; j++) {
			float sum = row->products[0][i * row->px + j];
			for (int r = 1; r < row->rows; r++)
				sum += row->products[r][i * row->px + j];
			deconv_plane(row, j)[i] = sum;
		}
}

/* Columns x * stride + phase of one channel, as many as there are whole vectors of. */
VRS_INLINE void deconv_phase(const struct vrs_deconv_row *row, int phase, int channel, int periods, float *to)
{
	vf bias = v_set1(row->bias[channel]);
	for (int i = 0; i < periods; i += VL)
		v_store(to + i, bias);
	for (int k = 0; k < row->taps; k++) {
		int at = phase + row->pad - k * row->dilation;
		if (at % row->stride)
			continue;
		const float *plane = deconv_plane(row, k * row->channels + channel) + at / row->stride;
		for (int i = 0; i < periods; i += VL)
			v_store(to + i, v_add(v_load(to + i), v_load(plane + i)));
	}
}

/* Planes of `count` values side by side: out[i * count + m] = planes[m][i]. */
VRS_INLINE void deconv_join(const float *planes, size_t plane, int count, int periods, float *out)
{
	for (int i = 0; i < periods; i++)
		for (int m = 0; m < count; m++)
			out[(ptrdiff_t)i * count + m] = planes[(size_t)m * plane + (size_t)i];
}

void VRS_ISA(vrs_deconv_f32_rows)(const struct vrs_deconv_row *args)
{
	const struct vrs_deconv_row copy = *args, *row = &copy;
	int channels = row->channels, count = row->stride * channels;
	int whole = row->width / row->stride, periods = (row->width + row->stride - 1) / row->stride;
	size_t plane = VRS_DECONV_PLANE(row);
	float *planes = row->scratch + (size_t)(row->taps * channels) * plane;
	vrs_deconv_row_contract(row);
	deconv_turn(row);
	for (int m = 0; m < count; m++)
		deconv_phase(row, m / channels, m % channels, periods, planes + (size_t)m * plane);
	switch (count) {
	case 1: memcpy(row->out, planes, (size_t)whole * sizeof *planes); break;
	case 2: deconv_join(planes, plane, 2, whole, row->out); break;
	case 4: deconv_join(planes, plane, 4, whole, row->out); break;
	default: deconv_join(planes, plane, count, whole, row->out); break;
	}
	for (int m = 0; m < (row->width - whole * row->stride) * channels; m++)
		row->out[(ptrdiff_t)whole * count + m] = planes[(size_t)m * plane + (size_t)whole];
}
