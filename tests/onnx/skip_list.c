/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "onnx/skip_list.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

static const char *const names[] = {"runtime", "frozen", "constant"};

static bool parse_forms(const char *text, unsigned *ret_forms)
{
	unsigned forms = 0;

	if (strcmp(text, "all") == 0) {
		*ret_forms = (1u << FORM_COUNT) - 1;
		return true;
	}
	while (*text != '\0') {
		size_t len = strcspn(text, ",");
		unsigned before = forms;

		for (unsigned i = 0; i < FORM_COUNT; i++)
			if (strlen(names[i]) == len && memcmp(names[i], text, len) == 0)
				forms |= 1u << i;
		if (forms == before)
			return false;
		text += len + (text[len] == ',');
	}
	*ret_forms = forms;
	return true;
}

static enum vrs_status add_line(struct skip_list *list, const char *text, struct vrs_error *err)
{
	void *lines = list->lines;
	char which[64];
	int pattern_end = 0, reason = 0;
	unsigned forms;
	struct skip_line *line;
	char *copy;

	if (sscanf(text, "%*s%n %63s %n", &pattern_end, which, &reason) != 1 || reason == 0 || text[reason] == '\0' || !parse_forms(which, &forms))
		return vrs_fail(err, VRS_EFORMAT, "a line is no \"PATTERN WHICH REASON\": %s", text);
	if (vrs_array_grow(&lines, &list->cap, list->count + 1, sizeof *list->lines, 10000) != VRS_OK)
		return vrs_fail(err, VRS_ENOMEM, "out of memory");
	list->lines = lines;
	copy = vrs_strdup(text);
	if (copy == NULL)
		return vrs_fail(err, VRS_ENOMEM, "out of memory");
	copy[pattern_end] = '\0';
	line = &list->lines[list->count++];
	*line = (struct skip_line){.pattern = copy, .forms = forms, .reason = copy + reason};
	return VRS_OK;
}

enum vrs_status skip_list_read(struct skip_list *ret_list, const char *path, struct vrs_error *err)
{
	struct vrs_buf file;
	enum vrs_status status = vrs_file_read(path, 1 << 20, &file, err);
	char *rest, *text;

	memset(ret_list, 0, sizeof *ret_list);
	if (status != VRS_OK)
		return status;
	for (text = strtok_r(file.data, "\n", &rest); text != NULL && status == VRS_OK; text = strtok_r(NULL, "\n", &rest))
		if (text[strspn(text, " \t")] != '\0' && text[0] != '#')
			status = add_line(ret_list, text, err);
	vrs_buf_fini(&file);
	return status;
}

void skip_list_fini(struct skip_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		vrs_free(list->lines[i].pattern);
	vrs_free(list->lines);
}

unsigned skip_list_forms(struct skip_list *list, const char *name)
{
	unsigned forms = 0;

	for (size_t i = 0; i < list->count; i++)
		if (fnmatch(list->lines[i].pattern, name, 0) == 0) {
			list->lines[i].used = true;
			forms |= list->lines[i].forms;
		}
	return forms;
}
