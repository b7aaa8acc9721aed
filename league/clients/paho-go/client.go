// Client is the league's workload at QoS 1 over paho.mqtt.golang, with the library's defaults and
// a kept session.
package main

import (
	"fmt"
	"log"
	"net"
	"os"
	"regexp"
	"strconv"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"
)

func number(name string) int {
	value, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		log.Fatal(name, ": ", err)
	}
	return value
}

// memory returns the largest resident memory of this process, in KiB.
func memory() string {
	status, _ := os.ReadFile("/proc/self/status")
	return regexp.MustCompile(`VmHWM:\s+(\d+)`).FindStringSubmatch(string(status))[1]
}

func main() {
	address, id, topic := net.JoinHostPort(os.Args[1], os.Args[2]), os.Args[3], os.Args[4]
	messages, size := number("MESSAGES"), number("PAYLOAD_BYTES")
	interval := time.Duration(number("INTERVAL_MS")) * time.Millisecond
	deadline := time.Now().Add(time.Duration(number("DURATION_S")-1) * time.Second)
	options := mqtt.NewClientOptions().AddBroker("tcp://" + address).SetClientID(id)
	client := mqtt.NewClient(options.SetCleanSession(false))
	if token := client.Connect(); token.Wait() && token.Error() != nil {
		log.Fatal("cannot connect: ", token.Error())
	}
	var sent []mqtt.Token
	var longest time.Duration
	for n := 1; n <= messages; n++ {
		before := time.Now()
		sent = append(sent, client.Publish(topic, 1, false, fmt.Sprintf("%-*d", size, n)))
		longest = max(longest, time.Since(before))
		time.Sleep(interval)
	}
	acknowledged, refused := 0, 0
	for _, token := range sent {
		if !token.WaitTimeout(time.Until(deadline)) {
			continue
		}
		if token.Error() == nil {
			acknowledged++
		} else {
			refused++
		}
	}
	fmt.Printf("longest_call_ms=%d memory_kib=%s\n", longest.Milliseconds(), memory())
	fmt.Printf("acknowledged=%d refused=%d\n", acknowledged, refused)
}
