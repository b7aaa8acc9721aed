#include "drive.h"

FUZZ("proto=tcp", "proto=tcp confirmable=0", "proto=tcp role=serve", "proto=tcp role=subscribe")
