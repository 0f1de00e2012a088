/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the runs of a case say together: estimates with their intervals, and percentiles of pooled frame times. */
#ifndef VRS_ANALYZER_CASE_SUMMARY_H
#define VRS_ANALYZER_CASE_SUMMARY_H

#include "bench/record/result.h"

/*
 * Compute the estimates of a case from its ok runs.  dir is the result folder that frames_file is relative to; NULL or unreadable files leave
 * the pooled percentiles absent with a note.  VRS_ENOMEM; VRS_EINVAL when a run that says ok holds no finite fps.
 */
enum vrs_status vrs_case_result_summarize(struct vrs_case_result *c, const char *dir);

#endif
