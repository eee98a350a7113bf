// Command workload stands in for everything that runs in the cluster, in place of the product's images: one static program,
// alone in its image. The name it is started under, or else its first argument, picks the role.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var roles = map[string]func(args []string) error{
	"jobs-manager":   jobsManager,
	"pods-monitor":   podsMonitor,
	"requests-proxy": requestsProxy,
	"mysql":          mysql,
	"write":          write,
	"remove":         remove,
	// The names under which the chart starts or probes the product's images.
	"python":     requestsProxy,
	"mysqladmin": mysqladmin,
}

func main() {
	role, args := filepath.Base(os.Args[0]), os.Args[1:]
	if _, known := roles[role]; !known && len(args) > 0 {
		role, args = args[0], args[1:]
	}
	perform, known := roles[role]
	if !known {
		fmt.Fprintf(os.Stderr, "workload: no role %q; there are: %s\n", role, strings.Join(names(), ", "))
		os.Exit(2)
	}
	if err := perform(args); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", role, err)
		os.Exit(1)
	}
}

func names() []string {
	all := make([]string, 0, len(roles))
	for name := range roles {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
