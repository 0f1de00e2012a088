/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel documentation: gpu/amdgpu/thermal.rst (gpu_busy_percent, mem_info_vram_*), gpu/i915.rst (gt_act_freq_mhz). */
#include <string.h>

#include "machine/sensors.h"
#include "machine/sysfs.h"

static bool card_int(const char *card, const char *file, int64_t *ret)
{
	return vrs_sysfs_int(ret, "%s/%s", card, file) && *ret >= 0;
}

/* The PCI device behind a card, if it is in the list. */
static struct vrs_gpu *find_gpu(struct vrs_machine *machine, const char *card)
{
	char uevent[1024], slot[32];

	if (!vrs_sysfs_text(uevent, sizeof uevent, "%s/device/uevent", card) || !vrs_sysfs_field(uevent, "PCI_SLOT_NAME", slot, sizeof slot))
		return NULL;
	for (int i = 0; i < machine->gpu_count; i++) {
		if (strcmp(machine->gpus[i].address, slot) == 0)
			return &machine->gpus[i];
	}
	return NULL;
}

/* Cards are "card0"; "card0-HDMI-A-1" is a connector of one. */
static void add_card(void *cookie, const char *card)
{
	struct vrs_machine *machine = cookie;
	const char *name = strrchr(card, '/') + 1;
	struct vrs_gpu *gpu;
	int64_t value;

	if (strchr(name, '-'))
		return;
	if (card_int(card, "device/gpu_busy_percent", &value) && value <= 100)
		(void)vrs_sensor_add(machine, VRS_SENSOR_UTILISATION, (double)value, "%.16s busy", name);
	if (card_int(card, "device/mem_info_vram_used", &value))
		(void)vrs_sensor_add(machine, VRS_SENSOR_MEMORY, (double)value / (1024 * 1024), "%.16s memory used", name);
	if (card_int(card, "gt_act_freq_mhz", &value) || card_int(card, "device/tile0/gt0/freq0/act_freq", &value))
		(void)vrs_sensor_add(machine, VRS_SENSOR_FREQUENCY, (double)value, "%.16s clock", name);
	gpu = find_gpu(machine, card);
	if (gpu && card_int(card, "device/mem_info_vram_total", &value))
		gpu->memory_bytes = (uint64_t)value;
}

void vrs_drm_read(struct vrs_machine *machine)
{
	(void)vrs_sysfs_each("/sys/class/drm", "card", 64, add_card, machine); /* none: explained by the caller */
}
