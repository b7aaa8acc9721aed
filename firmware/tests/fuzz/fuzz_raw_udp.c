#include "drive.h"

FUZZ("proto=udp", "proto=udp confirmable=0", "proto=udp role=serve")
