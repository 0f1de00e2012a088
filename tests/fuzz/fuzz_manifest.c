/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Manifests of networks: no input harms, a refusal is a sentence, what is taken keeps its limits and reads the same again. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/config.h>

#include "base/mem.h"
#include "libfyaml_leak.h"
#include "quiet.h"
#include "require.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool ends(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

static void check(const struct vrs_manifest *m)
{
	require(ends(m->name, sizeof m->name) && ends(m->file, sizeof m->file) && m->file[0] != '\0');
	require(ends(m->input_name, sizeof m->input_name) && ends(m->output_name, sizeof m->output_name));
	require(m->input_width >= 1 && m->input_width <= 8192 && m->input_height >= 1 && m->input_height <= 8192);
	require(m->constant_count >= 0 && m->constant_count <= VRS_MANIFEST_MAX_CONSTANTS);
	for (int i = 0; i < m->constant_count; i++) {
		require(ends(m->constants[i].name, sizeof m->constants[i].name));
		require(m->constants[i].count >= 1 && m->constants[i].count <= VRS_MANIFEST_MAX_VALUES);
		for (int k = 0; k < m->constants[i].count; k++)
			require(isfinite(m->constants[i].values[k]));
	}
	require(m->state_count >= 0 && m->state_count <= VRS_MANIFEST_MAX_STATES);
	for (int i = 0; i < m->state_count; i++)
		require(ends(m->states[i].in, sizeof m->states[i].in) && ends(m->states[i].out, sizeof m->states[i].out) && m->states[i].out[0] != '\0');
	require(m->detection_count >= 0 && m->detection_count <= VRS_MANIFEST_MAX_DETECTIONS);
	require(m->trained_count >= 0 && m->trained_count <= VRS_MANIFEST_MAX_TRAINED);
	for (int i = 0; i < m->trained_count; i++)
		require(m->trained[i][0] >= 1 && m->trained[i][1] >= 1 && vrs_manifest_is_trained(m, m->trained[i]));
	for (int i = 0; i < 3; i++)
		require(isfinite(m->mean[i]) && isfinite(m->scale[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct vrs_manifest manifest, again;
	uint64_t live = vrs_mem_stats().live_bytes;
	struct vrs_error err = {0};
	char path[256];

	be_silent();
	scratch_write(scratch_path(path, sizeof path, "network.yaml"), data, size);
	if (vrs_manifest_load(&manifest, path, &err) == VRS_OK) {
		check(&manifest);
		require(vrs_manifest_load(&again, path, NULL) == VRS_OK && again.content == manifest.content);
	} else {
		require(err.status != VRS_OK && err.text[0] != '\0');
	}
	require(vrs_mem_stats().live_bytes == live);
	return 0;
}
