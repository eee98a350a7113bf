{{/* "true" where trainings may reach HTTPS outside of the cluster. Only an explicit false closes it: older releases have no such key. */}}
{{- define "client.openEgress" -}}
{{- if ne (toString ((.Values.networkPolicy).training).allowExternalHttps) "false" }}true{{ end -}}
{{- end -}}

{{- define "client.egressProxyName" -}}{{ .Release.Name }}-egress-proxy{{- end -}}

{{- define "client.egressProxyPort" -}}{{ (.Values.egressProxy).port | default 3128 | int }}{{- end -}}

{{/* Where trainings find the gateway, or nothing while it is not theirs to use. */}}
{{- define "client.egressProxyUrl" -}}
{{- if and (.Values.egressProxy).enabled (.Values.egressProxy).routeWorkloads -}}
http://egress-proxy-service:{{ include "client.egressProxyPort" . }}
{{- end -}}
{{- end -}}

{{/* The gateway's configuration: HTTPS tunnels to the names of the list, and nothing else. An empty list allows none. */}}
{{- define "client.squidConfig" -}}
http_port {{ include "client.egressProxyPort" . }}
acl CONNECT method CONNECT
acl https port 443
http_access deny !CONNECT
http_access deny !https
{{- with (.Values.egressProxy).allowlist }}
acl allowed dstdomain {{ join " " . }}
http_access allow allowed
{{- end }}
http_access deny all
{{- if (.Values.env).HTTP_PROXY_HOST }}
include /etc/squid/upstream/parent.conf
never_direct allow all
{{- end }}
cache deny all
pid_filename none
pinger_enable off
access_log stdio:/dev/stdout
cache_log /dev/stderr
coredump_dir /tmp
shutdown_lifetime 5 seconds
forwarded_for delete
via off
{{- end -}}

{{/* The site's own proxy above the gateway. squid decodes what stands behind `login=`. */}}
{{- define "client.squidParent" -}}
{{- $env := .Values.env | default dict -}}
cache_peer {{ $env.HTTP_PROXY_HOST }} parent {{ $env.HTTP_PROXY_PORT | default "8080" }} 0 no-query no-digest default
{{- if $env.HTTP_PROXY_USERNAME }} login={{ include "client.proxyCredentials" . }}{{ end -}}
{{- end -}}
