/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a listing is made: in a child before drivers are loaded here, and once in this process. */
#include "opencl/ocl_device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/str_parse.h"
#include "opencl/ocl_guard.h"

#define DETECT_SECONDS 20.0 /* first load of a driver from a cold disk takes seconds */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vrs_ocl_list listed;
static bool loaded; /* drivers, in this process; the child of a listing in isolation has a copy */

void vrs_ocl_list_once(struct vrs_ocl_list *ret_list)
{
	pthread_mutex_lock(&lock);
	loaded = true;
	if (listed.count == 0) {
		vrs_ocl_guard_begin();
		vrs_ocl_list(&listed);
		vrs_ocl_guard_loaded();
	}
	*ret_list = listed;
	pthread_mutex_unlock(&lock);
}

/* In a child, as long as this process has loaded no driver.  Once it has, drivers have shown that they load here, and a child could not use them. */
static void list_safely(struct vrs_ocl_list *ret_list)
{
	pthread_mutex_lock(&lock);
	bool is_loaded = loaded;

	pthread_mutex_unlock(&lock);
	if (is_loaded)
		vrs_ocl_list_once(ret_list);
	else
		vrs_ocl_list_isolated(vrs_ocl_list, DETECT_SECONDS, ret_list);
}

void vrs_machine_add_opencl(struct vrs_machine *machine)
{
	const char *root = getenv("VRSEG_ROOT");
	struct vrs_ocl_list list = {0};

	if (root && root[0] != '\0' && strcmp(root, "/") != 0)
		(void)vrs_strcpy(list.reason, sizeof list.reason, "a recorded machine is replayed");
	else
		list_safely(&list);
	machine->cl_count = list.count;
	memcpy(machine->cl, list.devices, sizeof machine->cl);
	memcpy(machine->cl_reason, list.reason, sizeof machine->cl_reason);
	for (int i = 0; i < machine->cl_count; i++) {
		for (int k = 0; k < machine->gpu_count; k++) {
			if (machine->cl[i].numa_node < 0 && strcmp(machine->cl[i].address, machine->gpus[k].address) == 0)
				machine->cl[i].numa_node = machine->gpus[k].numa_node;
		}
	}
	vrs_machine_update_fingerprint(machine);
}
