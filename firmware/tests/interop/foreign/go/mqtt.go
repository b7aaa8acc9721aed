package main

import (
	mqtt "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/hooks/auth"
	"github.com/mochi-mqtt/server/v2/listeners"
)

// serveMqtt runs the broker until it is ended.
func serveMqtt(port string) error {
	server := mqtt.New(nil)
	if err := server.AddHook(new(auth.AllowHook), nil); err != nil {
		return err
	}
	if err := server.AddListener(listeners.NewTCP("tcp", "0.0.0.0:"+port, nil)); err != nil {
		return err
	}
	if err := server.Serve(); err != nil {
		return err
	}
	ready()
	select {}
}
