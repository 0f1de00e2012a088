/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of picture kernels for this CPU: reference first, instruction sets on top in ascending order. */
#include "kernels/picture.h"

#include <pthread.h>
#include <string.h>

#include "machine/cpu_features.h"

#include <vrseg/log.h>

static pthread_once_t picture_once = PTHREAD_ONCE_INIT;
static struct vrs_picture_kernels picture_table;

void vrs_picture_kernels_init(struct vrs_picture_kernels *ret_kernels, unsigned features)
{
	const char *isa = vrs_cpu_isa(features);
	ret_kernels->isa = isa;
	vrs_downscale_init__ref(ret_kernels);
	vrs_color_init__ref(ret_kernels);
	vrs_upscale_init__ref(ret_kernels);
	vrs_composite_init__ref(ret_kernels);
	vrs_remap_init__ref(ret_kernels);
	vrs_edges_init__ref(ret_kernels);
	if (strcmp(isa, "ref") == 0)
		return;
	vrs_downscale_init__avx2(ret_kernels);
	vrs_color_init__avx2(ret_kernels);
	vrs_upscale_init__avx2(ret_kernels);
	vrs_composite_init__avx2(ret_kernels);
	vrs_remap_init__avx2(ret_kernels);
	vrs_edges_init__avx2(ret_kernels);
	if (strcmp(isa, "avx2") == 0)
		return;
	vrs_downscale_init__avx512(ret_kernels);
	vrs_color_init__avx512(ret_kernels);
	vrs_upscale_init__avx512(ret_kernels);
	vrs_composite_init__avx512(ret_kernels);
	vrs_remap_init__avx512(ret_kernels);
	vrs_edges_init__avx512(ret_kernels);
}

static void picture_init(void)
{
	vrs_picture_kernels_init(&picture_table, vrs_cpu_features());
	vrs_log(VRS_LOG_DEBUG, "picture kernels: %s", picture_table.isa);
}

const struct vrs_picture_kernels *vrs_picture_kernels(void)
{
	pthread_once(&picture_once, picture_init);
	return &picture_table;
}
