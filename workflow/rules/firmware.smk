# Firmware of the virtual board and the compiled parts of the laboratory.


rule firmware_lx106:
    input:
        sources(
            "firmware/core/**/*.[ch]",
            "firmware/net/*.[ch]",
            "firmware/secure/**/*",
            "firmware/boards/lx106/**/*",
            "firmware/arduino/*.cmake",
            "firmware/rtos/*.cmake",
            "data/tls/**/*",
            "data/oscore/*",
        ),
        "build/src/lwip/.sha256",
        "build/src/mbedtls/.sha256",
    output:
        elf="build/firmware/lx106/thinwire.elf",
        secure="build/firmware/lx106/thinwire-secure.elf",
        tls13="build/firmware/lx106/thinwire-tls13.elf",
        mqtt5="build/firmware/lx106/thinwire-mqtt5.elf",
        mqtt5_secure="build/firmware/lx106/thinwire-mqtt5-secure.elf",
        mqtt5_tls13="build/firmware/lx106/thinwire-mqtt5-tls13.elf",
        dhcp="build/firmware/lx106/thinwire-dhcp.elf",
        oscore="build/firmware/lx106/thinwire-oscore.elf",
    log:
        "results/logs/firmware_lx106.log",
    threads: 2
    resources:
        mem_mb=500,
    message:
        "Building the firmware for the ESP8266's CPU"
    shell:
        "(setup/configure firmware/boards/lx106 build/firmware/lx106"
        " && cmake --build build/firmware/lx106 -j {threads}"
        " --target thinwire thinwire-secure thinwire-tls13 thinwire-mqtt5"
        " thinwire-mqtt5-secure thinwire-mqtt5-tls13 thinwire-dhcp thinwire-oscore"
        " && touch {output:q}) >{log:q} 2>&1"


# One build at a time in a folder: this one waits for the images that most trials need, and locks the folder. A
# library's source may have come after the folder was configured.
rule firmware_library:
    input:
        sources(
            "firmware/libraries/**/*", "firmware/arduino/**/*", "firmware/rtos/**/*"
        ),
        "build/firmware/lx106/thinwire.elf",
    output:
        "build/firmware/lx106/thinwire-{library}.elf",
    log:
        "results/logs/firmware_library_{library}.log",
    wildcard_constraints:
        library="|".join(libraries.on("lx106")),
    threads: 2
    resources:
        mem_mb=500,
    message:
        "Building the firmware with {wildcards.library} in the engines' place"
    shell:
        "(flock build/firmware/lx106 setup/configure firmware/boards/lx106 build/firmware/lx106"
        " && flock build/firmware/lx106 cmake --build build/firmware/lx106 -j {threads}"
        " --target thinwire-{wildcards.library:q} && touch {output:q}) >{log:q} 2>&1"


if PLAN.zephyr:

    rule firmware_zephyr:
        input:
            sources(
                "firmware/core/**/*.[ch]",
                "firmware/net/*.[ch]",
                "firmware/secure/**/*",
                "firmware/boards/zephyr/**/*",
                "data/tls/**/*",
            ),
            "build/src/mbedtls/.sha256",
            "setup/zephyr/requirements.txt",
        output:
            BOARDS["zephyr"].runs(),
        log:
            "results/logs/firmware_zephyr.log",
        threads: 2
        resources:
            mem_mb=500,
        params:
            tree=str(PLAN.zephyr),
        message:
            "Building the firmware for Zephyr"
        shell:
            "firmware/boards/zephyr/build {params.tree:q} >{log:q} 2>&1"


if PLAN.measures_sizes:

    rule firmware_sizes:
        input:
            elf="build/firmware/lx106/thinwire.elf",
        output:
            SIZES,
        log:
            "results/logs/firmware_sizes.log",
        localrule: True
        threads: 2
        resources:
            mem_mb=500,
        message:
            "Measuring flash and RAM of each engine"
        shell:
            "(flock build/firmware/lx106 cmake --build build/firmware/lx106 -j {threads} --target sizes"
            " && touch {output:q}) >{log:q} 2>&1"


rule dtls:
    input:
        sources(
            "hil/peers/dtls/*",
            "firmware/secure/secure.cmake",
            "firmware/secure/mbedtls/*",
        ),
        "build/src/mbedtls/.sha256",
    output:
        "build/dtls/dtls-terminator",
    log:
        "results/logs/dtls.log",
    threads: 2
    resources:
        mem_mb=500,
    message:
        "Building the DTLS server with connection IDs"
    shell:
        "(setup/configure hil/peers/dtls build/dtls"
        " && cmake --build build/dtls -j {threads} && touch {output:q}) >{log:q} 2>&1"


SIM_CODE = sources(
    "sim/CMakeLists.txt",
    "sim/**/CMakeLists.txt",
    "sim/**/*.cc",
    "sim/**/*.h",
    "sim/**/*.hpp",
    "sim/**/*.hpp.in",
    "sim/**/*.schema.json",
)


rule cell:
    input:
        SIM_CODE,
        "build/src/mbedtls/.sha256",
    output:
        air="build/sim/air/air",
        board="build/sim/lx106/lx106",
        wire="build/sim/wire/wire",
    log:
        "results/logs/cell.log",
    threads: 2
    resources:
        mem_mb=2000,
    message:
        "Building the 802.11 cell, the LX106's emulator and the injector of faults"
    shell:
        "(setup/configure sim build/sim -DCMAKE_BUILD_TYPE=Release"
        " && cmake --build build/sim -j {threads} --target air lx106 wire && touch {output:q}) >{log:q} 2>&1"


# One build at a time in a folder: this one waits for the cell, which every trial needs first.
rule simulators:
    input:
        "build/sim/air/air",
        SIM_CODE,
    output:
        figures="build/sim/air/air-figures",
        nbiot="build/sim/nbiot/nbiot",
        lockstep="build/sim/lx106/lx106-lockstep",
    log:
        "results/logs/simulators.log",
    threads: 2
    resources:
        mem_mb=2000,
    message:
        "Building the NB-IoT simulation, the cell's validation and the emulator's"
    shell:
        "(cmake --build build/sim -j {threads} --target air-figures nbiot lx106-lockstep && touch {output:q})"
        " >{log:q} 2>&1"


rule fork_server:
    # A session that dissects many captures starts tshark once.
    input:
        "workflow/wireshark/forkserver/forkserver.h",
        library="workflow/wireshark/forkserver/forkserver.c",
        request="workflow/wireshark/forkserver/request.c",
    output:
        library="build/wireshark/forkserver.so",
        request="build/wireshark/request",
    log:
        "results/logs/fork_server.log",
    resources:
        mem_mb=100,
    message:
        "Building the fork server of tshark"
    shell:
        "{{ cc -std=gnu11 -D_GNU_SOURCE -O2 -shared -fPIC -o {output.library:q} {input.library:q}"
        " && cc -std=gnu11 -D_GNU_SOURCE -O2 -o {output.request:q} {input.request:q}; }} 2>{log:q}"
