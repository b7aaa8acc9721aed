// What the compiler and the headers of the C++ library expect of the library that the LX106 lacks.
#include <stdint.h>
#include <stdlib.h>

#include <new>

// As in the core: without memory an object is not made, and the board ends with a report.
static void *allocate(size_t size) {
    void *block = malloc(size);
    if (!block)
        abort();
    return block;
}

void *operator new(size_t size) {
    return allocate(size);
}

void *operator new[](size_t size) {
    return allocate(size);
}

void *operator new(size_t size, const std::nothrow_t &) noexcept {
    return malloc(size);
}

void *operator new[](size_t size, const std::nothrow_t &) noexcept {
    return malloc(size);
}

void operator delete(void *block) noexcept {
    free(block);
}

void operator delete[](void *block) noexcept {
    free(block);
}

void operator delete(void *block, size_t) noexcept {
    free(block);
}

void operator delete[](void *block, size_t) noexcept {
    free(block);
}

namespace std {

const nothrow_t nothrow{};

void __throw_bad_function_call() {
    abort();
}

void __throw_bad_alloc() {
    abort();
}

void __throw_bad_array_new_length() {
    abort();
}

void __throw_length_error(const char *) {
    abort();
}

void __throw_logic_error(const char *) {
    abort();
}

void __throw_out_of_range(const char *) {
    abort();
}

void __throw_out_of_range_fmt(const char *, ...) {
    abort();
}

} // namespace std

extern "C" {

void *__dso_handle;

void __cxa_pure_virtual() {
    abort();
}

void __cxa_deleted_virtual() {
    abort();
}

// Nothing ends a sketch: destructors of static objects do not run.
int __cxa_atexit(void (*)(void *), void *, void *) {
    return 0;
}

// One context at a time makes static objects of functions, unless it waits while it makes one.
int __cxa_guard_acquire(uint8_t *guard) {
    return !*guard;
}

void __cxa_guard_release(uint8_t *guard) {
    *guard = 1;
}

void __cxa_guard_abort(uint8_t *) {}

} // extern "C"
