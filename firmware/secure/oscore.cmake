# What OSCORE (firmware/core/protocols/oscore) takes from outside of the core: its primitives by mbedTLS and the
# device's credentials. Include it after secure.cmake; it defines
#   OSCORE_SOURCES                 for a build with TW_OSCORE, compiled with an mbedTLS that has CCM and HKDF
#   MBEDTLS_OSCORE_SOURCES         the files of mbedTLS for OSCORE alone, by tw_oscore_config.h
#   add_oscore_crypto(NAME)        an object library of both: OSCORE without TLS
set(THINWIRE_OSCORE "${secure_root}/data/oscore/settings.json" CACHE FILEPATH "OSCORE's input parameters")
set(oscore_credentials "${CMAKE_CURRENT_BINARY_DIR}/oscore_credentials.c")
add_custom_command(OUTPUT "${oscore_credentials}"
    COMMAND ${PYTHON3} -B "${SECURE_DIR}/oscore_credentials.py" "${THINWIRE_OSCORE}" > "${oscore_credentials}"
    DEPENDS "${SECURE_DIR}/oscore_credentials.py" "${THINWIRE_OSCORE}"
    VERBATIM)
set(OSCORE_SOURCES "${SECURE_DIR}/oscore_crypto.c" "${oscore_credentials}")
set(MBEDTLS_OSCORE_SOURCES aes block_cipher ccm constant_time hkdf md platform_util sha256)
list(TRANSFORM MBEDTLS_OSCORE_SOURCES REPLACE "(.+)" "${MBEDTLS_SOURCE}/library/\\1.c")

function(add_oscore_crypto name)
    add_library(${name} OBJECT ${MBEDTLS_OSCORE_SOURCES} ${OSCORE_SOURCES})
    target_include_directories(${name} PRIVATE "${secure_root}/firmware" "${SECURE_DIR}/mbedtls")
    target_include_directories(${name} SYSTEM PRIVATE "${MBEDTLS_SOURCE}/include")
    target_compile_definitions(${name} PRIVATE MBEDTLS_CONFIG_FILE="tw_oscore_config.h")
    target_compile_options(${name} PRIVATE -w)
endfunction()
