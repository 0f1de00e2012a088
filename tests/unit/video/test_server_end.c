/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what the end of a connection means, with a server of our own: over RTSP the stream is over where its sender says so (BYE), and has broken
 * off where the connection ends without a word, which is an error behind its last frame.  Over HTTP an answer without a length is whole where its
 * connection ends; one with a length is not before it.  And who joins a stream between two key frames sees it from the second on, without a word of
 * FFmpeg about a picture whose size is not known yet.
 */
#include "media.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include "base/buf.h"

#define FRAMES 30
#define KEY_FRAMES 250 /* from one to the next */
#define BEHIND_KEY 60
#define RTP_HEADER 12
#define PACKET 188 /* of MPEG-TS */
#define TABLES (3 * PACKET) /* that it begins with */
#define RTP_PAYLOAD (7 * PACKET)
#define MP2T 33 /* payload type */

struct server {
	int listener, port;
	struct vrs_buf stream;
	bool says_bye;
	size_t stated; /* length in an answer of HTTP; 0: none */
	pthread_t thread;
};

static void send_all(int to, const void *data, size_t size)
{
	for (const char *at = data; size > 0;) {
		ssize_t sent = send(to, at, size, MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		at += sent;
		size -= (size_t)sent;
	}
}

/* One packet between the answers: a channel of RTP is even, that of its reports is odd. */
static void send_packet(int to, int channel, const void *data, size_t size)
{
	const uint8_t head[] = {'$', (uint8_t)channel, (uint8_t)(size >> 8), (uint8_t)size};

	send_all(to, head, sizeof head);
	send_all(to, data, size);
}

static void send_stream(int to, const struct server *server)
{
	static const uint8_t bye[] = {0x80, 201, 0, 1, 0, 0, 0, 1, 0x81, 203, 0, 1, 0, 0, 0, 1}; /* behind an empty report */

	for (size_t at = 0, number = 0; at < server->stream.len; at += RTP_PAYLOAD, number++) {
		size_t size = server->stream.len - at < RTP_PAYLOAD ? server->stream.len - at : RTP_PAYLOAD;
		uint8_t packet[RTP_HEADER + RTP_PAYLOAD] = {0x80, MP2T, (uint8_t)(number >> 8), (uint8_t)number, [11] = 1};

		memcpy(packet + RTP_HEADER, server->stream.data + at, size);
		send_packet(to, 0, packet, RTP_HEADER + size);
	}
	if (server->says_bye)
		send_packet(to, 1, bye, sizeof bye);
}

static void answer(int to, const char *request)
{
	static const char sdp[] = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nt=0 0\r\nm=video 0 RTP/AVP 33\r\na=control:s0\r\n";
	const char *number = strstr(request, "CSeq:");
	bool describe = strncmp(request, "DESCRIBE", 8) == 0, udp = strncmp(request, "SETUP", 5) == 0 && !strstr(request, "interleaved");
	char text[1024];

	snprintf(text, sizeof text, "RTSP/1.0 %s\r\nCSeq: %d\r\nSession: 1\r\n%s%s\r\nContent-Length: %zu\r\n\r\n%s",
		 udp ? "461 Unsupported Transport" : "200 OK", number ? atoi(number + 5) : 0, describe ? "Content-Type: application/sdp" : "",
		 strncmp(request, "SETUP", 5) == 0 ? "Transport: RTP/AVP/TCP;unicast;interleaved=0-1" : "Public: DESCRIBE, SETUP, PLAY",
		 describe ? sizeof sdp - 1 : 0, describe ? sdp : "");
	send_all(to, text, strlen(text));
}

/* One connection, which ends behind the stream. */
static void *serve_rtsp(void *cookie)
{
	struct server *server = cookie;
	int to = accept(server->listener, NULL, NULL);
	char request[4096];
	size_t used = 0;

	for (bool played = false; !played;) {
		ssize_t got = recv(to, request + used, sizeof request - 1 - used, 0);

		if (got <= 0)
			break;
		used += (size_t)got;
		request[used] = '\0';
		if (!strstr(request, "\r\n\r\n"))
			continue;
		answer(to, request);
		played = strncmp(request, "PLAY", 4) == 0;
		used = 0;
	}
	send_stream(to, server);
	shutdown(to, SHUT_WR);
	while (recv(to, request, sizeof request, 0) > 0)
		;
	close(to);
	return NULL;
}

/* As HTTP/1.0, which says nothing of the connection; only the first request is answered. */
static void *serve_http(void *cookie)
{
	struct server *server = cookie;
	int to = accept(server->listener, NULL, NULL);
	char text[4096], length[64];

	(void)recv(to, text, sizeof text, 0);
	snprintf(length, sizeof length, "Content-Length: %zu\r\n", server->stated);
	snprintf(text, sizeof text, "HTTP/1.0 200 OK\r\n%s\r\n", server->stated > 0 ? length : "");
	send_all(to, text, strlen(text));
	send_all(to, server->stream.data, server->stream.len);
	shutdown(to, SHUT_WR);
	while (recv(to, text, sizeof text, 0) > 0)
		;
	close(to);
	return NULL;
}

static void start_server(struct server *server, void *(*serve)(void *cookie))
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;

	server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(server->listener, (struct sockaddr *)&address, size), 0);
	assert_int_equal(listen(server->listener, 4), 0);
	assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &size), 0);
	server->port = ntohs(address.sin_port);
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void stop_server(struct server *server)
{
	pthread_join(server->thread, NULL);
	close(server->listener);
	vrs_buf_fini(&server->stream);
}

static void make_stream(struct server *server, const char *name, int frames)
{
	const struct vrs_picture_format format = media_format(64, 64, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "libx264");

	options.preset = "ultrafast";
	media_write(media_path(name), &options, frames);
	assert_int_equal(vrs_file_read(media_path(name), 1 << 24, &server->stream, NULL), VRS_OK);
	media_files(true);
}

/* Reads to the end, whose status it returns. */
static enum vrs_status read_all(const struct server *server, const char *scheme, const char *name, int *ret_frames, struct vrs_error *err)
{
	enum vrs_status status;
	struct vrs_source *source;
	struct vrs_frame frame;
	char url[100];

	snprintf(url, sizeof url, "%s://127.0.0.1:%d/%s", scheme, server->port, name);
	source = media_open(url);
	for (*ret_frames = 0; (status = vrs_source_read(source, &frame, err)) == VRS_OK; ++*ret_frames)
		vrs_frame_unref(&frame);
	vrs_source_close(source);
	return status;
}

static void rtsp_without_a_farewell(void **state)
{
	(void)state;
	for (int bye = 0; bye < 2; bye++) {
		struct server server = {.says_bye = bye};
		struct vrs_error err = {0};
		enum vrs_status status;
		int frames;

		make_stream(&server, "a.ts", FRAMES);
		start_server(&server, serve_rtsp);
		status = read_all(&server, "rtsp", "a", &frames, &err);
		stop_server(&server);
		assert_in_range(frames, FRAMES - 1, FRAMES);
		assert_int_equal(status, bye ? VRS_END : VRS_EIO);
		assert_true(bye || strstr(err.text, "broke off after frame"));
	}
}

static void check_http(const char *name, size_t missing, enum vrs_status expected)
{
	struct server server = {0};
	struct vrs_error err = {0};
	enum vrs_status status;
	int frames;

	make_stream(&server, name, FRAMES);
	server.stated = missing > 0 ? server.stream.len + missing : 0;
	start_server(&server, serve_http);
	media_log_clear();
	status = read_all(&server, "http", name, &frames, &err);
	stop_server(&server);
	if (status != expected || frames != FRAMES)
		fail_msg("%s: %d frames, %s", name, frames, err.text);
	assert_int_equal(media_log_count(VRS_LOG_WARNING), missing > 0);
}

static void http_without_a_length(void **state)
{
	static const char *const names[] = {"a.ts", "a.mkv", "a.flv", "a.nut"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		check_http(names[i], 0, VRS_END);
	check_http("a.ts", 100000, VRS_EIO);
}

static void joined_between_key_frames(void **state)
{
	struct server server = {0};
	struct vrs_error err = {0};
	size_t cut;
	int frames;

	(void)state;
	make_stream(&server, "a.ts", KEY_FRAMES + BEHIND_KEY);
	cut = server.stream.len / 10 / PACKET * PACKET;
	memmove(server.stream.data + TABLES, server.stream.data + cut, server.stream.len - cut);
	server.stream.len -= cut - TABLES;
	start_server(&server, serve_http);
	media_log_clear();
	assert_int_equal(read_all(&server, "http", "a.ts", &frames, &err), VRS_END);
	stop_server(&server);
	assert_int_equal(frames, BEHIND_KEY);
	assert_non_null(strstr(media_log, "damaged data after frame 0"));
	assert_null(strstr(media_log, "1 ffmpeg"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rtsp_without_a_farewell),
		cmocka_unit_test(http_without_a_length),
		cmocka_unit_test(joined_between_key_frames),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
