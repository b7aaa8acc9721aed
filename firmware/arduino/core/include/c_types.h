// The SDK's types; the standard headers have them.
#pragma once
#include <stdbool.h>
#include <stdint.h>
