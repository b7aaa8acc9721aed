#include "WString.h"

#include <stdio.h>
#include <strings.h>

#include <algorithm>

#include "stdlib_noniso.h"

const String emptyString;

namespace {

// The longest number: 64 binary digits, a sign and the NUL.
constexpr size_t kDigits = 66;

// The end of `out`, where digits are written backwards.
char *digits(unsigned long long number, unsigned base, char *end) {
    if (base < 2 || base > 36)
        base = 10;
    *--end = 0;
    do {
        const unsigned digit = static_cast<unsigned>(number % base);
        *--end = static_cast<char>(digit < 10 ? '0' + digit : 'a' + digit - 10);
        number /= base;
    } while (number);
    return end;
}

String unsigned_text(unsigned long long number, unsigned base) {
    char text[kDigits];
    return String(digits(number, base, text + sizeof text));
}

// A negative number has a sign in base 10 only; in another its two's complement of `bits` bits is
// written, as the C library's ltoa does it for the core.
String signed_text(long long number, unsigned base, unsigned bits) {
    if (base != 10 || number >= 0) {
        const unsigned long long all = bits < 64 ? (1ull << bits) - 1 : ~0ull;
        return unsigned_text(static_cast<unsigned long long>(number) & all, base);
    }
    char text[kDigits];
    char *begin = digits(0ull - static_cast<unsigned long long>(number), base, text + sizeof text);
    *--begin = '-';
    return String(begin);
}

String decimal_text(double number, unsigned char decimals) {
    char text[64];
    return String(dtostrf(number, decimals + 2, decimals, text));
}

} // namespace

String::String(const char *text) : String() {
    if (text)
        set(text, strlen(text));
}

String::String(const __FlashStringHelper *text) : String() {
    concat(text);
}

String::String(const String &other) : String() {
    set(other.c_str(), other.length());
}

String::String(String &&other) noexcept : String() {
    take(other);
}

String::String(char character) : String() {
    set(&character, 1);
}

String::String(unsigned char number, unsigned char base) : String(unsigned_text(number, base)) {}
String::String(int number, unsigned char base) : String(signed_text(number, base, 32)) {}
String::String(unsigned int number, unsigned char base) : String(unsigned_text(number, base)) {}
String::String(long number, unsigned char base)
    : String(signed_text(number, base, 8 * sizeof number)) {}
String::String(unsigned long number, unsigned char base) : String(unsigned_text(number, base)) {}
String::String(long long number, unsigned char base) : String(signed_text(number, base, 64)) {}
String::String(unsigned long long number, unsigned char base)
    : String(unsigned_text(number, base)) {}
String::String(float number, unsigned char decimals)
    : String(decimal_text(static_cast<double>(number), decimals)) {}
String::String(double number, unsigned char decimals) : String(decimal_text(number, decimals)) {}

String &String::operator=(const String &other) {
    return this == &other ? *this : set(other.c_str(), other.length());
}

String &String::operator=(String &&other) noexcept {
    if (this != &other)
        take(other);
    return *this;
}

String &String::operator=(const char *text) {
    return set(text ? text : "", text ? strlen(text) : 0);
}

String &String::operator=(const __FlashStringHelper *text) {
    clear();
    concat(text);
    return *this;
}

void String::become_empty() {
    small_.heap = 0;
    set_length(0);
}

void String::release() {
    if (on_heap())
        free(heap_.text);
    become_empty();
}

void String::take(String &other) {
    release();
    memcpy(static_cast<void *>(this), static_cast<const void *>(&other), sizeof *this);
    other.become_empty();
}

void String::set_length(unsigned int length) {
    if (on_heap())
        heap_.length = static_cast<uint16_t>(length);
    else
        small_.length = length & 0x7F;
    text()[length] = 0;
}

// Blocks of 16 bytes, as the core's: what a library takes from the heap is measured.
bool String::reserve(unsigned int size) {
    if (size <= capacity())
        return true;
    if (size > kMost)
        return false;
    const unsigned int bytes = (size + 16) & ~15u, used = length();
    char *moved = static_cast<char *>(realloc(on_heap() ? heap_.text : nullptr, bytes));
    if (!moved)
        return false;
    if (!on_heap())
        memcpy(moved, small_.text, used + 1);
    heap_.text = moved;
    heap_.capacity = static_cast<uint16_t>(std::min(bytes - 1, kMost));
    heap_.length = static_cast<uint16_t>(used);
    small_.heap = 1;
    return true;
}

// `text` may lie in this string.
String &String::set(const char *source, unsigned int size) {
    if (!reserve(size)) {
        release();
        return *this;
    }
    memmove(text(), source, size);
    set_length(size);
    return *this;
}

bool String::concat(const char *source, unsigned int size) {
    if (!source)
        return false;
    const bool own = source >= begin() && source <= end();
    const size_t at = static_cast<size_t>(source - begin());
    const unsigned int before = length();
    if (!reserve(before + size))
        return false;
    memmove(text() + before, own ? c_str() + at : source, size);
    set_length(before + size);
    return true;
}

bool String::concat(const __FlashStringHelper *source) {
    const char *flash = reinterpret_cast<const char *>(source);
    if (!flash)
        return false;
    const unsigned int size = strlen_P(flash), before = length();
    if (!reserve(before + size))
        return false;
    memcpy_P(text() + before, flash, size);
    set_length(before + size);
    return true;
}

bool String::equals(const String &other) const {
    return length() == other.length() && !memcmp(c_str(), other.c_str(), length());
}

bool String::equalsIgnoreCase(const String &other) const {
    return length() == other.length() && !strcasecmp(c_str(), other.c_str());
}

unsigned char String::equalsConstantTime(const String &other) const {
    if (length() != other.length())
        return 0;
    unsigned char different = 0;
    for (unsigned int i = 0; i < length(); i++)
        different |= static_cast<unsigned char>(c_str()[i] ^ other.c_str()[i]);
    return different == 0;
}

bool String::startsWith(const String &prefix, unsigned int from) const {
    return prefix.length() <= length() && from <= length() - prefix.length() &&
           !memcmp(c_str() + from, prefix.c_str(), prefix.length());
}

bool String::endsWith(const String &suffix) const {
    return suffix.length() <= length() &&
           !memcmp(end() - suffix.length(), suffix.c_str(), suffix.length());
}

void String::setCharAt(unsigned int index, char character) {
    if (index < length())
        text()[index] = character;
}

char &String::operator[](unsigned int index) {
    static char nowhere;
    nowhere = 0;
    return index < length() ? text()[index] : nowhere;
}

void String::getBytes(unsigned char *out, unsigned int size, unsigned int from) const {
    if (!out || !size)
        return;
    const unsigned int there = from < length() ? length() - from : 0;
    const unsigned int count = std::min(size - 1, there);
    memcpy(out, c_str() + (there ? from : 0), count);
    out[count] = 0;
}

int String::indexOf(char character, unsigned int from) const {
    const char *found = from < length() ? strchr(c_str() + from, character) : nullptr;
    return found ? static_cast<int>(found - c_str()) : -1;
}

int String::indexOf(const char *text, unsigned int from) const {
    const char *found = from < length() ? strstr(c_str() + from, text) : nullptr;
    return found ? static_cast<int>(found - c_str()) : -1;
}

int String::lastIndexOf(char character, unsigned int from) const {
    for (unsigned int i = std::min(from + 1, length()); from < length() && i--;)
        if (c_str()[i] == character)
            return static_cast<int>(i);
    return -1;
}

int String::lastIndexOf(const String &text) const {
    return text.length() > length() ? -1 : lastIndexOf(text, length() - text.length());
}

int String::lastIndexOf(const String &text, unsigned int from) const {
    if (!text.length() || !length() || text.length() > length())
        return -1;
    for (unsigned int i = std::min(from, length() - text.length()) + 1; i--;)
        if (!memcmp(c_str() + i, text.c_str(), text.length()))
            return static_cast<int>(i);
    return -1;
}

String String::substring(unsigned int from, unsigned int to) const {
    if (from > to)
        std::swap(from, to);
    String part;
    if (from < length())
        part.set(c_str() + from, std::min(to, length()) - from);
    return part;
}

void String::replace(char find, char by) {
    std::replace(begin(), end(), find, by);
}

void String::replace(const String &find, const String &by) {
    if (!find.length())
        return;
    String made;
    unsigned int at = 0;
    for (int next; (next = indexOf(find, at)) >= 0;
         at = static_cast<unsigned int>(next) + find.length())
        if (!made.concat(c_str() + at, static_cast<unsigned int>(next) - at) || !made.concat(by))
            return;
    if (at && made.concat(c_str() + at, length() - at))
        *this = std::move(made);
}

void String::remove(unsigned int from, unsigned int count) {
    if (from >= length())
        return;
    count = std::min(count, length() - from);
    memmove(text() + from, text() + from + count, length() - from - count);
    set_length(length() - count);
}

void String::toLowerCase() {
    for (char &character : *this)
        character = static_cast<char>(tolower(static_cast<unsigned char>(character)));
}

void String::toUpperCase() {
    for (char &character : *this)
        character = static_cast<char>(toupper(static_cast<unsigned char>(character)));
}

void String::trim() {
    unsigned int from = 0, to = length();
    while (from < to && isspace(static_cast<unsigned char>(c_str()[from])))
        from++;
    while (to > from && isspace(static_cast<unsigned char>(c_str()[to - 1])))
        to--;
    memmove(text(), c_str() + from, to - from);
    set_length(to - from);
}
