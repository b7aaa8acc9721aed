# Cross compiler of the ESP8266's CPU: gcc-xtensa-lx106 and picolibc, as Debian packages them. If picolibc is
# elsewhere, the environment variable LX106_PICOLIBC names the folder of its specs file, or LX106_PICOLIBC_SPECS the
# file itself.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR lx106)
set(CMAKE_C_COMPILER xtensa-lx106-elf-gcc)
set(CMAKE_CXX_COMPILER xtensa-lx106-elf-g++)
set(CMAKE_ASM_COMPILER xtensa-lx106-elf-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

find_file(LX106_PICOLIBC_SPECS picolibc.specs
    HINTS ENV LX106_PICOLIBC
    PATHS /usr/lib/xtensa-lx106-elf /usr/lib/picolibc/xtensa-lx106-elf
    DOC "picolibc's GCC specs for the LX106")
if(NOT LX106_PICOLIBC_SPECS)
    message(FATAL_ERROR "picolibc.specs not found; install picolibc-xtensa-lx106-elf "
        "or set LX106_PICOLIBC_SPECS")
endif()
set(CMAKE_C_FLAGS_INIT "--specs=${LX106_PICOLIBC_SPECS}")
set(CMAKE_CXX_FLAGS_INIT "--specs=${LX106_PICOLIBC_SPECS}")
