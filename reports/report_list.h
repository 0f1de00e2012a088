/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writers behind the registry; one file each. */
#ifndef VRS_REPORTS_REPORT_LIST_H
#define VRS_REPORTS_REPORT_LIST_H

#include "reports/report.h"

extern const struct vrs_report_writer vrs_report_text, vrs_report_markdown, vrs_report_json, vrs_report_html, vrs_report_csv;

#endif
