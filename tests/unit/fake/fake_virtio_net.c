/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in for virtio_net.c: no VM has a working network device. */
#include "hyp/dev/virtio_net.h"
#include "tests/unit/fake/function.h"

FAKE_VOID_FUNC(virtio_net_add, (struct vm * vm, struct virtio_net *end))
FAKE_VOID_FUNC(virtio_net_stop, (struct virtio_net * end))
FAKE_VALUE_FUNC(bool, virtio_net_reset, (struct virtio_net * end), true)

unsigned fake_net_kicks;

void virtio_net_kicked(struct virtio_net *end)
{
	fake_net_kicks++;
}
