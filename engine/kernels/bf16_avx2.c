/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/bf16_template.h"
