/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_choice.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <vrseg/log.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "opencl/ocl_order.h"

#define TEXT_SHOWN 80 /* characters of the user's text in messages */

/* A stretch of the text between signs of plus, without the blanks around it. */
struct item {
	const char *start;
	size_t len;
};

/* "0: A name (GPU, 0000:01:00.0), 1: Another (CPU)" of the devices whose bits are set; what does not fit is counted. */
static void list_devices(const struct vrs_ocl_list *list, unsigned wanted, char *buf, size_t size)
{
	size_t used = 0;
	int left = 0;

	buf[0] = '\0';
	for (int i = 0; i < list->count; i++) {
		const struct vrs_cl_device *cl = &list->devices[i];
		char one[224];

		if (!(wanted >> i & 1))
			continue;
		(void)snprintf(one, sizeof one, "%s%d: %.100s (%s%s%s)", used ? ", " : "", i, cl->name, vrs_cl_device_kind(cl), cl->address[0] ? ", " : "",
			       cl->address);
		if (used + strlen(one) + sizeof " and 16 more" > size || left > 0) {
			left++;
			continue;
		}
		used += (size_t)snprintf(buf + used, size - used, "%s", one);
	}
	if (left > 0)
		(void)snprintf(buf + used, size - used, " and %d more", left);
}

static enum vrs_status fail_unmatched(const struct vrs_ocl_list *list, const struct item *item, struct vrs_error *err)
{
	char devices[320];
	int shown = item->len < TEXT_SHOWN ? (int)item->len : TEXT_SHOWN;

	list_devices(list, ~0u, devices, sizeof devices);
	return vrs_fail(err, VRS_ENOTFOUND, "no OpenCL device matches \"%.*s\"; there %s %s%s", shown, item->start, list->count == 1 ? "is only" : "are",
			devices, memchr(item->start, ',', item->len) ? "; several are written 0+1" : "");
}

static enum vrs_status fail_ambiguous(const struct vrs_ocl_list *list, const struct item *item, unsigned matches, struct vrs_error *err)
{
	char devices[320];
	int shown = item->len < TEXT_SHOWN ? (int)item->len : TEXT_SHOWN;

	list_devices(list, matches, devices, sizeof devices);
	return vrs_fail(err, VRS_ECONFIG, "\"%.*s\" matches several OpenCL devices: %s; name one by its number", shown, item->start, devices);
}

/* A number of min..max hexadecimal digits at *p, which moves behind it. */
static bool read_hex(const char **p, const char *end, int min, int max, unsigned long *ret)
{
	unsigned long value = 0;
	int digits = 0;

	for (; *p < end && isxdigit((unsigned char)**p); (*p)++, digits++) {
		if (digits == max)
			return false;
		value = value * 16 + (unsigned long)(isdigit((unsigned char)**p) ? **p - '0' : tolower((unsigned char)**p) - 'a' + 10);
	}
	*ret = value;
	return digits >= min;
}

static bool read_char(const char **p, const char *end, char c)
{
	return *p < end && *(*p)++ == c;
}

/* [domain:]bus:device.function as struct vrs_cl_device writes it; false: the item is no PCI address. */
static bool read_address(const struct item *item, char *buf, size_t size)
{
	const char *p = item->start, *end = p + item->len;
	unsigned long domain = 0, bus, device, function;

	if (memchr(p, ':', item->len) != NULL && (size_t)((const char *)memchr(p, ':', item->len) - p) > 2 &&
	    !(read_hex(&p, end, 4, 8, &domain) && read_char(&p, end, ':') && domain <= 0xffff))
		return false;
	if (!read_hex(&p, end, 2, 2, &bus) || !read_char(&p, end, ':') || !read_hex(&p, end, 2, 2, &device) || !read_char(&p, end, '.') ||
	    !read_hex(&p, end, 1, 1, &function) || p != end)
		return false;
	(void)snprintf(buf, size, "%04lx:%02lx:%02lx.%lx", domain, bus, device, function);
	return true;
}

/* One or two decimal digits: no machine lists more devices, and longer numbers are parts of names. */
static bool read_index(const char *p, size_t len, int *ret)
{
	if (len < 1 || len > 2 || !isdigit((unsigned char)p[0]) || !isdigit((unsigned char)p[len - 1]))
		return false;
	*ret = len == 1 ? p[0] - '0' : 10 * (p[0] - '0') + p[1] - '0';
	return true;
}

/* "PLATFORM:DEVICE" */
static bool read_pair(const struct item *item, int *ret_platform, int *ret_device)
{
	const char *colon = memchr(item->start, ':', item->len);

	return colon && read_index(item->start, (size_t)(colon - item->start), ret_platform) &&
	       read_index(colon + 1, item->len - (size_t)(colon - item->start) - 1, ret_device);
}

static bool has_part(const char *name, const struct item *item)
{
	for (const char *p = name; strlen(p) >= item->len; p++)
		if (strncasecmp(p, item->start, item->len) == 0)
			return true;
	return false;
}

static unsigned match_name(const struct vrs_ocl_list *list, const struct item *item)
{
	unsigned whole = 0, part = 0;

	for (int i = 0; i < list->count; i++) {
		const char *name = list->devices[i].name;

		if (strlen(name) == item->len && strncasecmp(name, item->start, item->len) == 0)
			whole |= 1u << i;
		if (has_part(name, item))
			part |= 1u << i;
	}
	return whole ? whole : part;
}

/* The devices that an item means, a bit each. */
static unsigned match(const struct vrs_ocl_list *list, const struct item *item)
{
	char address[16];
	int index, platform, device;
	unsigned matches = 0;

	if (read_index(item->start, item->len, &index))
		return index < list->count ? 1u << index : 0;
	if (read_address(item, address, sizeof address)) {
		for (int i = 0; i < list->count; i++)
			matches |= strcasecmp(list->devices[i].address, address) == 0 ? 1u << i : 0;
		return matches;
	}
	if (read_pair(item, &platform, &device)) {
		for (int i = 0; i < list->count; i++)
			matches |= list->devices[i].platform == platform && list->devices[i].device == device ? 1u << i : 0;
		return matches;
	}
	return match_name(list, item);
}

/* The next item of *p, which moves behind its plus; the last one leaves it NULL. */
static struct item next_item(const char **p)
{
	size_t len = strcspn(*p, "+");
	struct item item = {.start = *p, .len = len};

	*p = (*p)[len] == '+' ? *p + len + 1 : NULL;
	for (; item.len > 0 && *item.start == ' '; item.start++)
		item.len--;
	while (item.len > 0 && item.start[item.len - 1] == ' ')
		item.len--;
	return item;
}

static enum vrs_status add(const struct vrs_ocl_list *list, const struct item *item, struct vrs_ocl_choice *choice, unsigned *taken,
			   struct vrs_error *err)
{
	unsigned matches = item->len > 0 ? match(list, item) : 0;
	int index = 0;

	if (item->len == 0)
		return vrs_fail(err, VRS_ECONFIG, "a device is missing beside a plus; write 0+1 for two devices");
	if (matches == 0)
		return fail_unmatched(list, item, err);
	if ((matches & (matches - 1)) != 0)
		return fail_ambiguous(list, item, matches, err);
	while (!(matches >> index & 1))
		index++;
	if (*taken & matches)
		return vrs_fail(err, VRS_ECONFIG, "the OpenCL device %d: %.100s is named twice", index, list->devices[index].name);
	*taken |= matches;
	choice->index[choice->count++] = index; /* at most one of each device */
	return VRS_OK;
}

/* A name may hold the sign that lies between devices: "gfx90a:sramecc+:xnack-". */
static bool is_whole_name(const struct vrs_ocl_list *list, const char *text)
{
	for (int i = 0; i < list->count; i++)
		if (strcasecmp(list->devices[i].name, text) == 0)
			return true;
	return false;
}

/* All of the kind that auto takes: a CPU device beside a GPU would do more harm than good. */
static void choose_all(const struct vrs_ocl_list *list, struct vrs_ocl_choice *choice)
{
	int order[VRS_MACHINE_MAX_CL], count = vrs_cl_devices_rank(list->devices, list->count, order);
	const struct vrs_cl_device *best = &list->devices[order[0]];

	for (int i = 0; i < count; i++) {
		const struct vrs_cl_device *cl = &list->devices[order[i]];

		if (cl->is_gpu == best->is_gpu && cl->is_cpu == best->is_cpu)
			choice->index[choice->count++] = order[i];
	}
}

static bool is_auto(const char *text)
{
	return text[0] == '\0' || strcmp(text, "auto") == 0;
}

enum vrs_status vrs_ocl_choose(const struct vrs_ocl_list *list, const char *text, struct vrs_ocl_choice *ret_choice, struct vrs_error *err)
{
	struct vrs_ocl_choice choice = {.count = 0};
	const struct item whole = {.start = text, .len = strlen(text)};
	enum vrs_status status = VRS_OK;
	unsigned taken = 0;

	if (list->count == 0)
		return vrs_fail(err, VRS_ENOTFOUND, "no OpenCL device can be used: %s", list->reason);
	if (is_auto(text)) {
		(void)vrs_cl_devices_rank(list->devices, list->count, choice.index);
		choice.count = 1;
	} else if (strcmp(text, "all") == 0) {
		choose_all(list, &choice);
	} else if (is_whole_name(list, text)) {
		status = add(list, &whole, &choice, &taken, err);
	} else {
		while (status == VRS_OK && text) {
			struct item item = next_item(&text);

			status = add(list, &item, &choice, &taken, err);
		}
	}
	if (status == VRS_OK)
		*ret_choice = choice;
	return status;
}

_Static_assert(VRS_DEVICES_MAX >= VRS_MACHINE_MAX_CL, "room for every device that is listed");

static uint64_t order_of(const struct vrs_cl_device *cl)
{
	return vrs_ocl_order_hash(&(struct vrs_ocl_order){
		.is_cpu = cl->is_cpu, .compute_units = cl->compute_units, .max_group = cl->max_group,
		.max_items = {cl->max_items[0], cl->max_items[1], cl->max_items[2]}, .local_bytes = cl->local_bytes,
	});
}

enum vrs_status vrs_ocl_devices(struct vrs_device_set *ret, const char *text, struct vrs_error *err)
{
	struct vrs_ocl_list *list = vrs_calloc(1, sizeof *list);
	struct vrs_ocl_choice choice = {.count = 0};

	if (!list)
		return vrs_fail_nomem(err);
	vrs_ocl_list_once(list);
	enum vrs_status status = vrs_ocl_choose(list, text, &choice, err);

	memset(ret, 0, sizeof *ret);
	for (int i = 0; status == VRS_OK && i < choice.count; i++) {
		const struct vrs_cl_device *cl = &list->devices[choice.index[i]];
		struct vrs_device_entry *entry = &ret->device[ret->count++];

		(void)snprintf(entry->text, sizeof entry->text, "%d", choice.index[i]);
		(void)vrs_strcpy(entry->name, sizeof entry->name, cl->name); /* a cut name is still a name */
		(void)vrs_strcpy(entry->driver, sizeof entry->driver, cl->driver);
		entry->order = order_of(cl);
	}
	vrs_free(list);
	return status;
}

enum vrs_status vrs_machine_check_opencl(const struct vrs_machine *machine, const char *device, struct vrs_error *err)
{
	struct vrs_ocl_list list = {.count = machine->cl_count};
	struct vrs_ocl_choice choice;

	memcpy(list.devices, machine->cl, sizeof list.devices);
	memcpy(list.reason, machine->cl_reason, sizeof list.reason);
	return vrs_ocl_choose(&list, device, &choice, err);
}

enum vrs_status vrs_machine_probe_opencl(const char *device, struct vrs_error *err)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	enum vrs_status status;

	if (!machine)
		return vrs_fail_nomem(err);
	vrs_machine_add_opencl(machine);
	status = vrs_machine_check_opencl(machine, device, err);
	if (status == VRS_OK && machine->cl_reason[0] && (is_auto(device) || strcmp(device, "all") == 0))
		vrs_log_once("gpu driver without icd", VRS_LOG_WARNING, "no GPU is listed: %s", machine->cl_reason);
	vrs_free(machine);
	return status;
}
