// Numbers as text, which the C standard leaves out.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

char *itoa(int number, char *out, int base);
char *utoa(unsigned int number, char *out, int base);
char *ltoa(long number, char *out, int base);
char *ultoa(unsigned long number, char *out, int base);
// `number` with `decimals` digits behind the point, at least `width` characters wide (negative: to
// the left), into `out`, which has room for it. Returns `out`.
char *dtostrf(double number, signed char width, unsigned char decimals, char *out);

#ifdef __cplusplus
}
#endif
