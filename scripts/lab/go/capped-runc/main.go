// Command capped-runc is an OCI runtime for machines that lack CAP_SYS_RESOURCE themselves (some sandboxes and CI machines).
// There runc refuses every privileged container, and a k3d node is one. It takes that capability, and the negative oom scores
// that need it, out of what the engine asks for, and then becomes runc.
//
// It is compiled because every `docker exec` passes through it: as a script it cost 0.14 s each time.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

const missing = "CAP_SYS_RESOURCE"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "capped-runc:", err)
		os.Exit(1)
	}
}

// run edits the file that the subcommand will read, if it reads one, and replaces this process by runc.
func run(args []string) error {
	runc, err := exec.LookPath("runc")
	if err != nil {
		return err
	}
	if err := edit(args); err != nil {
		return err
	}
	return syscall.Exec(runc, append([]string{"runc"}, args...), os.Environ())
}

func edit(args []string) error {
	for _, arg := range args {
		switch arg {
		case "create", "run": // the process is a part of the bundle's config.json
			return rewrite(filepath.Join(option(args, "--bundle", "-b"), "config.json"), func(doc map[string]any) {
				if process, ok := doc["process"].(map[string]any); ok {
					restrict(process)
				}
			})
		case "exec": // the process is the whole file
			if file := option(args, "--process", "-p"); file != "" {
				return rewrite(file, restrict)
			}
			return nil
		}
	}
	return nil
}

// restrict takes out of an OCI process description what this machine cannot grant.
func restrict(process map[string]any) {
	sets, _ := process["capabilities"].(map[string]any)
	for name, value := range sets {
		granted := []any{}
		asked, _ := value.([]any)
		for _, capability := range asked {
			if capability != missing {
				granted = append(granted, capability)
			}
		}
		sets[name] = granted
	}
	if score, ok := process["oomScoreAdj"].(json.Number); ok && strings.HasPrefix(score.String(), "-") {
		process["oomScoreAdj"] = 0
	}
}

func rewrite(file string, change func(map[string]any)) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var doc map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber() // limits reach 2^64-1, more than a float64 holds
	if err := decoder.Decode(&doc); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	change(doc)
	if raw, err = json.Marshal(doc); err != nil {
		return err
	}
	return os.WriteFile(file, raw, 0o600)
}

// option returns what follows one of the flags, written "--flag value" or "--flag=value".
func option(args []string, flags ...string) string {
	for i, arg := range args {
		for _, flag := range flags {
			if arg == flag && i+1 < len(args) {
				return args[i+1]
			}
			if value, found := strings.CutPrefix(arg, flag+"="); found {
				return value
			}
		}
	}
	return ""
}
