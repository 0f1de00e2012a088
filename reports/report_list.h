/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writers behind the registry; one file each. */
#ifndef VRS_REPORTS_REPORT_LIST_H
#define VRS_REPORTS_REPORT_LIST_H

#include "reports/report.h"

/* Of the HTML page: its one script, and the source that its policy allows, "sha256-BASE64". */
extern const char vrs_html_script[], vrs_html_script_hash[];
extern const struct vrs_report_writer vrs_report_text, vrs_report_markdown, vrs_report_json, vrs_report_html, vrs_report_csv;

#endif
