package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// jobsManager answers on 8080, where the chart probes it. Like the real one it refuses to start without a client.
func jobsManager([]string) error {
	client := os.Getenv("CLIENT_ID")
	if client == "" {
		return errors.New("CLIENT_ID is not set")
	}
	fmt.Printf("jobs-manager: lab stand-in for client %s\n", client)
	return serve(":8080")
}

// requestsProxy is started as `python -m gunicorn --bind=HOST:PORT …`.
func requestsProxy(args []string) error {
	address := ":8888"
	for _, arg := range args {
		if bind, found := strings.CutPrefix(arg, "--bind="); found {
			address = bind
		}
	}
	fmt.Println("requests-proxy: lab stand-in")
	return serve(address)
}

// podsMonitor has no port; it stays until it is told to go.
func podsMonitor([]string) error {
	fmt.Println("pods-monitor: lab stand-in")
	<-terminated().Done()
	return nil
}

func serve(address string) error {
	http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("listening on %s\n", listener.Addr())
	server := &http.Server{}
	go func() {
		<-terminated().Done()
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// terminated ends on TERM: as process 1 a program that ignores it keeps its pod for the whole grace period.
func terminated() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	return ctx
}
