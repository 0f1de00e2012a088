/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/resize_nn_template.h"
