// Command coredns is CoreDNS with the four plugins that the node's Corefile uses. All of its plugins would bring the clients of
// three clouds along, and two minutes of compiling.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/kubernetes"
)

func init() {
	dnsserver.Directives = []string{"bind", "errors", "kubernetes", "forward"}
}

func main() {
	coremain.Run()
}
