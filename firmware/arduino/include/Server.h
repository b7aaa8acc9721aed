// A port that clients connect to.
#pragma once

#include "Print.h"

class Server : public Print {
public:
    virtual void begin() = 0;
};
