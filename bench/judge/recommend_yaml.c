/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Apart from recommend.c: it asks what auto comes to, for which networks are looked at, and vranalyze looks at none. */
#include "bench/judge/recommend.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/printable.h"
#include "base/str_parse.h"
#include "bench/judge/holm_family.h"
#include "bench/plan/case.h"
#include "bench/plan/default_values.h"

/* Where a case's rate lies: interval, or range with few runs. */
static void rate_text(const struct vrs_case_result *c, char *buf, size_t size)
{
	if (c->fps.has_interval)
		snprintf(buf, size, "%.1f FPS [%.1f, %.1f] (n=%d)", c->fps.median, c->fps.low, c->fps.high, c->fps.n);
	else
		snprintf(buf, size, "%.1f FPS (%.1f .. %.1f) (n=%d)", c->fps.median, c->fps.min, c->fps.max, c->fps.n);
	if (vrs_case_result_is_invalid(c))
		vrs_strcpy(buf + strlen(buf), size - strlen(buf), " INVALID");
}

/* The rows as comments of the file; figures can be followed to their case in results.json. */
static enum vrs_status write_best(const struct vrs_result *result, FILE *out)
{
	struct vrs_holm_family kept = {.base = NULL};
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < result->case_count && status == VRS_OK; i++) {
		struct vrs_recommend_row row;
		char rate[96];
		status = vrs_recommend_best(result, i, &kept, &row);
		if (status != VRS_OK || row.width == 0)
			continue;
		if (!row.best) {
			vrs_print_comment(out, "  %dx%d: %s", row.width, row.height, row.against);
			continue;
		}
		rate_text(row.best, rate, sizeof rate);
		vrs_print_comment(out, "  %dx%d: %s", row.width, row.height, row.best->id);
		vrs_print_comment(out, "    %s; against the default's values: %s", rate, row.against);
	}
	vrs_holm_family_fini(&kept);
	return status == VRS_OK && ferror(out) ? VRS_EIO : status;
}

/* Does c differ from base in this one value and nothing else? */
static bool is_alone(const struct vrs_case_result *c, const struct vrs_case *base, const struct vrs_case_value *value)
{
	struct vrs_case own;
	if (vrs_case_parse(c->id, &own, NULL) != VRS_OK)
		return false;
	for (int i = 0; i < own.value_count; i++) {
		const char *other = vrs_case_get(base, own.values[i].key);
		bool same = other && strcmp(other, own.values[i].value) == 0;
		if (strcmp(own.values[i].key, value->key) == 0 ? strcmp(own.values[i].value, value->value) != 0 : !same)
			return false;
	}
	for (int i = 0; i < base->value_count; i++)
		if (!vrs_case_get(&own, base->values[i].key))
			return false;
	return vrs_case_get(&own, value->key) != NULL;
}

/* A value of the recommended case, and the case that shows what it does alone. */
static void write_value(const struct vrs_holm_family *family, const struct vrs_case *base, const struct vrs_case_value *value, FILE *out)
{
	const char *before = vrs_case_get(base, value->key);
	char text[192];
	vrs_print_comment(out, "  %s: %s%s%s", value->key, value->value, before ? ", the default case had " : "", before ? before : "");
	for (int i = 0; i < family->count; i++)
		if (is_alone(family->cases[i], base, value)) {
			vrs_holm_family_text(family, i, text, sizeof text);
			vrs_print_comment(out, "    alone %s; case %s", text, family->cases[i]->id);
			return;
		}
	vrs_print_comment(out, "    alone: not measured");
}

/* What the values stand on: both cases with their intervals, the comparison, and each value that differs. */
static enum vrs_status write_evidence(const struct vrs_result *result, const struct vrs_case_result *c, FILE *out, struct vrs_error *err)
{
	char mode[24];
	const struct vrs_case_result *base = vrs_result_find_case(result, result->default_case);
	struct vrs_holm_family family;
	struct vrs_case values, base_values;
	char rate[96], text[192];
	rate_text(c, rate, sizeof rate);
	vrs_print_comment(out, "%s", "");
	vrs_print_comment(out, "Evidence (cases of results.json; [a, b]: 95 %% interval of the median; (a .. b): range of fewer than six runs):");
	vrs_print_comment(out, "  %s%s", c->id, c == base ? " (the default)" : "");
	vrs_print_comment(out, "    %s, scope=%s input=%s mode=%s", rate, vrs_name_of(&vrs_scope_names, c->scope),
			  vrs_name_of(&vrs_input_kind_names, c->input_kind), vrs_mode_text(c->live_hz, mode, sizeof mode));
	vrs_print_comment(out, "    clip: %s (%s)", result->input, c->clip);
	if (!base || c == base)
		return VRS_OK;
	rate_text(base, rate, sizeof rate);
	vrs_print_comment(out, "  %s (the default)", base->id);
	vrs_print_comment(out, "    %s", rate);
	enum vrs_status status = vrs_case_parse(c->id, &values, err);
	if (status == VRS_OK)
		status = vrs_case_parse(base->id, &base_values, err);
	if (status != VRS_OK)
		return status;
	status = vrs_holm_family_judge(&family, result, base, NULL);
	int member = status == VRS_OK ? vrs_holm_family_find(&family, c) : -1;
	if (member >= 0) {
		vrs_holm_family_text(&family, member, text, sizeof text);
		vrs_print_comment(out, "%s", text);
		vrs_print_comment(out, "%s", "");
		vrs_print_comment(out, "Values that differ from the default case:");
	}
	for (int i = 0; i < values.value_count && member >= 0; i++) {
		const char *before = vrs_case_get(&base_values, values.values[i].key);
		if (!before || strcmp(before, values.values[i].value) != 0)
			write_value(&family, &base_values, &values.values[i], out);
	}
	vrs_holm_family_fini(&family);
	return status;
}

/* The default case, with auto where it wrote out the values that auto gives. */
static enum vrs_status write_default(const struct vrs_result *result, const struct vrs_config *base, const struct vrs_bench_input *input, FILE *out,
				     struct vrs_error *err)
{
	struct vrs_config *config;
	enum vrs_status status = vrs_config_copy(&config, base);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot copy the configuration: %s", vrs_status_str(status));
	status = vrs_default_values_apply(config, result, input, err);
	if (status == VRS_OK)
		status = vrs_config_write(config, out, VRS_WRITE_JOB, err);
	vrs_config_destroy(config);
	return status;
}

static enum vrs_status write_yaml(const struct vrs_result *result, const struct vrs_config *base, const struct vrs_bench_input *input, FILE *out,
				  struct vrs_error *err)
{
	const struct vrs_case_result *c = vrs_result_find_case(result, result->recommended_case);
	struct vrs_config *config = NULL;
	bool is_default = strcmp(result->recommended_case, result->default_case) == 0;
	vrs_print_comment(out, "Written by vrbench %s, %s. Use it with: vrseg -c recommended.yaml", result->tool_version, result->finished_utc);
	vrs_print_comment(out, "%s", result->recommendation);
	enum vrs_status status = c ? write_evidence(result, c, out, err) : VRS_OK;
	if (status == VRS_OK) {
		vrs_print_comment(out, "%s", "");
		vrs_print_comment(out, "Best measured case of each resolution:");
	}
	if (status == VRS_OK)
		status = write_best(result, out);
	fputc('\n', out);
	if (status == VRS_OK && (is_default || !c))
		return write_default(result, base, input, out, err);
	struct vrs_case values;
	if (status == VRS_OK)
		status = vrs_case_parse(c->id, &values, err);
	values.width = values.height = 0;
	if (status == VRS_OK)
		status = vrs_case_config(&values, base, &config, err);
	if (status == VRS_OK)
		status = vrs_config_write(config, out, VRS_WRITE_JOB, err);
	vrs_config_destroy(config);
	return status;
}

enum vrs_status vrs_recommend_write(const struct vrs_result *result, const struct vrs_config *base, const struct vrs_bench_input *input,
				    const char *path, struct vrs_error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to write %s", path);
	enum vrs_status status = write_yaml(result, base, input, out, err);
	if (fclose(out) != 0 && status == VRS_OK)
		status = vrs_fail(err, VRS_ENOMEM, "there is not enough memory to write %s", path);
	if (status == VRS_OK)
		status = vrs_file_replace(path, text, size, err);
	free(text); /* libc: of open_memstream */
	return status;
}
