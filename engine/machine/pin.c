/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeping the whole process on some processors, as asked. */
#include <errno.h>
#include <string.h>

#include <hwloc.h>

#include "base/str_parse.h"
#include "machine/sysfs.h"
#include "machine/topology.h"

/* The first allowed processor of each core. */
static void one_of_each_core(hwloc_topology_t topology, hwloc_const_bitmap_t allowed, hwloc_bitmap_t set)
{
	hwloc_obj_t core = NULL;
	while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)))
		for (int cpu = hwloc_bitmap_first(core->cpuset); cpu >= 0; cpu = hwloc_bitmap_next(core->cpuset, cpu))
			if (hwloc_bitmap_isset(allowed, (unsigned)cpu)) {
				hwloc_bitmap_set(set, (unsigned)cpu);
				break;
			}
}

static bool node_set(hwloc_topology_t topology, const char *number, hwloc_bitmap_t set)
{
	int64_t index;
	hwloc_obj_t node = NULL;
	if (!vrs_parse_int(number, 0, 4095, &index))
		return false;
	while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)))
		if (node->os_index == (unsigned)index)
			return hwloc_bitmap_copy(set, node->cpuset) == 0;
	return false;
}

static enum vrs_status choose(hwloc_topology_t topology, hwloc_const_bitmap_t allowed, const char *what, hwloc_bitmap_t set, struct vrs_error *err)
{
	bool is_list = what[0] >= '0' && what[0] <= '9' && what[strspn(what, "0123456789,-")] == 0;
	if (strcmp(what, "cores") == 0)
		one_of_each_core(topology, allowed, set);
	else if (strncmp(what, "node:", 5) == 0 ? !node_set(topology, what + 5, set) : !is_list || hwloc_bitmap_list_sscanf(set, what) != 0)
		return vrs_fail(err, VRS_ECONFIG, "\"%.60s\" names no processors here: cores (one of each core), node:N, or a list such as 0-3,8", what);
	hwloc_bitmap_t beyond = hwloc_bitmap_alloc();
	bool outside = !beyond || hwloc_bitmap_andnot(beyond, set, allowed) != 0 || (is_list && !hwloc_bitmap_iszero(beyond));
	hwloc_bitmap_free(beyond);
	if (outside)
		return vrs_fail(err, VRS_ECONFIG, "not all of the processors %.60s may be used by this process", what);
	(void)hwloc_bitmap_and(set, set, allowed);
	return hwloc_bitmap_iszero(set) ? vrs_fail(err, VRS_ECONFIG, "none of the processors %.60s may be used by this process", what) : VRS_OK;
}

enum vrs_status vrs_machine_pin(const char *what, struct vrs_error *err)
{
	if (vrs_sysfs_replay())
		return vrs_fail(err, VRS_EUNSUPPORTED, "a replayed machine cannot be pinned to");
	hwloc_topology_t topology = vrs_topology_load();
	hwloc_bitmap_t allowed = topology ? vrs_topology_allowed(topology) : NULL, set = hwloc_bitmap_alloc();
	enum vrs_status status = allowed && set ? choose(topology, allowed, what, set, err)
						: vrs_fail(err, VRS_EUNSUPPORTED, "the processors of this machine cannot be read");
	if (status == VRS_OK && hwloc_set_cpubind(topology, set, HWLOC_CPUBIND_PROCESS) != 0)
		status = vrs_fail(err, VRS_EUNSUPPORTED, "the system does not allow this process to be pinned: %s", strerror(errno));
	hwloc_bitmap_free(set);
	hwloc_bitmap_free(allowed);
	if (topology)
		hwloc_topology_destroy(topology);
	return status;
}
