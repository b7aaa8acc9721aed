// Bytes that come in, with waiting: the methods that search, parse or read a given number wait up
// to the timeout for each next byte.
#pragma once

#include "Print.h"

class Stream : public Print {
public:
    virtual int available() = 0;
    virtual int read() = 0;
    virtual int peek() = 0;
#if THINWIRE_ARDUINO_CORE_3
    virtual ~Stream() = default;
    // What is there, without waiting.
    virtual int read(uint8_t *out, size_t size);
    int read(char *out, size_t size) { return read(reinterpret_cast<uint8_t *>(out), size); }
    unsigned long getTimeout() const { return _timeout; }
#endif

    void setTimeout(unsigned long timeout_ms);
    bool find(const char *target) { return findUntil(target, ""); }
    bool find(uint8_t *target) { return find(reinterpret_cast<char *>(target)); }
    bool find(const char *target, size_t size) { return findUntil(target, size, nullptr, 0); }
    bool find(const uint8_t *target, size_t size) {
        return find(reinterpret_cast<const char *>(target), size);
    }
    bool find(char target) { return find(&target, 1); }
    bool findUntil(const char *target, const char *terminator);
    bool findUntil(const uint8_t *target, const char *terminator) {
        return findUntil(reinterpret_cast<const char *>(target), terminator);
    }
    bool findUntil(const char *target, size_t target_size, const char *terminator,
                   size_t terminator_size);
    bool findUntil(const uint8_t *target, size_t target_size, const char *terminator,
                   size_t terminator_size) {
        return findUntil(reinterpret_cast<const char *>(target), target_size, terminator,
                         terminator_size);
    }
    long parseInt() { return parseInt(kNothing); }
    float parseFloat() { return parseFloat(kNothing); }
    virtual size_t readBytes(char *out, size_t size);
    virtual size_t readBytes(uint8_t *out, size_t size) {
        return readBytes(reinterpret_cast<char *>(out), size);
    }
    size_t readBytesUntil(char terminator, char *out, size_t size);
    size_t readBytesUntil(char terminator, uint8_t *out, size_t size) {
        return readBytesUntil(terminator, reinterpret_cast<char *>(out), size);
    }
#if THINWIRE_ARDUINO_CORE_3
    virtual
#endif
        String
        readString();
    String readStringUntil(char terminator);

protected:
    // The byte, or -1 after the timeout.
    int timedRead();
    int timedPeek();
    int peekNextDigit(bool point = false);
    // `skipped` is ignored within the number.
    long parseInt(char skipped);
    float parseFloat(char skipped);

    unsigned long _timeout = 1000; // ms; classes of libraries use both by these names
    unsigned long _startMillis = 0;

private:
    static constexpr char kNothing = 1; // no byte of a number

    int timed(int (Stream::*next)());
};
