/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values against targets: pass, fail, or why it cannot be said. */
#ifndef VRS_ANALYZER_TARGETS_H
#define VRS_ANALYZER_TARGETS_H

#include "analyzer/findings.h"
#include "bench/record/result.h"

/*
 * Add a table of the targets in a YAML file (configs/targets/default.yaml describes the keys) and of target.fps and target.max_latency_ms of
 * the measured configuration.  path NULL: the installed default.  *ret_failed counts missed targets; it changes no exit code by itself.
 * VRS_ENOTFOUND, VRS_EFORMAT (file and line), VRS_ECONFIG (an unknown key), VRS_ENOMEM.
 */
enum vrs_status vrs_target_table(const struct vrs_result *result, const char *path, struct vrs_findings *findings, int *ret_failed, int *ret_invalid,
				 struct vrs_error *err);

#endif
