# The Arduino API of firmware/arduino for images of the board LX106 (docs/try-arduino.md):
#
#   cmake_minimum_required(VERSION 3.22)
#   include(${THINWIRE}/firmware/arduino/arduino.cmake)     # cmake -DTHINWIRE=FOLDER
#   project(my_sketch C CXX ASM)
#   thinwire_sketch(my-sketch my-sketch.ino LIBRARIES FOLDER...)
#
# Include it before project(), since it names the cross compiler.
include(${CMAKE_CURRENT_LIST_DIR}/../boards/lx106/cmake/firmware.cmake)
get_filename_component(ARDUINO_DIR ${CMAKE_CURRENT_LIST_DIR} ABSOLUTE)

# The LX106 has no C++ library. What is in headers alone comes from those of the host's compiler, best of the cross
# compiler's own release (package libstdc++-N-dev).
function(thinwire_find_cxx_headers)
    if(THINWIRE_CXX_HEADERS)
        return()
    endif()
    string(REGEX MATCH "^[0-9]+" release "${CMAKE_CXX_COMPILER_VERSION}")
    foreach(host g++-${release} g++ c++)
        execute_process(COMMAND ${host} -x c++ -E -v /dev/null RESULT_VARIABLE status
            OUTPUT_QUIET ERROR_VARIABLE said)
        if(NOT status STREQUAL 0)
            continue()
        endif()
        string(REGEX MATCHALL "\n [^\n]*c\\+\\+[^\n]*" folders "${said}")
        list(FILTER folders EXCLUDE REGEX "backward")
        list(TRANSFORM folders STRIP)
        if(folders)
            set(THINWIRE_CXX_HEADERS ${folders} CACHE STRING "folders of a C++ library's headers")
            return()
        endif()
    endforeach()
    message(FATAL_ERROR "no headers of a C++ library; install g++-${release}, or set THINWIRE_CXX_HEADERS")
endfunction()

# The target `arduino_options`: how a sketch, a library and the API itself are compiled.
function(thinwire_arduino)
    if(TARGET arduino_options)
        return()
    endif()
    thinwire_find_cxx_headers()
    if(NOT TARGET board)
        thinwire_board()
    endif()
    set(THINWIRE_ARDUINO_CORE 3.1.2 CACHE STRING "the core's release whose behaviour holds: 2.4.1 or 3.1.2")
    if(NOT THINWIRE_ARDUINO_CORE MATCHES "^(2[.]4[.]1|3[.]1[.]2)$")
        message(FATAL_ERROR "THINWIRE_ARDUINO_CORE is ${THINWIRE_ARDUINO_CORE}; set it to 2.4.1 or 3.1.2")
    endif()
    add_library(arduino_options INTERFACE)
    target_compile_features(arduino_options INTERFACE cxx_std_17)
    target_compile_options(arduino_options INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-nostdinc++;-fno-exceptions;-fno-rtti>)
    # The core's lwIP has TCP's keep-alive in its control blocks, too.
    target_compile_definitions(arduino_options INTERFACE ESP8266 ARDUINO=10819 ARDUINO_ARCH_ESP8266
        F_CPU=80000000L LWIP_TCP_KEEPALIVE=1)
    target_include_directories(arduino_options INTERFACE ${ARDUINO_DIR}/include)
    set(system ${ARDUINO_DIR}/libstdcxx ${THINWIRE_CXX_HEADERS})
    list(TRANSFORM system REPLACE "(.+)" "SHELL:-isystem \"\\1\"")
    list(TRANSFORM system REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")
    target_compile_options(arduino_options INTERFACE ${system})
    target_link_libraries(arduino_options INTERFACE options)
endfunction()

# The objects of the API with the behaviour of `release`, and of the lwIP below it.
function(thinwire_arduino_objects release)
    thinwire_arduino()
    if(NOT TARGET arduino_lwip)
        get_target_property(lwip_sources lwip SOURCES)
        add_library(arduino_lwip OBJECT ${lwip_sources})
        target_compile_options(arduino_lwip PRIVATE -w)
        target_compile_definitions(arduino_lwip PRIVATE LWIP_TCP_KEEPALIVE=1)
        target_include_directories(arduino_lwip PRIVATE $<TARGET_PROPERTY:lwip,INTERFACE_INCLUDE_DIRECTORIES>)
        target_link_libraries(arduino_lwip PRIVATE options)
    endif()
    if(TARGET arduino-${release})
        return()
    endif()
    file(GLOB sources CONFIGURE_DEPENDS ${ARDUINO_DIR}/src/*.c ${ARDUINO_DIR}/src/*.cpp ${ARDUINO_DIR}/src/*.S)
    thinwire_api_objects(arduino-${release} ${release} ${sources})
endfunction()

function(thinwire_api_objects target release)
    add_library(${target} OBJECT ${ARGN})
    target_include_directories(${target} PRIVATE ${ARDUINO_DIR}/src ${LX106_DIR}/src ${LX106_DIR}/include
        $<TARGET_PROPERTY:lwip,INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Werror)
    thinwire_core_release(${target} ${release})
    target_link_libraries(${target} PRIVATE arduino_options)
endfunction()

# 2.4.1 is 20401 to the preprocessor.
function(thinwire_core_release target release)
    string(REGEX MATCH "^([0-9]+)[.]([0-9]+)[.]([0-9]+)$" _ ${release})
    math(EXPR number "${CMAKE_MATCH_1} * 10000 + ${CMAKE_MATCH_2} * 100 + ${CMAKE_MATCH_3}")
    target_compile_definitions(${target} PRIVATE THINWIRE_ARDUINO_CORE=${number})
endfunction()

# Compiles a library for Arduino into `target`: the sources in FOLDER/src and below, or in FOLDER itself where there is
# no src. Its warnings are its own.
function(thinwire_add_library target folder)
    get_filename_component(folder "${folder}" ABSOLUTE)
    if(IS_DIRECTORY ${folder}/src)
        file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/src/*.c ${folder}/src/*.cpp)
        set(include ${folder}/src)
    else()
        file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c ${folder}/*.cpp)
        set(include ${folder})
    endif()
    if(NOT sources)
        message(FATAL_ERROR "${folder}: no sources of a library for Arduino in it")
    endif()
    set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -w)
    target_sources(${target} PRIVATE ${sources})
    target_include_directories(${target} SYSTEM PRIVATE ${include})
endfunction()

# thinwire_sketch(NAME SOURCE... [LIBRARIES FOLDER...] [DEFINITIONS WORD...] [CORE RELEASE]): NAME.elf, a firmware for
# trials. Sources are *.ino, *.cpp and *.c; they define setup() and loop().
function(thinwire_sketch name)
    cmake_parse_arguments(PARSE_ARGV 1 sketch "CORE_CLIENT" "CORE" "LIBRARIES;DEFINITIONS")
    thinwire_arduino()
    if(NOT sketch_CORE)
        set(sketch_CORE ${THINWIRE_ARDUINO_CORE})
    endif()
    thinwire_arduino_objects(${sketch_CORE})
    set(objects arduino-${sketch_CORE})
    if(sketch_CORE_CLIENT) # the core's own, see core/core.cmake
        set(objects arduino-client)
    endif()
    foreach(source IN LISTS sketch_UNPARSED_ARGUMENTS)
        if(source MATCHES "[.]ino$")
            set_source_files_properties(${source} PROPERTIES LANGUAGE CXX
                COMPILE_OPTIONS "-xc++;-include;Arduino.h")
        endif()
    endforeach()
    thinwire_firmware(${name} ${sketch_UNPARSED_ARGUMENTS} ${ARDUINO_DIR}/main/sketch.c
        $<TARGET_OBJECTS:${objects}> LWIP arduino_lwip
        DEFINITIONS ${sketch_DEFINITIONS})
    set_source_files_properties(${ARDUINO_DIR}/main/sketch.c PROPERTIES INCLUDE_DIRECTORIES ${ARDUINO_DIR}/src)
    target_sources(${name} PRIVATE ${THINWIRE_ROOT}/firmware/core/util/sha1.c)
    foreach(folder IN LISTS sketch_LIBRARIES)
        thinwire_add_library(${name} ${folder})
    endforeach()
    thinwire_core_release(${name} ${sketch_CORE})
    target_link_libraries(${name} PRIVATE arduino_options $<$<BOOL:${sketch_CORE_CLIENT}>:arduino_client>)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
endfunction()

# The target `arduino-signatures-RELEASE`: compiles if the API's methods have the signatures that the core's headers
# gave them (tests/signatures.py).
function(thinwire_signatures release)
    set(list ${ARDUINO_DIR}/tests/signatures-${release}.txt)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(STRINGS ${list} rows REGEX "^[^#]")
    set(text "#include <ESP8266WiFi.h>\n#include <WiFiUdp.h>\n")
    set(number 0)
    foreach(row IN LISTS rows)
        string(REGEX REPLACE "^([^ ]+) (.*)$" "auto m${number} = static_cast<\\2>(&\\1)" line "${row}")
        string(APPEND text "${line};\n")
        math(EXPR number "${number} + 1")
    endforeach()
    set(source ${CMAKE_CURRENT_BINARY_DIR}/signatures-${release}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "${text}" @ONLY)
    add_library(arduino-signatures-${release} OBJECT ${source})
    thinwire_core_release(arduino-signatures-${release} ${release})
    target_link_libraries(arduino-signatures-${release} PRIVATE arduino_options)
endfunction()
