# Images of the board LX106 with a library for Espressif's ESP8266_RTOS_SDK in the engines' place, over the part of the
# SDK's API that is in this folder (docs/firmware.md). They are built when named, where their source is at hand.
set(RTOS_DIR ${CMAKE_CURRENT_LIST_DIR})

# The targets `rtos_options`, how libraries and the API are compiled; `rtos_lwip`, lwIP with its sockets; and `rtos`, the
# API, with the board's interface, which gives frames to lwIP's task.
function(thinwire_rtos)
    if(TARGET rtos)
        return()
    endif()
    add_library(rtos_options INTERFACE)
    target_include_directories(rtos_options BEFORE INTERFACE ${RTOS_DIR}/include ${RTOS_DIR}/lwip ${LX106_DIR}/lwip)
    target_include_directories(rtos_options SYSTEM INTERFACE ${LWIP_SOURCE}/src/include)
    target_link_libraries(rtos_options INTERFACE options)

    get_target_property(sources lwip SOURCES)
    file(GLOB api ${LWIP_SOURCE}/src/api/*.c)
    add_library(rtos_lwip OBJECT EXCLUDE_FROM_ALL ${sources} ${api})
    target_compile_options(rtos_lwip PRIVATE -w)
    target_include_directories(rtos_lwip PRIVATE ${RTOS_DIR}/src ${LX106_DIR}/src)
    target_link_libraries(rtos_lwip PRIVATE rtos_options)

    file(GLOB sources CONFIGURE_DEPENDS ${RTOS_DIR}/src/*.c)
    add_library(rtos OBJECT EXCLUDE_FROM_ALL ${sources} ${ARDUINO_DIR}/src/context.S ${LX106_DIR}/src/netif.c)
    target_include_directories(rtos PRIVATE ${RTOS_DIR}/src ${ARDUINO_DIR}/src ${LX106_DIR}/src)
    target_compile_options(rtos PRIVATE -Wno-undef)
    target_link_libraries(rtos PRIVATE rtos_options warnings)
endfunction()

# thinwire_rtos_image(NAME ADAPTER PROTOCOL RELEASE SOURCES FILE... INCLUDES FOLDER...): thinwire-NAME.elf, with the
# library's files from build/src/libraries/NAME.
function(thinwire_rtos_image name adapter protocol release)
    cmake_parse_arguments(PARSE_ARGV 4 library "" "" "SOURCES;INCLUDES")
    set(folder ${THINWIRE_LIBRARIES}/${name})
    if(NOT IS_DIRECTORY ${folder})
        message(STATUS "no source in ${folder}: thinwire-${name}.elf cannot be built; "
            "run firmware/libraries/fetch ${name}")
        return()
    endif()
    thinwire_rtos()
    list(TRANSFORM library_SOURCES PREPEND ${folder}/)
    list(TRANSFORM library_INCLUDES PREPEND ${folder}/)
    set_source_files_properties(${library_SOURCES} PROPERTIES COMPILE_OPTIONS "-w;-ffile-prefix-map=${folder}=${name}")
    file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS ${THINWIRE_ROOT}/firmware/core/*.c)
    file(GLOB common CONFIGURE_DEPENDS ${THINWIRE_ROOT}/firmware/libraries/*.c)
    set(image thinwire-${name})
    add_executable(${image} EXCLUDE_FROM_ALL ${core_sources} ${common} ${SECURE_DIR}/no_tls.c
        ${THINWIRE_ROOT}/firmware/libraries/rtos/${adapter}.c ${RTOS_DIR}/main/library.c ${LX106_DIR}/src/main.c
        ${library_SOURCES}
        "$<FILTER:$<TARGET_OBJECTS:board>,EXCLUDE,/(main|netif|lwip_net|lwip_tcp|lwip_udp)[.]c[.]obj>"
        $<TARGET_OBJECTS:rtos> $<TARGET_OBJECTS:rtos_lwip>)
    target_compile_definitions(${image} PRIVATE TW_ENGINES_HEADER="libraries/engine.h" TW_OWN_LOOP TW_OWN_LWIP
        TW_LIBRARY=${protocol} TW_LIBRARY_SUBSCRIBES TW_RELEASE=${release} ESP_PLATFORM)
    target_include_directories(${image} PRIVATE ${RTOS_DIR}/src ${LX106_DIR}/src)
    target_include_directories(${image} SYSTEM PRIVATE ${library_INCLUDES})
    target_compile_options(${image} PRIVATE -Wno-undef)
    target_link_libraries(${image} PRIVATE rtos_options warnings)
    thinwire_image(${image})
endfunction()

# The firmware of tests/probe.c: the tasks over the board's runtime, without lwIP's task.
function(thinwire_rtos_probe name)
    thinwire_firmware(${name} ${RTOS_DIR}/tests/probe.c ${RTOS_DIR}/src/tasks.c ${RTOS_DIR}/src/queue.c
        ${RTOS_DIR}/src/event_groups.c ${ARDUINO_DIR}/src/context.S ${LX106_DIR}/src/fault.c
        INCLUDES ${RTOS_DIR}/include ${RTOS_DIR}/src ${ARDUINO_DIR}/src ${LX106_DIR}/src)
    target_compile_options(${name} PRIVATE -Wall -Wextra -Wshadow -Werror)
endfunction()

set(mqtt components/mqtt/esp-mqtt)
set(transport components/tcp_transport)
thinwire_rtos_image(rtos-mqtt-3.2 espmqtt mqtt v3.2
    SOURCES ${mqtt}/mqtt_client.c ${mqtt}/lib/mqtt_msg.c ${mqtt}/lib/mqtt_outbox.c ${mqtt}/lib/platform_idf.c
        ${transport}/transport.c ${transport}/transport_tcp.c ${transport}/transport_utils.c
        components/http_parser/src/http_parser.c
    INCLUDES ${mqtt}/include ${mqtt}/lib/include ${transport}/include components/http_parser/include)
