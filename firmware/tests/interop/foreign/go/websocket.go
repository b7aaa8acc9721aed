package main

import (
	"net"
	"net/http"
	"os"
	"time"

	"github.com/gorilla/websocket"
)

// serveWebSocket prints what comes, or sends `count` messages and ends once a Pong shows that all were read.
func serveWebSocket(port string, count int) error {
	listener, err := net.Listen("tcp4", "0.0.0.0:"+port)
	if err != nil {
		return err
	}
	ready()
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		socket, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer socket.Close()
		socket.SetPongHandler(func(string) error { os.Exit(0); return nil })
		for seq := 0; seq < count; seq++ {
			if err := socket.WriteMessage(websocket.TextMessage, payload(seq)); err != nil {
				fail(err)
			}
		}
		if count > 0 {
			socket.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Minute))
		}
		for {
			_, message, err := socket.ReadMessage()
			if err != nil {
				return
			}
			arrived(message)
		}
	}))
}
