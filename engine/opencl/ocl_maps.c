/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_maps.h"

#include "opencl/ocl_conv.h"

#define PIXELS_A_ITEM 16 /* that a work-item goes over in a chunk */
#define MAX_CHUNKS 256
#define MANY_LANES 256 /* of a group on GPUs: large chunks, since whoever reads their sums waits for each */
#define MOST_ACROSS 32 /* vectors side by side on GPUs: what memory gives at once, and a little more */

int vrs_ocl_power_at_most(int64_t n)
{
	int power = 1;

	while (power <= n / 2 && power < 1 << 30)
		power *= 2;
	return power;
}

int vrs_ocl_lanes(const struct vrs_ocl_plan *plan, int wanted)
{
	return vrs_ocl_power_at_most(plan->caps.max_group < (size_t)wanted ? (int64_t)plan->caps.max_group : wanted);
}

int vrs_ocl_map_vector(struct vrs_ocl_plan *plan, int64_t count)
{
	bool four = count % 4 == 0;

	vrs_ocl_define_int(plan, "VEC", four ? 4 : 1);
	vrs_ocl_define_text(plan, "V", four ? "float4" : "float");
	vrs_ocl_define_text(plan, "LDV(name, p, i)", four ? "name##_LD4(p, i)" : "name##_LD(p, i)");
	vrs_ocl_define_text(plan, "STV(name, p, i, v)", four ? "name##_ST4(p, i, v)" : "name##_ST(p, i, v)");
	vrs_ocl_define_text(plan, "EPILOGUEV(v, i)", four ? "EPILOGUE4(v, i)" : "EPILOGUE(v, i)");
	return four ? 4 : 1;
}

struct vrs_ocl_sharing vrs_ocl_share_map(const struct vrs_ocl_plan *plan, int64_t pixels, int64_t channels)
{
	bool cpu = plan->caps.vendor == VRS_OCL_VENDOR_CPU;
	struct vrs_ocl_sharing s = {.lanes = vrs_ocl_lanes(plan, cpu ? VRS_OCL_GROUP : MANY_LANES)};
	int most = cpu || s.lanes < MOST_ACROSS ? s.lanes : MOST_ACROSS;
	int64_t vectors = channels % 4 == 0 ? channels / 4 : channels, least = (pixels + MAX_CHUNKS - 1) / MAX_CHUNKS;

	s.across = vrs_ocl_power_at_most(vectors < most ? vectors : most);
	if (s.across < vectors && s.across < most)
		s.across *= 2;
	s.chunk = (int64_t)s.lanes / s.across * PIXELS_A_ITEM;
	s.chunk = s.chunk > least ? s.chunk : least;
	s.chunks = pixels > 0 ? (pixels + s.chunk - 1) / s.chunk : 1;
	return s;
}

enum vrs_status vrs_ocl_sharing_end(struct vrs_ocl_plan *plan, const struct vrs_ocl_sharing *sharing, int64_t channels, int64_t batch,
				    struct vrs_error *err)
{
	int vec = vrs_ocl_map_vector(plan, channels);
	size_t groups = (size_t)((channels / vec + sharing->across - 1) / sharing->across), lanes = (size_t)sharing->lanes;

	vrs_ocl_define_int(plan, "LANES", sharing->lanes);
	vrs_ocl_define_int(plan, "ACROSS", sharing->across);
	return vrs_ocl_step_end(plan, 3, (size_t[]){groups * lanes, (size_t)sharing->chunks, (size_t)batch}, (size_t[]){lanes, 1, 1}, err);
}

enum vrs_status vrs_ocl_map_end(struct vrs_ocl_plan *plan, size_t n, struct vrs_error *err)
{
	return vrs_ocl_step_end(plan, 1, &n, (size_t[]){(size_t)vrs_ocl_lanes(plan, VRS_OCL_GROUP)}, err);
}

void vrs_ocl_map_window(struct vrs_ocl_plan *plan, const struct vrs_window *window)
{
	vrs_ocl_define_window(plan, window);
	vrs_ocl_define_int(plan, "PAD_TOP", window->pad_top);
	vrs_ocl_define_int(plan, "PAD_LEFT", window->pad_left);
	vrs_ocl_define_int(plan, "PAD_BOTTOM", window->pad_bottom);
	vrs_ocl_define_int(plan, "PAD_RIGHT", window->pad_right);
}

const float *vrs_ocl_constant(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	return tensor >= 0 ? plan->graph.tensors[tensor].data : NULL;
}
