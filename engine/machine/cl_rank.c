/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of several OpenCL devices is the best for a network, by what they say of themselves. */
#include <strings.h>

#include <vrseg/machine.h>

/* GPUs go before accelerators, these before CPUs; of GPUs those with memory of their own, then those with more of it. */
static bool is_better(const struct vrs_cl_device *a, const struct vrs_cl_device *b)
{
	if (a->is_gpu != b->is_gpu)
		return a->is_gpu;
	if (!a->is_gpu)
		return !a->is_cpu && b->is_cpu;
	if (a->unified_memory != b->unified_memory)
		return b->unified_memory;
	return a->global_bytes > b->global_bytes;
}

/* A card that an earlier platform lists too.  Devices of one platform with one address are parts of a card, and work side by side. */
static bool is_listed_before(const struct vrs_cl_device *devices, int index)
{
	const struct vrs_cl_device *cl = &devices[index];

	for (int i = 0; i < index; i++)
		if (cl->address[0] && strcasecmp(devices[i].address, cl->address) == 0 && devices[i].platform != cl->platform)
			return true;
	return false;
}

int vrs_cl_devices_rank(const struct vrs_cl_device *devices, int count, int ret_order[VRS_MACHINE_MAX_CL])
{
	int ranked = 0;

	for (int i = 0; i < count; i++) {
		int at = ranked;

		if (is_listed_before(devices, i))
			continue;
		for (; at > 0 && is_better(&devices[i], &devices[ret_order[at - 1]]); at--)
			ret_order[at] = ret_order[at - 1];
		ret_order[at] = i;
		ranked++;
	}
	return ranked;
}
