// Command registries turns k3s's registries.yaml into containerd's certs.d folder: what k3d's --registry-config relies on.
// Left out: credentials (pods bring theirs as pull secrets) and rewrites (k3s's own change to containerd).
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

type registriesFile struct {
	Mirrors map[string]struct {
		Endpoint []string `json:"endpoint"`
	} `json:"mirrors"`
	Configs map[string]struct {
		TLS tls `json:"tls"`
	} `json:"configs"`
}

type tls struct {
	CAFile             string `json:"ca_file"`
	InsecureSkipVerify bool   `json:"insecure_skip_verify"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: registries REGISTRIES_YAML CERTS_D")
		os.Exit(2)
	}
	if err := translate(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "registries:", err)
		os.Exit(1)
	}
}

// translate reads from, which may be absent, and writes one hosts.toml per registry below to.
func translate(from, to string) error {
	raw, err := os.ReadFile(from)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var file registriesFile
	if err := yaml.Unmarshal(raw, &file); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	for registry, urls := range endpoints(file) {
		folder := filepath.Join(to, folderName(registry))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "hosts.toml"), []byte(hostsToml(urls, file)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// endpoints lists the URLs for each registry. One that has only TLS settings is its own endpoint.
func endpoints(file registriesFile) map[string][]string {
	all := map[string][]string{}
	for registry := range file.Configs {
		all[registry] = []string{"https://" + registry}
	}
	for registry, mirror := range file.Mirrors {
		all[registry] = nil
		for _, url := range mirror.Endpoint {
			if !strings.Contains(url, "://") {
				url = "https://" + url
			}
			all[registry] = append(all[registry], url)
		}
	}
	return all
}

func hostsToml(urls []string, file registriesFile) string {
	var toml strings.Builder
	for _, url := range urls {
		fmt.Fprintf(&toml, "[host.%q]\n  capabilities = [\"pull\", \"resolve\"]\n", url)
		_, rest, _ := strings.Cut(url, "://")
		host, _, _ := strings.Cut(rest, "/")
		settings := file.Configs[host].TLS
		if settings.CAFile != "" {
			fmt.Fprintf(&toml, "  ca = %q\n", settings.CAFile)
		}
		if settings.InsecureSkipVerify {
			toml.WriteString("  skip_verify = true\n")
		}
	}
	return toml.String()
}

func folderName(registry string) string {
	if registry == "*" {
		return "_default"
	}
	return registry
}
