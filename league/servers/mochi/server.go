// Server is an MQTT broker: mochi-mqtt with its defaults, which keeps sessions in memory.
package main

import (
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"

	mqtt "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/hooks/auth"
	"github.com/mochi-mqtt/server/v2/listeners"
)

func main() {
	address := net.JoinHostPort(os.Args[1], os.Args[2])
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	server := mqtt.New(nil)
	if err := server.AddHook(new(auth.AllowHook), nil); err != nil {
		log.Fatal("cannot admit clients: ", err)
	}
	listener := listeners.NewTCP(listeners.Config{ID: "tcp", Address: address})
	if err := server.AddListener(listener); err != nil {
		log.Fatal("cannot listen: ", err)
	}
	if err := server.Serve(); err != nil {
		log.Fatal("cannot serve: ", err)
	}
	<-stop
	if err := server.Close(); err != nil {
		log.Fatal("cannot close: ", err)
	}
}
