// Classes of characters.
#pragma once

#include <ctype.h>

inline bool isAlphaNumeric(int character) {
    return isalnum(character);
}
inline bool isAlpha(int character) {
    return isalpha(character);
}
inline bool isAscii(int character) {
    return character >= 0 && character < 128;
}
inline bool isWhitespace(int character) {
    return character == ' ' || character == '\t';
}
inline bool isControl(int character) {
    return iscntrl(character);
}
inline bool isDigit(int character) {
    return isdigit(character);
}
inline bool isGraph(int character) {
    return isgraph(character);
}
inline bool isLowerCase(int character) {
    return islower(character);
}
inline bool isPrintable(int character) {
    return isprint(character);
}
inline bool isPunct(int character) {
    return ispunct(character);
}
inline bool isSpace(int character) {
    return isspace(character);
}
inline bool isUpperCase(int character) {
    return isupper(character);
}
inline bool isHexadecimalDigit(int character) {
    return isxdigit(character);
}
inline int toAscii(int character) {
    return character & 127;
}
inline int toLowerCase(int character) {
    return tolower(character);
}
inline int toUpperCase(int character) {
    return toupper(character);
}
