# Images in which a library of other authors takes the engines' place (firmware/libraries): thinwire-lwipmqtt.elf and,
# where its source is at hand, thinwire-libcoap.elf. They are built when named.
set(LIBRARIES ${THINWIRE_ROOT}/firmware/libraries)
set(LIBCOAP_SOURCE ${THINWIRE_ROOT}/build/src/libcoap3 CACHE PATH "libcoap 4.3.5 source tree")

# A library's image: its adapter lwip/NAME.c, with `protocol` as the value of proto=, over this build of lwIP.
function(add_library_image name protocol lwip_target)
    file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS ${THINWIRE_ROOT}/firmware/core/*.c)
    add_executable(thinwire-${name} EXCLUDE_FROM_ALL ${core_sources} ${LIBRARIES}/engine.c ${LIBRARIES}/net.c
        ${LIBRARIES}/lwip/${name}.c ${SECURE_DIR}/no_tls.c ${ARGN}
        # The board without its own network.
        "$<FILTER:$<TARGET_OBJECTS:board>,EXCLUDE,/(lwip_net|lwip_tcp|lwip_udp)[.]c[.]obj>"
        $<TARGET_OBJECTS:${lwip_target}>)
    target_compile_definitions(thinwire-${name} PRIVATE
        TW_ENGINES_HEADER="libraries/engine.h" TW_LIBRARY=${protocol})
    target_include_directories(thinwire-${name} PRIVATE ${LX106_DIR}/src
        $<TARGET_PROPERTY:lwip,INTERFACE_INCLUDE_DIRECTORIES>)
    target_include_directories(thinwire-${name} SYSTEM PRIVATE ${LWIP_SOURCE}/src/include)
    target_compile_options(thinwire-${name} PRIVATE -Wno-undef)
    target_link_libraries(thinwire-${name} PRIVATE options warnings)
    thinwire_image(thinwire-${name})
endfunction()

# The largest packet is 1536 bytes, as of the board esp8266's PubSubClient; lwIP's own constant is 256.
set(mqtt_source ${LWIP_SOURCE}/src/apps/mqtt/mqtt.c)
add_library_image(lwipmqtt mqtt lwip ${mqtt_source})
target_compile_definitions(thinwire-lwipmqtt PRIVATE TW_RELEASE=2.1.3 MQTT_OUTPUT_RINGBUF_SIZE=1536)
set_source_files_properties(${mqtt_source} PROPERTIES COMPILE_OPTIONS -w)

if(NOT EXISTS ${LIBCOAP_SOURCE}/src/coap_net.c)
    message(STATUS "no libcoap source in ${LIBCOAP_SOURCE}: thinwire-libcoap.elf cannot be built; run setup/fetch")
    return()
endif()
set(libcoap_folders ${LIBRARIES}/lwip/libcoap ${LIBCOAP_SOURCE}/include ${LIBCOAP_SOURCE}/examples/lwip/config)
set(libcoap_definitions TW_LIBCOAP_RELEASE="4.3.5" MEMP_USE_CUSTOM_POOLS=1 MEMP_STATS=0)
set(libcoap_sources address async block cache debug dtls encode event hashkey io io_lwip layers mem net netif notls
    option pdu prng proxy resource session str subscribe tcp threadsafe time uri ws)
list(TRANSFORM libcoap_sources REPLACE "(.+)" "${LIBCOAP_SOURCE}/src/coap_\\1.c")

# lwIP again, since the library's structures are pools of lwIP's memory.
get_target_property(lwip_sources lwip SOURCES)
add_library(lwip_libcoap OBJECT EXCLUDE_FROM_ALL ${lwip_sources})
target_include_directories(lwip_libcoap PRIVATE ${LX106_DIR}/lwip ${libcoap_folders})
target_include_directories(lwip_libcoap SYSTEM PRIVATE ${LWIP_SOURCE}/src/include)
target_compile_definitions(lwip_libcoap PRIVATE ${libcoap_definitions})
target_compile_options(lwip_libcoap PRIVATE -w -ffile-prefix-map=${LIBCOAP_SOURCE}=libcoap)
target_link_libraries(lwip_libcoap PRIVATE options)

add_library_image(libcoap coap lwip_libcoap ${libcoap_sources})
target_include_directories(thinwire-libcoap SYSTEM PRIVATE ${libcoap_folders})
target_compile_definitions(thinwire-libcoap PRIVATE ${libcoap_definitions})
target_compile_options(thinwire-libcoap PRIVATE -ffile-prefix-map=${LIBCOAP_SOURCE}=libcoap)
set_source_files_properties(${libcoap_sources} PROPERTIES COMPILE_OPTIONS -w)
set_source_files_properties(${LIBCOAP_SOURCE}/src/coap_address.c PROPERTIES
    COMPILE_OPTIONS "-w;-include;${LIBRARIES}/lwip/libcoap/no_resolver.h")
set_source_files_properties(${LIBCOAP_SOURCE}/src/coap_io_lwip.c PROPERTIES
    COMPILE_OPTIONS "-w;-include;${LIBRARIES}/lwip/libcoap/no_lock.h")
