/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/topology.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <hwloc.h>
#include <hwloc/cpukinds.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "machine/sysfs.h"

#define CPUINFO_MAX (4 * 1024 * 1024) /* bytes of /proc/cpuinfo */

/*
 * In replay, load the recorded tree instead of the running system: ROOT/hwloc.xml when there is one, else the files below ROOT.  Without
 * recorded processors hwloc would ask the running CPU instead, so that counts as a failure.
 */
static bool load_recorded(hwloc_topology_t topology)
{
	const char *before = getenv("HWLOC_FSROOT");
	char path[VRS_SYSFS_PATH], saved[VRS_SYSFS_PATH] = "";
	bool ok;

	if (vrs_sysfs_exists("/hwloc.xml"))
		return vrs_sysfs_path(path, sizeof path, "/hwloc.xml") && hwloc_topology_set_xml(topology, path) == 0 &&
		       hwloc_topology_load(topology) == 0;
	if (!vrs_sysfs_exists("/sys/devices/system/cpu") || (before && !vrs_strcpy(saved, sizeof saved, before)))
		return false;
	/* hwloc has no call for this, only the variable; it is put back so that later users of hwloc see the real machine. */
	ok = setenv("HWLOC_FSROOT", vrs_sysfs_root(), 1) == 0 && hwloc_topology_load(topology) == 0;
	if (before)
		(void)setenv("HWLOC_FSROOT", saved, 1); /* only fails without memory, and then hwloc reads a recorded machine in tests */
	else
		(void)unsetenv("HWLOC_FSROOT");
	return ok;
}

static pthread_once_t quiet_once = PTHREAD_ONCE_INIT;

/* A library must not print; what hwloc cannot read becomes an absent line. A user's own setting stays. */
static void silence_hwloc(void)
{
	(void)setenv("HWLOC_HIDE_ERRORS", "2", 0);
}

hwloc_topology_t vrs_topology_load(void)
{
	hwloc_topology_t topology;

	(void)pthread_once(&quiet_once, silence_hwloc); /* cannot fail with a valid once object */
	if (hwloc_topology_init(&topology) != 0)
		return NULL;
	/* Devices are listed elsewhere, and hwloc's plugins for them would load drivers. */
	(void)hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE); /* the default; cannot fail before load */
	if (vrs_sysfs_replay() ? !load_recorded(topology) : hwloc_topology_load(topology) != 0) {
		hwloc_topology_destroy(topology);
		return NULL;
	}
	return topology;
}

/* Processors that the scheduler lets this process use; NULL: not known. The file speaks of the process, also when another thread is bound. */
static hwloc_bitmap_t read_affinity(void)
{
	char status[8192], list[1024];
	hwloc_bitmap_t set;

	if (!vrs_sysfs_text(status, sizeof status, "/proc/self/status") || !vrs_sysfs_field(status, "Cpus_allowed_list", list, sizeof list))
		return NULL;
	set = hwloc_bitmap_alloc();
	if (set && hwloc_bitmap_list_sscanf(set, list) != 0) {
		hwloc_bitmap_free(set);
		set = NULL;
	}
	return set;
}

int vrs_topology_affinity(void)
{
	hwloc_bitmap_t affinity = read_affinity();
	int threads = affinity ? hwloc_bitmap_weight(affinity) : 0;

	hwloc_bitmap_free(affinity);
	return threads > 0 ? threads : 0;
}

hwloc_bitmap_t vrs_topology_allowed(hwloc_topology_t topology)
{
	hwloc_bitmap_t allowed = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology));
	hwloc_bitmap_t affinity = read_affinity();

	if (allowed && affinity)
		(void)hwloc_bitmap_and(allowed, allowed, affinity); /* callers handle a set without processors */
	hwloc_bitmap_free(affinity);
	return allowed;
}

static void read_allowed(hwloc_topology_t topology, struct vrs_machine *machine)
{
	hwloc_bitmap_t allowed = vrs_topology_allowed(topology);
	hwloc_obj_t core = NULL;
	int threads;

	if (!allowed || vrs_topology_affinity() == 0)
		vrs_absent_set(machine, "affinity", "no Cpus_allowed_list in /proc/self/status");
	threads = allowed ? hwloc_bitmap_weight(allowed) : 0;
	machine->allowed_threads = threads > 0 ? threads : 1;
	machine->allowed_cores = 0;
	while (allowed && (core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)))
		machine->allowed_cores += hwloc_bitmap_intersects(core->cpuset, allowed);
	if (machine->allowed_cores == 0)
		machine->allowed_cores = machine->allowed_threads;
	hwloc_bitmap_free(allowed);
}

/* Smallest size and number of the caches of a type; 0 and 0 where there is none. */
static uint64_t cache_size(hwloc_topology_t topology, hwloc_obj_type_t type, int *ret_instances)
{
	hwloc_obj_t cache = NULL;
	uint64_t smallest = 0;
	int count = 0;

	while ((cache = hwloc_get_next_obj_by_type(topology, type, cache))) {
		uint64_t size = cache->attr->cache.size;

		if (size > 0 && (smallest == 0 || size < smallest))
			smallest = size;
		count++;
	}
	*ret_instances = count;
	return smallest;
}

static void read_caches(hwloc_topology_t topology, struct vrs_machine *machine)
{
	int l1_instances;

	machine->l1d_bytes = cache_size(topology, HWLOC_OBJ_L1CACHE, &l1_instances);
	machine->l2_bytes = cache_size(topology, HWLOC_OBJ_L2CACHE, &machine->l2_instances);
	machine->l3_bytes = cache_size(topology, HWLOC_OBJ_L3CACHE, &machine->l3_instances);
	if (machine->l1d_bytes == 0 || machine->l2_bytes == 0)
		vrs_absent_set(machine, "caches", "the system lists no cache sizes in /sys/devices/system/cpu/cpu*/cache");
}

static void read_numa(hwloc_topology_t topology, struct vrs_machine *machine)
{
	hwloc_obj_t node = NULL;

	while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node))) {
		if (machine->numa_nodes < VRS_MACHINE_MAX_NUMA) {
			struct vrs_numa_node *out = &machine->numa[machine->numa_nodes];

			out->index = (int)node->os_index;
			out->threads = node->cpuset ? hwloc_bitmap_weight(node->cpuset) : 0;
			out->memory_bytes = node->attr->numanode.local_memory;
		}
		machine->numa_nodes++;
	}
}

static int info_int(unsigned count, const struct hwloc_info_s *infos, const char *name)
{
	int64_t value;

	for (unsigned i = 0; i < count; i++) {
		if (strcmp(infos[i].name, name) == 0 && vrs_parse_int(infos[i].value, 1, 1000000, &value))
			return (int)value;
	}
	return 0;
}

/* hwloc ranks kinds from the most power-efficient to the fastest. */
static void read_kinds(hwloc_topology_t topology, struct vrs_machine *machine)
{
	int kinds = hwloc_cpukinds_get_nr(topology, 0);
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	for (int i = 0; set && i < kinds && i < VRS_MACHINE_MAX_KINDS; i++) {
		struct vrs_core_kind *kind = &machine->core_kind[i];
		struct hwloc_info_s *infos;
		unsigned info_count;

		if (hwloc_cpukinds_get_info(topology, (unsigned)i, set, NULL, &info_count, &infos, 0) != 0)
			break;
		kind->threads = hwloc_bitmap_weight(set);
		kind->max_mhz = info_int(info_count, infos, "FrequencyMaxMHz");
		for (unsigned k = 0; k < info_count; k++) {
			if (strcmp(infos[k].name, "CoreType") == 0)
				(void)vrs_strcpy(kind->name, sizeof kind->name, infos[k].value);
		}
		machine->core_kinds = i + 1;
	}
	if (machine->core_kinds == 0) {
		machine->core_kinds = 1;
		machine->core_kind[0].threads = machine->threads;
	}
	hwloc_bitmap_free(set);
}

/* Lines "processor : N" of /proc/cpuinfo, at least 1. */
static int count_processors(void)
{
	char *text = vrs_alloc(CPUINFO_MAX), value[32];
	int count = 0;

	if (text && vrs_sysfs_text(text, CPUINFO_MAX, "/proc/cpuinfo")) {
		for (const char *p = text; p; p = strstr(p + 1, "\nprocessor"))
			count += vrs_sysfs_field(*p == '\n' ? p + 1 : p, "processor", value, sizeof value);
	}
	vrs_free(text);
	return count > 0 ? count : 1;
}

/* Without hwloc: processors by /proc/cpuinfo, and by affinity on the running machine. */
static void count_without_hwloc(struct vrs_machine *machine)
{
	cpu_set_t set;

	machine->threads = count_processors();
	machine->allowed_threads = machine->threads;
	if (!vrs_sysfs_replay() && sched_getaffinity(0, sizeof set, &set) == 0)
		machine->allowed_threads = CPU_COUNT(&set);
	machine->allowed_cores = machine->allowed_threads;
	machine->core_kinds = 1;
	machine->core_kind[0].threads = machine->threads;
	vrs_absent_set(machine, "topology", "hwloc cannot read this system; processors were counted in /proc/cpuinfo");
	vrs_absent_set(machine, "caches", "hwloc cannot read this system");
}

void vrs_topology_read(struct vrs_machine *machine)
{
	hwloc_topology_t topology = vrs_topology_load();

	if (!topology) {
		count_without_hwloc(machine);
		return;
	}
	machine->packages = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE);
	machine->cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
	machine->threads = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	if (machine->packages <= 0 || machine->cores <= 0) {
		vrs_absent_set(machine, "topology", "the system does not say how processors form cores and packages");
		machine->packages = machine->packages < 0 ? 0 : machine->packages;
		machine->cores = machine->cores < 0 ? 0 : machine->cores;
	}
	read_caches(topology, machine);
	read_numa(topology, machine);
	read_kinds(topology, machine);
	read_allowed(topology, machine);
	hwloc_topology_destroy(topology);
}
