# The protocol engines of firmware/core and the definitions that leave some of them out.
set(THINWIRE_KNOWN_ENGINES amqp coap http mqtt mqttsn tcp udp websocket)

# Sets `result` to the definitions of a build with the given engines ("all": every one).
function(thinwire_engine_definitions result)
    set(definitions)
    if(NOT "${ARGN}" STREQUAL "all")
        foreach(engine IN LISTS ARGN)
            if(NOT engine IN_LIST THINWIRE_KNOWN_ENGINES)
                message(FATAL_ERROR "unknown engine '${engine}' in THINWIRE_ENGINES; "
                    "choose from: all ${THINWIRE_KNOWN_ENGINES}")
            endif()
        endforeach()
        foreach(engine IN LISTS THINWIRE_KNOWN_ENGINES)
            if(NOT engine IN_LIST ARGN)
                string(TOUPPER ${engine} upper)
                list(APPEND definitions TW_WITHOUT_${upper})
            endif()
        endforeach()
    endif()
    set(${result} ${definitions} PARENT_SCOPE)
endfunction()
