# libFuzzer targets, when a Clang is installed: one program per file of firmware/tests/fuzz, and
# fuzz_stack, the board's core on lwIP. ctest replays the corpus and fuzzes for two seconds;
# `make fuzz` runs as long as asked. Each has a twin NAME-coverage, of the target `coverage`, which
# measures what of the parsers a corpus reaches.
find_program(FUZZ_CLANG NAMES clang)
if(NOT FUZZ_CLANG)
  message(WARNING "clang not found: no fuzzers")
  return()
endif()

set(fuzz_dir "${tests_dir}/fuzz")
# No table of compared values: a mutator that knows the structure, and dictionaries, reach as much in
# the same time without, and try twice as many inputs.
set(fuzz_flags -std=c11 -g -O2 -Wall -Wextra -I${root}/firmware -I${fuzz_dir}
    -DTW_TLS_LEAST=12 -DTW_TLS_MOST=13 -DTW_MQTT5 -DTW_OSCORE "-ffile-prefix-map=${root}=."
    -fno-sanitize-coverage=trace-cmp "-fsanitize-coverage-ignorelist=${fuzz_dir}/uncovered.txt")
set(fuzz_checks -fsanitize=address,undefined -fno-sanitize-recover=all)
set(fuzz_coverage -fprofile-instr-generate -fcoverage-mapping)
file(GLOB_RECURSE core_headers CONFIGURE_DEPENDS "${core_dir}/*.h")
file(GLOB fuzz_headers CONFIGURE_DEPENDS "${fuzz_dir}/*.h" "${fuzz_dir}/*.txt")
list(APPEND core_headers ${fuzz_headers})

# What all share is compiled once a kind: the core, the mutator, CoAP's answers, and OSCORE without its cipher.
set(shared_sources ${core_sources} "${fuzz_dir}/mutate.c" "${fuzz_dir}/answer.c" "${fuzz_dir}/open_oscore.c")
set(shared_objects)
foreach(source ${shared_sources})
  get_filename_component(name "${source}" NAME_WE)
  list(APPEND shared_objects "${name}.o")
endforeach()
foreach(kind checks coverage)
  set(folder "${CMAKE_BINARY_DIR}/fuzz-${kind}")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT "${folder}/libshared.a"
    COMMAND ${FUZZ_CLANG} ${fuzz_flags} -fsanitize=fuzzer-no-link ${fuzz_${kind}} -c ${shared_sources}
    COMMAND ${CMAKE_AR} rcs libshared.a ${shared_objects}
    DEPENDS ${shared_sources} ${core_headers}
    WORKING_DIRECTORY "${folder}"
    VERBATIM)
  add_custom_target(fuzz_shared_${kind} DEPENDS "${folder}/libshared.a")
endforeach()

# A fuzzer of these sources and flags, and its twin. LATE: built and run by `make fuzz` only. BESIDE:
# a library of each kind's folder.
add_custom_target(coverage)
add_custom_target(fuzzers ALL)
add_custom_target(fuzzers_late)
function(add_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 fuzzer "LATE" "" "SOURCES;FLAGS;BESIDE")
  foreach(kind checks coverage)
    set(suffix)
    if(kind STREQUAL "coverage")
      set(suffix "-coverage")
    endif()
    set(program "${CMAKE_BINARY_DIR}/${name}${suffix}")
    set(library "${CMAKE_BINARY_DIR}/fuzz-${kind}/libshared.a")
    foreach(beside ${fuzzer_BESIDE})
      list(APPEND library "${CMAKE_BINARY_DIR}/fuzz-${kind}/${beside}")
    endforeach()
    add_custom_command(
      OUTPUT "${program}"
      COMMAND ${FUZZ_CLANG} ${fuzz_flags} -fsanitize=fuzzer ${fuzz_${kind}} ${fuzzer_FLAGS}
              -o "${program}" ${fuzzer_SOURCES} ${library}
      DEPENDS ${fuzzer_SOURCES} ${library} ${core_headers}
      VERBATIM)
    add_custom_target(build_${name}${suffix} DEPENDS "${program}")
    add_dependencies(build_${name}${suffix} fuzz_shared_${kind})
  endforeach()
  add_dependencies(coverage build_${name}-coverage)
  if(fuzzer_LATE)
    add_dependencies(fuzzers_late build_${name})
    return()
  endif()
  add_dependencies(fuzzers build_${name})
  add_test(NAME ${name} COMMAND "${tests_dir}/fuzz.sh" 2 "${CMAKE_BINARY_DIR}" ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 ENVIRONMENT "FUZZ_KEEP=${CMAKE_BINARY_DIR}/corpus-of-tests")
endfunction()

file(GLOB fuzzers CONFIGURE_DEPENDS "${fuzz_dir}/fuzz_*.c")
foreach(fuzzer ${fuzzers})
  get_filename_component(name "${fuzzer}" NAME_WE)
  add_fuzzer(${name} SOURCES "${fuzzer}" "${fuzz_dir}/drive.c")
endforeach()

set(lwip_source "${root}/build/src/lwip")
if(NOT EXISTS "${lwip_source}/src/core/tcp.c")
  message(WARNING "no lwIP in ${lwip_source} (setup/fetch): no fuzz_stack")
  return()
endif()
file(GLOB lwip_sources "${lwip_source}/src/core/*.c" "${lwip_source}/src/core/ipv4/*.c")
file(GLOB stack_headers CONFIGURE_DEPENDS "${root}/firmware/net/*" "${root}/firmware/secure/*.h" "${fuzz_dir}/stack/*"
     "${root}/firmware/boards/lx106/lwip/*.h")
list(APPEND core_headers ${stack_headers})
add_fuzzer(fuzz_stack
  SOURCES "${fuzz_dir}/stack/fuzz_stack.c" "${fuzz_dir}/stack/wire.c"
          "${root}/firmware/net/lwip_net.c" "${root}/firmware/secure/no_tls.c" ${lwip_sources}
          "${lwip_source}/src/netif/ethernet.c"
  # lwIP's own code is not held to our warnings; a pointer of a host wants 8 bytes.
  FLAGS -w -DMEM_ALIGNMENT=8 "-I${root}/firmware/net"
        "-I${root}/firmware/boards/lx106/lwip" -isystem "${lwip_source}/src/include")

# The security layer: mbedTLS takes long to compile with sanitizers. Its buffers are those of thinwire-host, whose
# ClientHello of TLS 1.3 states their size: recorded servers answer that one.
file(GLOB secure_headers CONFIGURE_DEPENDS "${SECURE_DIR}/*.[ch]" "${SECURE_DIR}/mbedtls/*.h")
list(APPEND core_headers ${secure_headers})
set(secure_flags -w -fsanitize-coverage=trace-cmp "-I${SECURE_DIR}/mbedtls" "-I${MBEDTLS_SOURCE}/include"
    "-DMBEDTLS_CONFIG_FILE=\"tw_mbedtls_config.h\"" -DTW_SECURE_IN_BYTES=16384 -DTW_SECURE_OUT_BYTES=16384)
set(mbedtls_objects)
foreach(source ${mbedtls_sources})
  get_filename_component(name "${source}" NAME_WE)
  list(APPEND mbedtls_objects "${name}.o")
endforeach()
foreach(kind checks coverage)
  set(folder "${CMAKE_BINARY_DIR}/fuzz-${kind}/mbedtls")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT "${folder}/libmbedtls.a"
    # An empty name is compared by memcmp(NULL, NULL, 0).
    COMMAND ${FUZZ_CLANG} ${fuzz_flags} -fsanitize=fuzzer-no-link ${fuzz_${kind}}
            -fno-sanitize=nonnull-attribute ${secure_flags} -c ${mbedtls_sources}
    COMMAND ${CMAKE_AR} rcs libmbedtls.a ${mbedtls_objects}
    DEPENDS "${SECURE_DIR}/mbedtls/tw_mbedtls_config.h" "${SECURE_DIR}/mbedtls/tw_psa_config.h"
    WORKING_DIRECTORY "${folder}"
    VERBATIM)
endforeach()
set(secure_sources "${SECURE_DIR}/resumption_record.c" "${SECURE_DIR}/reasons.c" "${SECURE_DIR}/tls13.c"
    "${credentials}")
foreach(fuzzer fuzz_secure fuzz_resumption)
  add_fuzzer(${fuzzer} LATE
    SOURCES "${fuzz_dir}/secure/${fuzzer}.c" ${secure_sources}
    FLAGS ${secure_flags}
    BESIDE mbedtls/libmbedtls.a)
endforeach()

# Records servers for fuzz_secure (secure/make_corpus.py).
set(recorder "${CMAKE_BINARY_DIR}/record_secure")
add_custom_command(
  OUTPUT "${recorder}"
  COMMAND ${FUZZ_CLANG} ${fuzz_flags} -fsanitize=fuzzer-no-link ${fuzz_checks} ${secure_flags} -o "${recorder}"
          "${fuzz_dir}/secure/record.c" ${secure_sources} "${CMAKE_BINARY_DIR}/fuzz-checks/mbedtls/libmbedtls.a"
          "${CMAKE_BINARY_DIR}/fuzz-checks/libshared.a"
  DEPENDS "${fuzz_dir}/secure/record.c" "${fuzz_dir}/secure/fuzz_secure.c" ${secure_sources} ${core_headers}
          "${CMAKE_BINARY_DIR}/fuzz-checks/mbedtls/libmbedtls.a"
  VERBATIM)
add_custom_target(recorder DEPENDS "${recorder}")
add_dependencies(recorder fuzz_shared_checks)
