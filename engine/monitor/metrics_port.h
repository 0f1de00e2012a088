/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics over HTTP: GET /metrics in the format that the client accepts. */
#ifndef VRS_MONITOR_METRICS_PORT_H
#define VRS_MONITOR_METRICS_PORT_H

#include <vrseg/metrics.h>

#include "base/buf.h"

struct vrs_metrics_port;

/* Append the text of the moment; from a thread of the port. */
typedef enum vrs_status vrs_metrics_render(void *cookie, enum vrs_metrics_format format, struct vrs_buf *text);

/*
 * where: as the port of vrs_metrics_open.  VRS_ECONFIG: it is no address, or cannot be listened on, and err says why; VRS_EINTERNAL, VRS_ENOMEM.
 */
enum vrs_status vrs_metrics_port_open(struct vrs_metrics_port **ret_port, const char *where, vrs_metrics_render *render, void *cookie,
				      struct vrs_error *err) VRS_MUST_CHECK;
/* Ends requests that are being answered. NULL is fine. */
void vrs_metrics_port_close(struct vrs_metrics_port *port);
/* Whether the client of this Accept header (NULL: it sent none) prefers OpenMetrics, by the weights of RFC 9110, 12.5.1. */
bool vrs_accepts_openmetrics(const char *accept);

#endif
