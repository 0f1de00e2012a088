/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processor model, clock policy, kernel, hypervisor, power source and memory: the parts of the machine that are single files to read. */
#ifndef VRS_MACHINE_SYSTEM_INFO_H
#define VRS_MACHINE_SYSTEM_INFO_H

#include <vrseg/machine.h>

/* Model, vendor, microcode, features and ISA level (of the recorded CPU in replay), hypervisor. */
void vrs_cpu_info_read(struct vrs_machine *machine);
/* Governor, driver, preference, turbo, highest clock. */
void vrs_clock_policy_read(struct vrs_machine *machine);
/* Kernel, OS, memory with the limits of control groups, swap, huge pages, power source; lowers allowed_threads to the CPU quota. */
void vrs_system_info_read(struct vrs_machine *machine);
/* Power source alone: "mains", "battery" or "". */
void vrs_power_source_read(struct vrs_machine *machine);
/* Processors that so many allowed ones amount to under the CPU quota of the control groups: at least 1. */
int vrs_quota_threads(int allowed);
/*
 * Fill machine->gpus: display controllers and processing accelerators on the PCI bus, through libpci, with NVIDIA's own names and versions
 * through NVML.  Absent line "gpus" where the bus is not observable; an empty list without that line means: there is none.
 */
void vrs_gpu_list_read(struct vrs_machine *machine);

#endif
