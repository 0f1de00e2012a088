/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_api.h" /* before hwloc/opencl.h, which would take another version */
#include "opencl/ocl_device.h"

#include <string.h>

#include <hwloc.h>
#include <hwloc/linux.h>
#include <hwloc/opencl.h>

#include "base/str_parse.h"
#include "opencl/ocl_drivers.h"
#include "opencl/ocl_pocl.h"
#include "opencl/ocl_query.h"

#define MAX_PLATFORMS 16

/* Where a device is on the PCI bus. */
struct pci {
	unsigned domain, bus, device, function;
};

/* NUMA node that holds all processors near the device; -1 where they span several or nothing is known. */
static int device_node(hwloc_topology_t topology, const char *address)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc(), nodes = hwloc_bitmap_alloc();
	char path[64];
	int node = -1;

	if (topology && cpus && nodes) {
		(void)snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/local_cpus", address);
		if (hwloc_linux_read_path_as_cpumask(path, cpus) != 0 || hwloc_bitmap_iszero(cpus))
			hwloc_bitmap_copy(cpus, hwloc_topology_get_complete_cpuset(topology));
		hwloc_cpuset_to_nodeset(topology, cpus, nodes);
		if (hwloc_bitmap_weight(nodes) == 1)
			node = hwloc_bitmap_first(nodes);
	}
	hwloc_bitmap_free(nodes);
	hwloc_bitmap_free(cpus);
	return node;
}

/* Drivers of Intel and Mesa tell it by the extension alone, older ones of NVIDIA and AMD by queries of their own, which hwloc knows. */
static bool ask_pci(struct vrs_ocl_query *query, struct pci *ret_pci)
{
	bool listed = vrs_ocl_ask_extension(query, "cl_khr_pci_bus_info");
	cl_device_pci_bus_info_khr told;

	if (query->code != CL_SUCCESS)
		return false;
	if (listed && clGetDeviceInfo(query->device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof told, &told, NULL) == CL_SUCCESS) {
		*ret_pci = (struct pci){told.pci_domain, told.pci_bus, told.pci_device, told.pci_function};
		return true;
	}
	return hwloc_opencl_get_device_pci_busid(query->device, &ret_pci->domain, &ret_pci->bus, &ret_pci->device, &ret_pci->function) == 0;
}

static void ask_items(struct vrs_ocl_query *query, uint64_t ret_items[3])
{
	size_t items[8] = {1, 1, 1};

	vrs_ocl_ask(query, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items);
	for (int i = 0; i < 3; i++)
		ret_items[i] = items[i];
}

static cl_int describe(cl_device_id id, hwloc_topology_t topology, struct vrs_cl_device *cl)
{
	struct vrs_ocl_query query = {.device = id, .code = CL_SUCCESS};
	cl_device_type type = vrs_ocl_ask_ulong(&query, CL_DEVICE_TYPE); /* cl_bitfield is a cl_ulong */
	struct pci pci;

	vrs_ocl_ask_text(&query, CL_DEVICE_NAME, cl->name, sizeof cl->name);
	vrs_ocl_ask_text(&query, CL_DEVICE_VENDOR, cl->vendor, sizeof cl->vendor);
	vrs_ocl_ask_text(&query, CL_DEVICE_VERSION, cl->version, sizeof cl->version);
	vrs_ocl_ask_text(&query, CL_DRIVER_VERSION, cl->driver, sizeof cl->driver);
	cl->is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
	cl->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
	cl->has_fp16 = vrs_ocl_ask_extension(&query, "cl_khr_fp16");
	cl->has_int8_dot = vrs_ocl_ask_extension(&query, "cl_khr_integer_dot_product");
	cl->has_command_buffer = vrs_ocl_ask_extension(&query, "cl_khr_command_buffer");
	vrs_ocl_ask_extensions(&query, cl->extensions, sizeof cl->extensions);
	cl->unified_memory = vrs_ocl_ask_uint(&query, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
	cl->compute_units = vrs_ocl_ask_uint(&query, CL_DEVICE_MAX_COMPUTE_UNITS);
	cl->max_group = vrs_ocl_ask_size(&query, CL_DEVICE_MAX_WORK_GROUP_SIZE);
	ask_items(&query, cl->max_items);
	cl->max_clock_mhz = vrs_ocl_ask_uint(&query, CL_DEVICE_MAX_CLOCK_FREQUENCY);
	cl->global_bytes = vrs_ocl_ask_ulong(&query, CL_DEVICE_GLOBAL_MEM_SIZE);
	cl->max_alloc_bytes = vrs_ocl_ask_ulong(&query, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
	cl->local_bytes = vrs_ocl_ask_ulong(&query, CL_DEVICE_LOCAL_MEM_SIZE);
	cl->numa_node = -1;
	if (query.code != CL_SUCCESS || cl->is_cpu || !ask_pci(&query, &pci))
		return query.code;
	(void)snprintf(cl->address, sizeof cl->address, "%04x:%02x:%02x.%x", pci.domain & 0xffff, pci.bus & 0xff, pci.device & 0x1f, pci.function & 7);
	cl->numa_node = device_node(topology, cl->address);
	return CL_SUCCESS;
}

/* Devices of one platform, appended. */
static void list_platform(cl_platform_id platform, int index, hwloc_topology_t topology, struct vrs_ocl_list *list)
{
	cl_device_id ids[VRS_MACHINE_MAX_CL];
	char name[256] = "";
	cl_uint count = 0;
	cl_int rc;

	rc = clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
	if (rc != CL_SUCCESS) {
		(void)snprintf(list->reason, sizeof list->reason, "OpenCL platform %d does not say its name (error %d)", index, (int)rc);
		return;
	}
	rc = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, VRS_MACHINE_MAX_CL, ids, &count);
	if (rc != CL_SUCCESS || count == 0) {
		bool is_pocl = vrs_ocl_is_pocl(name);

		(void)snprintf(list->reason, sizeof list->reason, "the OpenCL platform \"%.100s\" lists no device (error %d)%s", name, (int)rc,
			       is_pocl ? ": it needs a folder that it can write, which POCL_CACHE_DIR names" : "");
		return;
	}
	for (cl_uint i = 0; i < count && i < VRS_MACHINE_MAX_CL && list->count < VRS_MACHINE_MAX_CL; i++) {
		struct vrs_cl_device *cl = &list->devices[list->count];

		cl->platform = index;
		cl->device = (int)i;
		(void)vrs_strcpy(cl->platform_name, sizeof cl->platform_name, name);
		rc = describe(ids[i], topology, cl);
		if (rc == CL_SUCCESS) {
			list->count++;
			continue;
		}
		(void)snprintf(list->reason, sizeof list->reason, "device %u of the OpenCL platform \"%.100s\" does not say what it is (error %d)",
			       (unsigned)i, name, (int)rc);
		memset(cl, 0, sizeof *cl);
	}
}

static bool has_gpu(const struct vrs_ocl_list *list)
{
	for (int i = 0; i < list->count; i++)
		if (list->devices[i].is_gpu)
			return true;
	return false;
}

void vrs_ocl_list(struct vrs_ocl_list *ret_list)
{
	cl_platform_id platforms[MAX_PLATFORMS];
	hwloc_topology_t topology = NULL;
	cl_uint count = 0;
	cl_int rc = clGetPlatformIDs(MAX_PLATFORMS, platforms, &count);

	memset(ret_list, 0, sizeof *ret_list);
	if (rc == CL_PLATFORM_NOT_FOUND_KHR || (rc == CL_SUCCESS && count == 0)) {
		vrs_ocl_explain_no_platform("", ret_list->reason, sizeof ret_list->reason);
		return;
	}
	if (rc != CL_SUCCESS) {
		(void)snprintf(ret_list->reason, sizeof ret_list->reason, "the OpenCL loader answers error %d", (int)rc);
		return;
	}
	/* Without a topology the devices are listed all the same, with an unknown node. */
	if (hwloc_topology_init(&topology) == 0 && hwloc_topology_load(topology) != 0) {
		hwloc_topology_destroy(topology);
		topology = NULL;
	}
	for (cl_uint i = 0; i < count && i < MAX_PLATFORMS; i++)
		list_platform(platforms[i], (int)i, topology, ret_list);
	if (ret_list->count > 0 && (has_gpu(ret_list) || !vrs_ocl_explain_unnamed_driver("", ret_list->reason, sizeof ret_list->reason)))
		ret_list->reason[0] = '\0';
	if (topology)
		hwloc_topology_destroy(topology);
}
