/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/picture.h"

#include <pthread.h>
#include <string.h>

#include "machine/cpu_features.h"

#include <vrseg/log.h>

#define SLOT(name, isa) .name = vrs_##name##__##isa,
/* columns: of which instruction set vrs_downscale_columns is; it gains nothing from vectors wider than those of AVX2. */
#define TABLE(suffix, columns) {.isa = #suffix, .downscale_columns = vrs_downscale_columns__##columns, VRS_PICTURE_KERNEL_LIST(SLOT, suffix)}
static const struct vrs_picture_kernels tables[] = {TABLE(ref, ref), TABLE(avx2, avx2), TABLE(avx512, avx2)};

static pthread_once_t picture_once = PTHREAD_ONCE_INIT;
static struct vrs_picture_kernels picture_table;

void vrs_picture_kernels_init(struct vrs_picture_kernels *ret_kernels, unsigned features)
{
	const char *isa = vrs_cpu_isa(features);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (strcmp(tables[i].isa, isa) == 0)
			*ret_kernels = tables[i];
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
