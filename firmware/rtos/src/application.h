/* What the image's main (main/) does for a library's adapter. */
#ifndef RTOS_APPLICATION_H
#define RTOS_APPLICATION_H

/* Makes the application look at its library: it may be called from any task. */
void application_wake(void);

#endif
