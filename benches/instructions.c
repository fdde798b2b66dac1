/* A plugin of QEMU that counts the instructions of a program, and those of them that work on vectors or floating-point
 * numbers. Debian has QEMU with plugins (`qemu-user`), but neither its own plugins nor their header, so what is used of
 * that is declared here: the functions of version 1 of the API, which QEMU 4.2 to 8.2 have.
 *
 *     cc -shared -fPIC -O2 -o instructions.so instructions.c
 *     qemu-aarch64 -plugin ./instructions.so PROGRAM
 */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*translated)(uint64_t id, struct qemu_plugin_tb *block);
typedef void (*executed)(unsigned int cpu, void *data);
typedef void (*ended)(uint64_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, translated callback);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, executed callback, int flags, void *data);
void qemu_plugin_register_atexit_cb(uint64_t id, ended callback, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t all, vectors;

/* A block runs from its beginning to its end, so its counts can be added at once. */
static void add(unsigned int cpu, void *data)
{
    (void)cpu;
    all += (uintptr_t)data & 0xffff;
    vectors += (uintptr_t)data >> 16;
}

static void translate(uint64_t id, struct qemu_plugin_tb *block)
{
    size_t length = qemu_plugin_tb_n_insns(block), found = 0;
    (void)id;
    for (size_t index = 0; index < length; index++) {
        uint32_t code = *(const uint32_t *)qemu_plugin_insn_data(qemu_plugin_tb_get_insn(block, index));
        /* Source: Arm Architecture Reference Manual, C4.1: bits 28 to 25 are x111 in "Data Processing -- Scalar
         * Floating-Point and Advanced SIMD". Loads and stores of vectors are not among these. */
        found += (code >> 25 & 7) == 7;
    }
    qemu_plugin_register_vcpu_tb_exec_cb(block, add, 0, (void *)(uintptr_t)(found << 16 | length));
}

static void print(uint64_t id, void *data)
{
    (void)id, (void)data;
    fprintf(stderr, "Collected : %" PRIu64 " %" PRIu64 "\n", all, vectors);
}

__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const void *info, int count, char **values)
{
    (void)info, (void)count, (void)values;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, print, NULL);
    return 0;
}
