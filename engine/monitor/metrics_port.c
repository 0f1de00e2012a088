/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The HTTP server is libmicrohttpd with one thread of its own.  Whoever may connect may read; nothing can be changed.  Requests have limits: a few
 * connections, little memory, ten seconds.
 */
#include "monitor/metrics_port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str_parse.h"

#include <vrseg/log.h>

enum { MOST_CONNECTIONS = 16, REQUEST_BYTES = 16384, REQUEST_SECONDS = 10 };
enum { MOST_BYTES = 1 << 20 }; /* of an answer */

struct vrs_metrics_port {
	struct MHD_Daemon *daemon;
	vrs_metrics_render *render;
	void *cookie;
};

/* The parameter q of "TYPE; a=b; q=0.5", which ends at a comma; 1 without one, 0 where it is no number. */
static double weight_of_item(const char *item)
{
	char text[16] = "1";
	double weight;

	for (size_t at = strcspn(item, ";,"); item[at] == ';'; at += strcspn(item + at, ";,")) {
		at += 1 + strspn(item + at + 1, " \t");
		if (strncasecmp(item + at, "q=", 2) == 0)
			snprintf(text, sizeof text, "%.*s", (int)strcspn(item + at + 2, ";, \t"), item + at + 2);
	}
	return vrs_parse_double(text, 0, 1, &weight) ? weight : 0;
}

/* The highest weight that the header gives to a media type; -1: it does not name it. */
static double weight_of(const char *accept, const char *type)
{
	double best = -1;

	for (const char *item = accept; *item; item += strcspn(item, ","), item += *item == ',') {
		item += strspn(item, " \t");
		bool same = strcspn(item, ",; \t") == strlen(type) && strncasecmp(item, type, strlen(type)) == 0;
		if (same && weight_of_item(item) > best)
			best = weight_of_item(item);
	}
	return best;
}

bool vrs_accepts_openmetrics(const char *accept)
{
	double open, plain;

	if (!accept)
		return false;
	open = weight_of(accept, "application/openmetrics-text");
	plain = weight_of(accept, "text/plain");
	if (plain < 0)
		plain = weight_of(accept, "text/*");
	if (plain < 0)
		plain = weight_of(accept, "*/*");
	return open > 0 && open >= plain;
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned code, const char *type, const char *text, size_t size)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(size, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result = response ? MHD_YES : MHD_NO;

	if (response && (MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) != MHD_YES ||
			 MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT) != MHD_YES ||
			 (code == MHD_HTTP_METHOD_NOT_ALLOWED && MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD") != MHD_YES)))
		result = MHD_NO;
	if (result == MHD_YES)
		result = MHD_queue_response(connection, code, response);
	if (response)
		MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned code, const char *text)
{
	return answer(connection, code, "text/plain; charset=utf-8", text, strlen(text));
}

static enum MHD_Result answer_metrics(const struct vrs_metrics_port *port, struct MHD_Connection *connection)
{
	const char *accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	bool open = vrs_accepts_openmetrics(accept);
	struct vrs_buf text;
	enum MHD_Result result;

	vrs_buf_init(&text, MOST_BYTES);
	if (port->render(port->cookie, open ? VRS_METRICS_OPENMETRICS : VRS_METRICS_PROMETHEUS, &text) == VRS_OK)
		result = answer(connection, MHD_HTTP_OK, open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
							      : "text/plain; version=0.0.4; charset=utf-8",
				vrs_buf_str(&text), text.len);
	else
		result = answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "there is not enough memory for the metrics\n");
	vrs_buf_fini(&text);
	return result;
}

static enum MHD_Result on_request(void *cookie, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
				  const char *upload, size_t *upload_size, void **request)
{
	static int seen;

	(void)version;
	(void)upload;
	if (!*request) { /* only the head has come; an answer now would leave the body unread */
		*request = &seen;
		return MHD_YES;
	}
	if (*upload_size) {
		*upload_size = 0; /* bodies are of no interest */
		return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD are answered\n");
	if (strcmp(url, "/metrics") == 0)
		return answer_metrics(cookie, connection);
	if (strcmp(url, "/") == 0)
		return answer(connection, MHD_HTTP_OK, "text/html; charset=utf-8", "<a href=\"/metrics\">metrics</a>\n", 31);
	return answer_text(connection, MHD_HTTP_NOT_FOUND, "there is only /metrics\n");
}

/* "PORT", "ADDRESS:PORT" or "[ADDRESS]:PORT". */
static bool parse_address(const char *where, struct sockaddr_storage *ret, socklen_t *ret_size)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;
	const char *colon = strrchr(where, ':'), *digits = colon ? colon + 1 : where;
	char address[INET6_ADDRSTRLEN + 2] = "127.0.0.1";
	int64_t number;

	*ret = (struct sockaddr_storage){0};
	if (!vrs_parse_int(digits, 0, 65535, &number) || (colon && (size_t)(colon - where) >= sizeof address))
		return false;
	if (colon)
		snprintf(address, sizeof address, "%.*s", (int)(colon - where), where);
	size_t length = strlen(address);
	bool is_v6 = address[0] == '[' && address[length - 1] == ']';
	if (!is_v6) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)number);
		*ret_size = sizeof *v4;
		return inet_pton(AF_INET, address, &v4->sin_addr) == 1;
	}
	address[length - 1] = 0;
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons((uint16_t)number);
	*ret_size = sizeof *v6;
	return inet_pton(AF_INET6, address + 1, &v6->sin6_addr) == 1;
}

/* A socket that listens, so that a port in use is told with its reason. -1: errno says why not. */
static int listen_on(const struct sockaddr_storage *address, socklen_t size)
{
	int on = 1, fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); /* a port of a run that has just ended */
	if (address->ss_family == AF_INET6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
	if (bind(fd, (const struct sockaddr *)address, size) == 0 && listen(fd, MOST_CONNECTIONS) == 0)
		return fd;
	int error = errno;
	(void)close(fd);
	errno = error;
	return -1;
}

/* Where clients find it; 0 has become a port. */
static void tell_address(int fd)
{
	struct sockaddr_storage address = {0};
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address;
	socklen_t size = sizeof address;
	char text[INET6_ADDRSTRLEN] = "";

	if (getsockname(fd, (struct sockaddr *)&address, &size) != 0)
		return;
	bool is_v6 = address.ss_family == AF_INET6;
	(void)inet_ntop(address.ss_family, is_v6 ? (const void *)&v6->sin6_addr : (const void *)&v4->sin_addr, text, sizeof text); /* there is room */
	int port = ntohs(is_v6 ? v6->sin6_port : v4->sin_port);
	vrs_log(VRS_LOG_INFO, is_v6 ? "metrics: http://[%s]:%d/metrics" : "metrics: http://%s:%d/metrics", text, port);
}

/* Signals are for the threads of the program. */
static struct MHD_Daemon *start_daemon(int fd, struct vrs_metrics_port *port)
{
	sigset_t all, before;

	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, on_request, port, MHD_OPTION_LISTEN_SOCKET, fd,
						     MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
						     (size_t)REQUEST_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)REQUEST_SECONDS, MHD_OPTION_END);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return daemon;
}

enum vrs_status vrs_metrics_port_open(struct vrs_metrics_port **ret_port, const char *where, vrs_metrics_render *render, void *cookie,
				      struct vrs_error *err)
{
	struct sockaddr_storage address;
	socklen_t size;

	if (!parse_address(where, &address, &size))
		return vrs_fail(err, VRS_ECONFIG, "--metrics-port: %s is no port; give PORT (0 to 65535; 0 takes a free one), ADDRESS:PORT or [ADDRESS]:PORT",
				where);
	int fd = listen_on(&address, size);
	if (fd < 0)
		return vrs_fail(err, VRS_ECONFIG, "--metrics-port: cannot listen on %s: %s", where, strerror(errno));
	struct vrs_metrics_port *port = vrs_calloc(1, sizeof *port);
	if (port) {
		port->render = render;
		port->cookie = cookie;
		port->daemon = start_daemon(fd, port);
	}
	if (port && port->daemon) {
		tell_address(fd);
		*ret_port = port;
		return VRS_OK;
	}
	enum vrs_status status = port ? vrs_fail(err, VRS_EINTERNAL, "cannot start the server of --metrics-port") : vrs_fail_nomem(err);
	(void)close(fd);
	vrs_free(port);
	return status;
}

void vrs_metrics_port_close(struct vrs_metrics_port *port)
{
	if (!port)
		return;
	MHD_stop_daemon(port->daemon); /* closes the socket */
	vrs_free(port);
}
