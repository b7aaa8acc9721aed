// peers KIND ROLE WHERE [COUNT]: the foreign peers that Go builds.
//
//	mqtt serve PORT           the broker mochi-mqtt
//	websocket serve PORT      gorilla/websocket: prints what comes
//	websocket send PORT COUNT gorilla/websocket: sends to whoever connects
//	http serve PORT           net/http: prints what is posted
//	http send ADDRESS COUNT   net/http: posts to /a, connections kept
//
// A server prints `ready` once it can be reached, then a line for each message.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

// payload is one of 30 bytes as firmware/core/app/workload.h has it.
func payload(seq int) []byte {
	text := fmt.Sprintf("peer1 %d 1 ", seq)
	for len(text) < 30 {
		text += "."
	}
	return []byte(text)
}

var printing sync.Mutex

func arrived(message []byte) {
	printing.Lock()
	defer printing.Unlock()
	os.Stdout.Write(append(message, '\n'))
}

func ready() { fmt.Println("ready") }

func fail(err error) {
	fmt.Fprintln(os.Stderr, "thinwire: error: peers:", err)
	os.Exit(1)
}

func main() {
	words := append(os.Args[1:], "", "", "", "")
	where, kind := words[2], words[0]+" "+words[1]
	count, _ := strconv.Atoi(words[3])
	var err error
	switch kind {
	case "mqtt serve":
		err = serveMqtt(where)
	case "websocket serve":
		err = serveWebSocket(where, 0)
	case "websocket send":
		err = serveWebSocket(where, count)
	case "http serve":
		err = serveHTTP(where)
	case "http send":
		err = sendHTTP(where, count)
	default:
		err = fmt.Errorf("no such peer: %s; the first lines of main.go say which", kind)
	}
	if err != nil {
		fail(err)
	}
}
