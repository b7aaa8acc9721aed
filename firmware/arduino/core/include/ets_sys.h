// The SDK's tasks: the core's own file has them (waiting.c).
#pragma once
