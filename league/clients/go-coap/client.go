// Client is the league's workload as confirmable POST over go-coap, with the library's defaults.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/plgd-dev/go-coap/v3/message"
	"github.com/plgd-dev/go-coap/v3/udp"
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
	address, path := net.JoinHostPort(os.Args[1], os.Args[2]), "/"+os.Args[4]
	messages, size := number("MESSAGES"), number("PAYLOAD_BYTES")
	interval := time.Duration(number("INTERVAL_MS")) * time.Millisecond
	span := time.Duration(number("DURATION_S")-1) * time.Second
	client, err := udp.Dial(address)
	if err != nil {
		log.Fatal("cannot open a socket: ", err)
	}
	until, cancel := context.WithTimeout(context.Background(), span)
	defer cancel()
	var all sync.WaitGroup
	var lock sync.Mutex
	acknowledged, refused := 0, 0
	for n := 1; n <= messages; n++ {
		all.Add(1)
		go func() {
			defer all.Done()
			text := strings.NewReader(fmt.Sprintf("%-*d", size, n))
			_, err := client.Post(until, path, message.TextPlain, text)
			lock.Lock()
			defer lock.Unlock()
			if err == nil {
				acknowledged++
			} else if until.Err() == nil {
				refused++
				fmt.Println("refused:", err)
			}
		}()
		time.Sleep(interval)
	}
	all.Wait()
	fmt.Println("memory_kib=" + memory())
	fmt.Printf("acknowledged=%d refused=%d\n", acknowledged, refused)
}
