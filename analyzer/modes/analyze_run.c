/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "analyzer/modes/analyze_program.h"
#include "base/assert.h"
#include "base/mem.h"
#include "base/messages.h"
#include "base/stop.h"

int vrs_analyze_run(const struct vrs_analyze_mode *mode, int argc, char **argv, FILE *out, FILE *notes)
{
	struct vrs_error err = {.status = VRS_OK};
	union { char bytes[VRS_ANALYZE_MAX_ARGS]; max_align_t align; } args;
	struct vrs_config *config = NULL;
	const char **operands = NULL;
	int count = 0, code = 0;
	vrs_stop_install();
	vrs_messages_begin("vranalyze", NULL, NULL);
	VRS_ASSERT(mode->args_size <= sizeof args);
	memcpy(args.bytes, mode->defaults, mode->args_size);
	enum vrs_status status = vrs_config_create(&config);
	if (status == VRS_OK)
		status = vrs_cli_parse(config, mode->spec, argc, argv, args.bytes, out, &operands, &count, &err);
	if (status == VRS_OK)
		status = vrs_config_open_messages(config, &err);
	if (status == VRS_OK)
		status = mode->run(&(struct vrs_analyze_call){args.bytes, operands, count, argv, out, notes}, &code, &err);
	vrs_free(operands);
	vrs_config_destroy(config);
	int failure = vrs_messages_end(status, &err);
	return failure && !code ? failure : code;
}
