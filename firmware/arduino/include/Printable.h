// What can print itself.
#pragma once

#include <stddef.h>

class Print;

class Printable {
public:
    virtual ~Printable() = default;
    virtual size_t printTo(Print &out) const = 0;
};
