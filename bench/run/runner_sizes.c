/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input sizes of the cases that their networks were not trained for: one warning for all cases, not one for every run. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bench/run/runner_state.h"

#define MAX_NETWORKS 8 /* that are warned of */

struct untrained {
	struct vrs_manifest manifest;
	int cases;
	char sizes[240]; /* "192x192, 384x384" */
};

static void note_size(struct untrained *list, const struct vrs_manifest *manifest, const int size[2])
{
	struct untrained *network = list;
	char text[32];
	if (vrs_manifest_is_trained(manifest, size))
		return;
	while (network < list + MAX_NETWORKS && network->cases && strcmp(network->manifest.name, manifest->name) != 0)
		network++;
	if (network == list + MAX_NETWORKS)
		return;
	network->manifest = *manifest;
	network->cases++;
	size_t used = strlen(network->sizes);
	snprintf(text, sizeof text, "%dx%d", size[0] ? size[0] : manifest->input_width, size[1] ? size[1] : manifest->input_height);
	if (!strstr(network->sizes, text))
		snprintf(network->sizes + used, sizeof network->sizes - used, "%s%s", used ? ", " : "", text);
}

/* The network of a case, and the small one of early exit.  A network that is not there is what its runs tell. */
static void note_case(struct untrained *list, const struct vrs_settings *settings)
{
	struct vrs_manifest manifest;
	if (vrs_manifest_load(&manifest, settings->engine.model, NULL) == VRS_OK)
		note_size(list, &manifest, settings->engine.input_size);
	if (settings->matte.early_exit && vrs_manifest_load(&manifest, settings->matte.early_exit_model, NULL) == VRS_OK)
		note_size(list, &manifest, settings->matte.early_exit_size);
}

enum vrs_status vrs_runner_warn_sizes(const struct vrs_runner *runner, struct vrs_error *err)
{
	struct untrained *list = vrs_calloc(MAX_NETWORKS, sizeof *list);
	int count = runner->result->case_count;
	char which[320];
	enum vrs_status status = list ? VRS_OK : vrs_fail(err, VRS_ENOMEM, "there is not enough memory to look at the cases");
	for (int i = 0; i < count && status == VRS_OK; i++) {
		struct vrs_config *config;
		const struct vrs_case_result *c = &runner->result->cases[i];
		if (vrs_case_result_is_skipped(c) || c->scope == VRS_SCOPE_NET_ONLY) /* has no mattes that could be worse */
			continue;
		status = vrs_case_config(&runner->cases[i], vrs_runner_case_base(runner, &runner->cases[i]), &config, err);
		if (status == VRS_OK) {
			note_case(list, vrs_config_settings(config));
			vrs_config_destroy(config);
		}
	}
	for (struct untrained *network = list; status == VRS_OK && network < list + MAX_NETWORKS && network->cases; network++) {
		snprintf(which, sizeof which, "input size %s in %d of %d cases", network->sizes, network->cases, count);
		status = vrs_manifest_warn_untrained(&network->manifest, vrs_config_settings(runner->base), which, err);
	}
	vrs_free(list);
	return status;
}
