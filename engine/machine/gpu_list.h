/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Display controllers and processing accelerators on the PCI bus, through libpci; NVIDIA's own names and versions through NVML. */
#ifndef VRS_MACHINE_GPU_LIST_H
#define VRS_MACHINE_GPU_LIST_H

#include <vrseg/machine.h>

/* Fill machine->gpus; absent line "gpus" where the bus is not observable. An empty list without that line means: there is none. */
void vrs_gpu_list_read(struct vrs_machine *machine);

#endif
