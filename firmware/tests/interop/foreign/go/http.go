package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
)

const parallel = 4

func serveHTTP(port string) error {
	listener, err := net.Listen("tcp4", "0.0.0.0:"+port)
	if err != nil {
		return err
	}
	ready()
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		arrived(body)
		w.WriteHeader(http.StatusNoContent)
	}))
}

func post(client *http.Client, url string, seq int) error {
	answer, err := client.Post(url, "text/plain", bytes.NewReader(payload(seq)))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusNoContent {
		return fmt.Errorf("message %d: status %s", seq, answer.Status)
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

func sendHTTP(address string, count int) error {
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: parallel, MaxIdleConnsPerHost: parallel}}
	var workers sync.WaitGroup
	numbers := make(chan int)
	for i := 0; i < parallel; i++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for seq := range numbers {
				if err := post(client, "http://"+address+"/a", seq); err != nil {
					fail(err)
				}
			}
		}()
	}
	for seq := 0; seq < count; seq++ {
		numbers <- seq
	}
	close(numbers)
	workers.Wait()
	return nil
}
