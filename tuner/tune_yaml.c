/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/tune_yaml.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/printable.h"
#include "vrs_version.h"

/* A word for a shell, quoted where it needs to be. */
static enum vrs_status put_word(struct vrs_buf *line, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+";
	if (word[0] && word[strspn(word, plain)] == '\0')
		return vrs_buf_puts(line, word);
	enum vrs_status status = vrs_buf_puts(line, "'");
	for (; status == VRS_OK && *word; word++)
		status = *word == '\'' ? vrs_buf_puts(line, "'\\''") : vrs_buf_printf(line, "%c", *word);
	return status == VRS_OK ? vrs_buf_puts(line, "'") : status;
}

/* The network that auto is here (vrs_config_settle_network), which nobody has set. */
static bool is_settled(const struct vrs_config *base, const char *key)
{
	return strcmp(key, "engine.model") == 0 && vrs_config_source(base, key) == VRS_SOURCE_HARDWARE;
}

/* Has nobody said anything about the job, so that "default" is what the search began with? */
static bool begins_with_defaults(const struct vrs_config *base)
{
	int rows;
	const struct vrs_option *table = vrs_option_table(&rows);
	for (int i = 0; i < rows; i++)
		if (table[i].state == VRS_OPT_READY && !(table[i].traits & VRS_OPTION_PER_RUN) &&
		    vrs_config_source(base, table[i].key) != VRS_SOURCE_DEFAULT && !is_settled(base, table[i].key))
			return false;
	return true;
}

/* "default", or the chosen options with the values that the search began with. */
static enum vrs_status put_side_a(struct vrs_buf *line, const struct vrs_search_result *r, const struct vrs_config *base)
{
	struct vrs_buf changes;
	char value[VRS_PATH_MAX];
	enum vrs_status status = VRS_OK;
	if (begins_with_defaults(base))
		return vrs_buf_puts(line, "default");
	vrs_buf_init(&changes, VRS_PATH_MAX);
	for (int i = 0; status == VRS_OK && i < r->best.value_count; i++) {
		status = vrs_config_get(base, r->best.values[i].key, value, sizeof value);
		if (status == VRS_OK)
			status = vrs_buf_printf(&changes, "%s%s=%s", i ? "," : "", r->best.values[i].key, value);
	}
	if (status == VRS_OK)
		status = put_word(line, vrs_buf_str(&changes));
	vrs_buf_fini(&changes);
	return status;

}

/* What the command below comes to: the same verdict, but where the figure of the goal decided between settings of which some miss a limit. */
static const char *verify_words(const struct vrs_search_result *r)
{
	if (r->goal == VRS_GOAL_SIZE || r->goal == VRS_GOAL_QUALITY || !r->by_value)
		return "Check again";
	return r->goal == VRS_GOAL_LIVE ? "Compare the latencies of both" : "Compare the speeds of both";
}

/* The command that measures the choice against what the search began with. */
static enum vrs_status write_verify(FILE *out, const struct vrs_search_result *r, const struct vrs_config *base, const char *input, const char *path)
{
	struct vrs_buf line;
	char mode[32];
	vrs_buf_init(&line, 4 * VRS_PATH_MAX);
	enum vrs_status status = vrs_buf_printf(&line, "%s with: vrbench --versus ", verify_words(r));
	if (status == VRS_OK)
		status = put_side_a(&line, r, base);
	if (status == VRS_OK)
		status = vrs_buf_puts(&line, " -c ");
	if (status == VRS_OK)
		status = put_word(&line, path);
	if (status == VRS_OK && (r->goal == VRS_GOAL_SIZE || r->goal == VRS_GOAL_QUALITY))
		status = vrs_buf_puts(&line, r->goal == VRS_GOAL_SIZE ? " --decide-by size" : " --decide-by iou");
	if (status == VRS_OK && r->best.width)
		status = vrs_buf_printf(&line, " --resolution %dx%d", r->best.width, r->best.height);
	if (status == VRS_OK && r->best.scope != VRS_SCOPE_END_TO_END)
		status = vrs_buf_printf(&line, " --scope %s", vrs_name_of(&vrs_scope_names, (int)r->best.scope));
	if (status == VRS_OK && r->best.live_hz > 0)
		status = vrs_buf_printf(&line, " --mode %s", vrs_mode_text(r->best.live_hz, mode, sizeof mode));
	if (status == VRS_OK && input && input[0])
		status = vrs_buf_puts(&line, " ");
	if (status == VRS_OK && input && input[0])
		status = put_word(&line, input);
	if (status == VRS_OK)
		vrs_print_comment(out, "%s", vrs_buf_str(&line));
	vrs_buf_fini(&line);
	return status;
}

/* What is left of a limit, as a share of it. */
static void write_limit(FILE *out, const char *name, double limit, double value, bool at_least, const char *unit)
{
	double slack = at_least ? value / limit - 1 : 1 - value / limit;
	if (limit > 0 && isfinite(limit) && isfinite(value))
		vrs_print_comment(out, "%s: at %s %g%s; measured %.6g%s, %.1f %% to spare", name, at_least ? "least" : "most", limit, unit, value, unit,
				  100 * slack);
}

static void write_costs(FILE *out, const struct vrs_search_result *r, const struct vrs_objective *objective)
{
	const struct vrs_tuned_figures *best = &r->best_figures, *other = &r->default_figures;
	double reference = best->first_mattes > 0 ? best->reference : other->quality;
	if (isfinite(best->quality) && isfinite(reference) && best->first_mattes > 0)
		vrs_print_comment(out, "Matte (IoU over the first %d mattes, which both have): %.4f; default %.4f", best->first_mattes, best->quality, reference);
	else if (isfinite(best->quality) && isfinite(reference))
		vrs_print_comment(out, "Matte (IoU): %.4f; default %.4f", best->quality, reference);
	if (isfinite(best->kbps) && isfinite(other->kbps))
		vrs_print_comment(out, "Output: %.0f kbit/s; default %.0f", best->kbps, other->kbps);
	if (isfinite(best->ssim) && isfinite(other->ssim))
		vrs_print_comment(out, "What the encoder keeps (SSIM): %.4f; default %.4f", best->ssim, other->ssim);
	if (objective->goal == VRS_GOAL_LIVE)
		write_limit(out, "Late frames", VRS_LIVE_MAX_MISSED_PERCENT, best->high_missed_percent, false, " %");
	write_limit(out, "Speed", objective->min_fps, best->low_fps, true, " FPS");
	/* Of the matte, the encoder and the output there is always a limit, against the default. */
	double least_iou = best->has_truth ? reference - objective->max_iou_loss : objective->min_agreement;
	write_limit(out, "IoU", fmax(objective->min_iou, least_iou), best->quality, true, "");
	write_limit(out, "SSIM", other->ssim - objective->max_encode_loss, best->ssim, true, "");
	double most_kbps = objective->max_kbps > 0 ? objective->max_kbps : (1 + objective->max_growth) * other->kbps;
	write_limit(out, "Bit rate", most_kbps, best->kbps, false, " kbit/s");
	write_limit(out, "Memory", (double)objective->memory_limit_bytes / (1 << 20), best->peak_bytes / (1 << 20), false, " MiB");
}

static void write_head(FILE *out, const struct vrs_search_result *r, const struct vrs_objective *objective, const struct vrs_config *base,
		       const struct vrs_machine *machine, const char *input)
{
	char utc[32], value[VRS_PATH_MAX];
	vrs_utc_text(utc, sizeof utc);
	vrs_print_comment(out, "Made by vrtune %s (%s) on %s.", VRS_VERSION, VRS_COMMIT, utc);
	vrs_print_comment(out, "%s", r->sentence);
	vrs_print_comment(out, "Machine: %s, %d CPUs, fingerprint %016" PRIx64 ". On another machine tune again.", machine->cpu_model,
			  machine->allowed_threads, machine->fingerprint);
	vrs_print_comment(out, "Input: %s", input && input[0] ? input : "built-in synthetic clip");
	bool live = r->goal == VRS_GOAL_LIVE;
	const char *unit = live ? "ms of latency" : "FPS";
	vrs_print_comment(out, "%s: %.2f %s%s; default %s: %.2f %s", r->best_id, live ? r->best_figures.latency_ms : r->best_figures.fps.median, unit,
			  r->keeps_default ? " (this is the default)" : "", r->default_id, live ? r->default_figures.latency_ms : r->default_figures.fps.median, unit);
	for (int i = 0; i < r->best.value_count; i++)
		if (vrs_config_get(base, r->best.values[i].key, value, sizeof value) == VRS_OK)
			vrs_print_comment(out, "Chosen: %s: %s; it was %s", r->best.values[i].key, r->best.values[i].value, value);
	write_costs(out, r, objective);
	if (r->tie[0])
		vrs_print_comment(out, "Cannot be told from it: %s", r->tie);
}

enum vrs_status vrs_tune_yaml_write(const struct vrs_search_result *result, const struct vrs_objective *objective, const struct vrs_config *base,
				    const struct vrs_machine *machine, const char *input, const char *path, struct vrs_error *err)
{
	struct vrs_config *config = NULL;
	enum vrs_status status = vrs_case_config(&result->best, base, &config, err);
	if (status != VRS_OK)
		return status;
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	if (!out)
		status = vrs_fail_nomem(err);
	if (status == VRS_OK) {
		write_head(out, result, objective, base, machine, input);
		status = result->best.value_count ? write_verify(out, result, base, input, path) : VRS_OK;
		if (status == VRS_OK)
			status = vrs_config_write(config, out, VRS_WRITE_JOB, err);
		if (fclose(out) != 0 && status == VRS_OK)
			status = VRS_ENOMEM;
		if (status != VRS_OK && !(err && err->status))
			(void)vrs_fail(err, status, "cannot write the configuration: %s", vrs_status_str(status));
	}
	if (status == VRS_OK)
		status = vrs_file_write(path, text, length, err);
	free(text); /* libc: memory of open_memstream */
	vrs_config_destroy(config);
	return status;
}
