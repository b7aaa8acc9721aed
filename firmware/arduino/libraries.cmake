# Images of the board LX106 with a library for Arduino in the engines' place (firmware/libraries): for each row of
# sources.yaml with a `core` whose folder is at hand, thinwire-NAME.elf; and where the core 2.4.1 is at hand,
# thinwire-NAME-core.elf over the core's own client (core/core.cmake). They are not part of the default build; the
# target `arduino-libraries` makes all of them, and says which rows have no source.
include(${CMAKE_CURRENT_LIST_DIR}/arduino.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/core/core.cmake)
set(THINWIRE_LIBRARIES ${THINWIRE_ROOT}/build/src/libraries CACHE PATH "sources of libraries, each in a folder NAME")

# What a library is compiled with beside its release: as for the chip.
function(thinwire_adapter_definitions adapter out)
    if(adapter STREQUAL lwmqtt) # not built for the chip
        set(${out} TW_LIBRARY=mqtt PARENT_SCOPE)
        return()
    endif()
    set(table ${THINWIRE_ROOT}/firmware/boards/esp8266/platformio.ini)
    string(REGEX REPLACE "[0-9]+$" "" adapter ${adapter}) # websockets21, of an older release
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
    file(READ ${table} text)
    string(REGEX MATCH "\n\\[env:${adapter}\\]\n[^[]*\nbuild_flags = ([^\n]*)" _ "${text}")
    string(REGEX MATCHALL "-D[A-Z_]+=[A-Za-z0-9_.]+" flags "${CMAKE_MATCH_1}")
    list(FILTER flags EXCLUDE REGEX "TW_RELEASE")
    list(TRANSFORM flags REPLACE "^-D" "")
    if(NOT flags MATCHES "TW_LIBRARY=")
        message(FATAL_ERROR "${table}: no [env:${adapter}] with TW_LIBRARY, its protocol")
    endif()
    set(${out} ${flags} PARENT_SCOPE)
endfunction()

# `objects`: the API below the library, and `options` what is compiled over it.
function(thinwire_library_image name folder adapter release core objects options)
    thinwire_arduino_objects(${core})
    file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS ${THINWIRE_ROOT}/firmware/core/*.c)
    file(GLOB common CONFIGURE_DEPENDS ${THINWIRE_ROOT}/firmware/libraries/*.c)
    set(image thinwire-${name})
    add_executable(${image} EXCLUDE_FROM_ALL ${core_sources} ${common} ${SECURE_DIR}/no_tls.c
        ${THINWIRE_ROOT}/firmware/libraries/${adapter}.cpp ${ARDUINO_DIR}/main/library.c ${LX106_DIR}/src/main.c
        ${LX106_DIR}/runtime/rom_float.c
        "$<FILTER:$<TARGET_OBJECTS:board>,EXCLUDE,/(main|lwip_net|lwip_tcp|lwip_udp)[.]c[.]obj>"
        $<TARGET_OBJECTS:${objects}> $<TARGET_OBJECTS:arduino_lwip>)
    thinwire_adapter_definitions(${adapter} definitions)
    target_compile_definitions(${image} PRIVATE TW_ENGINES_HEADER="libraries/engine.h" TW_OWN_LOOP
        TW_RELEASE=${release} ${definitions})
    target_include_directories(${image} PRIVATE ${ARDUINO_DIR}/src ${LX106_DIR}/src
        $<TARGET_PROPERTY:lwip,INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_options(${image} PRIVATE -Wall -Wextra -Werror -ffile-prefix-map=${folder}=${name})
    thinwire_add_library(${image} ${folder})
    thinwire_core_release(${image} ${core})
    target_link_libraries(${image} PRIVATE ${options})
    set_target_properties(${image} PROPERTIES LINKER_LANGUAGE C)
    thinwire_image(${image})
    add_dependencies(arduino-libraries ${image})
endfunction()

function(thinwire_library_images)
    set(table ${THINWIRE_ROOT}/firmware/libraries/sources.yaml)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
    file(READ ${table} text)
    add_custom_target(arduino-libraries)
    string(REGEX MATCHALL "\n  [a-z0-9.-]+:\n    {[^}]*}" rows "${text}")
    set(missing)
    if(IS_DIRECTORY ${THINWIRE_LIBRARIES}/arduino-core-2.4.1)
        thinwire_core_client(${THINWIRE_LIBRARIES}/arduino-core-2.4.1)
    endif()
    foreach(row IN LISTS rows)
        if(NOT row MATCHES "core: \"([0-9.]+)\"")
            continue()
        endif()
        set(core ${CMAKE_MATCH_1})
        string(REGEX MATCH "\n  ([a-z0-9.-]+):" _ "${row}")
        set(name ${CMAKE_MATCH_1})
        string(REGEX MATCH "release: ([^,]+)," _ "${row}")
        set(release ${CMAKE_MATCH_1})
        string(REGEX MATCH "adapter: ([a-z0-9]+)" _ "${row}")
        set(adapter ${CMAKE_MATCH_1})
        if(IS_DIRECTORY ${THINWIRE_LIBRARIES}/${name})
            set(folder ${THINWIRE_LIBRARIES}/${name})
            thinwire_library_image(${name} ${folder} ${adapter} ${release} ${core} arduino-${core} arduino_options)
            if(TARGET arduino-client AND core STREQUAL "2.4.1")
                thinwire_library_image(${name}-core ${folder} ${adapter} ${release} ${core} arduino-client
                    "arduino_options;arduino_client")
            endif()
        else()
            list(APPEND missing ${name})
        endif()
    endforeach()
    if(missing)
        list(JOIN missing " " missing)
        add_custom_command(TARGET arduino-libraries POST_BUILD COMMAND ${CMAKE_COMMAND} -E echo
            "not at hand in ${THINWIRE_LIBRARIES}: ${missing}" VERBATIM)
    endif()
endfunction()
