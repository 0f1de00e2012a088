/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Going on in a used folder: the plan from the first line of the journal, finished runs from the others.  What the plan says is read may not be
 * written by the command that goes on.
 */
#include <string.h>

#include <vrseg/log.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/run/runner_state.h"

struct loader {
	struct vrs_runner *runner;
	struct vrs_error *err;
	struct vrs_journal_entry *entry; /* large: kept off the stack */
	bool runs;                       /* second pass: cases and runs */
	bool seen_plan;
	int repeated;                    /* lines of runs that were taken already */
};

static enum vrs_status on_case(void *cookie, const char *id, const char *axis)
{
	struct loader *loader = cookie;
	struct vrs_case c;
	int index;
	if (!loader->runs)
		return VRS_OK;
	enum vrs_status status = vrs_case_parse(id, &c, loader->err);
	if (status != VRS_OK)
		return status;
	vrs_strcpy(c.axis, sizeof c.axis, axis);
	return vrs_runner_add(loader->runner, &c, &index, loader->err);
}

/* A case runs once at each place: a line that stands twice, as after a copy of the file, is no second run. */
static bool has_place(const struct vrs_case_result *c, const struct vrs_run *run)
{
	for (int i = 0; i < c->run_count; i++)
		if (c->runs[i].round == run->round && c->runs[i].session == run->session && c->runs[i].attempt == run->attempt)
			return true;
	return false;
}

static enum vrs_status take_run(struct loader *loader, const struct vrs_journal_entry *entry, struct vrs_error *err)
{
	struct vrs_runner *runner = loader->runner;
	struct vrs_case_result *c = vrs_result_find_case(runner->result, entry->case_result.id);
	if (!c) { /* added while the measurement ran */
		enum vrs_status status = on_case(loader, entry->case_result.id, entry->case_result.axis);
		c = status == VRS_OK ? vrs_result_find_case(runner->result, entry->case_result.id) : NULL;
		if (!c)
			return vrs_fail(err, VRS_EFORMAT, "%s: the case \"%s\" cannot be used", runner->journal, entry->case_result.id);
	}
	if (!entry->has_run)
		return VRS_OK; /* whether a case is skipped is decided anew */
	if (has_place(c, &entry->run)) {
		loader->repeated++;
		return VRS_OK;
	}
	if (vrs_runner_keep_device(c, &entry->case_result, err) != VRS_OK)
		return vrs_fail_at(err, VRS_ECONFIG, runner->journal, 0, 0, "%s; start anew with --overwrite", err ? err->text : "");
	struct vrs_case_result known = *c;
	*c = entry->case_result; /* sizes and labels as they came out */
	c->runs = known.runs;
	c->run_count = known.run_count;
	c->run_capacity = known.run_capacity;
	struct vrs_run *run = vrs_case_result_add_run(c);
	if (!run)
		return vrs_fail(err, VRS_ENOMEM, "%s has more runs than fit", runner->journal);
	*run = entry->run;
	if (entry->has_span)
		vrs_gate_observe(runner, &entry->span);
	if (run->session >= runner->session)
		runner->session = run->session + 1;
	return VRS_OK;
}

/* Where runs of the journal were on a device, devices and drivers are those of its plan. Of the CPU alone they say nothing. */
static enum vrs_status check_devices(const struct vrs_runner *runner, struct vrs_error *err)
{
	uint64_t then = runner->plan.device_fingerprint;
	if (then == 0 || then == runner->machine->device_fingerprint)
		return VRS_OK;
	for (int i = 0; i < runner->result->case_count; i++) {
		const struct vrs_case_result *c = &runner->result->cases[i];
		if (c->run_count > 0 && c->device[0])
			return vrs_fail_at(err, VRS_ECONFIG, runner->journal, 0, 0,
					   "the measurement began with the device %s (driver %s), and this machine's devices or drivers are others now: "
					   "its figures cannot be combined; start anew with --overwrite", c->device, c->driver);
	}
	return VRS_OK;
}

static enum vrs_status on_line(void *cookie, const char *line, long number, struct vrs_error *err)
{
	struct loader *loader = cookie;
	struct vrs_runner *runner = loader->runner;
	if (!loader->runs && number > 1)
		return VRS_OK;
	loader->err = err;
	enum vrs_status status = vrs_journal_parse(line, strlen(line), runner->journal, number, loader->entry, loader->runs ? NULL : runner->base,
						   on_case, loader, err);
	if (status != VRS_OK)
		return status;
	if (number == 1 && !loader->entry->is_plan)
		return vrs_fail_at(err, VRS_EFORMAT, runner->journal, 1, 0, "the first line is not a plan");
	if (!loader->entry->is_plan)
		return take_run(loader, loader->entry, err);
	loader->seen_plan = true;
	if (!loader->runs) {
		uint64_t here = runner->plan.fingerprint;
		runner->plan = loader->entry->plan;
		if (runner->plan.fingerprint != here)
			return vrs_fail_at(err, VRS_ECONFIG, runner->journal, 0, 0,
					   "the measurement began on another machine (or this one has changed): its figures cannot be combined");
	}
	return VRS_OK;
}

enum vrs_status vrs_runner_load(struct vrs_runner *runner, bool runs, struct vrs_error *err)
{
	struct loader loader = {.runner = runner, .runs = runs, .entry = vrs_calloc(1, sizeof *loader.entry)};
	size_t torn = 0;
	if (!loader.entry)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to read %s", runner->journal);
	enum vrs_status status = vrs_journal_read(runner->journal, VRS_JOURNAL_LINE_MAX, runs, on_line, &loader, &torn, err);
	vrs_free(loader.entry);
	if (status == VRS_OK && !loader.seen_plan)
		status = vrs_fail_at(err, VRS_EFORMAT, runner->journal, 0, 0, "the journal has no complete line: start anew with --overwrite");
	if (status == VRS_OK && runs)
		status = check_devices(runner, err);
	if (status == VRS_OK && runner->session > VRS_RESULT_MAX_SESSION) /* its runs could not be read again */
		status = vrs_fail_at(err, VRS_ELIMIT, runner->journal, 0, 0, "there was a session number %d, and no other can follow: start anew with --overwrite",
				     VRS_RESULT_MAX_SESSION);
	if (status == VRS_OK && runs && torn > 0)
		vrs_log(VRS_LOG_WARNING, "%s ended in the middle of a line; its last %zu bytes were dropped and that run is repeated", runner->journal, torn);
	if (status == VRS_OK && loader.repeated > 0)
		vrs_log(VRS_LOG_WARNING, "%s has %d line%s with the case, round, session and attempt of another; of these the first counts", runner->journal,
			loader.repeated, loader.repeated == 1 ? "" : "s");
	runner->plan_written = status == VRS_OK;
	return status;
}

/* What the first line of a journal says is read. */
struct recorded {
	struct vrs_journal_entry *entry;
	struct vrs_config *base;
	const char *journal;
	bool is_plan;
};

/* VRS_END: the first line is all that is looked at. */
static enum vrs_status on_first_line(void *cookie, const char *line, long number, struct vrs_error *err)
{
	struct recorded *r = cookie;
	enum vrs_status status = vrs_journal_parse(line, strlen(line), r->journal, number, r->entry, r->base, NULL, NULL, err);
	r->is_plan = status == VRS_OK && r->entry->is_plan;
	return status == VRS_OK ? VRS_END : status;
}

static enum vrs_status check_plan_files(const struct recorded *r, const struct vrs_config *config, const char *flag, const char *path,
					struct vrs_error *err)
{
	const struct vrs_run_plan *plan = &r->entry->plan;
	struct vrs_config *side_a = NULL;
	enum vrs_status status = vrs_config_check_recorded(config, r->base, plan->input[0] ? plan->input : NULL, flag, path, err);
	if (status == VRS_OK && plan->techniques.file[0])
		status = vrs_config_check_recorded(config, NULL, plan->techniques.file, flag, path, err);
	if (status != VRS_OK || !plan->versus_config[0])
		return status;
	status = vrs_config_create(&side_a);
	if (status == VRS_OK && vrs_config_load_text(side_a, plan->versus_config, strlen(plan->versus_config), "side A", VRS_SOURCE_FILE, NULL) == VRS_OK)
		status = vrs_config_check_recorded(config, side_a, NULL, flag, path, err);
	vrs_config_destroy(side_a);
	return status;
}

enum vrs_status vrs_runner_check_resumed(const char *folder, const struct vrs_config *config, const char *flag, const char *path,
					 struct vrs_error *err)
{
	char journal[VRS_PATH_MAX];
	size_t torn;
	struct recorded r = {.entry = vrs_calloc(1, sizeof *r.entry), .journal = journal};
	enum vrs_status status = r.entry ? vrs_config_create(&r.base) : VRS_ENOMEM;
	if (status != VRS_OK)
		(void)vrs_fail_nomem(err);
	/* a journal that cannot be read is told by whoever goes on with it */
	else if (vrs_path_join(journal, sizeof journal, folder, "journal.jsonl") == VRS_OK &&
		 vrs_journal_read(journal, VRS_JOURNAL_LINE_MAX, false, on_first_line, &r, &torn, NULL) == VRS_END && r.is_plan)
		status = check_plan_files(&r, config, flag, path, err);
	vrs_config_destroy(r.base);
	vrs_free(r.entry);
	return status;
}
