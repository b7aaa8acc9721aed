#include "drive.h"

FUZZ(mend_raw, "proto=tcp", "proto=tcp confirmable=0", "proto=tcp role=serve",
     "proto=tcp role=subscribe")
