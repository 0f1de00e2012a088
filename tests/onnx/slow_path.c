/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which operators run on the code of the reference, and what share of a network's time they take:
 *
 *   slow_path [--measure] [--list] [--plausible N] [--optional] [FOLDER...]
 *
 * Networks are N generated ones (plausible.h), the cases in FOLDERs (case_file.h) and files FOLDER/NAME.onnx.  Exit code 1: in some network the share
 * is above the limit.  The share is estimated from what operations multiply and touch, so that it does not depend on the clock; --measure takes
 * times instead, the least of several runs of each operation, and fails nothing.  Cases that cannot be read are for other tests.  A folder that is
 * not there is a failure, behind --optional exit code 77.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/session.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "onnx/case_file.h"
#include "onnx/plausible.h"

#define SKIPPED 77
#define LIMIT 0.02
#define RUNS 5
#define MAX_KINDS 64
#define MAX_ROWS 8192

/*
 * A fast core: 25 products and 10 bytes a ns, and what an operation costs at least.  The reference, measured: about 1.5 ns a product and 1 ns a byte.
 * Both err to the side of a larger share.
 */
#define MACS_NS 25.0
#define BYTES_NS 10.0
#define STEP_NS 200.0
#define RUN_NS 20000.0 /* of a run at least: threads wake, tensors go in and out; cases of one operator have a few elements */
#define REFERENCE_MAC_NS 1.5
#define REFERENCE_BYTE_NS 1.0

/* One kind of operator on the code of the reference, over all networks. */
struct kind {
	char name[32], worst[200];
	double sum, most; /* shares of networks */
	int networks;
};

struct report {
	bool measure, list, optional;
	struct kind kinds[MAX_KINDS];
	int kind_count, networks, above, unreadable;
};

static bool is_reference(const struct vrs_op_profile *row)
{
	return strcmp(row->kernel, "reference") == 0;
}

static double estimate(const struct vrs_op_profile *row)
{
	double macs = (double)row->macs / MACS_NS, bytes = (double)row->bytes / BYTES_NS;

	if (is_reference(row))
		return STEP_NS + (double)row->macs * REFERENCE_MAC_NS + (double)row->bytes * REFERENCE_BYTE_NS;
	return STEP_NS + (macs > bytes ? macs : bytes);
}

/* The least time of each row over some runs. */
static enum vrs_status take_times(struct vrs_session *session, double *cost, int count, struct vrs_error *err)
{
	static double before[MAX_ROWS];
	const struct vrs_op_profile *rows;

	for (int run = 0; run <= RUNS; run++) {
		VRS_TRY(vrs_session_run(session, err));
		(void)vrs_session_profile(session, &rows);
		for (int i = 0; i < count; i++) {
			double taken = (double)rows[i].total_ns - before[i];

			cost[i] = run < 2 || taken < cost[i] ? taken : cost[i];
			before[i] = (double)rows[i].total_ns;
		}
	}
	memset(before, 0, sizeof before);
	return VRS_OK;
}

static struct kind *kind_of(struct report *report, const char *name)
{
	int length = (int)strcspn(name, " "), i;
	char text[32];

	snprintf(text, sizeof text, "%.*s", length, name);
	for (i = 0; i < report->kind_count && strcmp(report->kinds[i].name, text) != 0; i++)
		;
	if (i == report->kind_count && report->kind_count < MAX_KINDS - 1)
		snprintf(report->kinds[report->kind_count++].name, sizeof text, "%s", text);
	return &report->kinds[i];
}

static void account(struct report *report, const char *network, const struct vrs_op_profile *rows, const double *cost, int count)
{
	double total = 0, slow = 0;

	for (int i = 0; i < count; i++) {
		total += cost[i];
		slow += is_reference(&rows[i]) ? cost[i] : 0;
	}
	total = report->measure || total > RUN_NS ? total : RUN_NS;
	for (int i = 0; i < count; i++) {
		struct kind *kind = is_reference(&rows[i]) ? kind_of(report, rows[i].name) : NULL;

		if (kind == NULL)
			continue;
		kind->sum += cost[i] / total;
		kind->networks++;
		if (cost[i] / total > kind->most) {
			kind->most = cost[i] / total;
			snprintf(kind->worst, sizeof kind->worst, "%s of %s", rows[i].name, network);
		}
		if (report->list || cost[i] / total > LIMIT)
			printf("  %5.1f %%  %s\n", 100 * cost[i] / total, rows[i].name);
	}
	report->networks++;
	report->above += slow > LIMIT * total;
	if (report->list || slow > LIMIT * total)
		printf("%5.1f %% of %.0f us  %s\n", 100 * slow / total, total / 1000, network);
}

static void look(struct report *report, const struct vrs_model *model, const char *network)
{
	static double cost[MAX_ROWS];
	struct vrs_session_options options = vrs_session_options_default();
	const struct vrs_op_profile *rows;
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	enum vrs_status status;
	int count;

	options.backend = "cpu";
	options.threads = 1;
	options.profile = true;
	status = vrs_session_create(&session, model, &options, &err);
	count = status == VRS_OK ? vrs_session_profile(session, &rows) : 0;
	if (count > MAX_ROWS)
		abort();
	for (int i = 0; i < count && !report->measure; i++)
		cost[i] = estimate(&rows[i]);
	if (status == VRS_OK && report->measure)
		status = take_times(session, cost, count, &err);
	if (status == VRS_OK && count > 0)
		account(report, network, rows, cost, count);
	else if (status != VRS_OK)
		printf("%s: %s\n", network, err.text);
	vrs_session_destroy(session);
}

static void look_at_generated(struct report *report, int count)
{
	static struct network network;

	for (int seed = 0; seed < count; seed++) {
		struct vrs_model *model = NULL;
		struct vrs_error err = {0};
		char name[64];

		snprintf(name, sizeof name, "%s %d", plausible_family_name((uint64_t)seed), seed);
		plausible_network(&network, (uint64_t)seed);
		if (network_model(&network, &model, name, &err) == VRS_OK) {
			look(report, model, name);
		} else {
			report->unreadable++;
			printf("%s: %s\n", name, err.text);
		}
		vrs_model_destroy(model);
		network_end(&network);
	}
}

/* A case of a folder with its other inputs as constants, or a file. */
static void look_at_entry(struct report *report, const char *folder, const char *entry)
{
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	char path[1200], file[1300];
	size_t length = strlen(entry);

	snprintf(path, sizeof path, "%s/%s", folder, entry);
	snprintf(file, sizeof file, "%s/model.onnx", path);
	if (vrs_path_exists(file)) {
		if (case_model_load(&model, path, 0, 1, &err) == VRS_OK)
			look(report, model, entry);
	} else if (length > 5 && strcmp(entry + length - 5, ".onnx") == 0) {
		if (vrs_model_load(&model, path, &err) == VRS_OK)
			look(report, model, entry);
		else
			printf("%s: %s\n", entry, err.text);
	}
	vrs_model_destroy(model);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool look_at_folder(struct report *report, const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, by_name);

	for (int i = 0; i < count; i++) {
		look_at_entry(report, folder, entries[i]->d_name);
		free(entries[i]); /* libc: of scandir */
	}
	if (count >= 0)
		free(entries); /* libc: see above */
	return count >= 0;
}

static int judge(const struct report *report)
{
	for (int i = 0; i < report->kind_count; i++)
		printf("%-12s in %3d networks, %5.2f %% of them on average, at most %5.1f %%: %s\n", report->kinds[i].name, report->kinds[i].networks,
		       100 * report->kinds[i].sum / report->kinds[i].networks, 100 * report->kinds[i].most, report->kinds[i].worst);
	printf("%d networks, %d above %.0f %% on the code of the reference, %d not read\n", report->networks, report->above, 100 * LIMIT,
	       report->unreadable);
	return report->measure || (report->above == 0 && report->unreadable == 0 && report->networks > 0) ? 0 : 1;
}

int main(int argc, char **argv)
{
	static struct report report;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--measure") == 0) {
			report.measure = true;
		} else if (strcmp(argv[i], "--list") == 0) {
			report.list = true;
		} else if (strcmp(argv[i], "--plausible") == 0 && i + 1 < argc) {
			look_at_generated(&report, atoi(argv[++i]));
		} else if (strcmp(argv[i], "--optional") == 0) {
			report.optional = true;
		} else if (!look_at_folder(&report, argv[i])) {
			printf("%s: there is no folder %s\n", report.optional ? "skipped" : "FAILED", argv[i]);
			return report.optional ? SKIPPED : 1;
		}
	}
	return judge(&report);
}
