/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_memory.h"

#include <vrseg/machine.h>

#include "base/assert.h"

#define MIB (UINT64_C(1) << 20)

/* Of a device, since it may have two contexts, with a profile and without. */
struct account {
	cl_device_id device;
	uint64_t held;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct account accounts[VRS_MACHINE_MAX_CL]; /* no more devices are listed, and so opened */

uint64_t vrs_ocl_memory_limit(const struct vrs_ocl_caps *caps, uint64_t bytes, double share)
{
	uint64_t part = (uint64_t)(share * (double)caps->global_bytes);

	return bytes == 0 || (part > 0 && part < bytes) ? part : bytes;
}

/* Under the lock. */
static struct account *account_of(const struct vrs_ocl_context *context)
{
	int i = 0;

	while (i < VRS_MACHINE_MAX_CL - 1 && accounts[i].device && accounts[i].device != context->device)
		i++;
	VRS_ASSERT(!accounts[i].device || accounts[i].device == context->device);
	accounts[i].device = context->device;
	return &accounts[i];
}

static enum vrs_status refuse(const struct vrs_ocl_context *context, const struct vrs_ocl_claim *claim, uint64_t held, struct vrs_error *err)
{
	unsigned long long needed = (claim->bytes + MIB - 1) / MIB, most = claim->most / MIB, taken = (held + MIB - 1) / MIB;

	if (held == 0)
		return vrs_fail(err, VRS_ELIMIT, "%s needs %llu MiB of memory on %s, more than the %llu MiB that it may have; %s, or allow more "
				"(--max-memory-fraction)", claim->what, needed, context->caps.name, most, claim->remedy);
	return vrs_fail(err, VRS_ELIMIT, "%s needs %llu MiB more of memory on %s, where the job has %llu MiB and may have %llu MiB; %s, or allow more "
			"(--max-memory-fraction)", claim->what, needed, context->caps.name, taken, most, claim->remedy);
}

enum vrs_status vrs_ocl_memory_take(const struct vrs_ocl_context *context, const struct vrs_ocl_claim *claim, struct vrs_error *err)
{
	pthread_mutex_lock(&lock);
	struct account *account = account_of(context);
	uint64_t held = account->held;
	bool fits = claim->most == 0 || (held <= claim->most && claim->bytes <= claim->most - held);

	if (fits)
		account->held += claim->bytes;
	pthread_mutex_unlock(&lock);
	return fits ? VRS_OK : refuse(context, claim, held, err);
}

void vrs_ocl_memory_give(const struct vrs_ocl_context *context, uint64_t bytes)
{
	pthread_mutex_lock(&lock);
	struct account *account = account_of(context);

	VRS_ASSERT(account->held >= bytes);
	account->held -= bytes;
	pthread_mutex_unlock(&lock);
}
