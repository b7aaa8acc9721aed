// Client publishes a reading each 500 ms for 20 s at QoS 1, over paho.mqtt.golang, which reconnects
// and sends again what the broker has not acknowledged.
package main

import (
	"fmt"
	"net"
	"os"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"
)

const (
	messages    = 40
	interval    = 500 * time.Millisecond
	longestWait = 9 * time.Second
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: client SERVER PORT ID TOPIC")
		os.Exit(2)
	}
	address, id, topic := net.JoinHostPort(os.Args[1], os.Args[2]), os.Args[3], os.Args[4]
	options := mqtt.NewClientOptions().AddBroker("tcp://" + address).SetClientID(id)
	options.SetCleanSession(false).SetMaxReconnectInterval(time.Second)
	options.OnConnectionLost = func(_ mqtt.Client, reason error) {
		fmt.Println("disconnected:", reason)
	}
	client := mqtt.NewClient(options)
	if token := client.Connect(); token.Wait() && token.Error() != nil {
		fmt.Fprintln(os.Stderr, "cannot connect:", token.Error())
		os.Exit(1)
	}
	var sent []mqtt.Token
	for number := 1; number <= messages; number++ {
		text := fmt.Sprintf(`{"reading":%d,"celsius":21.5}`, number)
		sent = append(sent, client.Publish(topic, 1, false, text))
		time.Sleep(interval)
	}
	deadline := time.Now().Add(longestWait)
	acknowledged := 0
	for _, token := range sent {
		if token.WaitTimeout(time.Until(deadline)) && token.Error() == nil {
			acknowledged++
		}
	}
	fmt.Println(acknowledged, "of", messages, "acknowledged")
	client.Disconnect(250)
	if acknowledged < messages {
		os.Exit(1)
	}
}
