{{/*
(list root fixed also): the environment of a container: what the chart sets (`fixed`, YAML), then what `env` holds beyond
it. A name is never there twice: Helm 4 applies on the server, which refuses that. Names of `also`, what the chart sets
in other containers, are kept out as well, and so are those that it left out on purpose.
*/}}
{{- define "client.environment" -}}
{{- $root := index . 0 -}}
{{- $taken := dict -}}
{{- range concat (index . 1 | fromYamlArray) (index . 2 | fromYamlArray) -}}
{{- $_ := set $taken .name true -}}
{{- end -}}
{{- range include "client.withheldEnvironment" $root | fromYamlArray -}}
{{- $_ := set $taken . true -}}
{{- end -}}
{{ index . 1 | trim }}
{{- range $name, $value := $root.Values.env }}
{{- if and $value (not (hasKey $taken $name)) }}
- name: {{ $name | quote }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
Names that `env` never passes on by itself. A pull secret that does not exist ends an experiment for good (client#751);
the sizes come together or not at all. With a proxy the chart makes its own form of the variables (client#229).
*/}}
{{- define "client.withheldEnvironment" -}}
- IMAGE_PULL_SECRET_NAME
- RESOURCE_REQUESTS
- RESOURCE_LIMITS
- RESOURCE_PROVENANCE
- GPU_REQUESTS
- GPU_LIMITS
{{- if (.Values.env).HTTP_PROXY_HOST }}
- HTTP_PROXY_HOST
- HTTP_PROXY_PORT
- HTTP_PROXY_USERNAME
- HTTP_PROXY_PASSWORD
- HTTP_PROXY
- HTTPS_PROXY
- NO_PROXY
- http_proxy
- https_proxy
- no_proxy
{{- end }}
{{- end -}}

{{/* user:password, each percent-encoded. */}}
{{- define "client.proxyCredentials" -}}
{{- $env := .Values.env | default dict -}}
{{- printf "%s:%s" ($env.HTTP_PROXY_USERNAME | urlquery) ($env.HTTP_PROXY_PASSWORD | default "" | urlquery) | replace "+" "%20" -}}
{{- end -}}

{{/* The proxy as a URL, user and password percent-encoded. Addresses within the cluster never take it. */}}
{{- define "client.proxyEnvironment" -}}
{{- $env := .Values.env | default dict -}}
{{- if $env.HTTP_PROXY_HOST -}}
{{- $url := $env.HTTP_PROXY_HOST -}}
{{- with $env.HTTP_PROXY_PORT -}}
{{- $url = printf "%s:%s" $url . -}}
{{- end -}}
{{- if $env.HTTP_PROXY_USERNAME -}}
{{- $url = printf "%s@%s" (include "client.proxyCredentials" .) $url -}}
{{- end -}}
{{- $direct := list $env.NO_PROXY "localhost" "127.0.0.1" "0.0.0.0" "169.254.169.254" "10.0.0.0/8" "172.16.0.0/12" "192.168.0.0/16" ".svc" ".svc.cluster.local" ".cluster.local" "host.k3d.internal" | compact | join "," -}}
{{- range $name := list "HTTP_PROXY" "HTTPS_PROXY" "http_proxy" "https_proxy" }}
- name: {{ $name }}
  value: {{ printf "http://%s" $url | quote }}
{{- end }}
{{- range $name := list "NO_PROXY" "no_proxy" }}
- name: {{ $name }}
  value: {{ $direct | quote }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* (list root "CLIENT_ID" …): variables that the release's Secret holds under the same names. */}}
{{- define "client.secretEnvironment" -}}
{{- $root := index . 0 -}}
{{- range $name := rest . }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ include "client.secretName" $root }}
      key: {{ $name }}
{{- end }}
{{- end -}}

{{/* (list root "META"): an account of the database that the jobs manager makes: TB_META_USER and TB_META_PASSWORD. */}}
{{- define "client.databaseAccount" -}}
{{- $name := index . 1 }}
- name: TB_{{ $name }}_USER
  value: tb_{{ lower $name }}
{{- include "client.secretEnvironment" (list (index . 0) (printf "TB_%s_PASSWORD" $name)) }}
{{- end -}}

{{/* What both containers of the jobs manager know. */}}
{{- define "client.sharedEnvironment" -}}
{{- $env := .Values.env | default dict -}}
{{- include "client.outboundEnvironment" . }}
{{- include "client.secretEnvironment" (list . "CLIENT_ID" "CLIENT_PASSWORD") }}
- name: CLIENT_LOGS_PVC
  value: {{ (include "client.volumes" . | fromYaml).logs.claim }}
- name: JOB_IMAGE_HOST
  value: {{ include "client.registry" (list . "docker.io") }}/
- name: CLIENT_ENV
  value: {{ include "client.clientEnv" . }}
{{- if or $env.RESOURCE_REQUESTS $env.RESOURCE_LIMITS }}
{{- range $name := list "RESOURCE_REQUESTS" "RESOURCE_LIMITS" }}
{{- with get $env $name }}
- name: {{ $name }}
  value: {{ . | quote }}
{{- end }}
{{- end }}
- name: RESOURCE_PROVENANCE
  value: {{ $env.RESOURCE_PROVENANCE | default "unknown" }}
{{- end }}
{{- /* Set but empty is a statement: this machine has no GPU (backend#2216). */ -}}
{{- if not (kindIs "invalid" $env.GPU_LIMITS) }}
- name: GPU_REQUESTS
  value: {{ $env.GPU_REQUESTS | default $env.GPU_LIMITS | quote }}
- name: GPU_LIMITS
  value: {{ $env.GPU_LIMITS | quote }}
{{- end }}
- name: RUNTIME_CLASS_NAME
  value: {{ $env.RUNTIME_CLASS_NAME | default "" | quote }}
- name: SINGLE_NODE
  value: {{ $env.SINGLE_NODE | default (toString (eq true (.Values.hostPath).enabled)) | quote }}
{{- end -}}

{{/* What the chart sets in the container `api`. Other programs read INGESTOR_IMAGE_*, REQUESTS_PROXY_URL and RESOURCE_* there. */}}
{{- define "client.apiEnvironment" -}}
{{- $ingestor := include "client.ingestorImage" . | fromYaml -}}
{{- include "client.sharedEnvironment" . }}
{{- include "client.secretEnvironment" (list . "POD_TOKEN_SIGNING_SECRET") }}
- name: POD_TOKEN_TTL_SECONDS
  value: {{ .Values.podTokenTtlSeconds | default 604800 | int64 | quote }}
- name: CLIENT_PVC
  value: {{ (include "client.volumes" . | fromYaml).data.claim }}
- name: MYSQL_HOST
  value: mysql-client
- name: INGESTOR_IMAGE_REPOSITORY
  value: {{ $ingestor.repository | quote }}
- name: INGESTOR_IMAGE_TAG
  value: {{ $ingestor.tag | quote }}
- name: INGESTOR_IMAGE_DIGEST
  value: {{ $ingestor.digest | quote }}
- name: REQUESTS_PROXY_URL
  value: http://requests-proxy-service:8888
{{- /* Set but empty is a statement: nothing monitors the nodes. */}}
- name: NODE_AGENTS_NAMESPACE
  value: {{ if include "client.resourceMonitor" . }}{{ include "client.nodeAgentsNamespace" . | quote }}{{ else }}""{{ end }}
{{- with include "client.pullSecretName" . }}
- name: IMAGE_PULL_SECRET_NAME
  value: {{ . | quote }}
{{- end }}
{{- with include "client.egressProxyUrl" . }}
- name: EGRESS_PROXY_URL
  value: {{ . | quote }}
{{- end }}
{{- range $name, $on := dict "PER_INGESTION_TABLES" .Values.perIngestionTables "PER_DATASET_PVCS" .Values.perDatasetPvcs }}
{{- if $on }}
- name: {{ $name }}
  value: "true"
{{- end }}
{{- end }}
{{- if .Values.perExperimentDbCreds }}
- name: PER_EXPERIMENT_DB_CREDS
  value: "true"
{{- include "client.databaseAccount" (list . "CREDMGR") }}
{{- end }}
{{- if include "client.serviceDbAccounts" . }}
- name: SERVICE_DB_ACCOUNTS
  value: "true"
{{- include "client.databaseAccount" (list . "META") }}
{{- include "client.databaseAccount" (list . "INGEST") }}
{{- end }}
{{- end -}}
