package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	mysqlData = "/var/lib/mysql"
	mysqlPort = "3306"
)

// mysql listens where the database would and leaves a trace in its data directory:
// `lab-starts` gets one line per start, so that a test sees whether the data survived,
// and `mysql.ibd` makes the directory look like one of MySQL 8, which the chart's format guard asks for.
func mysql([]string) error {
	starts, err := os.OpenFile(filepath.Join(mysqlData, "lab-starts"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o640)
	if err != nil {
		return err
	}
	defer starts.Close()
	if _, err := fmt.Fprintln(starts, time.Now().UTC().Format(time.RFC3339)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(mysqlData, "mysql.ibd"), []byte("tracebloc lab: no database\n"), 0o640); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", ":"+mysqlPort)
	if err != nil {
		return err
	}
	fmt.Printf("mysql: lab stand-in, listening on %s\n", listener.Addr())
	go func() {
		<-terminated().Done()
		os.Exit(0)
	}()
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		connection.Close()
	}
}

// mysqladmin answers the chart's probe, `mysqladmin ping -h HOST`, by a TCP connection.
func mysqladmin(args []string) error {
	host := "127.0.0.1"
	for i, arg := range args {
		if arg == "-h" && i+1 < len(args) {
			host = args[i+1]
		} else if value, found := strings.CutPrefix(arg, "--host="); found {
			host = value
		}
	}
	connection, err := net.DialTimeout("tcp", net.JoinHostPort(host, mysqlPort), 3*time.Second)
	if err != nil {
		return err
	}
	fmt.Println("mysqld is alive")
	return connection.Close()
}
