# The security layer of a board's build. Defines the function add_mbedtls and SECURE_SOURCES, the sources of a build
# with the layer; a build without it compiles ${SECURE_DIR}/no_tls.c instead.
#
# THINWIRE_CREDENTIALS and THINWIRE_CREDENTIALS_KIND: the device's trust anchors and its own credentials
# (credentials.py).
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
set(SECURE_SOURCES "${SECURE_DIR}/rng.c" "${SECURE_DIR}/resumption.c" "${SECURE_DIR}/resumption_record.c"
    "${SECURE_DIR}/reasons.c" "${SECURE_DIR}/secure.c" "${SECURE_DIR}/session.c" "${SECURE_DIR}/tls13.c"
    "${credentials}")

# mbedTLS for these versions of TLS, 12 or 13, and with these definitions (tw_mbedtls_config.h): the
# interface library secure_NAME (headers and configuration) and the object library NAME.
file(GLOB mbedtls_sources "${MBEDTLS_SOURCE}/library/*.c")
function(add_mbedtls name least most)
    add_library(secure_${name} INTERFACE)
    target_include_directories(secure_${name} INTERFACE "${SECURE_DIR}/mbedtls")
    target_include_directories(secure_${name} SYSTEM INTERFACE "${MBEDTLS_SOURCE}/include")
    target_compile_definitions(secure_${name} INTERFACE
        MBEDTLS_CONFIG_FILE="tw_mbedtls_config.h" TW_TLS_LEAST=${least} TW_TLS_MOST=${most} ${ARGN})
    add_library(${name} OBJECT ${mbedtls_sources})
    target_compile_options(${name} PRIVATE -w)
    target_link_libraries(${name} PUBLIC secure_${name})
endfunction()
