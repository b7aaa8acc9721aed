#include "drive.h"

FUZZ(mend_nothing, "proto=knock")
