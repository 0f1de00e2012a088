/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What vrseg knows: networks and the machine. */
#include <stdio.h>

#include "base/mem.h"
#include "modes/program.h"

#include <vrseg/machine.h>

void vrs_print_line(void *program, const char *text)
{
	fprintf(((struct vrs_program_state *)program)->results, "%s\n", text);
}

enum vrs_status vrs_mode_list_models(struct vrs_program_state *program, struct vrs_error *err)
{
	char **names;
	enum vrs_status status = vrs_data_names("models", &names, err);
	if (status != VRS_OK)
		return status;
	for (int i = 0; names[i]; i++) {
		struct vrs_manifest manifest;
		struct vrs_error ignored = {0};
		if (vrs_manifest_load(&manifest, names[i], &ignored)) {
			fprintf(program->results, "%-32s %s\n", names[i], ignored.text);
			continue;
		}
		fprintf(program->results, "%-32s %dx%d  %s\n", names[i], manifest.input_width, manifest.input_height, manifest.licence);
	}
	vrs_data_names_free(names);
	return VRS_OK;
}

enum vrs_status vrs_mode_hardware(struct vrs_program_state *program, struct vrs_error *err)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	enum vrs_status status = machine ? vrs_machine_detect(machine, true) : VRS_ENOMEM;
	if (status != VRS_OK)
		vrs_fail(err, status, "cannot read this machine's properties: %s", vrs_status_str(status));
	else {
		vrs_machine_add_opencl(machine);
		vrs_machine_print(machine, program->results);
	}
	vrs_free(machine);
	return status;
}
