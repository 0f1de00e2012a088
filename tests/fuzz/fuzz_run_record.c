/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of a benchmark's journal, answers of its children and requests to them: read or refused with a sentence; a run that was read is written and
 * read back the same.  The first byte chooses which of the three it is.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/plan/case.h"
#include "bench/record/journal.h"
#include "bench/run/run_request.h"
#include "require.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum vrs_status on_case(void *cookie, const char *id, const char *axis)
{
	struct vrs_case c;
	(void)cookie;
	(void)axis;
	return vrs_case_parse(id, &c, NULL) == VRS_OK ? VRS_OK : VRS_EFORMAT;
}

static void write_back(const struct vrs_journal_entry *entry)
{
	char path[256];
	struct vrs_buf text;
	struct vrs_journal_entry again;
	scratch_write(scratch_path(path, sizeof path, "journal"), "", 0);
	require(vrs_journal_write_run(path, &entry->case_result, entry->has_run ? &entry->run : NULL, entry->has_span ? &entry->span : NULL,
				      NULL) == VRS_OK);
	require(vrs_file_read(path, VRS_JOURNAL_LINE_MAX, &text, NULL) == VRS_OK && text.len > 1);
	require(vrs_journal_parse(text.data, text.len - 1, "again", 1, &again, NULL, NULL, NULL, NULL) == VRS_OK);
	require(again.has_span == entry->has_span && strcmp(again.span.after.governor, entry->span.after.governor) == 0);
	require(again.has_run == entry->has_run && again.run.status == entry->run.status && strcmp(again.case_result.id, entry->case_result.id) == 0);
	vrs_buf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct vrs_journal_entry entry;
	static struct vrs_run_reply reply;
	static struct vrs_run_request request;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_config *config;
	if (size < 1 || vrs_config_create(&config) != VRS_OK)
		return 0;
	const char *text = (const char *)data + 1;
	enum vrs_status status;
	if (data[0] % 3 == 0) {
		status = vrs_journal_parse(text, size - 1, "fuzz.jsonl", 7, &entry, config, on_case, NULL, &err);
		if (status == VRS_OK && !entry.is_plan)
			write_back(&entry);
	} else if (data[0] % 3 == 1) {
		status = vrs_run_reply_read(text, size - 1, &reply, &err);
	} else {
		status = vrs_run_request_read(text, size - 1, &request, config, &err);
	}
	require(status == VRS_OK || err.text[0]);
	vrs_config_destroy(config);
	return 0;
}
