/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Depthwise convolutions (kernels/dwconv.cl). */
#include "base/mem.h"
#include "opencl/ocl_conv.h"
#include "opencl/ocl_math.h"
#include "opencl/ocl_values.h"
#include "opencl/ocl_vector.h"

#define SHARED_TAPS 11       /* widest window that is unrolled */

/* [taps][outputs, rounded up to the vector]. */
static int32_t packed_weights(struct vrs_ocl_plan *plan, const struct vrs_ocl_conv *conv, int vector)
{
	size_t taps = (size_t)conv->window.kernel_h * (size_t)conv->window.kernel_w, outputs = (size_t)conv->outputs;
	size_t pitch = (outputs + (size_t)vector - 1) / (size_t)vector * (size_t)vector, elements;

	if (!vrs_mul_size(taps, pitch, &elements) || elements > INT32_MAX)
		return VRS_ELIMIT;
	float *packed = vrs_calloc(elements + 1, sizeof *packed);

	if (!packed)
		return VRS_ENOMEM;
	for (size_t t = 0; t < taps; t++)
		for (size_t o = 0; o < outputs; o++)
			packed[t * pitch + o] = conv->weights[o * conv->output_step + t * conv->tap_step];
	int32_t value = vrs_ocl_weights(plan, packed, elements);

	vrs_free(packed);
	return value;
}

static void add_args(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_conv *conv, int vector, bool half)
{
	bool aligned = conv->channels % vector == 0 && conv->outputs % vector == 0;
	int32_t x = vrs_ocl_value_of(plan, node->in[0]), y = vrs_ocl_value_of(plan, node->out);
	int32_t w = packed_weights(plan, conv, vector), b = conv->bias ? vrs_ocl_padded_bias(plan, conv->bias, 1, conv->outputs, vector) : -1;

	vrs_ocl_arg_value(plan, "x", x);
	vrs_ocl_define_vector_access(plan, "x", x, vector, aligned);
	vrs_ocl_define_factor(plan, "x", x, vector, aligned, half);
	vrs_ocl_arg_value(plan, "w", w);
	vrs_ocl_define_vector_access(plan, "w", w, vector, true);
	vrs_ocl_define_factor(plan, "w", w, vector, true, half);
	if (conv->bias) {
		vrs_ocl_arg_value(plan, "b", b);
		vrs_ocl_define_vector_access(plan, "b", b, vector, true);
	}
	if (conv->scaled)
		vrs_ocl_arg_tensor(plan, "s", node->scale);
	vrs_ocl_arg_value(plan, "y", y);
	vrs_ocl_define_vector_access(plan, "y", y, vector, aligned);
	const int64_t sizes[] = {conv->height, conv->width, conv->channels, conv->out_height, conv->out_width, conv->outputs, conv->window.pad_top,
				 conv->window.pad_left};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		vrs_ocl_arg_int(plan, sizes[i]);
	vrs_ocl_vector_epilogue(plan, node, vector, aligned);
}

enum vrs_status vrs_ocl_dwconv_step(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_conv *conv,
				    const struct vrs_ocl_tile *tile, struct vrs_error *err)
{
	const struct vrs_window *w = &conv->window;
	int64_t columns = (int64_t)(tile->item_m - 1) * w->stride_w + (int64_t)(w->kernel_w - 1) * w->dilation_w + 1;
	size_t items_n = (size_t)((conv->outputs + tile->vector - 1) / tile->vector);
	size_t items_m = (size_t)((conv->out_width + tile->item_m - 1) / tile->item_m), rows = (size_t)(conv->batch * conv->out_height);
	bool half = plan->half_math && w->kernel_w <= VRS_OCL_HALF_RUN; /* a row of taps is a sum in halves */

	vrs_ocl_step_begin(plan, node, "dwconv");
	add_args(plan, node, conv, tile->vector, half);
	vrs_ocl_define_vector(plan, tile->vector);
	vrs_ocl_define_math(plan, tile->vector, half);
	vrs_ocl_define_window(plan, w);
	vrs_ocl_define_int(plan, "ITEM_M", tile->item_m);
	vrs_ocl_define_int(plan, "BIAS", conv->bias != NULL);
	vrs_ocl_define_int(plan, "SCALED", conv->scaled);
	vrs_ocl_define_int(plan, "MULTIPLIER", conv->outputs / conv->channels);
	vrs_ocl_define_int(plan, "TAIL", conv->outputs % tile->vector != 0);
	vrs_ocl_define_int(plan, "SHARED", w->kernel_w <= SHARED_TAPS && columns < (int64_t)tile->item_m * w->kernel_w);
	return vrs_ocl_step_end_folded(plan, 2, (size_t[]){items_n, items_m, rows}, (size_t[]){(size_t)tile->group_n, (size_t)tile->group_m, 1}, err);
}
