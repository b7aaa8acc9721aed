// pion ends DTLS 1.2 with connection IDs (RFC 9146) before a server of plain UDP, by pion/dtls: a
// second implementation beside the laboratory's own, with the same command line.
//
//	pion ADDRESS PORT INSIDE CID_BYTES psk IDENTITY HEX
//	pion ADDRESS PORT INSIDE CID_BYTES certificate CHAIN KEY
//
// Each association has a socket of its own to the server at port INSIDE, so that this can tell
// devices apart. With 0 for CID_BYTES the server has no connection IDs.
package main

import (
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/pion/dtls/v3"
)

// The largest datagram over IPv4.
const datagramBytes = 65507

func fail(err error) {
	fmt.Fprintln(os.Stderr, "thinwire: error: pion:", err)
	os.Exit(2)
}

// credentials returns the options for how the device knows the server.
func credentials(kind, first, second string) ([]dtls.ServerOption, error) {
	switch kind {
	case "psk":
		key, err := hex.DecodeString(second)
		if err != nil {
			return nil, fmt.Errorf("the key is not hexadecimal: %w", err)
		}
		return []dtls.ServerOption{
			dtls.WithCipherSuites(dtls.TLS_PSK_WITH_AES_128_CCM_8),
			dtls.WithPSK(func(identity []byte) ([]byte, error) {
				if string(identity) != first {
					return nil, errors.New("unknown identity")
				}
				return key, nil
			}),
		}, nil
	case "certificate":
		pair, err := tls.LoadX509KeyPair(first, second)
		if err != nil {
			return nil, err
		}
		return []dtls.ServerOption{
			dtls.WithCipherSuites(dtls.TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8),
			dtls.WithCertificates(pair),
		}, nil
	}
	return nil, fmt.Errorf("%s is neither psk nor certificate", kind)
}

// pass moves datagrams between an association and a socket of its own until one of them ends.
func pass(association net.Conn, inside string) {
	defer association.Close()
	server, err := net.Dial("udp", inside)
	if err != nil {
		fail(err)
	}
	defer server.Close()
	go func() {
		defer association.Close()
		copyDatagrams(association, server)
	}()
	copyDatagrams(server, association)
}

func copyDatagrams(to, from net.Conn) {
	buffer := make([]byte, datagramBytes)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func main() {
	if len(os.Args) != 8 {
		fail(errors.New("give ADDRESS PORT INSIDE CID_BYTES, and psk IDENTITY HEX or certificate CHAIN KEY"))
	}
	port, err := strconv.ParseUint(os.Args[2], 10, 16)
	if err != nil {
		fail(err)
	}
	cidBytes, err := strconv.ParseUint(os.Args[4], 10, 8)
	if err != nil {
		fail(err)
	}
	options, err := credentials(os.Args[5], os.Args[6], os.Args[7])
	if err != nil {
		fail(err)
	}
	if cidBytes > 0 {
		options = append(options, dtls.WithConnectionIDGenerator(dtls.RandomCIDGenerator(int(cidBytes))))
	}
	own := &net.UDPAddr{IP: net.ParseIP(os.Args[1]), Port: int(port)}
	listener, err := dtls.ListenWithOptions("udp", own, options...)
	if err != nil {
		fail(err)
	}
	inside := net.JoinHostPort(os.Args[1], os.Args[3])
	for {
		association, err := listener.Accept()
		if err != nil {
			fail(err)
		}
		go pass(association, inside)
	}
}
