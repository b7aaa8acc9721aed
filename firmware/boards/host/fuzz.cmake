# libFuzzer targets: one program per file of firmware/tests/fuzz, when the compiler is Clang or a
# Clang is installed. ctest replays the corpus and fuzzes for two seconds; firmware/tests/fuzz.sh
# runs as long as asked.
find_program(FUZZ_CLANG NAMES clang)
if(NOT FUZZ_CLANG)
  message(WARNING "clang not found: no fuzzers")
  return()
endif()

set(fuzz_flags -std=c11 -g -O1 -Wall -Wextra -fsanitize=fuzzer,address,undefined
    -fno-sanitize-recover=all -I${core_dir} "-ffile-prefix-map=${root}=.")
file(GLOB core_headers CONFIGURE_DEPENDS "${core_dir}/*.h")
file(GLOB fuzzers CONFIGURE_DEPENDS "${tests_dir}/fuzz/fuzz_*.c")
set(fuzz_support "${tests_dir}/fuzz/drive.c")
foreach(fuzzer ${fuzzers})
  get_filename_component(name "${fuzzer}" NAME_WE)
  set(program "${CMAKE_BINARY_DIR}/${name}")
  add_custom_command(
    OUTPUT "${program}"
    COMMAND ${FUZZ_CLANG} ${fuzz_flags} -o "${program}" "${fuzzer}" ${fuzz_support} ${core_sources}
    DEPENDS "${fuzzer}" ${fuzz_support} "${tests_dir}/fuzz/drive.h" ${core_sources} ${core_headers}
    VERBATIM)
  add_custom_target(build_${name} ALL DEPENDS "${program}")
  add_test(NAME ${name} COMMAND "${tests_dir}/fuzz.sh" 2 "${CMAKE_BINARY_DIR}" ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 60)
endforeach()
