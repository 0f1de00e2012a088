/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `vrbench --calibrate`: the same configuration against itself in 20 rounds, then one long run (FOLDER/soak), and the stored entry that later
 * measurements take their margins and permissions from (bench/judge/noise_record.h).  Folder, journal and --resume are those of an A/B.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include <vrseg/log.h>
#include <vrseg/machine.h>

#include "analyzer/findings.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/judge/noise_record.h"
#include "bench/modes/bench_program.h"
#include "bench/modes/versus_mode.h"
#include "bench/stats/stats.h"
#include "reports/report.h"

static const double longest_soak = 12 * 3600;

static void announce(const struct vrs_runner_options *options, const char *text)
{
	const struct vrs_runner_event event = {.kind = VRS_RUNNER_PREPARE, .text = text, .eta_seconds = NAN};
	if (options->on_event)
		options->on_event(options->cookie, &event);
}

/* How long the long run takes, at most `longest` seconds, from the speed of the pairs before it. */
static void announce_soak(const struct vrs_runner_options *options, double longest, const struct vrs_case_result *entry)
{
	double fps = vrs_case_result_median(entry, offsetof(struct vrs_run, fps)), whole = VRS_NOISE_RECORD_FRAMES / fps, seconds = fmin(whole, longest);
	char text[160], time[24];
	if (!(fps > 0))
		return;
	vrs_bench_time_text(seconds, time, sizeof time);
	snprintf(text, sizeof text, "now one long run of %.0f frames, which takes about %s at %.0f FPS%s", seconds * fps, time, fps,
		 seconds < whole ? "; P99 needs 60,000" : "");
	announce(options, text);
}

/* One long run of the same configuration: 60,000 frames, or as many as come in the time that was given. */
static enum vrs_status soak(struct vrs_runner *runner, const struct vrs_runner_options *options, struct vrs_noise_record *record,
			    struct vrs_error *err)
{
	const struct vrs_run_plan *plan = vrs_runner_plan(runner);
	struct vrs_runner_options o = *options;
	struct vrs_runner *long_runner = NULL;
	struct vrs_case c = {.axis = "soak"};
	char folder[VRS_PATH_MAX], journal[VRS_PATH_MAX];
	int index;
	if (vrs_path_join(folder, sizeof folder, options->folder, "soak") != VRS_OK ||
	    vrs_path_join(journal, sizeof journal, folder, "journal.jsonl") != VRS_OK)
		return vrs_fail(err, VRS_ELIMIT, "the name of the result folder is too long");
	o.folder = folder;
	o.folder_root = options->folder;
	o.input = plan->input;
	o.plan.scope = plan->scope;
	o.plan.live_hz = plan->live_hz;
	o.versus = NULL;
	o.plan.rounds = 1;
	o.plan.goal = 0;
	o.plan.quality_frames = 0;
	o.plan.gates = VRS_GATES_MARK;
	o.plan.rules = plan->rules;
	o.plan.rules.duration_seconds = plan->calibrate_seconds > 0 ? plan->calibrate_seconds : longest_soak;
	o.plan.rules.min_frames = 1;
	o.plan.rules.max_frames = VRS_NOISE_RECORD_FRAMES;
	o.plan.timeout_seconds = 0;
	o.resume = options->resume && vrs_path_exists(journal);
	o.overwrite = !o.resume;
	enum vrs_status status = vrs_runner_create(&long_runner, &o, vrs_runner_base(runner), err);
	if (status != VRS_OK)
		return status;
	struct vrs_case_result *entry = vrs_runner_result(runner)->cases;
	announce_soak(options, o.plan.rules.duration_seconds, entry);
	c.width = entry->width;
	c.height = entry->height;
	status = vrs_runner_add(long_runner, &c, &index, err);
	if (status == VRS_OK)
		status = vrs_runner_measure(long_runner, &index, 1, 1, 1, err);
	if (status == VRS_OK || status == VRS_ESTOPPED) {
		enum vrs_status written = vrs_runner_finish(long_runner, status == VRS_OK, status == VRS_OK ? err : NULL);
		status = status == VRS_OK ? written : status;
	}
	const struct vrs_case_result *done = &vrs_runner_result(long_runner)->cases[0];
	struct vrs_frame_pool pool = {0};
	if (status == VRS_OK && vrs_frame_pool_load(&pool, done, folder) != VRS_OK)
		status = vrs_fail(err, VRS_ENOMEM, "there is not enough memory for the frames of the long run");
	if (status == VRS_OK && vrs_noise_record_of_frames(&pool, record) != VRS_OK)
		vrs_log(VRS_LOG_WARNING, "the long run has %ld frames: too few to see bursts of slow ones", pool.count);
	record->frames = pool.count;
	record->clock_mhz = vrs_case_result_median(done, offsetof(struct vrs_run, frequency_mhz));
	vrs_frame_pool_fini(&pool);
	vrs_runner_destroy(long_runner);
	return status;
}

struct listing {
	struct vrs_table *table;
	time_t now;
};

static void add_record(const struct vrs_noise_record *c, void *cookie)
{
	static const char *const formats[] = {"%.0f", "%.0f", "%.2f", "%.2f", "%.0f", "%.0f", "%.1f", "%.1f", "%.2f", "%.0f", "%.0f", "%.2f"};
	const struct listing *l = cookie;
	double between;
	int freedom, invocations;
	(void)vrs_noise_record_between(c, l->now, &between, &freedom, &invocations); /* not known: NaN */
	const double values[] = {fmax(vrs_noise_record_days(c, l->now), 0), c->pairs, 100 * c->pair_sd, 100 * c->run_cv, (double)c->frames,
				 (double)c->episodes, c->deff95, c->deff99, c->lag1, c->clock_mhz, invocations > 1 ? (double)invocations : NAN, 100 * between};
	struct vrs_table *t = l->table;
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", c->class_name);
	for (int i = 0; i < 12; i++)
		vrs_table_set_number(t, i + 1, formats[i], values[i]);
	vrs_table_set(t, 13, "%d/%d", c->alarms, c->tests);
	vrs_table_set(t, 14, "%s", !vrs_noise_record_is_fresh(c, l->now) ? "expired" : vrs_noise_record_permits(c) ? "" : "no P95, P99");
}

/* Everything that is stored for this machine; what is of no use here is counted. */
static enum vrs_status print_records(uint64_t fingerprint, time_t now, FILE *out, struct vrs_error *err)
{
	static const char *const heads[] = {"class", "days", "pairs", "pairs (%)", "runs (%)", "frames", "slow episodes", "deff P95", "deff P99", "lag 1",
					    "clock (MHz)", "invocations", "between (%)", "false alarms", "state"};
	char folder[VRS_PATH_MAX];
	int foreign, damaged;
	struct vrs_findings *findings = vrs_findings_create();
	if (!findings)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to list calibrations");
	struct listing l = {vrs_findings_start_table(findings, "calibration", "Noise by class of cases", heads, 15, 1u << 0 | 1u << 14), now};
	snprintf(findings->title, sizeof findings->title, "Calibration of this machine");
	snprintf(l.table->caption, sizeof l.table->caption, "Spreads: of A/A pairs, between runs, and between "
		 "invocations an hour apart (known from six on). deff: how many frames count as one, since slow "
		 "frames come in bursts; state \"no P95, P99\": from too few frames to answer them. False alarms: A/A comparisons that found a "
		 "difference.");
	enum vrs_status status = vrs_noise_record_each(fingerprint, add_record, &l, &foreign, &damaged, folder, err);
	if (l.table->rows == 0)
		snprintf(findings->verdict, sizeof findings->verdict, "This machine is not calibrated: vrbench --calibrate VIDEO");
	if (foreign > 0)
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "foreign", "%d of other machines or of another state of this one.", foreign);
	if (damaged > 0)
		vrs_findings_add_note(findings, VRS_NOTE_WARNING, "damaged", "%d unreadable in %s", damaged, folder);
	enum vrs_status printed = vrs_report_show(findings, out, status == VRS_OK ? err : NULL);
	return status == VRS_OK ? printed : status;
}

static void print_use(const struct vrs_noise_record *r, FILE *out)
{
	static const int looks[] = {8, 14, 20};
	double margin = fmax(vrs_verdict_options_default().margin, 1.5 * r->pair_sd);
	fprintf(out, "\nmargin of an A/B here: %.1f %% (1.5 x spread of pairs, at least %.0f %%); with", 100 * margin,
		100 * vrs_verdict_options_default().margin);
	for (int i = 0; i < 3; i++)
		if (isfinite(vrs_verdict_mde(r->pair_sd, looks[i])))
			fprintf(out, "%s %d pairs it finds %.1f %%", i ? "," : "", looks[i], 100 * vrs_verdict_mde(r->pair_sd, looks[i]));
	fputc('\n', out);
	if (vrs_noise_record_permits(r))
		fprintf(out, "P99 is answered from %.0f frames on, P95 from %.0f\n", ceil(1000 * r->deff99), ceil(200 * r->deff95));
	else
		fprintf(out, "P95 and P99 stay uncalibrated: that takes %d frames and %d slow episodes, these are %lld and %lld\n", VRS_NOISE_RECORD_FRAMES,
			VRS_NOISE_RECORD_EPISODES, (long long)r->frames, (long long)r->episodes);
}

/* Of settings without their comments, which say where each came from: that is another place when a measurement is gone on with. */
static uint64_t hash_settings(uint64_t hash, const char *yaml)
{
	for (const char *line = yaml; *line;) {
		size_t whole = strcspn(line, "\n"), length = strcspn(line, "#\n");
		while (length > 0 && line[length - 1] == ' ')
			length--;
		hash = vrs_hash(hash, line, length);
		line += whole + (line[whole] == '\n');
	}
	return hash;
}

/*
 * What this measurement has found as a whole, beside those of other days: how invocations differ is known only from several.  It is known by when its
 * first run began, which stays when it is gone on with.
 */
static void add_level(const struct vrs_result *result, uint64_t input_hash, struct vrs_noise_record *record)
{
	struct vrs_noise_level *level = &record->levels[0];
	const struct vrs_case_result *first = &result->cases[0];
	uint64_t subject = hash_settings(vrs_hash_str(vrs_hash_str(VRS_HASH_INIT, record->id), result->tool_version), result->base_config);
	vrs_strcpy(level->started_utc, sizeof level->started_utc, first->run_count ? first->runs[0].started_utc : "");
	level->subject = vrs_hash(subject, &input_hash, sizeof input_hash);
	level->level = record->level;
	record->level_count = record->level > 0 && level->started_utc[0];
}

/* The A/A is a test of the whole method on this machine: a difference between equals is a false alarm, and counted. */
static enum vrs_status judge(struct vrs_runner *runner, const int indices[2], struct vrs_noise_record *record, struct vrs_comparison *headline,
			     FILE *out, struct vrs_error *err)
{
	struct vrs_result *result = vrs_runner_result(runner);
	const struct vrs_case_result *a = &result->cases[indices[0]], *b = &result->cases[indices[1]];
	struct vrs_compare_details *details = vrs_calloc(1, sizeof *details);
	enum vrs_status status = details ? vrs_versus_judge(runner, indices, headline, details, err) : VRS_ENOMEM;
	if (status == VRS_OK)
		status = vrs_runner_finish(runner, true, err);
	if (status == VRS_OK)
		status = vrs_versus_report(runner, details, out);
	vrs_free(details);
	if (status != VRS_OK)
		return err->status != VRS_OK ? status : vrs_fail(err, status, "the A/A cannot be judged: %s", vrs_status_str(status));
	record->fingerprint = result->fingerprint;
	vrs_strcpy(record->tool_version, sizeof record->tool_version, result->tool_version);
	vrs_strcpy(record->id, sizeof record->id, b->id);
	record->verdict = headline->verdict;
	record->tests = 1;
	record->alarms = headline->verdict == VRS_VERDICT_FASTER || headline->verdict == VRS_VERDICT_SLOWER;
	vrs_noise_record_class(b, record->class_name, sizeof record->class_name);
	if (headline->verdict != VRS_VERDICT_INVALID && vrs_noise_record_of_pairs(a, b, record) != VRS_OK) {
		headline->verdict = VRS_VERDICT_INVALID;
		headline->cause = VRS_CAUSE_FEW_RUNS;
		snprintf(headline->reason, sizeof headline->reason, "%d usable pairs, at least 6 are needed", headline->pairs);
	}
	add_level(result, vrs_runner_plan(runner)->input_hash, record);
	return VRS_OK;
}

/* INVALID is not stored. */
static enum vrs_status calibrate(struct vrs_runner *runner, const struct vrs_runner_options *options, FILE *out, struct vrs_comparison *ret_headline,
				 struct vrs_error *err)
{
	int indices[2], rounds = vrs_runner_plan(runner)->rounds;
	struct vrs_noise_record record;
	char line[448], text[128];
	vrs_noise_record_init(&record);
	enum vrs_status status = vrs_versus_add_sides(runner, 0, 0, indices, err);
	snprintf(text, sizeof text, "the same configuration against itself in %d rounds, then one long run", rounds);
	announce(options, text);
	if (status == VRS_OK)
		status = vrs_runner_measure(runner, indices, 2, 1, rounds, err);
	if (status == VRS_OK)
		status = soak(runner, options, &record, err);
	if (status == VRS_OK)
		status = judge(runner, indices, &record, ret_headline, out, err);
	if (status != VRS_OK)
		return status;
	bool usable = ret_headline->verdict != VRS_VERDICT_INVALID;
	if (usable)
		status = vrs_noise_record_store(&record, err);
	if (status == VRS_OK && usable) {
		fputc('\n', out);
		status = print_records(record.fingerprint, (time_t)record.created, out, err);
		print_use(&record, out);
	} else if (status == VRS_OK) {
		fprintf(out, "\nnothing is stored: noise gates say that this was no fair picture of the machine\n");
	}
	vrs_verdict_line(ret_headline, line, sizeof line);
	fprintf(out, "%s\n", line);
	return status;
}

enum vrs_status vrs_bench_run_calibrate(struct vrs_bench_program *program, struct vrs_runner *runner, const struct vrs_runner_options *options,
					struct vrs_error *err)
{
	struct vrs_comparison headline;
	enum vrs_status status = calibrate(runner, options, program->out, &headline, err);
	if (status == VRS_OK)
		program->exit_code = headline.verdict == VRS_VERDICT_INVALID ? vrs_bench_versus_exit(&program->args, &headline) : 0;
	return vrs_bench_unfinished(status, options->folder, err);
}

enum vrs_status vrs_bench_mode_calibrate(struct vrs_bench_program *program, struct vrs_error *err)
{
	const struct vrs_runner_side a = {.label = "the same configuration (A/A)", .config = program->config};
	struct vrs_runner_options options = vrs_bench_program_options(program);
	struct vrs_runner *runner = NULL;
	options.versus = &a;
	enum vrs_status status = vrs_runner_create(&runner, &options, program->config, err);
	if (status == VRS_OK)
		status = vrs_bench_run_calibrate(program, runner, &options, err);
	vrs_bench_progress_clear(&program->progress);
	vrs_runner_destroy(runner);
	return status;
}

enum vrs_status vrs_bench_mode_calibration(struct vrs_bench_program *program, struct vrs_error *err)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	enum vrs_status status = machine ? vrs_machine_detect(machine, false) : VRS_ENOMEM;
	if (status == VRS_OK)
		status = print_records(machine->fingerprint, time(NULL), program->out, err);
	else
		(void)vrs_fail(err, status, "cannot describe this machine: %s", vrs_status_str(status));
	vrs_free(machine);
	return status;
}
