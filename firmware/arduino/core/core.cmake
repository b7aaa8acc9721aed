# The core's own client below a library, in place of the API's (docs/try-arduino.md): WiFiClient.cpp and
# core_esp8266_wiring.c of the ESP8266's Arduino core 2.4.1 compile unmodified, over the board's lwIP and what waiting.c
# has in place of the SDK. Their instructions are those of the chip, so the time of a call can be measured.
set(CORE_DIR ${CMAKE_CURRENT_LIST_DIR})

# The objects `arduino-client`, and the interface `arduino_client` of what is compiled over them.
function(thinwire_core_client folder)
    thinwire_arduino_objects(2.4.1)
    file(GLOB sources CONFIGURE_DEPENDS ${ARDUINO_DIR}/src/*.c ${ARDUINO_DIR}/src/*.cpp ${ARDUINO_DIR}/src/*.S)
    list(FILTER sources EXCLUDE REGEX "/(connection|waiting|wifi_client|wifi_server)[.]cpp$")
    set(client ${folder}/libraries/ESP8266WiFi/src/WiFiClient.cpp)
    set(wiring ${folder}/cores/esp8266/core_esp8266_wiring.c)
    add_library(arduino_client INTERFACE)
    target_link_options(arduino_client INTERFACE -Wl,--wrap=__udivsi3)
    target_compile_definitions(arduino_client INTERFACE
        THINWIRE_CORE_CLIENT="${folder}/libraries/ESP8266WiFi/src/WiFiClient.h")
    target_include_directories(arduino_client SYSTEM INTERFACE ${folder}/libraries/ESP8266WiFi/src)
    thinwire_api_objects(arduino-client 2.4.1 ${sources} ${CORE_DIR}/waiting.c
        ${CORE_DIR}/division.S ${client} ${wiring})
    target_include_directories(arduino-client PRIVATE ${CORE_DIR}/include)
    target_link_libraries(arduino-client PRIVATE arduino_client)
    target_compile_options(arduino-client PRIVATE -ffile-prefix-map=${folder}=arduino-core)
    # Headers beside the core's files: their guards keep them out, and the API's come first.
    set_source_files_properties(${client} PROPERTIES
        COMPILE_DEFINITIONS "WiFi_h;wifiserver_h;WL_DEFINITIONS_H_" COMPILE_OPTIONS "-w;-include;ESP8266WiFi.h")
    set_source_files_properties(${wiring} PROPERTIES
        COMPILE_DEFINITIONS "WiringPrivate_h" COMPILE_OPTIONS "-w;-include;Arduino.h;-include;stdbool.h")
endfunction()
