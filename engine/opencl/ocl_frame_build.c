/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_frame_state.h"

#include "base/mem.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_program.h"
#include "opencl/ocl_source.h"

static const struct {
	const char *template_name;
	bool by_channels;          /* works on planes of one or two samples a pixel */
} sources[VRS_OCL_FRAME_KERNELS] = {
	[VRS_OCL_FRAME_ROWS] = {"frame_rows", true},     [VRS_OCL_FRAME_COMPOSE] = {"frame_compose", true},
	[VRS_OCL_FRAME_REMAP] = {"frame_remap", true},   [VRS_OCL_FRAME_CIRCLE] = {"frame_circle", true},
	[VRS_OCL_FRAME_COLOR] = {"frame_color", false},  [VRS_OCL_FRAME_MATTE] = {"frame_matte", false},
	[VRS_OCL_FRAME_DISC] = {"frame_disc", false},
};

static bool is_made(const struct vrs_ocl_frame_options *options, int kernel, int channels)
{
	return channels == 1 || (sources[kernel].by_channels && options->format.interleaved);
}

static void define_picture(struct vrs_ocl_defines *defines, const struct vrs_ocl_picture_format *format, int channels)
{
	const char *type = vrs_sample_bytes(&format->samples) == 1 ? "uchar" : "ushort";

	vrs_ocl_define(defines, "T", "%s", type);
	vrs_ocl_define(defines, "T4", "%s4", type);
	vrs_ocl_define(defines, "CONVERT_T4", "convert_%s4", type);
	vrs_ocl_define(defines, "CHANNELS", "%d", channels);
	vrs_ocl_define(defines, "SHIFT", "%d", format->low_bits);
	vrs_ocl_define(defines, "DEPTH", "%d", format->samples.bit_depth);
	vrs_ocl_define(defines, "SHIFT_X", "%d", format->samples.chroma_shift_x);
	vrs_ocl_define(defines, "SHIFT_Y", "%d", format->samples.chroma_shift_y);
}

static void define_output(struct vrs_ocl_defines *defines, const struct vrs_ocl_frame_options *options)
{
	vrs_ocl_define(defines, "CHANNELS", "%d", options->output_channels);
	vrs_ocl_define(defines, "CHANNEL", "%d", options->output_channel);
	vrs_ocl_define(defines, "KIND", "%d", (int)options->kind);
}

typedef char kernel_name[VRS_OCL_KERNEL_NAME];

static enum vrs_status add_sources(struct vrs_ocl_source *source, const struct vrs_ocl_frame_options *options,
				   kernel_name names[VRS_OCL_FRAME_KERNELS][2], struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;

	for (int k = 0; k < VRS_OCL_FRAME_KERNELS; k++)
		for (int channels = 1; channels <= 2 && status == VRS_OK; channels++) {
			struct vrs_ocl_defines defines = {0};

			if (!is_made(options, k, channels))
				continue;
			if (k == VRS_OCL_FRAME_MATTE)
				define_output(&defines, options);
			else
				define_picture(&defines, &options->format, channels);
			status = vrs_ocl_source_add(source, sources[k].template_name, &defines, names[k][channels - 1], err);
		}
	return status;
}

static enum vrs_status make_kernels(struct vrs_ocl_frame *frame, kernel_name names[VRS_OCL_FRAME_KERNELS][2], struct vrs_error *err)
{
	int code = CL_SUCCESS;

	for (int k = 0; k < VRS_OCL_FRAME_KERNELS; k++)
		for (int channels = 1; channels <= 2 && code == CL_SUCCESS; channels++)
			if (is_made(&frame->options, k, channels))
				frame->kernels[k][channels - 1] = clCreateKernel(frame->program, names[k][channels - 1], &code);
	return vrs_ocl_check(err, code, "find a kernel for frames");
}

static enum vrs_status build(struct vrs_ocl_frame *frame, bool cache, struct vrs_error *err)
{
	struct vrs_ocl_source source;
	kernel_name names[VRS_OCL_FRAME_KERNELS][2];
	enum vrs_status status = vrs_ocl_source_init(&source);

	if (status != VRS_OK)
		status = vrs_fail_nomem(err);
	else
		status = add_sources(&source, &frame->options, names, err);
	if (status == VRS_OK)
		status = vrs_ocl_program_build(&frame->program, frame->context, vrs_buf_str(&source.text), source.text.len, cache, err);
	if (status == VRS_OK)
		status = make_kernels(frame, names, err);
	vrs_ocl_source_fini(&source);
	return status;
}

static enum vrs_status check(const struct vrs_ocl_frame_options *options, struct vrs_error *err)
{
	struct vrs_ocl_picture layout;
	int channels = options->output_channels, channel = options->output_channel;

	if (channels < 1 || channel < 0 || channel >= channels || (options->kind == VRS_OCL_ALPHA_SOFTMAX2 && (channels < 2 || channel > 1)))
		return vrs_fail(err, VRS_EINVAL, "a network output of %d channels has no matte in channel %d", channels, channel);
	return vrs_ocl_picture_layout(&layout, &options->format, err);
}

enum vrs_status vrs_ocl_frame_create(struct vrs_ocl_frame **ret_frame, struct vrs_ocl_context *context, const struct vrs_ocl_frame_options *options,
				     bool cache, struct vrs_error *err)
{
	enum vrs_status status = check(options, err);

	if (status != VRS_OK)
		return status;
	struct vrs_ocl_frame *frame = vrs_calloc(1, sizeof *frame);
	if (!frame)
		return vrs_fail_nomem(err);
	frame->options = *options;
	frame->context = vrs_ocl_context_ref(context);
	status = vrs_ocl_buffer_of(&frame->curve, frame->context, options->curve, sizeof options->curve, err);
	if (status == VRS_OK)
		status = build(frame, cache, err);
	if (status != VRS_OK) {
		vrs_ocl_frame_destroy(frame);
		return status;
	}
	*ret_frame = frame;
	return VRS_OK;
}

void vrs_ocl_frame_destroy(struct vrs_ocl_frame *frame)
{
	if (!frame)
		return;
	for (int k = 0; k < VRS_OCL_FRAME_KERNELS; k++)
		for (int i = 0; i < 2; i++)
			if (frame->kernels[k][i])
				(void)clReleaseKernel(frame->kernels[k][i]);
	if (frame->program)
		(void)clReleaseProgram(frame->program);
	vrs_ocl_release(frame->curve);
	for (int p = 0; p < 3; p++)
		vrs_ocl_release(frame->rows[p]);
	vrs_ocl_context_close(frame->context);
	vrs_free(frame);
}

enum vrs_status vrs_ocl_frame_check(const struct vrs_ocl_frame *frame, const struct vrs_ocl_picture *picture, struct vrs_error *err)
{
	const struct vrs_ocl_picture_format *a = &frame->options.format, *b = &picture->format;
	bool same = picture->plane_count > 0 && a->samples.bit_depth == b->samples.bit_depth && a->low_bits == b->low_bits;

	if (same && picture->plane_count > 1)
		same = a->interleaved == b->interleaved && a->samples.chroma_shift_x == b->samples.chroma_shift_x &&
		       a->samples.chroma_shift_y == b->samples.chroma_shift_y;
	return same ? VRS_OK : vrs_fail(err, VRS_EINVAL, "a picture of another format than that of the kernels");
}
