/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/tune_yaml.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "vrs_version.h"

/* One comment line; control characters of foreign text (paths) become blanks, so that a comment never ends early. */
static void put_comment(FILE *out, const char *text)
{
	fputs("# ", out);
	for (; *text; text++)
		fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
	fputc('\n', out);
}

static void write_head(FILE *out, const struct vrs_search_result *r, const struct vrs_machine *machine, const char *input, const char *verify)
{
	char line[1200], utc[32];
	vrs_utc_text(utc, sizeof utc);
	snprintf(line, sizeof line, "Made by vrtune %s (%s) on %s.", VRS_VERSION, VRS_COMMIT, utc);
	put_comment(out, line);
	put_comment(out, r->sentence);
	snprintf(line, sizeof line, "Machine: %s, %d CPUs, fingerprint %016" PRIx64 ". On another machine tune again.", machine->cpu_model,
		 machine->allowed_threads, machine->fingerprint);
	put_comment(out, line);
	snprintf(line, sizeof line, "Input: %s", input && input[0] ? input : "built-in synthetic clip");
	put_comment(out, line);
	snprintf(line, sizeof line, "%s: %.2f FPS%s; default %s: %.2f FPS", r->best_id, r->best_figures.fps.median,
		 r->keeps_default ? " (this is the default)" : "", r->default_id, r->default_figures.fps.median);
	put_comment(out, line);
	if (isfinite(r->best_figures.quality) && isfinite(r->default_figures.quality)) {
		snprintf(line, sizeof line, "Matte quality (IoU): %.4f; default %.4f", r->best_figures.quality, r->default_figures.quality);
		put_comment(out, line);
	}
	if (r->tie[0]) {
		snprintf(line, sizeof line, "Cannot be told from it: %s", r->tie);
		put_comment(out, line);
	}
	snprintf(line, sizeof line, "Check again with: %s", verify);
	put_comment(out, line);
}

enum vrs_status vrs_tune_yaml_write(const struct vrs_search_result *result, const struct vrs_config *base, const struct vrs_machine *machine,
				    const char *input, const char *verify, const char *path, struct vrs_error *err)
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
		write_head(out, result, machine, input, verify);
		status = vrs_config_write(config, out, VRS_WRITE_JOB);
		if (fclose(out) != 0 && status == VRS_OK)
			status = VRS_ENOMEM;
		if (status != VRS_OK)
			(void)vrs_fail(err, status, "cannot write the configuration: %s", vrs_status_str(status));
	}
	if (status == VRS_OK)
		status = vrs_file_write(path, text, length, err);
	free(text); /* libc: memory of open_memstream */
	vrs_config_destroy(config);
	return status;
}
