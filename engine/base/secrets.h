/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Secrets of addresses in texts: names of inputs and outputs stand in messages, logs, traces and records, which people hand on.  Found are
 *
 *   - the password of rtsp://user:password@host, and a name that stands there alone, which may be a token;
 *   - values of parameters (?name=value&...) whose name tells of a secret: passphrase, password, token, key, signature, streamid of SRT, ...;
 *   - the stream key of rtmp://host/application/key.
 *
 * Messages (vrs_fail), the log and what is made printable (base/printable.h) hide them by themselves; whoever records a name in another way calls
 * vrs_hide_secrets.  A name to open something by, or to be read again for that, stays as it is.
 */
#ifndef VRS_BASE_SECRETS_H
#define VRS_BASE_SECRETS_H

#include <stddef.h>

#define VRS_SECRET_SHOWN "***" /* in place of a secret */

/*
 * The first secret of text that begins at `from` or later; *ret_length becomes its bytes.  Returns where it begins, the length of text where there is
 * none.  An address ends at a blank, and with it its parameters; punctuation before that belongs to the sentence around it.
 */
size_t vrs_secret_find(const char *text, size_t from, size_t *ret_length);
/* Copy text with *** for each secret, cut to size (above 0) and always terminated; dst is not text. Returns dst. */
char *vrs_hide_secrets(char *dst, size_t size, const char *text);

#endif
