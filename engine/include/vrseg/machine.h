/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What this machine is: CPU, caches, memory, devices, sensors; and how fast its CPU can compute and read at best.
 *
 * Plain data.  A number that cannot be observed is 0 (or -1 or "" where the field says so), and `absent` holds a line with the reason:
 * an empty field never means "good" and never means "zero".
 *
 * All reads of /proc and /sys go below $VRSEG_ROOT when it is set, so that tests replay recorded machines; hwloc then reads the same tree
 * (or ROOT/hwloc.xml), CPU features come from the recorded /proc/cpuinfo, and nothing is asked of the running CPU or of NVML.
 */
#ifndef VRSEG_MACHINE_H
#define VRSEG_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vrseg/status.h>

#define VRS_MACHINE_MAX_GPUS 16
#define VRS_MACHINE_MAX_CL 16
#define VRS_MACHINE_MAX_SENSORS 64
#define VRS_MACHINE_MAX_NUMA 16
#define VRS_MACHINE_MAX_KINDS 4
#define VRS_MACHINE_MAX_ABSENT 32
#define VRS_MACHINE_MAX_RAPL 8

struct vrs_gpu {          /* PCI display controller or processing accelerator */
	char address[16];     /* 0000:01:00.0 */
	char vendor[64], device[96];
	char driver[32];      /* kernel driver bound to it; "": none */
	char driver_version[32]; /* NVML only; "": not known */
	uint64_t memory_bytes; /* NVML or amdgpu; 0: not known */
	int numa_node;        /* -1: not known */
};

struct vrs_cl_device {
	int platform, device; /* indices, "platform:device" names it */
	char platform_name[64];
	char name[128], vendor[64], version[64], driver[64];
	bool is_gpu, is_cpu, has_fp16, unified_memory;
	char extensions[2048]; /* their names, separated by spaces */
	bool has_int8_dot, has_command_buffer; /* cl_khr_integer_dot_product, cl_khr_command_buffer */
	int compute_units, max_clock_mhz;
	uint64_t max_group, max_items[3]; /* work-items of a group, and along each dimension */
	uint64_t global_bytes, max_alloc_bytes, local_bytes;
	char address[16];     /* PCI address as in struct vrs_gpu; "": not known or no PCI device */
	int numa_node;        /* hwloc locality; -1: not known */
};

enum vrs_sensor_kind {
	VRS_SENSOR_TEMPERATURE, /* C */
	VRS_SENSOR_FREQUENCY,   /* MHz */
	VRS_SENSOR_POWER,       /* W */
	VRS_SENSOR_ENERGY,      /* J, counts up */
	VRS_SENSOR_FAN,         /* RPM or % */
	VRS_SENSOR_UTILISATION, /* % */
	VRS_SENSOR_MEMORY,      /* MiB in use */
	VRS_SENSOR_THROTTLE,    /* count: events since boot (CPU); active: 1 while clocks are held down (GPU), reasons in text */
	VRS_SENSOR_STEAL,       /* %: time that the hypervisor gave to others */
	VRS_SENSOR_KIND_COUNT
};

struct vrs_sensor {
	enum vrs_sensor_kind kind;
	char name[64];        /* "k10temp Tctl", "cpu frequency max", "nvidia0 power" */
	char unit[8];         /* C, MHz, W, J, RPM, %, MiB, count, active */
	double value;         /* always finite */
	char text[96];        /* what the number does not say ("since boot", "hw thermal slowdown"); mostly "" */
};

struct vrs_numa_node {
	int index;            /* the system's number */
	int threads;          /* processors of the node */
	uint64_t memory_bytes; /* 0: not known */
};

struct vrs_core_kind {    /* one kind of core of a hybrid CPU; ordered from efficient to fast */
	char name[32];        /* "IntelCore", "IntelAtom"; "": not named */
	int threads;
	int max_mhz;          /* 0: not known */
};

struct vrs_absent {       /* something that cannot be observed here */
	char what[32];        /* "temperature", "frequency", "turbo" ... */
	char reason[160];     /* completes "WHAT: not observable: " */
};

struct vrs_machine {
	char cpu_model[96], cpu_vendor[32], microcode[24];
	char cpu_features[256];   /* space-separated names after VRSEG_CPU's mask */
	char isa[16];             /* kernels used: ref, avx2, avx512 */
	int packages, cores, threads;
	int allowed_threads;      /* affinity, cpuset and cgroup quota (rounded up), at least 1 */
	int allowed_cores;        /* cores that hold an allowed processor, at least 1; SMT siblings count once; without the quota */
	double cgroup_cpu_quota;  /* CPUs; 0: no limit */
	int numa_nodes;
	struct vrs_numa_node numa[VRS_MACHINE_MAX_NUMA]; /* the first of numa_nodes */
	int core_kinds;           /* 1: all cores alike */
	struct vrs_core_kind core_kind[VRS_MACHINE_MAX_KINDS];
	int max_mhz;              /* highest clock of any core by cpufreq; 0: not known */
	uint64_t l1d_bytes, l2_bytes, l3_bytes; /* of one instance, the smallest where they differ; 0: not known or none */
	int l2_instances, l3_instances;
	uint64_t memory_bytes, memory_available_bytes, memory_limit_bytes; /* limit: cgroup; 0: none. available respects the limit */
	uint64_t swap_bytes, swap_used_bytes;
	char kernel[96], os[96];
	char hypervisor[32];      /* "none", "KVM", "unknown kind"; "": not known */
	char governor[24];        /* cpufreq; "mixed" where CPUs differ; "": not known */
	char cpufreq_driver[24], energy_preference[32]; /* "": not known */
	char huge_pages[16];      /* transparent huge pages: always, madvise, never; "": not known */
	char power_source[16];    /* "mains", "battery"; "": not known */
	bool turbo_known, turbo;
	bool devices_listed;      /* false: detection was asked to leave devices out */
	int gpu_count;
	struct vrs_gpu gpus[VRS_MACHINE_MAX_GPUS];
	int cl_count;
	char cl_reason[256];      /* why cl_count is 0, or which driver of a GPU is there and not used; "" otherwise */
	struct vrs_cl_device cl[VRS_MACHINE_MAX_CL];
	int sensor_count;
	struct vrs_sensor sensors[VRS_MACHINE_MAX_SENSORS];
	int absent_count;
	struct vrs_absent absent[VRS_MACHINE_MAX_ABSENT];
	uint64_t fingerprint;     /* hash of what decides CPU speed: model, microcode, features, caches, allowed CPUs, memory class, kernel x.y */
	uint64_t device_fingerprint; /* hash of GPUs and OpenCL devices with their drivers; 0: not listed */

	/* What vrs_machine_read_sensors remembers from reading to reading; of no use to others. */
	struct {
		uint64_t steal_ticks, all_ticks;            /* /proc/stat */
		uint64_t rapl_time_ns[VRS_MACHINE_MAX_RAPL];
		uint64_t rapl_uj[VRS_MACHINE_MAX_RAPL];     /* last raw counter */
		uint64_t rapl_wrapped_uj[VRS_MACHINE_MAX_RAPL];
	} sensor_memory;
};

/*
 * Detect.  Never fails for a missing part; VRS_EINVAL on NULL and VRS_EINTERNAL only.  The struct is large: keep it off small stacks.
 * Takes some 10 ms; with_devices false leaves out PCI devices.  OpenCL comes with vrs_machine_add_opencl.  Call it from one thread.
 */
enum vrs_status vrs_machine_detect(struct vrs_machine *ret_machine, bool with_devices) VRS_MUST_CHECK;
/* machine->allowed_threads alone, in a tenth of the time; 0: it cannot be found out this way, detect the machine. Any thread. */
int vrs_machine_allowed_threads(void);
/*
 * Keep this process, and those that it starts from now on, on some processors: "cores" (one of each core), "node:N" (a memory node), or a list
 * such as "0-3,8".  Call it before threads are started.  VRS_ECONFIG: another word, or processors that this process may not use; VRS_EUNSUPPORTED:
 * the system refuses.
 */
enum vrs_status vrs_machine_pin(const char *what, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Add the OpenCL devices (library vrs_opencl: the machine layer does not know OpenCL) and update device_fingerprint.  Drivers run in a child
 * process with a time limit of 20 s, so that one that aborts or hangs becomes a cl_reason.  Costs up to a second where drivers load.
 * Call it before the program starts threads.  A process that uses OpenCL already is not forked: it has the list of its first session.
 */
void vrs_machine_add_opencl(struct vrs_machine *machine);
/*
 * Whether a network can run on the OpenCL devices that `device` names (opencl/ocl_choice.h has the forms; "" and "auto": the first that suits) among
 * those that vrs_machine_add_opencl found.  VRS_ECONFIG: an item is empty, several devices match one, or a device is named twice; VRS_ENOTFOUND:
 * none matches, or there is none.  err says which there are, or why there is none.  Thread-safe.
 */
enum vrs_status vrs_machine_check_opencl(const struct vrs_machine *machine, const char *device, struct vrs_error *err) VRS_MUST_CHECK;
/* The same of this machine, whose devices are listed for it as by vrs_machine_add_opencl. The statuses above; VRS_ENOMEM. */
enum vrs_status vrs_machine_probe_opencl(const char *device, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * The maker of a GPU whose driver for computing is loaded here, "NVIDIA" or "AMD"; NULL: none is seen, which says nothing of a GPU of Intel, whose
 * driver is that of the screen.  No driver is opened, nor is OpenCL asked.  Thread-safe.
 */
const char *vrs_machine_gpu_maker(void);
/*
 * Devices in the order in which --device auto prefers them: GPUs, accelerators, CPUs; of GPUs those with memory of their own, then those with more of
 * it; then as they are listed.  A card that a second platform lists by the same PCI address is left out there.  At most VRS_MACHINE_MAX_CL devices;
 * returns the number of indices.  Thread-safe.
 */
int vrs_cl_devices_rank(const struct vrs_cl_device *devices, int count, int ret_order[VRS_MACHINE_MAX_CL]);
/* "GPU", "CPU" or "accelerator". Never NULL. */
const char *vrs_cl_device_kind(const struct vrs_cl_device *cl);
/* Recompute both fingerprints from the other fields. */
void vrs_machine_update_fingerprint(struct vrs_machine *machine);
/* Read only the sensors again (and the `absent` lines that belong to them). Same machine object, so that rates have a start. */
void vrs_machine_read_sensors(struct vrs_machine *machine);
/*
 * Only the sensors that move while something runs: energy and power, chips, and GPUs where devices_listed says so; no absent lines.  A zeroed object
 * serves as well as a detected one.
 */
void vrs_machine_sample_sensors(struct vrs_machine *machine);
/* An object for that alone; the caller frees it with vrs_free. NULL: out of memory. */
struct vrs_machine *vrs_machine_for_sensors(void);
/* Reason why `what` is not observable; NULL: it is, or nobody looked. */
const char *vrs_machine_absent(const struct vrs_machine *machine, const char *what);
/* First sensor of a kind whose name starts with prefix (NULL: any); NULL: there is none. */
const struct vrs_sensor *vrs_machine_sensor(const struct vrs_machine *machine, enum vrs_sensor_kind kind, const char *prefix);
/* "temperature", "frequency", ...; never NULL. */
const char *vrs_sensor_kind_name(enum vrs_sensor_kind kind);
/* The report of `vrseg --hardware`. */
void vrs_machine_print(const struct vrs_machine *machine, FILE *out);

struct cJSON;
/*
 * The machine as a JSON object for records: units in key names, what is not known is left out, `not_observable` maps names to reasons.
 * Fingerprints are hexadecimal strings.  The caller owns *ret_json (cJSON_Delete).  VRS_ENOMEM.
 */
enum vrs_status vrs_machine_json(const struct vrs_machine *machine, struct cJSON **ret_json) VRS_MUST_CHECK;

/*
 * What a profile of a network is compared with, measured: GFLOP/s count a fused multiply-add as two; GB are 1e9 bytes.
 */
struct vrs_ceilings {
	int threads;
	const char *isa;            /* of the kernels: "ref", "avx2", "avx512" */
	double fma_gflops_1;        /* multiply-adds in registers on one thread */
	double fma_gflops_all;      /* the same on all threads at once, summed: its ratio to fma_gflops_1 is the best that threads can gain */
	double triad_gbps;          /* a[i] = b[i] + s * c[i], all threads; counts 12 bytes an element (STREAM's rule: no write-allocate) */
	bool leaves_cache;          /* false: memory did not allow arrays larger than the last cache, triad_gbps is too good */
};

/* What one probe leaves to the next: new pages would take as long as the figures.  All zero before the first. */
struct vrs_probe_memory {
	char *block;
	size_t bytes;
};
void vrs_probe_memory_free(struct vrs_probe_memory *memory);

/*
 * Measure the ceilings in about half a second, each figure the best of several short repeats.  Needs an otherwise idle machine; where VRSEG_CPU
 * lowers the level, figures are of that level.  threads 0: machine->allowed_threads.  The caller frees memory after the last probe.
 * VRS_EINVAL (threads outside 0..1024), VRS_ENOMEM, VRS_ESTOPPED, VRS_EINTERNAL (threads could not be started).
 */
enum vrs_status vrs_machine_ceilings(const struct vrs_machine *machine, int threads, struct vrs_probe_memory *memory,
				     struct vrs_ceilings *ret_ceilings, struct vrs_error *err) VRS_MUST_CHECK;

/* Processes of our control group that the kernel has killed for lack of memory so far; -1: not known. */
int64_t vrs_machine_oom_kills(void);

#endif
