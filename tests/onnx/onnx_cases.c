/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ONNX backend tests:   onnx_cases [OPTION...] BACKEND FOLDER...
 *
 *   --skip FILE       list of cases that need not pass     --piece K/N        every N-th case, from number K on
 *   --of-largest R    tolerance: R times the largest magnitude of an output, instead of that of ONNX's runner
 *   --precision P     of the sessions                      --runtime          only with inputs given at run time (large networks)
 *   --threads N       instead of 2, see below
 *   --optional        exit code 77 when a folder is missing   --verbose       also say why cases are skipped
 *
 * Each folder holds cases (case_file.h).  A case is run in three forms (skip_list.h): with all inputs given at run time, with all but the
 * first as constants, with all as constants; each with and without fusion, on 1 to N threads, whose outputs must be equal bit by bit.
 * A form that fails and is not listed in FILE fails the program, and so do a listed one that passes and a line that fits no case.
 * VRSEG_CPU chooses the kernels of backend cpu.  Exit code 77: this CPU lacks them, or with --optional a folder is not there.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/session.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "machine/cpu_features.h"
#include "onnx/case_file.h"
#include "onnx/skip_list.h"
#include "unit/opencl/held_contexts.h"

#define SKIPPED 77
#define MAX_NAMES 4096

struct suite {
	const char *backend;
	struct skip_list skip;
	struct case_tolerance tolerance;
	enum vrs_precision precision;
	bool verbose, optional;
	int threads;                 /* of the largest session */
	int forms;                   /* the first so many of enum case_form */
	int piece, pieces;
	char *names[MAX_NAMES];      /* paths of the case folders, sorted by folder */
	int count;
	int cases, passed, skipped, failed; /* forms */
};

static const char *const form_names[] = {"runtime", "frozen", "constant"};

/* Inputs that sizes follow from are constants of the session: it cannot be planned without them. */
static const void *value_of(const struct vrs_model *model, const struct case_set *set, int input)
{
	return vrs_model_input_gives_sizes(model, input) ? set->inputs[input].data : NULL;
}

static enum vrs_status open_session(const struct suite *suite, struct vrs_session **ret_session, const struct vrs_model *model,
				    const struct case_set *set, bool fusion, int threads, struct vrs_error *err)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_shape shapes[VRS_MAX_ENDS];
	const void *values[VRS_MAX_ENDS];

	for (int i = 0; i < set->input_count; i++) {
		shapes[i].rank = set->inputs[i].rank;
		memcpy(shapes[i].dims, set->inputs[i].dims, sizeof shapes[i].dims);
		values[i] = value_of(model, set, i);
	}
	options.backend = suite->backend;
	options.precision = suite->precision;
	options.fusion = fusion;
	options.threads = threads;
	options.input_shapes = shapes;
	options.input_values = values;
	options.input_shape_count = vrs_model_info(model).inputs;
	return vrs_session_create(ret_session, model, &options, err);
}

/* Files that hold bfloat16 as the 16-bit integers of its bits, as ONNX's own generator wrote them. */
static void read_as_bfloat16(struct vrs_npy *array, enum vrs_dtype wanted)
{
	if (wanted == VRS_BF16 && array->dtype == VRS_U16)
		array->dtype = VRS_BF16;
}

static enum vrs_status feed(const struct vrs_model *model, struct vrs_session *session, struct case_set *set, struct vrs_error *err)
{
	for (int i = 0, at = 0; i < vrs_model_info(model).inputs; i++) {
		struct vrs_tensor_view view;

		if (value_of(model, set, i) != NULL)
			continue;
		view = vrs_session_input(session, at++);
		read_as_bfloat16(&set->inputs[i], view.dtype);
		if (view.dtype != set->inputs[i].dtype || view.bytes != set->inputs[i].bytes)
			return vrs_fail(err, VRS_EFORMAT, "input %d is %s of %zu bytes, its file holds %s of %zu bytes", i, vrs_dtype_name(view.dtype),
					view.bytes, vrs_dtype_name(set->inputs[i].dtype), set->inputs[i].bytes);
		if (view.bytes > 0)
			memcpy(view.raw, set->inputs[i].data, view.bytes);
	}
	return VRS_OK;
}

static enum vrs_status check_outputs(const struct suite *suite, struct vrs_session *session, struct case_set *set, struct vrs_error *err)
{
	for (int i = 0; i < set->output_count; i++) {
		struct vrs_tensor_view view = vrs_session_output(session, i);
		struct vrs_error inner = {0};
		enum vrs_status status;

		if (view.name == NULL)
			return vrs_fail(err, VRS_EFORMAT, "output %d is missing", i);
		read_as_bfloat16(&set->outputs[i], view.dtype);
		status = case_compare(&set->outputs[i], view.dtype, view.rank, view.dims, view.raw, &suite->tolerance, &inner);
		if (status != VRS_OK)
			return vrs_fail(err, status, "output %d (%s) %s", i, view.name, inner.text);
	}
	return VRS_OK;
}

static enum vrs_status run_session(const struct suite *suite, struct vrs_session **ret_session, const struct vrs_model *model, struct case_set *set,
				   bool fusion, int threads, struct vrs_error *err)
{
	enum vrs_status status = open_session(suite, ret_session, model, set, fusion, threads, err);

	if (status == VRS_OK)
		status = feed(model, *ret_session, set, err);
	if (status == VRS_OK)
		status = vrs_session_run(*ret_session, err);
	return status == VRS_OK ? check_outputs(suite, *ret_session, set, err) : status;
}

static enum vrs_status same_bits(struct vrs_session *one, struct vrs_session *more, int outputs, int threads, struct vrs_error *err)
{
	for (int i = 0; i < outputs; i++) {
		struct vrs_tensor_view a = vrs_session_output(one, i), b = vrs_session_output(more, i);

		if (a.bytes > 0 && memcmp(a.raw, b.raw, a.bytes) != 0)
			return vrs_fail(err, VRS_EFORMAT, "output %d has other bits on %d threads than on one", i, threads);
	}
	return VRS_OK;
}

/* A session of one thread, one of two and so on: all right, and the same bits. */
static enum vrs_status run_model(const struct suite *suite, const struct vrs_model *model, struct case_set *set, bool fusion, struct vrs_error *err)
{
	struct vrs_session *one = NULL;
	int most = strcmp(suite->backend, "cpu") == 0 ? suite->threads : 1;
	enum vrs_status status = run_session(suite, &one, model, set, fusion, 1, err);

	for (int threads = 2; threads <= most && status == VRS_OK; threads++) {
		struct vrs_session *more = NULL;

		status = run_session(suite, &more, model, set, fusion, threads, err);
		if (status == VRS_OK)
			status = same_bits(one, more, set->output_count, threads, err);
		vrs_session_destroy(more);
	}
	vrs_session_destroy(one);
	return status;
}

static enum vrs_status run_form(const struct suite *suite, const char *dir, int number, struct case_set *set, enum case_form form,
				struct vrs_error *err)
{
	struct vrs_model *model = NULL;
	int keep = form == FORM_RUNTIME ? VRS_MAX_ENDS : form == FORM_FROZEN ? 1 : 0;
	enum vrs_status status = case_model_load(&model, dir, number, keep, err);

	if (status != VRS_OK)
		return status;
	if (vrs_model_info(model).inputs != (set->input_count < keep ? set->input_count : keep))
		status = vrs_fail(err, VRS_EFORMAT, "the network has %d inputs, the data %d", vrs_model_info(model).inputs, set->input_count);
	for (int fusion = 0; fusion < 2 && status == VRS_OK; fusion++) {
		struct vrs_error inner = {0};

		status = run_model(suite, model, set, fusion, &inner);
		if (status != VRS_OK)
			(void)vrs_fail(err, status, "%s: %s", fusion ? "fused" : "plain", inner.text);
	}
	vrs_model_destroy(model);
	return status;
}

/* One form over all data sets. */
static enum vrs_status run_sets(const struct suite *suite, const char *dir, enum case_form form, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	struct case_set set;
	int i;

	for (i = 0; status == VRS_OK; i++) {
		status = case_set_read(&set, dir, i, err);
		if (status != VRS_OK)
			break;
		status = run_form(suite, dir, i, &set, form, err);
		case_set_fini(&set);
	}
	if (status == VRS_END && i == 0)
		return vrs_fail(err, VRS_EFORMAT, "there is no data");
	return status == VRS_END ? VRS_OK : status;
}

/* The message without the path of the case, which is long and known. */
static const char *reason(const struct vrs_error *err, const char *dir)
{
	size_t len = strlen(dir);
	const char *colon;

	if (strncmp(err->text, dir, len) != 0)
		return err->text;
	colon = strstr(err->text + len, ": ");
	return colon != NULL ? colon + 2 : err->text;
}

static void run_case(struct suite *suite, const char *dir)
{
	const char *name = vrs_path_base(dir);
	unsigned listed = skip_list_forms(&suite->skip, name);

	suite->cases++;
	for (int form = 0; form < suite->forms; form++) {
		struct vrs_error err = {0};
		enum vrs_status status = run_sets(suite, dir, (enum case_form)form, &err);
		bool skip = (listed >> form & 1) != 0;

		suite->passed += status == VRS_OK && !skip;
		suite->skipped += status != VRS_OK && skip;
		suite->failed += (status == VRS_OK) == skip;
		if (status == VRS_OK && skip)
			printf("FAILED %s %s: it passes, but the skip list has it\n", name, form_names[form]);
		else if (status != VRS_OK && (!skip || suite->verbose))
			printf("%s %s %s: %s\n", skip ? "skipped" : "FAILED", name, form_names[form], reason(&err, dir));
	}
	fflush(stdout);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_folder(struct suite *suite, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[1200], model[1300];

	if (dir == NULL)
		return false;
	while ((entry = readdir(dir)) != NULL && suite->count < MAX_NAMES) {
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		snprintf(model, sizeof model, "%s/model.onnx", path);
		if (vrs_path_exists(model))
			suite->names[suite->count++] = vrs_strdup(path);
	}
	closedir(dir);
	qsort(suite->names, (size_t)suite->count, sizeof *suite->names, by_name);
	return true;
}

/* The kernels that VRSEG_CPU asks for must be there. */
static bool level_is_there(void)
{
	const char *level = getenv("VRSEG_CPU");

	return level == NULL || strcmp(level, vrs_cpu_isa(vrs_cpu_features())) == 0;
}

static int run_suite(struct suite *suite)
{
	bool good = true;

	for (int i = 0; i < suite->count; i++)
		(void)skip_list_forms(&suite->skip, vrs_path_base(suite->names[i]));
	for (size_t i = 0; i < suite->skip.count; i++)
		if (!suite->skip.lines[i].used) {
			printf("FAILED: the skip list has %s, but there is no such case\n", suite->skip.lines[i].pattern);
			good = false;
		}
	for (int i = suite->piece; i < suite->count; i += suite->pieces)
		run_case(suite, suite->names[i]);
	printf("%d cases on %s: %d forms passed, %d skipped by the list, %d failed\n", suite->cases, suite->backend, suite->passed, suite->skipped,
	       suite->failed);
	return good && suite->failed == 0 && suite->cases > 0 ? 0 : 1;
}

static bool find_precision(const char *name, enum vrs_precision *ret_precision)
{
	for (int i = VRS_PRECISION_FP32; i <= VRS_PRECISION_MIXED; i++)
		if (strcmp(name, vrs_precision_name((enum vrs_precision)i)) == 0) {
			*ret_precision = (enum vrs_precision)i;
			return true;
		}
	return false;
}

/* Options before the operands; returns the index of the first operand, -1 when malformed. */
static int parse_options(struct suite *suite, int argc, char **argv)
{
	struct vrs_error err = {0};
	int i;

	for (i = 1; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp(argv[i], "--verbose") == 0 || strcmp(argv[i], "--optional") == 0 || strcmp(argv[i], "--runtime") == 0) {
			suite->verbose = suite->verbose || argv[i][2] == 'v';
			suite->optional = suite->optional || argv[i][2] == 'o';
			suite->forms = argv[i][2] == 'r' ? 1 : suite->forms;
			continue;
		}
		if (strcmp(argv[i], "--skip") == 0 && skip_list_read(&suite->skip, value, &err) != VRS_OK) {
			fprintf(stderr, "%s\n", err.text);
			return -1;
		}
		if (strcmp(argv[i], "--piece") == 0 && (sscanf(value, "%d/%d", &suite->piece, &suite->pieces) != 2 || suite->pieces < 1))
			return -1;
		if (strcmp(argv[i], "--of-largest") == 0) {
			suite->tolerance = (struct case_tolerance){0};
			if (!vrs_parse_double(value, 0, 1, &suite->tolerance.of_largest))
				return -1;
		}
		if (strcmp(argv[i], "--precision") == 0 && !find_precision(value, &suite->precision))
			return -1;
		if (strcmp(argv[i], "--threads") == 0 && (sscanf(value, "%d", &suite->threads) != 1 || suite->threads < 1 || suite->threads > 64))
			return -1;
		i++;
	}
	return i;
}

int main(int argc, char **argv)
{
	static struct suite suite = {
		.forms = FORM_COUNT, .threads = 2, .pieces = 1, .precision = VRS_PRECISION_FP32,
		.tolerance = {.relative = CASE_RTOL, .absolute = CASE_ATOL},
	};
	int operand = parse_options(&suite, argc, argv), code;

	if (operand < 0 || operand + 2 > argc) {
		fprintf(stderr, "usage: onnx_cases [OPTION...] BACKEND FOLDER...   (options: see the start of onnx_cases.c)\n");
		return 2;
	}
	suite.backend = argv[operand];
	for (int i = operand + 1; i < argc; i++)
		if (!add_folder(&suite, argv[i])) {
			printf("%s: there is no folder %s\n", suite.optional ? "skipped" : "FAILED", argv[i]);
			return suite.optional ? SKIPPED : 1;
		}
	if (!level_is_there()) {
		printf("skipped: this CPU cannot run %s\n", getenv("VRSEG_CPU"));
		return SKIPPED;
	}
	held_contexts_begin();
	code = held_contexts_end(run_suite(&suite));
	for (int i = 0; i < suite.count; i++)
		vrs_free(suite.names[i]);
	skip_list_fini(&suite.skip);
	return code;
}
