# What every image of the board LX106 is built from: options, lwIP, the board and its memory map. Include it after
# project(); `thinwire_board()` then makes the targets
#   options, warnings     how the board's code is compiled
#   lwip                  lwIP, as the ESP8266's Arduino core configures it (lwip/lwipopts.h)
#   board                 start, interrupts, clock, log, heap, stack and the Ethernet interface; the application's
#                         main.c and what it reaches the network through
# and `thinwire_image(TARGET)` links an executable by the board's memory map.
get_filename_component(LX106_DIR "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
get_filename_component(THINWIRE_ROOT "${LX106_DIR}/../../.." ABSOLUTE)
set(LWIP_SOURCE ${THINWIRE_ROOT}/build/src/lwip CACHE PATH "lwIP 2.1.3 source tree")

function(thinwire_board)
    if(NOT EXISTS ${LWIP_SOURCE}/src/core/tcp.c)
        message(FATAL_ERROR "no lwIP source in ${LWIP_SOURCE}; run setup/fetch or set LWIP_SOURCE")
    endif()

    add_library(options INTERFACE)
    target_compile_features(options INTERFACE c_std_11)
    target_compile_options(options INTERFACE
        -Os -g -ffunction-sections -fdata-sections -fno-common -mlongcalls -mtext-section-literals
        # The same bytes wherever the folders are; GCC applies the last match.
        -ffile-prefix-map=${THINWIRE_ROOT}=.
        -ffile-prefix-map=${CMAKE_BINARY_DIR}=build
        -ffile-prefix-map=${LWIP_SOURCE}=lwip)
    target_include_directories(options INTERFACE ${THINWIRE_ROOT}/firmware)

    add_library(warnings INTERFACE)
    target_compile_options(warnings INTERFACE
        -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Werror)

    file(GLOB lwip_sources ${LWIP_SOURCE}/src/core/*.c ${LWIP_SOURCE}/src/core/ipv4/*.c)
    add_library(lwip OBJECT ${lwip_sources} ${LWIP_SOURCE}/src/netif/ethernet.c)
    target_include_directories(lwip PUBLIC ${LX106_DIR}/lwip)
    target_include_directories(lwip SYSTEM PUBLIC ${LWIP_SOURCE}/src/include)
    target_compile_options(lwip PRIVATE -w)
    target_link_libraries(lwip PUBLIC options)

    file(GLOB board_sources CONFIGURE_DEPENDS ${LX106_DIR}/src/*.c ${LX106_DIR}/src/*.S
        ${LX106_DIR}/../../net/lwip_*.c)
    add_library(board OBJECT ${board_sources})
    target_include_directories(board PRIVATE $<TARGET_PROPERTY:lwip,INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_options(board PRIVATE $<$<COMPILE_LANGUAGE:C>:-Wno-undef>)
    target_link_libraries(board PRIVATE options warnings)
endfunction()

# The targets `lwip_dhcp` and `board_dhcp`: the same with DHCP, DNS and SNTP (dhcp/).
function(thinwire_board_dhcp)
    get_target_property(lwip_sources lwip SOURCES)
    add_library(lwip_dhcp OBJECT ${lwip_sources} ${LWIP_SOURCE}/src/apps/sntp/sntp.c)
    target_include_directories(lwip_dhcp PUBLIC ${LX106_DIR}/dhcp ${LX106_DIR}/lwip)
    target_include_directories(lwip_dhcp SYSTEM PUBLIC ${LWIP_SOURCE}/src/include)
    target_compile_options(lwip_dhcp PRIVATE -w)
    target_link_libraries(lwip_dhcp PUBLIC options)

    get_target_property(board_sources board SOURCES)
    file(GLOB own_sources CONFIGURE_DEPENDS ${LX106_DIR}/dhcp/*.c)
    add_library(board_dhcp OBJECT ${board_sources} ${own_sources})
    target_compile_definitions(board_dhcp PRIVATE TW_DEEP_SLEEP TW_DHCP) # as the image: the layout of its configuration
    target_include_directories(board_dhcp PRIVATE ${LX106_DIR}/src
        $<TARGET_PROPERTY:lwip_dhcp,INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_options(board_dhcp PRIVATE $<$<COMPILE_LANGUAGE:C>:-Wno-undef>)
    target_link_libraries(board_dhcp PRIVATE options warnings)
endfunction()

# Links `target` as an image NAME.elf, and writes NAME.map beside it.
function(thinwire_image target)
    set_target_properties(${target} PROPERTIES SUFFIX .elf LINK_DEPENDS ${LX106_DIR}/link.ld)
    target_link_options(${target} PRIVATE
        -nostartfiles -T${LX106_DIR}/link.ld
        -Wl,--gc-sections,--build-id=none,-Map=${CMAKE_CURRENT_BINARY_DIR}/${target}.map
        -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free)
endfunction()
