# Firmware of your own for the LX106 board, from any folder (docs/try-lx106.md):
#
#   cmake_minimum_required(VERSION 3.22)
#   set(THINWIRE $ENV{THINWIRE} CACHE PATH "a clone of thinwire")
#   include(${THINWIRE}/firmware/boards/lx106/cmake/firmware.cmake)
#   project(my_firmware C ASM)
#   thinwire_firmware(my-firmware main.c)
#
# Include it before project(), since it names the cross compiler.
if(NOT CMAKE_TOOLCHAIN_FILE)
    set(CMAKE_TOOLCHAIN_FILE ${CMAKE_CURRENT_LIST_DIR}/lx106.cmake)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/board.cmake)

# thinwire_firmware(NAME SOURCE... [DEFINITIONS WORD...] [INCLUDES FOLDER...] [LWIP TARGET]): the target NAME, which
# links NAME.elf. The definitions hold for lwIP's headers, too. LWIP: other objects of lwIP than the board's.
# ${LWIP_SOURCE} is lwIP's source, with its applications in src/apps.
function(thinwire_firmware name)
    cmake_parse_arguments(PARSE_ARGV 1 firmware "" "LWIP" "DEFINITIONS;INCLUDES")
    if(NOT firmware_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "thinwire_firmware(${name}): name its sources")
    endif()
    thinwire_runtime()
    if(NOT firmware_LWIP)
        set(firmware_LWIP lwip)
    endif()
    add_executable(${name} ${firmware_UNPARSED_ARGUMENTS} $<TARGET_OBJECTS:runtime>
        # The board without the laboratory's own application and what belongs to it.
        "$<FILTER:$<TARGET_OBJECTS:board>,EXCLUDE,/(main|fault|sleep|lwip_net|lwip_tcp|lwip_udp)[.]c[.]obj>"
        $<TARGET_OBJECTS:${firmware_LWIP}>)
    target_include_directories(${name} PRIVATE ${LX106_DIR}/include ${firmware_INCLUDES}
        $<TARGET_PROPERTY:lwip,INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_definitions(${name} PRIVATE PICOLIBC_INTEGER_PRINTF_SCANF ${firmware_DEFINITIONS})
    # The same bytes in any folder: options of a source come after those of `options`, and GCC applies the last match.
    set_property(SOURCE ${firmware_UNPARSED_ARGUMENTS} APPEND PROPERTY COMPILE_OPTIONS
        -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=firmware -ffile-prefix-map=${CMAKE_BINARY_DIR}=build)
    target_link_libraries(${name} PRIVATE options)
    target_link_options(${name} PRIVATE -DPICOLIBC_INTEGER_PRINTF_SCANF -Wl,--wrap=_exit)
    thinwire_image(${name})
endfunction()

# The target `runtime`: what stands between the board and a firmware's main.
function(thinwire_runtime)
    if(TARGET runtime)
        return()
    endif()
    if(NOT TARGET board)
        thinwire_board()
    endif()
    file(GLOB runtime_sources CONFIGURE_DEPENDS ${LX106_DIR}/runtime/*.c)
    set(core ${THINWIRE_ROOT}/firmware/core)
    add_library(runtime OBJECT ${runtime_sources} ${core}/config.c ${core}/util/bytes.c
        ${core}/util/random.c)
    target_include_directories(runtime PRIVATE ${LX106_DIR}/src ${LX106_DIR}/include
        $<TARGET_PROPERTY:lwip,INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_definitions(runtime PRIVATE PICOLIBC_INTEGER_PRINTF_SCANF)
    target_compile_options(runtime PRIVATE -Wno-undef)
    target_link_libraries(runtime PRIVATE options warnings)
endfunction()
