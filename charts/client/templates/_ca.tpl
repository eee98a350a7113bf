{{/*
Certificates that a site's own authority signed, for every workload that dials out: programs read them from a file that
these variables name, instead of their own. The chart makes a ConfigMap of `pem`; else one, or a Secret, is there.
*/}}
{{- define "client.caSource" -}}
{{- $ca := .Values.caBundle | default dict -}}
{{- if gt (list $ca.pem $ca.configMap $ca.secret | compact | len) 1 -}}
{{- fail "caBundle.pem, caBundle.configMap and caBundle.secret exclude each other; keep one of them" -}}
{{- end -}}
{{- if $ca.pem -}}
configMap: { name: {{ .Release.Name }}-ca-bundle }
{{- else if $ca.configMap -}}
configMap: { name: {{ $ca.configMap | quote }} }
{{- else if $ca.secret -}}
secret: { secretName: {{ $ca.secret | quote }} }
{{- end -}}
{{- end -}}

{{- define "client.caVolume" -}}
{{- with include "client.caSource" . -}}
- name: ca-bundle
  {{- . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "client.caMount" -}}
{{- if include "client.caSource" . -}}
- name: ca-bundle
  mountPath: /etc/tracebloc/ca
  readOnly: true
{{- end -}}
{{- end -}}

{{- define "client.caEnvironment" -}}
{{- if include "client.caSource" . -}}
{{- $file := printf "/etc/tracebloc/ca/%s" ((.Values.caBundle).key | default "ca.crt") -}}
{{- range $name := list "SSL_CERT_FILE" "REQUESTS_CA_BUNDLE" "CURL_CA_BUNDLE" }}
- name: {{ $name }}
  value: {{ $file | quote }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* What a container knows that dials out: the proxy and the certificates. */}}
{{- define "client.outboundEnvironment" -}}
{{- include "client.proxyEnvironment" . -}}
{{- include "client.caEnvironment" . -}}
{{- end -}}
