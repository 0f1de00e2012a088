/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What there is to see and to change; noting and putting back are in system_state.c. */
#include <vrseg/system_settings.h>

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "machine/sysfs.h"

/* Of each kind: its name, what is said where there is no setting of it, and advice. */
static const struct {
	const char *name, *missing, *advice;
} kinds[VRS_SYSTEM_KIND_COUNT] = {
	[VRS_SYSTEM_GOVERNOR] = {"governor", "not observable: there is no cpufreq driver (usual in virtual machines)",
				 "tune sets performance: clocks do not follow the load"},
	[VRS_SYSTEM_TURBO] = {"turbo", "not observable: intel_pstate/no_turbo and cpufreq/boost are missing",
			      "tune switches it off: clocks do not depend on how warm the others are"},
	[VRS_SYSTEM_ASLR] = {"aslr", "not observable: /proc/sys/kernel/randomize_va_space cannot be read",
			     "leave it on: rounds average over layouts, one fixed layout would hide its luck; tune aslr sets 0"},
	[VRS_SYSTEM_IRQ] = {"irq", "not observable: /proc/irq cannot be read", "tune moves interrupts to processor 0"},
	[VRS_SYSTEM_ISOLATED] = {"isolated", "not observable: /sys/devices/system/cpu/isolated cannot be read",
				 "only the boot line changes it (isolcpus=, nohz_full=)"},
};

enum vrs_system_kind vrs_system_kind_of(const char *name)
{
	int kind = 0;
	while (kind < VRS_SYSTEM_KIND_COUNT && strcmp(kinds[kind].name, name) != 0)
		kind++;
	return (enum vrs_system_kind)kind;
}

struct collector {
	struct vrs_system_setting *items;
	size_t count, capacity;
	enum vrs_system_kind kind;
	const char *suffix, *wanted;
	enum vrs_status status;
};

/* A list of processors is an empty line where there are none; value is "" then. */
static bool read_value(enum vrs_system_kind kind, const char *path, const char *real, char *value, size_t size)
{
	if (vrs_sysfs_text(value, size, "%s", path))
		return true;
	return kind == VRS_SYSTEM_ISOLATED && access(real, R_OK) == 0;
}

static void add(struct collector *c, const char *path)
{
	struct vrs_system_setting s = {.kind = c->kind};
	char real[VRS_SYSFS_PATH];
	if (!vrs_strcpy(s.path, sizeof s.path, path) || !vrs_sysfs_path(real, sizeof real, path) ||
	    !read_value(c->kind, path, real, s.value, sizeof s.value))
		return;
	vrs_strcpy(s.wanted, sizeof s.wanted, c->wanted);
	s.writable = access(real, W_OK) == 0;
	enum vrs_status status = vrs_array_grow(&c->items, &c->capacity, c->count + 1, sizeof *c->items, VRS_SYSTEM_MAX_SETTINGS);
	if (status == VRS_OK)
		c->items[c->count++] = s;
	else if (status == VRS_ENOMEM)
		c->status = status;
}

static void add_below(void *cookie, const char *folder)
{
	struct collector *c = cookie;
	char path[VRS_SYSFS_PATH];
	int n = snprintf(path, sizeof path, "%s/%s", folder, c->suffix);
	if (n > 0 && (size_t)n < sizeof path)
		add(c, path);
}

static void collect(struct collector *c, enum vrs_system_kind kind, const char *folder, const char *prefix, const char *suffix, const char *wanted)
{
	c->kind = kind;
	c->suffix = suffix;
	c->wanted = wanted;
	if (!prefix)
		add(c, folder);
	else if (vrs_sysfs_each(folder, prefix, VRS_SYSTEM_MAX_SETTINGS, add_below, c) == VRS_SYSFS_INCOMPLETE)
		c->status = VRS_ENOMEM;
}

enum vrs_status vrs_system_read(struct vrs_system_setting **ret_settings, int *ret_count)
{
	struct collector c = {.status = VRS_OK};
	collect(&c, VRS_SYSTEM_GOVERNOR, "/sys/devices/system/cpu", "cpu", "cpufreq/scaling_governor", "performance");
	collect(&c, VRS_SYSTEM_TURBO, "/sys/devices/system/cpu/intel_pstate/no_turbo", NULL, NULL, "1");
	collect(&c, VRS_SYSTEM_TURBO, "/sys/devices/system/cpu/cpufreq/boost", NULL, NULL, "0");
	collect(&c, VRS_SYSTEM_ASLR, "/proc/sys/kernel/randomize_va_space", NULL, NULL, "0");
	collect(&c, VRS_SYSTEM_IRQ, "/proc/irq", "", "smp_affinity_list", "0");
	collect(&c, VRS_SYSTEM_ISOLATED, "/sys/devices/system/cpu/isolated", NULL, NULL, "");
	collect(&c, VRS_SYSTEM_ISOLATED, "/sys/devices/system/cpu/nohz_full", NULL, NULL, "");
	if (c.status != VRS_OK) {
		vrs_free(c.items);
		return c.status;
	}
	*ret_settings = c.items;
	*ret_count = (int)c.count;
	return VRS_OK;
}

static void print_kind(const struct vrs_system_setting *s, int count, enum vrs_system_kind kind, FILE *out)
{
	int all = 0, as_wanted = 0, writable = 0;
	const struct vrs_system_setting *first = NULL;
	bool mixed = false;
	for (int i = 0; i < count; i++) {
		if (s[i].kind != kind)
			continue;
		mixed |= first && strcmp(first->value, s[i].value) != 0;
		first = first ? first : &s[i];
		all++;
		as_wanted += strcmp(s[i].value, s[i].wanted) == 0;
		writable += s[i].writable;
	}
	if (!first) {
		fprintf(out, "%-9s %s\n", kinds[kind].name, kinds[kind].missing);
		return;
	}
	fprintf(out, "%-9s %s%s", kinds[kind].name, mixed ? "mixed, first " : "", first->value[0] ? first->value : "none");
	if (all > 1 && kind != VRS_SYSTEM_ISOLATED)
		fprintf(out, " (%d settings, %d as wanted)", all, as_wanted);
	fprintf(out, "; %s%s\n", kinds[kind].advice,
		kind != VRS_SYSTEM_ISOLATED && writable < all ? "; changing it needs rights that this process lacks" : "");
}

enum vrs_status vrs_system_print(const char *state_path, FILE *out)
{
	struct vrs_system_setting *settings;
	int count;
	enum vrs_status status = vrs_system_read(&settings, &count);
	if (status != VRS_OK)
		return status;
	for (int k = 0; k < VRS_SYSTEM_KIND_COUNT; k++)
		print_kind(settings, count, (enum vrs_system_kind)k, out);
	vrs_free(settings);
	if (vrs_path_exists(state_path))
		fprintf(out, "tuned: the old values are in %s; vrbench system reset puts them back\n", state_path);
	return ferror(out) ? VRS_EIO : VRS_OK;
}
