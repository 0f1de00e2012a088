/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_order.h"

#include "base/hash.h"

uint64_t vrs_ocl_order_hash(const struct vrs_ocl_order *order)
{
	const uint64_t fields[] = {
		order->is_cpu, order->is_cpu ? 0 : (uint64_t)order->compute_units, order->max_group, order->max_items[0], order->max_items[1],
		order->max_items[2], order->local_bytes,
	};

	return vrs_hash(VRS_HASH_INIT, fields, sizeof fields);
}
