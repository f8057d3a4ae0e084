/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first process of a Linux whose KVM is measured: it waits until the kernel has come to rest,
 * runs /probe.bin as a VM that looks like QEMU's `virt` machine, prints what the VM wrote, and
 * powers off. It is a VMM of the least a guest needs, so that what is measured is the kernel's
 * part. Where there is a second device tree, a second process runs the probe with that tree at the
 * same time, on the same core.
 * Linux, Documentation/virt/kvm/api.rst.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <linux/random.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define SETTLE_S 3u

/* The VM, as docs/design/probe.md has it. */
#define RAM_BASE 0x40000000ul
#define RAM_SIZE 0x10000000ul
#define IMAGE_OFFSET 0x200000ul
#define TREE_OFFSET 0x8000000ul
#define GICD_BASE 0x08000000ul
#define GICC_BASE 0x08010000ul
#define GICR_BASE 0x080a0000ul
#define PL011_BASE 0x09000000ul
#define PL011_SIZE 0x1000ul

#define OUTPUT_SIZE 262144u

struct vm {
	int kvm, vm, vcpu;
	uint8_t *ram;
	struct kvm_run *run;
};

/* Output of the VM: printed when it has ended, so that the console's interrupts do not come while
 * it measures. */
static char output[OUTPUT_SIZE];
static size_t output_length;

static void __attribute__((noreturn)) power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

static void __attribute__((noreturn)) fail(const char *what)
{
	printf("kvm_init: %s: %s\n", what, strerror(errno));
	power_off();
}

/* An ioctl that must not fail; its result. */
static int must(const char *what, int fd, unsigned long request, void *argument)
{
	int result = ioctl(fd, request, argument);

	if (result < 0)
		fail(what);
	return result;
}

static void console_open(void)
{
	mkdir("/dev", 0755);
	mount("dev", "/dev", "devtmpfs", 0, NULL);
	if (!freopen("/dev/console", "w", stdout))
		power_off();
	setvbuf(stdout, NULL, _IOLBF, 0);
}

/* A line of the kernel's log, with the kernel's time before it. */
static void log_line(const char *text)
{
	int fd = open("/dev/kmsg", O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail("/dev/kmsg");
	close(fd);
}

/*
 * The random pool is given as much as it wants, the same in every run, and waited for: until it is
 * ready the kernel's own search for entropy takes up time, at unknown moments. Then time
 * for what else a kernel does when it has just started.
 */
static void settle(void)
{
	static struct {
		struct rand_pool_info info;
		uint8_t bytes[64];
	} pool = { .info = { .entropy_count = 512, .buf_size = 64 } };
	int fd = open("/dev/urandom", O_RDWR);
	char byte;

	if (fd < 0)
		fail("/dev/urandom");
	must("RNDADDENTROPY", fd, RNDADDENTROPY, &pool);
	if (getrandom(&byte, 1, 0) != 1)
		fail("getrandom");
	close(fd);
	sleep(SETTLE_S);
	log_line("kvm_init: settled\n");
}

static void load(const struct vm *vm, const char *path, size_t offset)
{
	int fd = open(path, O_RDONLY);
	ssize_t size;

	if (fd < 0)
		fail(path);
	size = read(fd, vm->ram + offset, RAM_SIZE - offset);
	if (size <= 0)
		fail(path);
	close(fd);
}

static void vm_create(struct vm *vm)
{
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = RAM_BASE,
		.memory_size = RAM_SIZE,
	};

	vm->kvm = open("/dev/kvm", O_RDWR);
	if (vm->kvm < 0)
		fail("/dev/kvm");
	vm->vm = must("KVM_CREATE_VM", vm->kvm, KVM_CREATE_VM, NULL);
	vm->ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (vm->ram == MAP_FAILED)
		fail("memory for the VM");
	region.userspace_addr = (uintptr_t)vm->ram;
	must("KVM_SET_USER_MEMORY_REGION", vm->vm, KVM_SET_USER_MEMORY_REGION, &region);
}

static void vcpu_create(struct vm *vm)
{
	struct kvm_vcpu_init init = { 0 };
	int size = must("KVM_GET_VCPU_MMAP_SIZE", vm->kvm, KVM_GET_VCPU_MMAP_SIZE, NULL);

	vm->vcpu = must("KVM_CREATE_VCPU", vm->vm, KVM_CREATE_VCPU, NULL);
	must("KVM_ARM_PREFERRED_TARGET", vm->vm, KVM_ARM_PREFERRED_TARGET, &init);
	init.features[0] |= 1u << KVM_ARM_VCPU_PSCI_0_2;
	must("KVM_ARM_VCPU_INIT", vm->vcpu, KVM_ARM_VCPU_INIT, &init);
	vm->run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, vm->vcpu, 0);
	if (vm->run == MAP_FAILED)
		fail("struct kvm_run");
}

static void gic_address(int gic, uint64_t type, uint64_t address)
{
	struct kvm_device_attr attribute = {
		.group = KVM_DEV_ARM_VGIC_GRP_ADDR,
		.attr = type,
		.addr = (uintptr_t)&address,
	};

	must("an address of the GIC", gic, KVM_SET_DEVICE_ATTR, &attribute);
}

/* The version that the machine has. After the vCPU. */
static unsigned gic_create(const struct vm *vm)
{
	struct kvm_create_device device = { .type = KVM_DEV_TYPE_ARM_VGIC_V2 };
	struct kvm_device_attr init = {
		.group = KVM_DEV_ARM_VGIC_GRP_CTRL,
		.attr = KVM_DEV_ARM_VGIC_CTRL_INIT,
	};
	unsigned version = 2;

	if (ioctl(vm->vm, KVM_CREATE_DEVICE, &device) < 0) {
		version = 3;
		device.type = KVM_DEV_TYPE_ARM_VGIC_V3;
		must("KVM_CREATE_DEVICE", vm->vm, KVM_CREATE_DEVICE, &device);
	}
	if (version == 2) {
		gic_address((int)device.fd, KVM_VGIC_V2_ADDR_TYPE_DIST, GICD_BASE);
		gic_address((int)device.fd, KVM_VGIC_V2_ADDR_TYPE_CPU, GICC_BASE);
	} else {
		gic_address((int)device.fd, KVM_VGIC_V3_ADDR_TYPE_DIST, GICD_BASE);
		gic_address((int)device.fd, KVM_VGIC_V3_ADDR_TYPE_REDIST, GICR_BASE);
	}
	must("the GIC's initialisation", (int)device.fd, KVM_SET_DEVICE_ATTR, &init);
	return version;
}

static void set_register(const struct vm *vm, uint64_t offset, uint64_t value)
{
	struct kvm_one_reg reg = {
		.id = KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | offset / 4,
		.addr = (uintptr_t)&value,
	};

	must("KVM_SET_ONE_REG", vm->vcpu, KVM_SET_ONE_REG, &reg);
}

/* A PL011 that is always ready: its data register is all that is kept of it. */
static void mmio(struct kvm_run *run)
{
	if (run->mmio.phys_addr - PL011_BASE >= PL011_SIZE) {
		printf("kvm_init: access at 0x%llx\n", (unsigned long long)run->mmio.phys_addr);
		power_off();
	}
	if (!run->mmio.is_write)
		memset(run->mmio.data, 0, sizeof(run->mmio.data));
	else if (run->mmio.phys_addr == PL011_BASE && output_length < sizeof(output))
		output[output_length++] = (char)run->mmio.data[0];
}

static void vm_run(const struct vm *vm)
{
	for (;;) {
		if (ioctl(vm->vcpu, KVM_RUN, NULL) < 0 && errno != EINTR)
			fail("KVM_RUN");
		if (vm->run->exit_reason == KVM_EXIT_SYSTEM_EVENT)
			return;
		if (vm->run->exit_reason != KVM_EXIT_MMIO) {
			printf("kvm_init: exit reason %u\n", vm->run->exit_reason);
			power_off();
		}
		mmio(vm->run);
	}
}

static void probe_run(const char *tree)
{
	struct utsname name;
	struct vm vm;

	vm_create(&vm);
	load(&vm, "/probe.bin", IMAGE_OFFSET);
	load(&vm, tree, TREE_OFFSET);
	vcpu_create(&vm);
	uname(&name);
	printf("kvm_init: Linux %s, GICv%u\n", name.release, gic_create(&vm));
	set_register(&vm, offsetof(struct kvm_regs, regs.pc), RAM_BASE + IMAGE_OFFSET);
	set_register(&vm, offsetof(struct kvm_regs, regs.regs[0]), RAM_BASE + TREE_OFFSET);
	vm_run(&vm);
}

static void print_output(void)
{
	fwrite(output, 1, output_length, stdout);
	fflush(stdout);
}

/* The second VM's process, which prints after this process does. */
static pid_t second_start(int gate[2])
{
	pid_t child;
	char byte;

	if (access("/second.dtb", R_OK))
		return 0;
	if (pipe(gate))
		fail("pipe");
	child = fork();
	if (child < 0)
		fail("fork");
	if (child > 0)
		return child;
	close(gate[1]);
	probe_run("/second.dtb");
	if (read(gate[0], &byte, 1) < 0)
		fail("read");
	print_output();
	exit(0);
}

int main(void)
{
	int gate[2];
	pid_t second;

	console_open();
	settle();
	second = second_start(gate);
	probe_run("/probe.dtb");
	print_output();
	if (second) {
		close(gate[1]);
		waitpid(second, NULL, 0);
	}
	power_off();
}
