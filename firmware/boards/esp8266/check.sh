#!/bin/bash
# Compiles the board's sources against the headers of the Arduino core, without PlatformIO.
#
#   [LIBRARIES=FOLDER] check.sh ARDUINO LIBSTDCXX...
#
# FOLDER/NAME is a checkout of the library of the environment NAME, as platformio.ini pins it: its adapter and its own
# sources are compiled, too. Without FOLDER neither is. It prints the size of the layer of firmware/secure in bytes
# for each version of TLS, and that of OSCORE; both need mbedTLS (setup/fetch). ARDUINO is a checkout of esp8266/Arduino
# 3.1.2; each LIBSTDCXX is a folder with C++ standard library headers. The sketch's objects are linked with each other,
# once without and once with OSCORE; unresolved.py looks for each undefined symbol in the SDK's libraries and the core.
# Exit status 0 when all compiles and no symbol is missing.
set -euo pipefail
if [ $# -lt 2 ]; then
    echo "thinwire: error: check.sh: wants ARDUINO and LIBSTDCXX; see its first lines" >&2
    exit 2
fi
arduino=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
firmware=$(cd "$here/../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# What picolibc lacks of Espressif's C library, and what the host's C++ headers need of glibc.
mkdir "$out/sys"
cat >"$out/sys/pgmspace.h" <<'END'
#pragma once
#include <string.h>
#define PROGMEM
#define PGM_P const char *
#define PGM_VOID_P const void *
#define PSTR(text) (text)
#define pgm_read_byte(at) (*(const unsigned char *)(at))
#define pgm_read_byte_near pgm_read_byte
#define memcpy_P memcpy
#define strlen_P strlen
#define strcpy_P strcpy
END

mkdir "$out/bits"
echo '#include <bits/gthr-single.h>' >"$out/bits/gthr-default.h"
echo '#define __GLIBC_PREREQ(major, minor) 0' >"$out/features.h"

specs=$(find /usr/lib -name picolibc.specs -path '*lx106*' | head -n 1)
common=(
    "--specs=$specs" -Os -mlongcalls -mtext-section-literals -Wall -Wextra -Werror
    -U__STRICT_ANSI__ -D_GNU_SOURCE -D__ets__ -DICACHE_FLASH -DLWIP_OPEN_SRC -DF_CPU=80000000L
    -DARDUINO=10805 -DARDUINO_ARCH_ESP8266 -DESP8266 -DNONOSDK22x_190703=1
    '-DARDUINO_BOARD="check"' '-DARDUINO_BOARD_ID="check"' -DFLASHMODE_DIO
    -DUMM_STATS_FULL -DXCHAL_INSTRAM0_VADDR=0x40000000 -DXCHAL_INSTRAM1_VADDR=0x40100000
    -DXCHAL_INSTROM0_VADDR=0x40200000 -DMMU_IRAM_SIZE=0x8000 -DMMU_ICACHE_SIZE=0x8000
    -DTCP_MSS=1460 -DLWIP_FEATURES=1 -DLWIP_IPV6=0
    "-I$firmware" -isystem "$out"
    -isystem "$arduino/tools/sdk/include" -isystem "$arduino/cores/esp8266"
    -isystem "$arduino/tools/sdk/lwip2/include" -isystem "$arduino/variants/nodemcu"
    -isystem "$arduino/libraries/ESP8266WiFi/src"
)
library=()
for folder in "$@"; do
    library+=(-isystem "$folder")
done

# The flags [sleep] of platformio.ini. The images without them are compiled below, with OSCORE.
sleep=(-DTW_DEEP_SLEEP -DTW_DHCP)

# OSCORE's objects, which want its primitives, are linked with the environment that has them.
mapfile -t core < <(find "$firmware/core" -name '*.c' ! -path '*/oscore/*' | sort)
for source in "${core[@]}" "$firmware"/net/lwip_*.c "$firmware"/secure/no_tls.c "$here"/src/*.c; do
    xtensa-lx106-elf-gcc "${common[@]}" "${sleep[@]}" -std=gnu17 -c "$source" -o "$out/$(basename "$source").o"
done
for source in "$here"/src/*.cpp; do
    xtensa-lx106-elf-g++ "${common[@]}" "${sleep[@]}" "${library[@]}" -std=gnu++17 -fno-rtti -fno-exceptions -c "$source" \
        -o "$out/$(basename "$source").o"
done
python3 -B "$here/unresolved.py" "$arduino" "$out"/*.o
for source in "$firmware"/libraries/*.c; do
    xtensa-lx106-elf-gcc "${common[@]}" -std=gnu17 -fsyntax-only "$source"
done
for source in ${LIBRARIES:+"$firmware"/libraries/*.cpp}; do
    # Without an environment: for the board lx106 only.
    grep -q "^\[env:$(basename "$source" .cpp)\]" "$here/platformio.ini" || continue
    checkout=$LIBRARIES/$(basename "$source" .cpp)
    if [ ! -d "$checkout" ]; then
        echo "thinwire: error: check.sh: no library in $checkout; check it out as platformio.ini pins it" >&2
        exit 2
    fi
    own=(-isystem "$checkout" -isystem "$checkout/src" -DMQTT_MAX_PACKET_SIZE=1536 -DMQTT_KEEPALIVE=60 -DTW_RELEASE=check)
    xtensa-lx106-elf-g++ "${common[@]}" "${library[@]}" "${own[@]}" -std=gnu++17 -fno-rtti -fno-exceptions -fsyntax-only "$source"
    # Of warnings in a library the core's builder makes this one an error; espcoap.py says what that environment builds instead.
    case $checkout in
    */espcoap) sources=("$checkout/coap_client.cpp") strict=(-w) ;;
    *)
        mapfile -t sources < <(find "$checkout/src" -name '*.cpp' -o -name '*.c' | sort)
        strict=(-Wno-error -Wno-all -Wno-extra -Wno-deprecated-declarations -Werror=return-type)
        ;;
    esac
    for each in "${sources[@]}"; do
        case $each in
        *.c) xtensa-lx106-elf-gcc "${common[@]}" "${own[@]}" "${strict[@]}" -std=gnu17 -fsyntax-only "$each" ;;
        *) xtensa-lx106-elf-g++ "${common[@]}" "${library[@]}" "${own[@]}" -isystem "$arduino/libraries/Hash/src" "${strict[@]}" \
            -std=gnu++17 -fno-rtti -fno-exceptions -fsyntax-only "$each" ;;
        esac
    done
    echo "library $(basename "$checkout"): its adapter and ${#sources[@]} sources compile"
done
if [ -z "${LIBRARIES:-}" ]; then
    echo "no library, nor its adapter, was compiled: LIBRARIES names no folder of checkouts"
fi

# sizes NAME OBJECT...: what the objects take, in bytes.
sizes() {
    local name=$1
    shift
    xtensa-lx106-elf-size -A "$@" | awk -v name="$name" '
        $1 ~ /^\.(text|literal|irom)/ { code += $2 }
        $1 ~ /^\.rodata/ { constants += $2 }
        $1 ~ /^\.(data|bss)/ { variables += $2 }
        END { printf "%s: %d bytes of code, %d of constants, %d of variables\n", name, code, constants, variables }'
}

mbedtls=$firmware/../build/src/mbedtls
if [ ! -e "$mbedtls/library/ssl_tls.c" ]; then
    echo "thinwire: error: check.sh: no mbedTLS source in $mbedtls; run setup/fetch" >&2
    exit 2
fi
python3 -B "$firmware/secure/credentials.py" "$firmware/../data/tls" ec >"$out/credentials.c"
for version in 12 13; do
    layer=$out/tls$version
    mkdir "$layer"
    secure=(
        "-DTW_TLS_LEAST=$version" "-DTW_TLS_MOST=$version" '-DMBEDTLS_CONFIG_FILE="tw_mbedtls_config.h"'
        "-I$firmware/secure/mbedtls" -isystem "$mbedtls/include"
        "${sleep[@]}" -std=gnu17 -ffunction-sections -fdata-sections
    )
    for source in "${core[@]}"; do
        xtensa-lx106-elf-gcc "${common[@]}" "${secure[@]}" -fsyntax-only "$source"
    done
    for source in "$firmware"/secure/{rng,resumption,resumption_record,reasons,secure,session,tls13}.c "$out/credentials.c"; do
        xtensa-lx106-elf-gcc "${common[@]}" "${secure[@]}" -c "$source" -o "$layer/$(basename "$source").o"
    done
    for source in "$mbedtls"/library/*.c; do
        xtensa-lx106-elf-gcc "${common[@]}" "${secure[@]}" -w -c "$source" -o "$layer/mbedtls_$(basename "$source").o"
    done
    xtensa-lx106-elf-gcc -r -nostdlib -Wl,--gc-sections,-u,tw_secure_board,-u,tw_secure_on_open,-u,tw_secure_on_bytes \
        -Wl,-u,tw_secure_on_close,-u,tw_secure_on_room,-u,tw_secure_poll,-u,tw_secure_computes "$layer"/*.o -o "$out/layer.o"
    sizes "layer, TLS $version" "$out/layer.o"
done

# The environment with OSCORE: its core, the sketch, the primitives.
oscore=$out/oscore
mkdir "$oscore"
own=(-DTW_OSCORE '-DMBEDTLS_CONFIG_FILE="tw_oscore_config.h"' "-I$firmware/secure/mbedtls" -isystem "$mbedtls/include")
python3 -B "$firmware/secure/oscore_credentials.py" "$firmware/../data/oscore/settings.json" >"$out/oscore_credentials.c"
for source in "${core[@]}" "$firmware"/core/protocols/oscore/*.c "$firmware"/net/lwip_*.c \
    "$here"/src/*.c "$firmware"/secure/{no_tls,oscore_crypto}.c "$out/oscore_credentials.c"; do
    xtensa-lx106-elf-gcc "${common[@]}" "${own[@]}" -std=gnu17 -c "$source" -o "$oscore/$(basename "$source").o"
done
read -ra primitives < <(sed -n 's/^set(MBEDTLS_OSCORE_SOURCES \(.*\))$/\1/p' "$firmware/secure/oscore.cmake")
for source in "${primitives[@]}"; do
    xtensa-lx106-elf-gcc "${common[@]}" "${own[@]}" -std=gnu17 -w -c "$mbedtls/library/$source.c" -o "$oscore/mbedtls_$source.c.o"
done
for source in "$here"/src/*.cpp; do
    xtensa-lx106-elf-g++ "${common[@]}" "${library[@]}" "${own[@]}" -std=gnu++17 -fno-rtti -fno-exceptions -c "$source" \
        -o "$oscore/$(basename "$source").o"
done
sizes "OSCORE with its primitives" "$oscore"/{oscore*,mbedtls_*}.o
python3 -B "$here/unresolved.py" "$arduino" "$oscore"/*.o
echo "all sources compile"
