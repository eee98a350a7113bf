{{/* Labels of every object. `helm.sh/chart` and the first one are how other programs find a client. */}}
{{- define "client.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "client.jobsManagerName" -}}{{ .Release.Name }}-jobs-manager{{- end -}}
{{- define "client.requestsProxyName" -}}{{ .Release.Name }}-requests-proxy{{- end -}}
{{- define "client.secretName" -}}{{ .Release.Name }}-secrets{{- end -}}
{{- define "client.ingestionAuthzName" -}}{{ .Release.Name }}-ingestion-authz{{- end -}}

{{- define "client.ingestorServiceAccount" -}}
{{ (.Values.ingestionAuthz).serviceAccountName | default "ingestor" }}
{{- end -}}

{{/* The channel of images and backend: dev, stg or prod. Another word would name tags that nobody publishes (backend#1723). */}}
{{- define "client.clientEnv" -}}
{{- $channels := dict "" "prod" "prod" "prod" "production" "prod" "stg" "stg" "staging" "stg" "dev" "dev" "development" "dev" -}}
{{- $asked := (.Values.env).CLIENT_ENV | default "" | toString -}}
{{- if not (hasKey $channels $asked) -}}
{{- fail (printf "env.CLIENT_ENV is %q; allowed: dev, stg, prod" $asked) -}}
{{- end -}}
{{- get $channels $asked -}}
{{- end -}}

{{/* "true" where rights reach beyond the namespace. Only an explicit false keeps them in. */}}
{{- define "client.clusterScoped" -}}
{{- if ne (toString .Values.clusterScope) "false" }}true{{ end -}}
{{- end -}}

{{/*
Whose the release's namespace is, where the release shall make it: `ours` when it is missing or Helm counts it to this
release, `theirs` when it was there before. Helm would refuse to import that one; the notes say how it is labelled.
*/}}
{{- define "client.namespace" -}}
{{- if (.Values.namespace).create -}}
{{- $found := lookup "v1" "Namespace" "" .Release.Namespace -}}
{{- if and $found (not (include "client.owns" (list . $found))) }}theirs{{ else }}ours{{ end -}}
{{- end -}}
{{- end -}}

{{/*
(list root "enforce"): the Pod Security profile of the release's namespace, or nothing. With hostPath two containers prepare
directories as root, which `restricted` refuses: there it can only warn.
*/}}
{{- define "client.podSecurity" -}}
{{- $root := index . 0 -}}
{{- $mode := index . 1 -}}
{{- $hostPath := ($root.Values.hostPath).enabled -}}
{{- $profiles := ($root.Values.namespace).podSecurity | default dict -}}
{{- $asked := ternary (get $profiles $mode) nil (hasKey $profiles $mode) -}}
{{- if and $hostPath (eq $mode "enforce") (has $asked (list "restricted" "baseline")) -}}
{{- fail (printf "namespace.podSecurity.enforce is %s, which refuses the containers that prepare hostPath volumes as root; leave it empty and use warn and audit" $asked) -}}
{{- end -}}
{{- if not (kindIs "invalid" $asked) -}}
{{- $asked -}}
{{- else if or (not $hostPath) (ne $mode "enforce") -}}
restricted
{{- end -}}
{{- end -}}

{{/* "true" where a disruption budget would block every drain, since there is no other node (client#560). */}}
{{- define "client.singleNode" -}}
{{- if kindIs "bool" .Values.singleNode -}}
{{- if .Values.singleNode }}true{{ end -}}
{{- else if (.Values.hostPath).enabled -}}
true
{{- end -}}
{{- end -}}

{{/* (list root "mysql"): "true" when the workload gets a disruption budget. */}}
{{- define "client.hasDisruptionBudget" -}}
{{- $root := index . 0 -}}
{{- $asked := (get ($root.Values.podDisruptionBudget | default dict) (index . 1) | default dict).create -}}
{{- if kindIs "bool" $asked -}}
{{- if $asked }}true{{ end -}}
{{- else if not (include "client.singleNode" $root) -}}
true
{{- end -}}
{{- end -}}

{{/* "true" on OpenShift, which refuses a pod that pins a user id outside its project's range. */}}
{{- define "client.onOpenShift" -}}
{{- if or ((.Values.openshift).scc).enabled (.Capabilities.APIVersions.Has "security.openshift.io/v1") }}true{{ end -}}
{{- end -}}

{{/* (list root "mysql"): the resources of a container, as a map. */}}
{{- define "client.resources" -}}
{{- get ((index . 0).Values.resources | default dict) (index . 1) | default dict | toYaml -}}
{{- end -}}
