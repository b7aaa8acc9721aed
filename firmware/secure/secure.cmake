# The security layer of a board's build. Defines the interface library `secure_mbedtls` (headers and
# configuration of mbedTLS), the object library `mbedtls`, and the list SECURE_SOURCES of what a build
# with the layer compiles; one without it takes ${SECURE_DIR}/none.c instead.
#
# THINWIRE_CREDENTIALS and THINWIRE_CREDENTIALS_KIND: what the device trusts and is (credentials.py).
get_filename_component(SECURE_DIR "${CMAKE_CURRENT_LIST_DIR}" ABSOLUTE)
get_filename_component(secure_root "${SECURE_DIR}/../.." ABSOLUTE)
set(MBEDTLS_SOURCE "${secure_root}/build/src/mbedtls" CACHE PATH "mbedTLS 3.6 source tree")
set(THINWIRE_CREDENTIALS "${secure_root}/data/tls" CACHE PATH "folder as data/tls")
set(THINWIRE_CREDENTIALS_KIND ec CACHE STRING "its subfolder with the device's own certificate")

if(NOT EXISTS "${MBEDTLS_SOURCE}/library/ssl_tls.c")
    message(FATAL_ERROR "no mbedTLS source in ${MBEDTLS_SOURCE}; run setup/fetch or set MBEDTLS_SOURCE")
endif()

find_program(PYTHON3 python3 REQUIRED)
file(GLOB credential_files CONFIGURE_DEPENDS "${THINWIRE_CREDENTIALS}/*/*.pem"
     "${THINWIRE_CREDENTIALS}/*/client.key" "${THINWIRE_CREDENTIALS}/psk.txt")
set(credentials "${CMAKE_CURRENT_BINARY_DIR}/credentials.c")
add_custom_command(OUTPUT "${credentials}"
    COMMAND ${PYTHON3} -B "${SECURE_DIR}/credentials.py" "${THINWIRE_CREDENTIALS}"
            ${THINWIRE_CREDENTIALS_KIND} > "${credentials}"
    DEPENDS "${SECURE_DIR}/credentials.py" ${credential_files}
    VERBATIM)
set(SECURE_SOURCES "${SECURE_DIR}/reasons.c" "${SECURE_DIR}/secure.c" "${SECURE_DIR}/session.c"
    "${credentials}")

add_library(secure_mbedtls INTERFACE)
target_include_directories(secure_mbedtls INTERFACE "${SECURE_DIR}/mbedtls")
target_include_directories(secure_mbedtls SYSTEM INTERFACE "${MBEDTLS_SOURCE}/include")
target_compile_definitions(secure_mbedtls INTERFACE
    MBEDTLS_CONFIG_FILE="tw_mbedtls_config.h")

file(GLOB mbedtls_sources "${MBEDTLS_SOURCE}/library/*.c")
add_library(mbedtls OBJECT ${mbedtls_sources})
target_compile_options(mbedtls PRIVATE -w)
target_link_libraries(mbedtls PUBLIC secure_mbedtls)
