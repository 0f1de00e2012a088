/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What this machine is: CPU, caches, memory, devices, sensors.  Plain data; what cannot be observed is absent (0, -1 or "") and the text
 * report says so.  All reads go through a root prefix (VRSEG_ROOT in tests), so that recorded machines can be replayed.
 */
#ifndef VRSEG_MACHINE_H
#define VRSEG_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <vrseg/status.h>

#define VRS_MACHINE_MAX_GPUS 16
#define VRS_MACHINE_MAX_CL 16
#define VRS_MACHINE_MAX_SENSORS 64

struct vrs_gpu {          /* PCI display device */
	char address[16];     /* 0000:01:00.0 */
	char vendor[64], device[96], driver[32];
	int numa_node;        /* -1: not known */
};

struct vrs_cl_device {
	int platform, device; /* indices, "platform:device" names it */
	char name[128], vendor[64], version[64], driver[64];
	bool is_gpu, is_cpu, has_fp16, unified_memory;
	int compute_units, max_clock_mhz;
	uint64_t global_bytes, max_alloc_bytes, local_bytes;
	int numa_node;        /* hwloc locality; -1: not known */
};

struct vrs_sensor {
	char name[64];        /* "k10temp Tctl", "cpu0 frequency", "nvidia0 power" */
	char unit[8];         /* C, MHz, W, J, % , MiB */
	double value;
};

struct vrs_machine {
	char cpu_model[96], cpu_vendor[32], microcode[24];
	char cpu_features[256];   /* space-separated names after VRSEG_CPU's mask */
	char isa[16];             /* kernels used: ref, avx2, avx512 */
	int packages, cores, threads;
	int allowed_threads;      /* affinity and cgroup quota, at least 1 */
	double cgroup_cpu_quota;  /* CPUs; 0: no limit */
	int numa_nodes;
	uint64_t l1d_bytes, l2_bytes, l3_bytes; /* of one instance; 0: not known */
	int l2_instances, l3_instances;
	uint64_t memory_bytes, memory_available_bytes, memory_limit_bytes; /* limit: cgroup; 0: none */
	char kernel[96], os[96], hypervisor[32], governor[24];
	bool turbo_known, turbo;
	int gpu_count;
	struct vrs_gpu gpus[VRS_MACHINE_MAX_GPUS];
	int cl_count;
	char cl_reason[96];       /* why cl_count is 0 */
	struct vrs_cl_device cl[VRS_MACHINE_MAX_CL];
	int sensor_count;
	struct vrs_sensor sensors[VRS_MACHINE_MAX_SENSORS];
	uint64_t fingerprint;     /* hash of what decides speed: CPU model, features, caches, memory size class, kernel major.minor, devices */
};

/*
 * Detect.  Never fails for a missing part; VRS_ENOMEM and VRS_EINTERNAL only.  The struct is large: keep it off small stacks.
 * Costs up to a second where OpenCL drivers load; with_devices false leaves OpenCL and PCI out.
 */
enum vrs_status vrs_machine_detect(struct vrs_machine *ret_machine, bool with_devices) VRS_MUST_CHECK;
/* Read only the sensors again. */
void vrs_machine_read_sensors(struct vrs_machine *machine);
/* The report of `vrseg --hardware`. */
void vrs_machine_print(const struct vrs_machine *machine, FILE *out);

#endif
