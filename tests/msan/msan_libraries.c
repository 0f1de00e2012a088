/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What libraries write and MemorySanitizer of clang 14 does not see: with glibc 2.33 and later stat and its kin are functions of their own; libfyaml
 * copies from its stack, which it shares with our frames; libnettle writes hashes as text.
 */
#include <libfyaml.h>
#include <nettle/base16.h>
#include <sanitizer/msan_interface.h>
#include <sys/stat.h>

int __real_fstat64(int fd, struct stat *st);
int __real_stat64(const char *path, struct stat *st);
int __real_lstat64(const char *path, struct stat *st);
int __real_fstatat64(int dir, const char *path, struct stat *st, int flags);
int __wrap_fstat64(int fd, struct stat *st);
int __wrap_stat64(const char *path, struct stat *st);
int __wrap_lstat64(const char *path, struct stat *st);
int __wrap_fstatat64(int dir, const char *path, struct stat *st, int flags);
struct fy_event *__real_fy_parser_parse(struct fy_parser *parser);
struct fy_event *__wrap_fy_parser_parse(struct fy_parser *parser);
struct fy_diag_error *__real_fy_diag_errors_iterate(struct fy_diag *diag, void **place);
struct fy_diag_error *__wrap_fy_diag_errors_iterate(struct fy_diag *diag, void **place);
const char *__real_fy_token_get_text(struct fy_token *token, size_t *ret_len);
const char *__wrap_fy_token_get_text(struct fy_token *token, size_t *ret_len);
void __real_nettle_base16_encode_update(char *text, size_t len, const uint8_t *data);
void __wrap_nettle_base16_encode_update(char *text, size_t len, const uint8_t *data);

static int written(int code, struct stat *st)
{
	if (code == 0)
		__msan_unpoison(st, sizeof *st);
	return code;
}

int __wrap_fstat64(int fd, struct stat *st)
{
	return written(__real_fstat64(fd, st), st);
}

int __wrap_stat64(const char *path, struct stat *st)
{
	return written(__real_stat64(path, st), st);
}

int __wrap_lstat64(const char *path, struct stat *st)
{
	return written(__real_lstat64(path, st), st);
}

int __wrap_fstatat64(int dir, const char *path, struct stat *st, int flags)
{
	return written(__real_fstatat64(dir, path, st, flags), st);
}

struct fy_event *__wrap_fy_parser_parse(struct fy_parser *parser)
{
	__msan_scoped_disable_interceptor_checks(); /* its own calls of the C library */
	struct fy_event *event = __real_fy_parser_parse(parser);

	__msan_scoped_enable_interceptor_checks();
	if (event)
		__msan_unpoison(event, sizeof *event);
	return event;
}

const char *__wrap_fy_token_get_text(struct fy_token *token, size_t *ret_len)
{
	const char *text = __real_fy_token_get_text(token, ret_len);

	if (text)
		__msan_unpoison(text, *ret_len);
	return text;
}

struct fy_diag_error *__wrap_fy_diag_errors_iterate(struct fy_diag *diag, void **place)
{
	struct fy_diag_error *error = __real_fy_diag_errors_iterate(diag, place);

	if (error)
		__msan_unpoison(error, sizeof *error);
	return error;
}

void __wrap_nettle_base16_encode_update(char *text, size_t len, const uint8_t *data)
{
	__real_nettle_base16_encode_update(text, len, data);
	__msan_unpoison(text, BASE16_ENCODE_LENGTH(len));
}
