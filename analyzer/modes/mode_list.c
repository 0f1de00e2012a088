/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/modes/analyze_program.h"

const struct vrs_analyze_mode *const vrs_analyze_modes[] = {
	&vrs_explain_mode,
	&vrs_compare_mode,
	&vrs_checklist_mode,
	&vrs_matte_mode,
	&vrs_nightly_mode,
	&vrs_accept_mode,
	&vrs_annotate_mode,
	&vrs_bisect_mode,
	&vrs_history_mode,
	NULL,
};

const struct vrs_cli_spec *vrs_analyze_command(int i)
{
	return vrs_analyze_modes[1 + i] ? vrs_analyze_modes[1 + i]->spec : NULL;
}
