// The core's messages for a serial port: none.
#pragma once
#define DEBUGV(...)
