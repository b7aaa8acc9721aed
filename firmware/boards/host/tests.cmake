# Unit tests: one program per file of firmware/tests/unit, under AddressSanitizer and UBSan.
set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)

add_oscore_crypto(oscore_crypto_checked)
target_compile_options(oscore_crypto_checked PRIVATE ${sanitize})
add_library(core_checked STATIC ${core_sources} $<TARGET_OBJECTS:oscore_crypto_checked>)
target_include_directories(core_checked PUBLIC "${root}/firmware")
target_compile_definitions(core_checked PUBLIC TW_DEEP_SLEEP TW_DHCP TW_MQTT5 TW_OSCORE)
target_compile_options(core_checked PUBLIC ${sanitize})
target_link_options(core_checked PUBLIC ${sanitize})

file(GLOB support CONFIGURE_DEPENDS "${tests_dir}/unit/support/*.c")
add_library(test_support STATIC ${support})
target_include_directories(test_support PUBLIC "${tests_dir}/unit/support")
target_link_libraries(test_support PUBLIC core_checked cmocka)
# Few tests use the state that cmocka passes to each.
target_compile_options(test_support PUBLIC -Wno-unused-parameter)

file(GLOB tests CONFIGURE_DEPENDS "${tests_dir}/unit/test_*.c")
foreach(test ${tests})
  get_filename_component(name "${test}" NAME_WE)
  add_executable(${name} "${test}")
  target_link_libraries(${name} PRIVATE test_support)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600)
endforeach()

# The line of a firmware of the user's own on the LX106.
target_sources(test_runtime_arguments PRIVATE "${root}/firmware/boards/lx106/runtime/arguments.c")
target_compile_options(test_runtime_arguments PRIVATE ${sanitize})

# What the ESP8266 keeps over deep sleep.
target_sources(test_kept_run PRIVATE "${root}/firmware/boards/esp8266/src/kept_run.c")
target_compile_options(test_kept_run PRIVATE ${sanitize})

# A build for a library in the engines' place (firmware/libraries): what knows which engines there
# are is compiled anew.
file(GLOB library CONFIGURE_DEPENDS "${root}/firmware/libraries/*.c")
foreach(test test_library test_library_callbacks)
    add_executable(${test} "${tests_dir}/unit/library/${test}.c" ${library}
                   "${core_dir}/app/app.c" "${core_dir}/app/app_events.c"
                   "${core_dir}/app/registry.c")
    target_compile_definitions(${test} PRIVATE TW_LIBRARY=mqtt TW_ENGINES_HEADER="libraries/engine.h")
    target_link_libraries(${test} PRIVATE test_support)
    add_test(NAME ${test} COMMAND ${test})
    set_tests_properties(${test} PROPERTIES TIMEOUT 600)
endforeach()

# One engine at the commands of a test in Python (hil/tests/reports/driver.py).
add_executable(drive "${tests_dir}/drive/main.c")
target_link_libraries(drive PRIVATE core_checked)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME conformance_table
         COMMAND ${Python3_EXECUTABLE} "${tests_dir}/check_conformance.py")
