/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convolutions on a device: what one looks like, the ways to compute it, and the steps of each way. */
#ifndef VRS_OPENCL_OCL_CONV_H
#define VRS_OPENCL_OCL_CONV_H

#include "opencl/ocl_plan.h"

/* A convolution whose weights are known.  A plain 1x1 one over several pictures is one over a single row of all their pixels. */
struct vrs_ocl_conv {
	int64_t batch, height, width, channels;  /* of x */
	int64_t out_height, out_width, outputs;
	struct vrs_window window;
	bool depthwise;            /* output o reads channel o / (outputs / channels) */
	bool scaled;               /* x has a factor for each picture and channel */
	bool pointwise;            /* pixel p of the output is pixel p of x */
	int64_t joined;            /* pictures that are one row of pixels; 1: they are not joined */
	const float *weights, *bias; /* bias NULL: none */
	size_t output_step, tap_step; /* of weights: elements from output to output and from tap to tap; channels of a group lie side by side */
};

enum vrs_ocl_algorithm {
	VRS_OCL_GEMM,              /* kernels/conv_gemm.cl, or conv_direct.cl without local memory */
	VRS_OCL_WINOGRAD,          /* the same for the products between two transforms */
	VRS_OCL_DEPTHWISE,         /* kernels/dwconv.cl */
};

/* One way to compute a convolution. */
struct vrs_ocl_tile {
	enum vrs_ocl_algorithm algorithm;
	bool local;                /* products by tiles in local memory, with barriers */
	int group_n, group_m;      /* work-items of a group along output channels and along pixels */
	int item_n, item_m;        /* output channels and pixels of a work-item */
	int vector;                /* channels that a work-item handles as one vector: 1, 4, 8, 16; 4 with local */
	int step_k;                /* products between two barriers, with local; else 1 */
	int split;                 /* slices of a group that share the steps along k, with local; else 1 */
};

#define VRS_OCL_MAX_TILES 40

/* The convolution of a node; VRS_EUNSUPPORTED: computed weights, or something else that no kernel covers. */
enum vrs_status vrs_ocl_conv_init(struct vrs_ocl_conv *ret_conv, const struct vrs_graph *graph, const struct vrs_node *node);
/*
 * Ways to compute a convolution on a device, the best by rules of thumb first, at most max of them (1..VRS_OCL_MAX_TILES); returns their number, at
 * least one.  Each works; which is fastest is for a tuner to measure.
 */
int vrs_ocl_tile_candidates(const struct vrs_ocl_caps *caps, const struct vrs_ocl_conv *conv, struct vrs_ocl_tile *ret_tiles, int max);
static inline int64_t vrs_ocl_rounded(int64_t value, int64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Do two ways add the products of an output in the same order?  Then their results have the same bits. */
static inline bool vrs_ocl_same_order(const struct vrs_ocl_tile *a, const struct vrs_ocl_tile *b)
{
	return a->algorithm == b->algorithm && a->split == b->split && (a->split == 1 || a->step_k == b->step_k);
}

/* The steps of a conv node by one of its candidates. Statuses of vrs_ocl_lower_conv (ocl_lower.h). */
enum vrs_status vrs_ocl_conv_steps(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_conv *conv,
				   const struct vrs_ocl_tile *tile, struct vrs_error *err);

/* Parts of vrs_ocl_conv_steps, each for one algorithm. */
enum vrs_status vrs_ocl_dwconv_step(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_conv *conv,
				    const struct vrs_ocl_tile *tile, struct vrs_error *err);
enum vrs_status vrs_ocl_winograd_steps(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_conv *conv,
				       const struct vrs_ocl_tile *tile, struct vrs_error *err);

/* Are planes of a Winograd convolution possible? 3x3, steps of one, one group, no factors. */
static inline bool vrs_ocl_conv_suits_winograd(const struct vrs_ocl_conv *conv)
{
	const struct vrs_window *w = &conv->window;

	return !conv->depthwise && !conv->scaled && w->groups == 1 && w->kernel_h == 3 && w->kernel_w == 3 && w->stride_h == 1 && w->stride_w == 1 &&
	       w->dilation_h == 1 && w->dilation_w == 1;
}

/*
 * A matrix product y[z][m][n] = sum over k of a[z][m][k] * w[z][k][n] through the window of `conv`, for the two templates.  Values are indices of the
 * plan; bias, scale -1: none.  planes > 0: the z of w, x and y are planes, and no window or epilogue applies.
 */
struct vrs_ocl_gemm {
	const struct vrs_ocl_conv *conv;
	int planes;
	int32_t x, w, bias, scale, y;
};
enum vrs_status vrs_ocl_gemm_step(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_gemm *gemm,
				  const struct vrs_ocl_tile *tile, struct vrs_error *err);
/*
 * Dense matrices [count][n][k] packed as the templates read them: [count][blocks of group_n * item_n][k, rounded up to
 * step_k * split][group_n * item_n], zeros in what is added.  exact: as floats, whatever the plan's precision.  Index of the value, or a negative
 * status.
 */
int32_t vrs_ocl_gemm_pack(struct vrs_ocl_plan *plan, const struct vrs_ocl_tile *tile, int64_t count, int64_t n, int64_t k, const float *from,
			  bool exact);
/* Floats [count][n], each row filled up with zeros to a multiple of `block`; a value, or a negative status. */
int32_t vrs_ocl_padded_bias(struct vrs_ocl_plan *plan, const float *bias, int64_t count, int64_t n, int64_t block);
/* KERNEL_H to DILATION_W. */
void vrs_ocl_define_window(struct vrs_ocl_plan *plan, const struct vrs_window *window);

#endif
