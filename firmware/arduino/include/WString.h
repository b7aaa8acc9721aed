// The class String: text that grows on the heap, up to 65,535 characters. Up to 10 characters lie
// in the object itself, as in release 3 of the core.
#pragma once

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <type_traits>
#include <utility>

#include "pgmspace.h"

class __FlashStringHelper; // a text in flash
#define FPSTR(text) (reinterpret_cast<const __FlashStringHelper *>(text))
#define F(text) (FPSTR(PSTR(text)))

class String {
public:
    String() { become_empty(); }
    String(const char *text);
    String(const __FlashStringHelper *text);
    String(const String &other);
    String(String &&other) noexcept;
    explicit String(char character);
    explicit String(unsigned char number, unsigned char base = 10);
    explicit String(int number, unsigned char base = 10);
    explicit String(unsigned int number, unsigned char base = 10);
    explicit String(long number, unsigned char base = 10);
    explicit String(unsigned long number, unsigned char base = 10);
    explicit String(long long number, unsigned char base = 10);
    explicit String(unsigned long long number, unsigned char base = 10);
    explicit String(float number, unsigned char decimals = 2);
    explicit String(double number, unsigned char decimals = 2);
    ~String() { release(); }

    String &operator=(const String &other);
    String &operator=(String &&other) noexcept;
    String &operator=(const char *text);
    String &operator=(const __FlashStringHelper *text);
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
    String &operator=(T value) {
        return *this = String(value);
    }

    // Room for `size` characters; false, and no change, where there is no memory.
    bool reserve(unsigned int size);
    unsigned int length() const { return on_heap() ? heap_.length : small_.length; }
    bool isEmpty() const { return length() == 0; }
    void clear() { set_length(0); }
    const char *c_str() const { return on_heap() ? heap_.text : small_.text; }
    char *begin() { return text(); }
    char *end() { return text() + length(); }
    const char *begin() const { return c_str(); }
    const char *end() const { return c_str() + length(); }
    explicit operator bool() const { return true; } // there is always a text

    // False, and no change, without memory or for a null pointer.
    bool concat(const String &other) { return concat(other.c_str(), other.length()); }
    bool concat(const char *text) { return text && concat(text, strlen(text)); }
    bool concat(const char *text, unsigned int size);
    bool concat(const __FlashStringHelper *text);
    bool concat(char character) { return concat(&character, 1); }
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
    bool concat(T number) {
        return concat(String(number));
    }
    String &operator+=(const char *text) {
        concat(text);
        return *this;
    }
    template <typename T> String &operator+=(const T &value) {
        concat(value);
        return *this;
    }

    int compareTo(const String &other) const { return strcmp(c_str(), other.c_str()); }
    bool equals(const String &other) const;
    bool equals(const char *text) const { return strcmp(c_str(), text ? text : "") == 0; }
    bool equals(const __FlashStringHelper *text) const { return equals(String(text)); }
    bool operator==(const String &other) const { return equals(other); }
    bool operator==(const char *text) const { return equals(text); }
    bool operator!=(const String &other) const { return !equals(other); }
    bool operator!=(const char *text) const { return !equals(text); }
    bool operator<(const String &other) const { return compareTo(other) < 0; }
    bool operator>(const String &other) const { return compareTo(other) > 0; }
    bool operator<=(const String &other) const { return compareTo(other) <= 0; }
    bool operator>=(const String &other) const { return compareTo(other) >= 0; }
    bool equalsIgnoreCase(const String &other) const;
    bool equalsIgnoreCase(const __FlashStringHelper *text) const {
        return equalsIgnoreCase(String(text));
    }
    unsigned char equalsConstantTime(const String &other) const;
    bool startsWith(const String &prefix) const { return startsWith(prefix, 0); }
    bool startsWith(const char *prefix) const { return startsWith(String(prefix), 0); }
    bool startsWith(const __FlashStringHelper *prefix) const {
        return startsWith(String(prefix), 0);
    }
    bool startsWith(const String &prefix, unsigned int from) const;
    bool endsWith(const String &suffix) const;
    bool endsWith(const char *suffix) const { return endsWith(String(suffix)); }
    bool endsWith(const __FlashStringHelper *suffix) const { return endsWith(String(suffix)); }

    char charAt(unsigned int index) const { return (*this)[index]; }
    void setCharAt(unsigned int index, char character);
    char operator[](unsigned int index) const { return index < length() ? c_str()[index] : 0; }
    char &operator[](unsigned int index);
    // At most size - 1 characters and a NUL.
    void getBytes(unsigned char *out, unsigned int size, unsigned int from = 0) const;
    void toCharArray(char *out, unsigned int size, unsigned int from = 0) const {
        getBytes(reinterpret_cast<unsigned char *>(out), size, from);
    }

    // The first or last place, or -1.
    int indexOf(char character, unsigned int from = 0) const;
    int indexOf(const char *text, unsigned int from = 0) const;
    int indexOf(const __FlashStringHelper *text, unsigned int from = 0) const {
        return indexOf(String(text), from);
    }
    int indexOf(const String &text, unsigned int from = 0) const {
        return indexOf(text.c_str(), from);
    }
    int lastIndexOf(char character) const { return lastIndexOf(character, length() - 1); }
    int lastIndexOf(char character, unsigned int from) const;
    int lastIndexOf(const String &text) const;
    int lastIndexOf(const String &text, unsigned int from) const;
    String substring(unsigned int from) const { return substring(from, length()); }
    String substring(unsigned int from, unsigned int to) const;

    void replace(char find, char by);
    void replace(const String &find, const String &by);
    void remove(unsigned int from, unsigned int count = static_cast<unsigned int>(-1));
    void toLowerCase();
    void toUpperCase();
    void trim();

    long toInt() const { return strtol(c_str(), nullptr, 10); }
    float toFloat() const { return static_cast<float>(toDouble()); }
    double toDouble() const { return strtod(c_str(), nullptr); }

private:
    struct Heap {
        char *text;
        uint16_t capacity, length;
    };
    struct Small {
        char text[sizeof(Heap) + 3];
        uint8_t length : 7, heap : 1;
    } __attribute__((packed));
    static constexpr unsigned int kSmallMost = sizeof(Small::text) - 1;
    static constexpr unsigned int kMost = 0xFFFF;

    bool on_heap() const { return small_.heap; }
    char *text() { return on_heap() ? heap_.text : small_.text; }
    unsigned int capacity() const { return on_heap() ? heap_.capacity : kSmallMost; }
    void become_empty();
    void release();
    void take(String &other);
    void set_length(unsigned int length); // and the NUL
    String &set(const char *text, unsigned int size);

    union {
        Heap heap_;
        Small small_;
    };
};

using StringSumHelper = String;

inline String operator+(String &&left, const String &right) {
    left += right;
    return std::move(left);
}

inline String operator+(const String &left, const String &right) {
    String sum;
    sum.reserve(left.length() + right.length());
    sum += left;
    sum += right;
    return sum;
}

template <typename T, typename = std::enable_if_t<!std::is_same<String, std::decay_t<T>>::value>>
String operator+(const String &left, const T &right) {
    String sum(left);
    sum += right;
    return sum;
}

template <typename T, typename = std::enable_if_t<!std::is_same<String, std::decay_t<T>>::value>>
String operator+(String &&left, const T &right) {
    left += right;
    return std::move(left);
}

inline String operator+(const char *left, const String &right) {
    return String(left) + right;
}

inline String operator+(const __FlashStringHelper *left, const String &right) {
    return String(left) + right;
}

inline String operator+(char left, const String &right) {
    return String(left) + right;
}

extern const String emptyString;
