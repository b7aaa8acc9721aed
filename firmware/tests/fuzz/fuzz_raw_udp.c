#include "drive.h"

FUZZ(mend_raw, "proto=udp", "proto=udp confirmable=0", "proto=udp role=serve")
